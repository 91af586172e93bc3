#pragma once
//
// Notices another fedra on the same manager, for a daemon that is meant to be the only one.
//
// It keeps the same Lease as an Elector, so that each of the two kinds sees the other. But its
// Lease gives no right: a manager that does not answer, or allows no Leases, stops nothing, and no
// other fedra is noticed meanwhile. Another holder counts as alive only when its record has changed
// between two looks: clocks are not compared, and the record that a killed fedra has left proves
// nothing.
//
// Thread rules: Check, Start and Stop from one thread, the rest from any; on_other is called on a
// thread of its own, once, and may end the process. Lifetime: the clock must outlive it.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "manager/leader/elector.h"
#include "manager/leader/lease_client.h"
#include "manager/leader/lease_lock.h"

namespace fedra::leader {

class Sole final {
 public:
  // `identity` of the settings: may be that of a predecessor that has certainly ended; then its
  // Lease is taken at once. `on_other`: who lives beside us, and what to do.
  Sole(ElectorSettings settings, std::function<void(const std::string& why)> on_other,
       const Clock& clock);
  ~Sole() { Stop(false); }

  // Before anything is decided: kConflict when another one lives. Where one has left its Lease it
  // waits for a sign of life, no longer than lease_duration; kCancelled as soon as `is_cancelled`,
  // which is asked several times a second.
  Result<void> Check(const std::function<bool()>& is_cancelled);
  void Start();
  // `release`: another one may begin at once.
  void Stop(bool release);
  // Why another one would not be noticed now; empty: it would.
  std::string Problem() const;
  void UpdateAccess(const kube::AccessSettings& access) { client_.UpdateAccess(access); }
  void SetNotes(HolderNotes notes) { client_.SetNotes(std::move(notes)); }

 private:
  enum class Seen {
    kNobody,   // the Lease is ours
    kTrace,    // another one has it, or just was quicker: look again
    kOther,    // and it lives
    kNothing,  // no answer, or no right
  };
  struct State {
    bool stopping = false;
    std::string problem;
  };

  void Run();
  // Whether it is to stop.
  bool PauseFor(std::chrono::milliseconds pause);
  Seen Look();
  Seen Judge();
  std::string WhyNot() const;

  // Constant after construction.
  const ElectorSettings settings_;
  const std::function<void(const std::string& why)> on_other_;
  const Clock& clock_;

  Guarded<State> state_;

  // Of its thread, and of the user's before Start() and after Stop().
  std::optional<LeaseLock> lock_;     // always there; made anew when it has lost the Lease
  std::optional<LeaseRecord> other_;  // as last seen
  LeaseClient client_;
  std::thread thread_;
};

}  // namespace fedra::leader
