#include "manager/daemon/progress.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/time.h"

namespace fedra {
namespace {

// From the lead to the first decision. 100,000 Workloads are listed in a tenth of that.
constexpr std::chrono::minutes kTakeOverLimit{2};

}  // namespace

DaemonProgress::DaemonProgress() : systemd_(Parts()) {}

void DaemonProgress::Follow(Threads& threads, const reconcile::Federation& federation) {
  threads_ = &threads;
  federation_ = &federation;
}

void DaemonProgress::Tick() { systemd_.Tick(SystemClock().Steady(), State()); }

bool DaemonProgress::Hangs() const { return systemd_.IsOverdue(SystemClock().Steady()); }

leader::Ability DaemonProgress::Able(std::chrono::milliseconds within) const {
  leader::Ability ability;
  if (stopping_) return ability;
  if (!systemd_.IsAlive(SystemClock().Steady(), within)) {
    ability.unable = "the daemon makes no progress: a part of it hangs, and the log names it";
    return ability;
  }
  ability.idle = !federation_->IsWorking();
  const std::string waits = ability.idle ? federation_->WhyNotReady() : std::string();
  if (waits.empty()) return ability;
  ability.cold = "it cannot begin to decide yet and waits for: " + waits;
  if (federation_->HasWaitedFor(kTakeOverLimit))
    ability.unable = fmt::format("it has the Lease for {}, could decide nothing, and waits for: {}",
                                 FormatDuration(kTakeOverLimit), waits);
  return ability;
}

// The loop and the pool are asked and have answered by the next look, the store by its heartbeat's
// transaction, failed ones included: a full disk is nothing that a restart could mend.
std::vector<WatchedPart> DaemonProgress::Parts() {
  return {{"network loop",
           [this] {
             const uint64_t answered = loop_turns_;
             threads_->loop.Post([this] { ++loop_turns_; });
             return answered;
           }},
          {"worker pool",
           [this] {
             const uint64_t answered = pool_turns_;
             threads_->pool.Submit([this] { ++pool_turns_; });
             return answered;
           }},
          {"store", [this] { return store_turns_.load(); }},
          {"reconciler", [this, idle = uint64_t{0}]() mutable {
             // A standby's keys wait for it to lead.
             if (!federation_->IsWorking() || federation_->queue_depth() == 0) ++idle;
             return federation_->turns() + idle;
           }}};
}

ServiceState DaemonProgress::State() const {
  ServiceState state{.is_working = federation_->IsWorking(), .stands_by = federation_->IsStandby()};
  const auto workers = federation_->workers();
  state.workers = workers->size();
  state.connected =
      static_cast<size_t>(std::count_if(workers->begin(), workers->end(), [](const auto& worker) {
        return worker->contact() == placement::Contact::kFull;
      }));
  return state;
}

}  // namespace fedra
