#pragma once
//
// Objects fedra created on workers whose workload no longer exists: what a store that was lost, a
// worker taken out of the configuration for a while, or a manager set up again may leave. Pure.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "manager/report/as_of.h"
#include "manager/text/output.h"
#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"

namespace fedra::cli {

struct Orphan {
  ClusterName worker;
  const tracking::JobAdapter* adapter = nullptr;  // of a job; null: it is a clone
  ObjectKey key;
  std::string uid;
  ObjectKey workload;        // of the manager, that it was made for; name empty: unknown
  std::string workload_uid;  // of that Workload; empty: Kueue's MultiKueue made the copy
  tracking::CopyMarks marks;
  bool deleting = false;  // its deletion has begun
  WallTime created{};     // the epoch: not known
  // "Running", "Suspended", "Finished", "Failed" or "Pending" of a job; "Admitted", "Waiting" or
  // "Finished" of a clone.
  std::string_view state;
  int pods = 0;              // of a job that run now
  tracking::Workload clone;  // for taking its finalizer off; of a clone only
  std::shared_ptr<const tracking::Job> job = nullptr;  // likewise; of a job only
};

// What one worker has.
struct RemoteObjects {
  ClusterName worker;
  std::vector<std::shared_ptr<const tracking::Workload>> clones;
  std::vector<std::shared_ptr<const tracking::Job>> jobs;  // of all kinds
};

// Who we are, as soon as it is known which manager this is; `uid`: the answer of ReadClusterUid().
// An error unless it is answered or refused: nothing may be deleted on a guess.
Result<tracking::Identity> IdentityOf(const tracking::Identity& us, const Result<std::string>& uid);

// The UIDs of the manager's Workloads.
using LivingWorkloads = std::map<ObjectKey, std::string>;

// Those of ours that stand for none of `living`; jobs before clones, by name. In kueue.mode
// dispatcher none: the copies are Kueue's, which removes its own.
std::vector<Orphan> FindOrphans(const RemoteObjects& remote, const tracking::Identity& us,
                                const LivingWorkloads& living);
// Whether it stays one though the manager has a Workload with this UID of the name that it was made
// for.
bool IsOrphanBeside(const Orphan& orphan, const tracking::Identity& us, const std::string& uid);

std::string KindOf(const Orphan& orphan);
// What a search for orphans could not look at.
struct OrphanGaps {
  std::vector<report::UnreadWorker> workers;
  std::string left_out;  // what is left out on all workers, and why; empty: nothing
};
text::Output RenderOrphans(std::span<const Orphan> orphans, const OrphanGaps& gaps,
                           const report::AsOf& as_of, text::Format format,
                           const text::Style& style);

}  // namespace fedra::cli
