#pragma once
//
// Reserves devices for dispatched workloads until their pods hold them, so that a burst of jobs is
// not dispatched to the same free device. kube-scheduler calls that "assuming" a pod.
//
// Two workloads may be judged at the same time and find the same device free. Therefore a decision
// that sends a workload somewhere counts only if nothing was sent since its verdicts were made:
// Settle() refuses it otherwise, and it is made again. One of them always gets through.
//
// Kept in memory only: after a restart every workload that has copies on workers is looked at, and
// settles again.
//
// Thread rules: any thread.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "manager/tracking/pod_set.h"

namespace fedra::reconcile {

struct Sent {
  ObjectKey workload;
  ObjectKey job;
  std::vector<std::string> claims;  // named ResourceClaims that its pods share, in its namespace
  tracking::Demands demands;
  SteadyTime since{};
  // Nothing is kept for its pods any more: they have their devices, or did not come in time.
  bool is_over = false;
};

class InFlight final {
 public:
  // How long devices are kept for pods that do not appear.
  static constexpr std::chrono::minutes kKeptFor{10};

  // Grows whenever something is sent somewhere.
  uint64_t version() const;
  // What other workloads were sent to this worker and is not over, oldest first.
  std::vector<Sent> On(const ClusterName& worker, const ObjectKey& except) const;
  // Where each other user of this claim was sent.
  std::map<ObjectKey, std::set<ClusterName>> UsersOf(const ObjectKey& claim,
                                                     const ObjectKey& except) const;

  enum class Outcome { kSettled, kTakenBack, kOutdated };
  struct Settled {
    Outcome outcome = Outcome::kSettled;
    std::optional<SteadyTime> overdue_at;  // when to settle again, should nothing happen before
  };
  // The workload is, as of sent.since, on these workers and on no others; on those in `settled` its
  // pods have their devices. kTakenBack: what was kept for it, or the place of its claims, is free
  // again. kOutdated: since `seen` something was sent to one of the workers that are new, and
  // nothing was changed here.
  Settled Settle(Sent sent, const std::set<ClusterName>& workers,
                 const std::set<ClusterName>& settled, uint64_t seen);

 private:
  struct Worker {
    uint64_t version = 0;  // when something was last sent there
    std::map<ObjectKey, Sent> workloads;
  };
  struct State {
    uint64_t version = 0;
    std::map<ClusterName, Worker> workers;
  };
  Guarded<State> state_;
};

}  // namespace fedra::reconcile
