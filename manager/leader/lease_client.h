#pragma once
//
// Sends what a LeaseLock asks for, over a connection of its own.
//
// Thread rules: SetNotes, UpdateAccess and Join from any thread, the rest from one at a time.
// Lifetime: the clock must outlive it.

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "cluster-clients/own_connection.h"
#include "manager/leader/lease_lock.h"

namespace fedra::leader {

class LeaseClient final {
 public:
  // `failure`: what the log says when requests begin to fail.
  LeaseClient(ObjectKey lease, std::string failure, const kube::AccessSettings& access,
              const ClusterOptions& options, const Clock& clock);

  // What the next writes say of us; a Lease that is given back says nothing.
  void SetNotes(HolderNotes notes) {
    notes_.With([&](HolderNotes& now) { now = std::move(notes); });
  }

  // For any `ask` but kWait.
  Answer Send(Ask ask, const LeaseLock& lock, std::chrono::milliseconds timeout);
  // As client-go's release(): reads first, since the last renewal's answer may have been lost.
  // Waits a second for each of two requests.
  void Release(const LeaseLock& lock);

  // What was wrong with the last request; empty: nothing.
  const std::string& problem() const { return problem_; }
  // It failed because another one was quicker, or we are ending.
  bool was_race() const { return was_race_; }
  // When the last write that was answered was sent; null: none was.
  const std::optional<WallTime>& renewed_at() const { return renewed_at_; }

  // Cancels the call that `sender` has under way, and joins it. It must have been told to end.
  void Join(std::thread& sender);
  void UpdateAccess(const kube::AccessSettings& access) { connection_.UpdateAccess(access); }

 private:
  Answer Call(const kube::Verb& verb, std::chrono::milliseconds timeout);

  // Constant after construction.
  const ObjectKey lease_;
  const std::string failure_;
  const Clock& clock_;

  Guarded<HolderNotes> notes_;

  std::string problem_;
  bool was_race_ = false;
  std::optional<WallTime> renewed_at_;
  OwnConnection connection_;
};

}  // namespace fedra::leader
