#pragma once
//
// What the screen asks for, and what it gets: documents of report/ as rows, texts of text/ as
// lines. Pure.
//
// A daemon's documents are not trusted: a field that is missing or of another type is empty.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "manager/cli/screen/frame.h"
#include "manager/text/output.h"
#include "store/job_query.h"

namespace fedra::cli::screen {

enum class What {
  // Rows, of the JSON document.
  kGroups,
  kJobs,
  kWorkers,
  // Text: of one worker made here of the document of all of them, else as the command prints it.
  kWorker,
  kJob,
  kWhy,
  kHistory,
  kDevices,  // the device map of one worker
  kHelp,     // needs no answer
};
constexpr bool IsRows(What what) { return what <= What::kWorkers; }
// About one job.
constexpr bool IsOfJob(What what) { return what >= What::kJob && what <= What::kHistory; }

struct Question {
  What what = What::kGroups;
  std::string subject = {};  // the job, as of report::ParseWorkloadName, or the worker
  // Of groups: what is counted; never null. Of jobs: what `group` is of; null: all jobs.
  std::optional<store::JobGrouping> group_by = {};
  std::string group = {};  // only this one's jobs
  std::string name = {};   // of jobs: only with this in their name, as of report::JobFilter
  // Of jobs; null: as the command line says.
  std::optional<store::JobOrder> sort_by = {};
  size_t limit = 0;    // of jobs: the most rows
  bool all = false;    // of jobs: also those that ended long ago
  size_t columns = 0;  // of texts: how wide they are made
  bool operator==(const Question&) const = default;
};

struct Value {
  std::string text = {};
  text::Tone tone = text::Tone::kPlain;
  std::optional<WallTime> since = std::nullopt;  // its age is shown before the text
  std::string before = {};                       // that age
  bool operator==(const Value&) const = default;
};

struct Column {
  std::string title;
  int rank = 0;  // where the screen is narrow the lowest come first; 0: is always shown
  bool operator==(const Column&) const = default;
};

struct Row {
  std::string key;      // the same in the next document: of jobs the uid
  std::string subject;  // a job, a worker or a group, as a question names it
  std::string worker;   // where a job is; may be empty
  std::vector<Value> values;
  bool operator==(const Row&) const = default;
};

struct Document {
  std::vector<Column> columns = {};  // of rows; the last one takes what is left
  std::vector<Row> rows = {};
  std::vector<Line> lines = {};     // of texts
  std::vector<Line> warnings = {};  // why it may be wrong by now, or not all
  // Until when what it says was kept current; null: it says so itself, or it is not known.
  std::optional<WallTime> as_of = std::nullopt;
  size_t beyond = 0;  // jobs behind the limit
  size_t ended = 0;   // jobs that only `all` lists
};

// kBadResponse: the output is no such document.
Result<Document> ReadDocument(const Question& question, const text::Output& output, WallTime now,
                              bool utf8);

}  // namespace fedra::cli::screen
