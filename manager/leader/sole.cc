#include "manager/leader/sole.h"

#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/out_of_memory.h"

namespace fedra::leader {
namespace {

using std::chrono::milliseconds;

// The daemon's start waits for it.
constexpr milliseconds kRequestTimeout{2'000};
// So many retry_periods after a request that failed: a right that is missing stays so for long.
constexpr int kPeriodsAfterFailure = 5;
// How soon a start that waits ends when it is asked to.
constexpr milliseconds kPoll{100};

}  // namespace

Sole::Sole(ElectorSettings settings, std::function<void(const std::string& why)> on_other,
           const Clock& clock)
    : settings_(std::move(settings)),
      on_other_(std::move(on_other)),
      clock_(clock),
      lock_(std::in_place, settings_.terms, settings_.identity),
      client_(settings_.lease, "another fedra on this manager would not be noticed",
              settings_.access, settings_.connection, clock) {}

Result<void> Sole::Check(const std::function<bool()>& is_cancelled) {
  const BootTime begun = BootClock::now();
  Seen seen = Look();
  if (seen == Seen::kTrace && other_) {
    log::Info("waits for a sign of life of the fedra that has the Lease",
              {{"lease", settings_.lease.ToString()}, {"holder", other_->holder}});
  }
  while (seen == Seen::kTrace && BootClock::now() < begun + settings_.terms.lease_duration) {
    const BootTime next = BootClock::now() + settings_.terms.retry_period;
    while (BootClock::now() < next) {
      if (is_cancelled()) return Fail(ErrorCode::kCancelled, "asked to end before it began");
      PauseFor(kPoll);
    }
    seen = Look();
  }
  if (seen == Seen::kOther) return Fail(ErrorCode::kConflict, WhyNot());
  return {};
}

void Sole::Start() {
  thread_ = StartThread([this] { Run(); });
}

void Sole::Run() {
  milliseconds pause = settings_.terms.retry_period;
  while (!PauseFor(pause)) {
    const Seen seen = Look();
    if (seen == Seen::kOther) return on_other_(WhyNot());
    pause = settings_.terms.retry_period * (seen == Seen::kNothing ? kPeriodsAfterFailure : 1);
  }
}

bool Sole::PauseFor(milliseconds pause) {
  const auto stops = [](const State& state) { return state.stopping; };
  return state_.WaitFor(pause, stops, stops);
}

Sole::Seen Sole::Look() {
  // The manager was away for long. That was no reason to end.
  if (lock_->Lost(BootClock::now())) lock_.emplace(settings_.terms, settings_.identity);
  Ask ask = lock_->Begin(BootClock::now(), clock_.Now());
  while (ask != Ask::kWait)
    ask = lock_->Handle(client_.Send(ask, *lock_, kRequestTimeout), BootClock::now(), clock_.Now());
  const Seen seen = Judge();
  state_.With([&](State& state) {
    state.problem = seen == Seen::kNothing ? client_.problem() : std::string();
  });
  return seen;
}

Sole::Seen Sole::Judge() {
  if (lock_->Leads(BootClock::now())) {
    other_.reset();
    return Seen::kNobody;
  }
  if (!client_.problem().empty()) return client_.was_race() ? Seen::kTrace : Seen::kNothing;
  const std::optional<LeaseRecord> record = lock_->Seen();
  if (!record || record->holder.empty() || record->holder == settings_.identity)
    return Seen::kTrace;
  const std::optional<LeaseRecord> before = std::exchange(other_, record);
  return before && before != record ? Seen::kOther : Seen::kTrace;
}

std::string Sole::WhyNot() const {
  return fmt::format(
      "another fedra serves this manager: {} keeps the Lease {}. Stop one of the two; several that "
      "agree on a leader need highAvailability: {{enabled: true}} in each; one for other "
      "AdmissionChecks (kueue.controllerName) needs a highAvailability.leaseName of its own",
      other_->holder, settings_.lease.ToString());
}

std::string Sole::Problem() const {
  return state_.With([](const State& state) { return state.problem; });
}

void Sole::Stop(bool release) {
  state_.With([](State& state) { state.stopping = true; });
  state_.Notify();
  if (!thread_.joinable()) return;
  client_.Join(thread_);
  if (release) client_.Release(*lock_);
}

}  // namespace fedra::leader
