#include "manager/replica.h"

#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "base/time.h"
#include "manager/wiring.h"

namespace fedra {

Replica::Replica(const config::Loaded& loaded, const std::string& host,
                 std::function<leader::Ability(std::chrono::milliseconds)> ability) {
  if (!loaded.configuration.high_availability.enabled) return;
  leader::ElectorSettings settings = ToElector(loaded);
  settings.identity = leader::NewIdentity(host);
  const std::string lease = settings.lease.ToString();
  const std::chrono::milliseconds within = settings.terms.renew_deadline;
  log::Info("stands by until it has the Lease",
            {{"lease", lease}, {"identity", settings.identity}});
  elector_ = std::make_unique<leader::Elector>(
      std::move(settings),
      leader::ElectorCallbacks{
          .ability = [ability = std::move(ability), within] { return ability(within); },
          .on_acquired = [lease] { log::Info("leads", {{"lease", lease}}); },
          .on_lost =
              [lease](const std::string& why) {
                log::Fault("the Lease is lost, and with it the right to write: this process ends",
                           {{"lease", lease}, {"why", why}});
                // The main thread may be what is stuck; the store survives a kill, too.
                _exit(kExitLostLease);
              }},
      SystemClock());
}

std::shared_ptr<const http::WriteGate> Replica::gate() const {
  return elector_ ? elector_->leadership() : nullptr;
}

std::function<bool()> Replica::may_decide() const {
  if (!elector_) return {};
  return [leadership = elector_->leadership()] { return leadership->Leads(); };
}

std::optional<leader::LeadView> Replica::Now() const {
  if (!elector_) return std::nullopt;
  return elector_->Now();
}

void Replica::Start() {
  if (elector_) elector_->Start();
}

void Replica::Stop(bool release) {
  if (elector_) elector_->Stop(release);
}

void Replica::UpdateAccess(const kube::AccessSettings& access) {
  if (elector_) elector_->UpdateAccess(access);
}

std::optional<pages::LeaderGauges> ToGauges(const std::optional<leader::LeadView>& view) {
  if (!view) return std::nullopt;
  return pages::LeaderGauges{.leads = view->leads,
                             .renewed_at = view->renewed_at,
                             .transitions = view->record ? view->record->transitions : 0};
}

void PutReplica(store::HeartbeatRow& row, const std::optional<leader::LeadView>& view) {
  if (!view) return;
  row.role = view->leads ? store::kLeaderRole : store::kStandbyRole;
  row.identity = view->identity;
  row.lead_problem = view->problem;
  if (!view->record) return;
  row.leader = view->record->holder;
  row.takeovers = view->record->transitions;
  if (const auto since = ParseRfc3339(view->record->acquire_time); since && !row.leader.empty())
    row.leader_since = *since;
}

}  // namespace fedra
