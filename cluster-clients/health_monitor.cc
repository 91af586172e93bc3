#include "cluster-clients/health_monitor.h"

#include <utility>

#include "base/log.h"
#include "cluster-clients/discovery.h"
#include "cluster-clients/http/loop.h"
#include "cluster-clients/http/retry.h"

namespace fedra {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

}  // namespace

HealthMonitor::HealthMonitor(ClusterName name, kube::AccessSettings access, ClusterOptions options,
                             http::HttpLoop& loop, WorkerPool& workers, const Clock& clock,
                             Cluster::OnState on_state, Cluster::OnServer on_server)
    : name_(std::move(name)),
      options_(std::move(options)),
      loop_(loop),
      workers_(workers),
      clock_(clock),
      on_state_(std::move(on_state)),
      on_server_(std::move(on_server)),
      serial_(std::make_shared<watch::SerialQueue>(std::make_shared<watch::PoolShare>(workers, 1))),
      groups_(
          std::set<std::string>(options_.discover_groups.begin(), options_.discover_groups.end())),
      tracker_(options_.probe_interval, clock.Now()) {
  state_.With([&](ConnectionState& state) { state = tracker_.state(); });
  sessions_.With([&](Sessions& sessions) {
    sessions.current = std::make_shared<Session>(access, options_, loop, workers, clock);
  });
}

void HealthMonitor::Start() {
  serial_->Submit([self = shared_from_this()] {
    if (std::exchange(self->started_, true)) return;
    if (self->tracker_.state().phase != ConnectionPhase::kMisconfigured) self->Probe();
  });
}

void HealthMonitor::Stop() {
  stopping_ = true;
  const Sessions all = sessions_.Copy();
  all.current->Stop();
  for (const auto& earlier : all.earlier) {
    if (const SessionPtr session = earlier.lock()) session->Stop();
  }
  serial_->Close();
}

void HealthMonitor::UpdateAccess(const kube::AccessSettings& access) {
  auto fresh = std::make_shared<Session>(access, options_, loop_, workers_, clock_);
  const SessionPtr old = sessions_.With([&](Sessions& sessions) {
    std::erase_if(sessions.earlier, [](const auto& earlier) { return earlier.expired(); });
    sessions.earlier.push_back(sessions.current);
    return std::exchange(sessions.current, fresh);
  });
  old->client().EndStreams("the credentials or the address have changed");
  serial_->Submit([self = shared_from_this()] {
    self->rediscover_ = true;
    self->Act(self->tracker_.AccessChanged());
  });
}

void HealthMonitor::SetMisconfigured(Error why) {
  serial_->Submit([self = shared_from_this(), why = std::move(why)] {
    self->session()->client().Reset(why.message);
    self->Act(self->tracker_.Misconfigured(self->clock_.Now(), why));
  });
}

void HealthMonitor::NoteContact() {
  last_contact_.store(clock_.Steady().time_since_epoch().count(), std::memory_order_relaxed);
}

SteadyTime HealthMonitor::last_contact() const {
  return SteadyTime(SteadyTime::duration(last_contact_.load(std::memory_order_relaxed)));
}

void HealthMonitor::Suspect() {
  if (suspected_.exchange(true)) return;
  serial_->Submit([self = shared_from_this()] {
    self->suspected_ = false;
    if (self->tracker_.state().phase == ConnectionPhase::kConnected) self->Probe();
  });
}

void HealthMonitor::Rediscover() {
  rediscover_ = true;
  Suspect();
}

void HealthMonitor::AddGroup(const std::string& group) {
  const bool added =
      groups_.With([&](std::set<std::string>& groups) { return groups.insert(group).second; });
  if (added) Rediscover();
}

// Publishes the state, tells who wants to know, and plans the next probe.
void HealthMonitor::Act(const ConnectionTracker::Output& output) {
  const ConnectionState& now = tracker_.state();
  state_.With([&](ConnectionState& state) { state = now; });
  if (output.changed) {
    log::Write(now.why ? log::Level::kWarn : log::Level::kInfo, "cluster connection",
               {{"cluster", name_.value},
                {"state", std::string(ToString(now.phase))},
                {"error", now.why ? now.why->message : ""}});
    if (on_state_) on_state_(now);
  }
  ++timer_round_;
  if (output.probe_in) ProbeIn(*output.probe_in);
}

void HealthMonitor::ProbeIn(milliseconds delay) {
  if (!started_) return;
  loop_.After(delay, [weak = weak_from_this(), round = ++timer_round_] {
    const auto self = weak.lock();
    if (!self) return;
    self->serial_->Submit([self, round] {
      if (self->timer_round_ == round) self->OnTimer();
    });
  });
}

void HealthMonitor::OnTimer() {
  if (tracker_.state().phase == ConnectionPhase::kConnected) {
    const SteadyTime now = clock_.Steady();
    if (now - discovered_at_ >= options_.discovery_interval) rediscover_ = true;
    const auto silent = duration_cast<milliseconds>(now - last_contact());
    if (silent < options_.probe_interval && !rediscover_)
      return ProbeIn(options_.probe_interval - silent);
  }
  Probe();
}

void HealthMonitor::Probe() {
  if (probing_ || !started_) return;
  probing_ = true;
  probe_began_ = clock_.Steady();
  DiscoveryPlan plan;
  plan.timeout = options_.probe_timeout;
  // The server that answers after an outage may be another release, with other APIs.
  const bool reconnecting = tracker_.state().phase != ConnectionPhase::kConnected;
  plan.discover = rediscover_.exchange(false) || reconnecting;
  plan.groups = groups_.Copy();
  const SessionPtr session = this->session();
  Discover(session, workers_, plan,
           [weak = weak_from_this(), session, discovered = plan.discover](auto info) {
             const auto self = weak.lock();
             if (!self) return;
             self->serial_->Submit([self, session, discovered, info = std::move(info)]() mutable {
               self->OnProbed(session, discovered, std::move(info));
             });
           });
}

void HealthMonitor::OnProbed(const SessionPtr& session, bool discovered,
                             Result<kube::ServerInfo> info) {
  if (stopping_) return;  // what Stop() has cut off is no answer
  probing_ = false;
  if (discovered && !info) rediscover_ = true;
  if (session != this->session()) return Probe();  // the access has changed meanwhile
  if (tracker_.state().phase == ConnectionPhase::kMisconfigured) return;
  // Overloaded is not away.
  const bool connected = tracker_.state().phase == ConnectionPhase::kConnected;
  if (!info && connected && info.error().code == ErrorCode::kTooManyRequests) {
    return Act(tracker_.Succeeded(clock_.Now()));
  }
  if (!info) return OnProbeFailed(session, info.error());
  const ServerPtr known = server();
  if (discovered) {
    discovered_at_ = clock_.Steady();
    Publish(*std::move(info));
  } else if (known && known->git_version != info->git_version) {  // upgraded
    rediscover_ = true;
    return Probe();
  }
  contested_ = false;
  NoteContact();
  Act(tracker_.Succeeded(clock_.Now()));
}

void HealthMonitor::Publish(kube::ServerInfo info) {
  const ServerPtr known = server();
  if (known && *known == info) return;
  server_.With([&](ServerPtr& server) {
    server = std::make_shared<const kube::ServerInfo>(std::move(info));
  });
  if (on_server_) on_server_();
}

void HealthMonitor::OnProbeFailed(const SessionPtr& session, const Error& why) {
  session->client().Reset(why.message);
  // The probe was on a connection that has just been cut, or others got an answer meanwhile: ask
  // once more, on a new connection.
  const bool doubtful = why.code == ErrorCode::kConnection ||
                        (why.code == ErrorCode::kTimeout && last_contact() > probe_began_);
  const bool connected = tracker_.state().phase == ConnectionPhase::kConnected;
  if (connected && doubtful && !std::exchange(contested_, true)) return Probe();
  contested_ = false;
  Act(tracker_.Failed(clock_.Now(), why, http::Jitter()));
}

}  // namespace fedra
