#include "manager/cli/known_workers.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.h"
#include "config/configuration.h"
#include "config/load.h"
#include "config/names.h"
#include "manager/report/freshness.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/manager_name.h"
#include "manager/verify/check_scope.h"

namespace fedra::cli {

bool MayBeServed(const tracking::AdmissionCheck& check) {
  return check.controller_name == tracking::kMultiKueueController ||
         check.controller_name == config::KueueSettings().controller_name;
}

Error KnownWorkers::NoWorker(const std::string& worker) const {
  const std::string closest =
      config::ClosestName(worker, std::vector<std::string>(names.begin(), names.end()));
  Error error;
  error.code = ErrorCode::kNotFound;
  error.message = fmt::format("there is no worker {}", worker);
  if (!closest.empty())
    error.message += fmt::format("; did you mean {}?", closest);
  else if (!names.empty())
    error.message += fmt::format("; there are {}", fmt::join(names, ", "));
  return error;
}

std::optional<DaemonHere> DaemonHere::Find(const std::string& config,
                                           const config::KubeAccess& manager) {
  std::error_code ignored;
  if (config.empty() || !std::filesystem::exists(config, ignored)) return std::nullopt;
  const auto loaded = config::Load(config, config::OptionsNow(/*manager_may_fail=*/true));
  if (!loaded || !loaded->manager || loaded->manager->server != manager.server) return std::nullopt;
  DaemonHere here;
  for (const config::WorkerSettings& worker : loaded->configuration.workers)
    here.configured_.insert(worker.name);
  here.discovers_ = config::DiscoversWorkers(loaded->configuration.workers_from);
  auto memory = store::Reader::Open(loaded->configuration.store.path);
  if (memory) here.memory_ = *std::move(memory);
  return here;
}

void DaemonHere::AddTo(KnownWorkers& known) const {
  known.names.insert(configured_.begin(), configured_.end());
  bool remembers = false;
  if (memory_ != nullptr) {
    const auto rows = memory_->Clusters();
    for (const store::ClusterRow& row : rows.value_or(std::vector<store::ClusterRow>())) {
      if (row.name.value == tracking::kManagerName) continue;
      remembers = true;
      known.names.insert(row.name.value);
      if (row.is_removed) known.removed.insert(row.name.value);
    }
  }
  known.is_complete |= !configured_.empty() && !discovers_;
  known.is_complete |= remembers;
}

std::optional<bool> DaemonHere::HasFailed(const tracking::Workload& workload) const {
  if (memory_ == nullptr) return std::nullopt;
  const auto heartbeat = memory_->Heartbeat();
  if (!heartbeat || !*heartbeat) return std::nullopt;
  const report::Daemon daemon{*heartbeat, memory_->is_in_use()};
  if (report::IsStandby(daemon) || !report::StaleText(daemon, SystemClock().Now()).empty())
    return std::nullopt;
  const auto rows = memory_->FindWorkloads(workload.key);
  const auto failures = memory_->Failures(workload.uid);
  if (!rows || !failures) return std::nullopt;
  for (const store::WorkloadRow& row : *rows)
    if (row.uid == workload.uid && !row.removed_at) return !failures->empty();
  return std::nullopt;
}

KnownWorkers FindWorkers(const ManagerChecks& manager, const std::vector<CheckPtr>& meant,
                         const std::optional<DaemonHere>& here) {
  KnownWorkers known;
  for (const CheckPtr& check : meant) {
    const verify::CheckScope scope = manager.ScopeOf(*check);
    if (scope.all || !scope.problem.empty()) known.unsure = check->name;
    known.names.insert(scope.names.begin(), scope.names.end());
  }
  known.is_complete = known.unsure.empty() && !known.names.empty();
  if (here) here->AddTo(known);
  return known;
}

}  // namespace fedra::cli
