#pragma once
//
// Lists and counts of jobs, living and deleted ones: what is asked of the store, and what it
// answers. A page costs what is on it, and a look at one index to count what is not.
//
// Plain values.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "store/rows.h"

namespace fedra::store {

// kEnded: what ended, or was deleted, last comes first, and what has not ended last.
enum class JobOrder { kState, kLine, kName, kAge, kWorker, kQueue, kEnded };
enum class JobGrouping { kState, kReason, kWorker, kQueue, kNamespace };

// A job's place in a list: what it is sorted by, then its name. No two jobs have the same.
struct JobKey {
  uint64_t rank = 0;  // of its state, or place in line; 0 where that does not matter
  std::string text;   // worker or queue; as all names here as of InNaturalOrder()
  // When it was made, in ms since 1970, or minus when it ended; 0 where it does not matter.
  int64_t age = 0;
  std::string ns;
  std::string name;
  int64_t created_at = 0;  // ms since 1970
  std::string uid;
  auto operator<=>(const JobKey&) const = default;
};

// Deleted jobs among living ones, whatever state they were in last.
struct DeletedJobs {
  std::string state;  // that they count as; none of the others
  uint64_t rank = 0;  // its place among them, which none of them has. There the newest comes first

  bool operator==(const DeletedJobs&) const = default;
};

// Every list: any of these; empty: all.
struct JobQuery {
  // The states of living jobs that are asked for, each with its place among them. Others are left
  // out, so without any there are no living jobs.
  std::map<std::string, uint64_t> states;
  std::optional<DeletedJobs> deleted = {};  // null: none
  std::string ns = {};
  std::vector<std::string> workers = {};
  std::vector<std::string> queues = {};  // "gpu", or "ml/gpu"
  // Unlike the others all of these: each a part of the job's name, or, with a slash, of "ml/train".
  std::vector<std::string> name_parts = {};
  std::vector<std::string> reasons = {};  // of WorkloadRow::reasons
  // Whether a job with this WorkloadRow::labels_json is meant; null: all. It takes a look at each
  // row, where the rest takes one at an index.
  std::function<bool(std::string_view)> labels = {};
  // Jobs that ended before are counted, and not listed. Null: they are listed, too.
  std::optional<WallTime> ended_before = {};

  JobOrder order = JobOrder::kState;
  std::optional<JobKey> after = {};  // the list goes on behind this one
  size_t limit = 0;                  // 0: none
};

struct JobPage {
  std::vector<WorkloadRow> rows;
  std::optional<JobKey> last;              // of the last row; null: there is none
  std::map<std::string, size_t> matching;  // by state: all that are meant, listed or not
  size_t ended = 0;                        // of those, that ended before `ended_before`
  size_t beyond = 0;                       // of the others, behind the limit
};

struct JobGroup {
  std::string name;   // "Blocked", "TemplateMissing", "ml/gpu"; empty: jobs without a worker
  size_t jobs = 0;    // by reason: a job may count twice
  WallTime since{};   // of the job that has been longest in its state
  ObjectKey longest;  // that job; of several the first by name
};

}  // namespace fedra::store
