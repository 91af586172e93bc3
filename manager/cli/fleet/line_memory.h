#pragma once
//
// The jobs that get a worker's free devices before one that is only now to be submitted: those in
// line for them (docs/ordering.md), and those that were dispatched and hold none yet. Read from the
// daemon's store, once for all jobs that are checked.
//
// The store has no selectors. That two jobs want the same devices is certain where they name the
// same ResourceClaimTemplate; otherwise they may, and a note says so.
//
// Thread rules: plain values.

#include <map>
#include <string>
#include <vector>

#include "manager/report/job_report.h"
#include "manager/text/verdict_view.h"
#include "manager/tracking/kinds/submitted.h"
#include "store/reader.h"

namespace fedra::cli {

class LineMemory final {
 public:
  // What cannot be read is left out. `is_current`: a daemon keeps it so; else jobs may have left
  // their lines since, and nothing is refused because of them.
  LineMemory(store::Reader& memory, bool is_current);

  // To each Yes: InLine where jobs that certainly want the same devices are served first, and a
  // note where they may be. To each No of devices that are in use: a note that jobs wait for
  // devices there. What is not current is a note, too. `has_priority`: the job names a priority
  // class, and may go before them.
  void AddTo(const tracking::SubmittedJob& job, bool has_priority, report::JobReport& report) const;

 private:
  struct Claimant {
    store::WorkloadRow row;
    int dispatched_pods = 0;  // of a job that was dispatched there; 0: it is in line
    bool holds = false;       // in line: no job behind it takes free devices there
    int place = 1;            // in line
    std::string order = {};   // in line: of its ClusterQueue
  };
  // Of one worker, as seen from one job.
  struct Claims {
    const Claimant* first = nullptr;       // in line; null: none
    int in_line = 0;                       // jobs
    bool may_hold = false;                 // one of those in line goes first, if they compete
    bool holds = false;                    // one goes first certainly
    const Claimant* dispatched = nullptr;  // the first of them; null: none
    int reserved = 0;                      // devices, at least, that dispatched jobs will take
  };
  static Claims ClaimsOf(const std::vector<Claimant>& claimants, const tracking::SubmittedJob& job,
                         bool has_priority);
  static verdict::InLine LineOf(const Claims& claims);  // of some that stand in line
  void AddLine(const Claims& claims, report::JobVerdict& verdict) const;
  static void NoteLine(const Claims& claims, report::JobVerdict& verdict);
  void AddDispatched(const Claims& claims, report::JobVerdict& verdict) const;

  const bool is_current_;
  std::map<ClusterName, std::vector<Claimant>> claimants_;  // the first in line first
};

}  // namespace fedra::cli
