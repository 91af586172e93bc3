#pragma once
//
// What has been sent where: until its pods hold their devices there, what a workload will take is
// taken, so that a burst of jobs is not sent to the same free device.
//
// Two workloads may be judged at the same time and find the same device free. Therefore a decision
// that sends a workload somewhere counts only if nothing was sent since its verdicts were made:
// Settle() refuses it otherwise, and it is made again. Somebody always gets through.
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
  bool overdue = false;  // its pods did not come: nothing is kept for them any more
};

class InFlight final {
 public:
  // How long devices are kept for pods that do not appear.
  static constexpr std::chrono::minutes kKeptFor{10};

  // Grows whenever something is sent somewhere.
  uint64_t version() const;
  // What other workloads were sent to this worker and is not overdue, oldest first.
  std::vector<Sent> On(const ClusterName& worker, const ObjectKey& except) const;
  // Where other users of this claim are; nothing when there are none.
  std::optional<ClusterName> HolderOf(const ObjectKey& claim, const ObjectKey& except) const;

  enum class Outcome { kUnchanged, kSent, kTakenBack, kOutdated };
  struct Settled {
    Outcome outcome = Outcome::kUnchanged;
    std::optional<SteadyTime> overdue_at;  // when to settle again, should nothing happen before
  };
  // The workload is, as of sent.since, on these workers and on no others. kTakenBack: devices that
  // were kept for it are free again. kOutdated: something was sent since `seen`, and nothing was
  // changed here.
  Settled Settle(Sent sent, const std::set<ClusterName>& workers, uint64_t seen);

 private:
  struct State {
    uint64_t version = 0;
    std::map<ClusterName, std::map<ObjectKey, Sent>> workers;
  };
  Guarded<State> state_;
};

}  // namespace fedra::reconcile
