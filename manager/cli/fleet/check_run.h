#pragma once
//
// What `fedra check` does when it knows its manifests and the workers: it judges, and says what
// came of it. The command does so with workers that it asks or a snapshot, the daemon with those
// that it watches (daemon_check.h).
//
// Thread rules: one thread; of the workers nothing is changed but what --assume-templates assumes.

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli/fleet/daemon_memory.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/cli/manifests/check_input.h"
#include "manager/report/as_of.h"
#include "manager/report/job_report.h"
#include "manager/text/output.h"
#include "store/reader.h"

namespace fedra::cli {

// Who judges: the command, which has asked the workers just now and takes its own options, or the
// daemon, by what it watches.
enum class Judge { kCommand, kDaemon };

struct JudgeOptions {
  Judge judge = Judge::kCommand;
  std::string ns = {};  // of documents without one
  // Templates in the files count as if they existed on workers that lack them.
  bool assume_templates = false;
  // Whether the findings say what the workers have and lack.
  bool tells_of_workers = true;
  // Asked before each job and each claim: an error ends all of it. Null: it takes its time.
  std::function<Result<void>()> goes_on = {};
};

struct Checked {
  std::vector<std::string> skipped = {};   // what was not looked at, for people
  std::vector<report::JobReport> reports;  // of the input's jobs, in their order
  MemoryAge age;                           // of what the daemon's store says of lines
};

// `memory`: the daemon's; null: none can be read. Adds findings to the input. Errors: those of
// `goes_on`.
Result<Checked> JudgeInput(CheckInput& input, const JudgeOptions& options, const Fleet& fleet,
                           store::Reader* memory);

// `as_of`: null when nothing could be read. The code: 0 every job can run somewhere, kNowhere one
// can run nowhere, kUnknown it could not be found out, kFailed a mistake in a manifest. The note
// may have several lines.
text::Output RenderCheck(const CheckInput& input, const JudgeOptions& options,
                         const Checked& checked, const report::AsOf* as_of, text::Format format,
                         const text::Style& style);

}  // namespace fedra::cli
