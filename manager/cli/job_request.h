#pragma once
//
// fedra retry and fedra move: what a person asks of the daemon about one job.
//
// That is an annotation of the job's Workload on the manager (manager/tracking/job_requests.h),
// which every replica reads, and which kubectl shows. It is written with the caller's rights; the
// daemon need not be asked, nor run.
//
// Thread rules: one user thread.

#include <string>

#include "manager/cli/membership/named_context.h"
#include "manager/cli/terminal/terminal.h"

namespace fedra::cli {

struct JobRequestOptions {
  std::string job;              // as of report::ParseWorkloadName
  std::string ns;               // of a job that is named without
  ContextChoice manager;        // of the caller
  std::string timeout = "30s";  // for each answer
  // Of a daemon on this machine, which knows its workers and what failed; there need be none.
  std::string config = {};
};

// Failures of workers that are older than now do not count any more.
int Retry(const JobRequestOptions& options, Terminal& terminal);

struct MoveOptions {
  JobRequestOptions request;
  std::string to;       // a worker; empty: any but the one that has it
  bool cancel = false;  // what was asked for before is taken back
};
// The running job is taken back from its worker, and goes to another one.
int Move(const MoveOptions& options, Terminal& terminal);

}  // namespace fedra::cli
