#include "manager/leader/elector.h"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/out_of_memory.h"

namespace fedra::leader {
namespace {

using std::chrono::milliseconds;

// So many requests that are not answered fit into the time after which the lead is lost.
constexpr int kRequestsInDeadline = 3;

double RandomShare() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(random);
}

}  // namespace

std::string NewIdentity(const std::string& host) {
  std::random_device random;
  return fmt::format("{}_{:08x}{:08x}", host, random(), random());
}

Elector::Elector(ElectorSettings settings, ElectorCallbacks callbacks, const Clock& clock)
    : settings_(std::move(settings)),
      callbacks_(std::move(callbacks)),
      clock_(clock),
      leadership_(std::make_shared<Leadership>(settings_.terms)),
      lock_(settings_.terms, settings_.identity),
      client_(settings_.lease, "a request for the Lease failed", settings_.access,
              settings_.connection, clock) {
  state_.With([&](State& state) { state.view.identity = settings_.identity; });
}

Elector::~Elector() { Stop(false); }

LeadView Elector::Now() const {
  LeadView view = state_.With([](const State& state) { return state.view; });
  view.leads = leadership_->Leads();
  return view;
}

void Elector::Start() {
  thread_ = StartThread([this] { Run(); });
}

void Elector::Stop(bool release) {
  state_.With([](State& state) { state.stopping = true; });
  state_.Notify();
  if (!thread_.joinable()) return;
  client_.Join(thread_);
  leadership_->End();
  if (release) client_.Release(lock_);
}

bool Elector::IsStopping() const {
  return state_.With([](const State& state) { return state.stopping; });
}

void Elector::Run() {
  while (Try()) {
    const bool stopping = state_.WaitFor(
        lock_.Pause(BootClock::now(), RandomShare()),
        [](const State& state) { return state.stopping; },
        [](const State& state) { return state.stopping; });
    if (stopping) return;
  }
}

bool Elector::Try() {
  const Ability ability = callbacks_.ability();
  NoteAbility(ability);
  if (GivesUp(ability)) return false;
  Ask ask = Ask::kWait;
  if (ability.unable.empty())
    ask = lock_.Begin(BootClock::now(), clock_.Now(), /*eager=*/ability.cold.empty());
  while (ask != Ask::kWait && !IsStopping()) {
    const Answer answer = client_.Send(ask, lock_, Timeout());
    ask = lock_.Handle(answer, BootClock::now(), clock_.Now());
  }
  Publish();
  if (!lock_.Lost(BootClock::now())) return true;
  leadership_->End();
  if (!IsStopping()) callbacks_.on_lost(Problem().empty() ? "another one has it" : Problem());
  return false;
}

void Elector::NoteAbility(const Ability& ability) {
  const bool is_fault = !ability.unable.empty();
  const std::string& why = is_fault ? ability.unable : ability.cold;
  if (lock_.Leads(BootClock::now()) && !is_fault) return refused_.clear();
  if (std::exchange(refused_, why) == why || why.empty()) return;
  if (is_fault) return log::Warn("the Lease is not renewed, nor taken", {{"why", why}});
  log::Info("the Lease is left to a replica that is ready, if there is one", {{"why", why}});
}

// The gate is closed first, and asked again what was begun by then: what passes it from now on is
// nothing, so nothing of us can meet what a successor writes.
bool Elector::GivesUp(const Ability& ability) {
  if (ability.unable.empty() || !ability.idle || !lock_.Leads(BootClock::now())) return false;
  leadership_->End();
  if (callbacks_.ability().idle) client_.Release(lock_);
  if (!IsStopping()) callbacks_.on_lost(ability.unable);
  return true;
}

void Elector::Publish() {
  const BootTime until = lock_.held_until();
  leadership_->LeadUntil(until);
  state_.With([&](State& state) {
    state.view.record = lock_.Seen();
    state.view.notes = state.view.record ? lock_.lease().notes : HolderNotes();
    state.view.renewed_at = client_.renewed_at();
    state.view.problem = Problem();
  });
  if (acquired_ || !lock_.Leads(BootClock::now())) return;
  acquired_ = true;
  callbacks_.on_acquired();
}

// No request outlives the lead: what it would tell came too late.
milliseconds Elector::Timeout() const {
  const milliseconds usual = settings_.terms.renew_deadline / kRequestsInDeadline;
  const BootTime now = BootClock::now();
  if (!lock_.Leads(now)) return usual;
  return std::clamp(std::chrono::ceil<milliseconds>(lock_.held_until() - now), milliseconds(1),
                    usual);
}

}  // namespace fedra::leader
