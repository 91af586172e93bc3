#include "manager/daemon/replica.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/time.h"
#include "config/shared_settings.h"
#include "manager/version.h"
#include "manager/wiring.h"

namespace fedra {
namespace {

// Of the store: its predecessor's, too, which has ended, since it had the store's lock. A file's
// numbers are one machine's, and those of one boot.
std::string StoreIdentity(const std::string& host, const std::string& store) {
  struct stat file{};
  if (stat(store.c_str(), &file) != 0) return leader::NewIdentity(host);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  const std::string place = fmt::format("{} {} {}", boot, file.st_dev, file.st_ino);
  return fmt::format("{}_{:016x}", host, Hash64(place));
}

[[noreturn]] void EndWith(std::string_view message, const std::string& lease,
                          const std::string& why) {
  log::Fault(message, {{"lease", lease}, {"why", why}});
  // The main thread may be what is stuck; the store survives a kill, too.
  _exit(kExitLostLease);
}

bool AnotherLeads(const leader::LeadView& view) {
  return view.record && !view.record->holder.empty() && view.record->holder != view.identity;
}

}  // namespace

Replica::Replica(const config::Loaded& loaded, const std::string& host,
                 std::function<leader::Ability(std::chrono::milliseconds)> ability) {
  leader::ElectorSettings settings = ToElector(loaded);
  const std::string lease = settings.lease.ToString();
  if (!loaded.configuration.high_availability.enabled) {
    settings.identity = StoreIdentity(host, loaded.configuration.store.path);
    sole_ = std::make_unique<leader::Sole>(
        std::move(settings),
        [lease](const std::string& why) { EndWith("this process ends", lease, why); },
        SystemClock());
    SetConfiguration(loaded);
    return;
  }
  settings.identity = leader::NewIdentity(host);
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
                EndWith("the Lease is lost, and with it the right to write: this process ends",
                        lease, why);
              }},
      SystemClock());
  SetConfiguration(loaded);
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

Result<void> Replica::Check(const std::function<bool()>& is_cancelled) {
  return sole_ ? sole_->Check(is_cancelled) : Result<void>();
}

void Replica::Start() {
  if (elector_) elector_->Start();
  if (sole_) sole_->Start();
}

void Replica::Stop(bool release) {
  if (elector_) elector_->Stop(release);
  if (sole_) sole_->Stop(release);
}

void Replica::UpdateAccess(const kube::AccessSettings& access) {
  if (elector_) elector_->UpdateAccess(access);
  if (sole_) sole_->UpdateAccess(access);
}

void Replica::SetConfiguration(const config::Loaded& loaded) {
  leader::HolderNotes notes{.version = kVersion, .configuration = config::SharedSettings(loaded)};
  notes_.With([&](leader::HolderNotes& ours) { ours = notes; });
  if (elector_) elector_->SetNotes(notes);
  if (sole_) sole_->SetNotes(notes);
}

std::string Replica::ConfigDifference() const {
  if (!elector_) return {};
  const leader::LeadView view = elector_->Now();
  const leader::HolderNotes ours = notes_.Copy();
  if (!AnotherLeads(view) || view.notes.version != ours.version) return {};
  return compared_.With([&](Compared& last) {
    if (last.ours != ours.configuration || last.leaders != view.notes.configuration) {
      const auto sections = config::DifferingSections(ours.configuration, view.notes.configuration);
      last = {ours.configuration, view.notes.configuration,
              fmt::format("{}", fmt::join(sections, ", "))};
    }
    return last.sections;
  });
}

std::string Replica::Problem() const {
  return elector_ ? elector_->Now().problem : sole_->Problem();
}

std::optional<metrics::LeaderGauges> ToGauges(const Replica& replica) {
  const std::optional<leader::LeadView> view = replica.Now();
  if (!view) return std::nullopt;
  return metrics::LeaderGauges{.leads = view->leads,
                               .renewed_at = view->renewed_at,
                               .transitions = view->record ? view->record->transitions : 0,
                               .config_differs = !replica.ConfigDifference().empty()};
}

void PutReplica(store::HeartbeatRow& row, const Replica& replica) {
  const std::optional<leader::LeadView> view = replica.Now();
  if (!view) return;
  row.config_differs = replica.ConfigDifference();
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
