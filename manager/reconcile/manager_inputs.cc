#include "manager/reconcile/manager_inputs.h"

#include <utility>

#include <fmt/format.h>

#include "cluster-clients/kube/resource_name.h"
#include "manager/reconcile/manager_jobs.h"
#include "manager/reconcile/manager_queues.h"
#include "manager/reconcile/manager_templates.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"
#include "manager/verify/dra_api.h"

namespace fedra::reconcile {
namespace {

using watch::CacheState;

constexpr std::string_view kNoOrder =
    "annotations fedra.dev/order and fair-sharing weights of ClusterQueues have no effect, and "
    "jobs that Kueue refuses or admits without their check are not shown";
constexpr std::string_view kNoShares =
    "fair-sharing weights of LocalQueues have no effect, and jobs show no ClusterQueue before they "
    "have quota";
constexpr std::string_view kNoTemplates = "templates are neither compared with workers' nor copied";
constexpr std::string_view kNoDiscovery =
    "workers are not discovered, and those that are known stay";
constexpr std::string_view kNoRecords =
    "a replica that takes over asks workers again that have just failed or refused a job";
constexpr std::string_view kNoJobs = "no job of this kind is dispatched";
constexpr std::string_view kNoReferences = "what jobs name is not compared with workers'";

// What makes workers, or says which of them Kueue reaches.
void AddDiscovery(bool nominates, const Discovery& discovery, std::vector<ManagerInput>& inputs) {
  using Sinks = ManagerSinks;
  if (nominates || !discovery.secrets_in.empty()) {
    inputs.push_back({.resource = tracking::kMultiKueueClusters,
                      .need = nominates ? Need::kRequired : Need::kOptional,
                      .without = kNoDiscovery,
                      .sink = [](const Sinks& s) -> auto& { return s.worker_clusters; },
                      .is_missed_unserved = !nominates});
  }
  for (const std::string& ns : discovery.profiles_in) {
    inputs.push_back({.resource = tracking::kClusterProfiles,
                      .ns = ns,
                      .need = Need::kOptional,
                      .without = kNoDiscovery,
                      .sink = [ns](const Sinks& s) -> auto& { return s.profiles(ns); },
                      .is_missed_unserved = true});
  }
}

ManagerInput RecordsInput() {
  return {.resource = tracking::kPlacementRecords,
          .need = Need::kOptional,
          .without = kNoRecords,
          .sink = [](const ManagerSinks& s) -> auto& { return s.records; },
          .is_missed_unserved = true,
          .is_inherited = true};
}

// The jobs of every kind, and what they name.
void AddKinds(const tracking::JobKinds& kinds, std::vector<ManagerInput>& inputs) {
  using Sinks = ManagerSinks;
  for (const tracking::JobAdapter* kind : kinds.all()) {
    const bool required = kind == kinds.all().front();  // batch/v1 Job
    inputs.push_back(
        {.resource = kind->resource(),
         .labels = kind->labels_on_manager(),
         .need = required ? Need::kRequired : Need::kIfGranted,
         .without = required ? std::string_view() : kNoJobs,
         .kind = kind,
         .sink = [kind](const Sinks& s) -> auto& { return s.jobs.Of(*kind).cache(); }});
    const std::vector<kube::Resource> named = kind->ReferencedResources();
    for (size_t i = 0; i < named.size(); ++i) {
      inputs.push_back({.resource = named[i],
                        .need = Need::kOptional,
                        .awaited = false,
                        .without = kNoReferences,
                        .kind = kind,
                        .sink = [kind, i](const Sinks& s) -> auto& {
                          return *s.jobs.references(*kind).Inputs()[i].sink;
                        }});
    }
  }
}

}  // namespace

std::vector<ManagerInput> ManagerInputs(const tracking::JobKinds& kinds,
                                        const kube::ServerInfo* server, bool nominates,
                                        const Discovery& discovery, bool records) {
  using Sinks = ManagerSinks;
  std::vector<ManagerInput> inputs = {
      {.resource = tracking::kWorkloads,
       .sink = [](const Sinks& s) -> auto& { return s.jobs.workloads().cache(); }},
      {.resource = tracking::kAdmissionChecks,
       .sink = [](const Sinks& s) -> auto& { return s.checks; }},
      {.resource = tracking::kMultiKueueConfigs,
       .need = Need::kIfServed,
       .sink = [](const Sinks& s) -> auto& { return s.configs; }},
      {.resource = tracking::kClusterQueues,
       .need = Need::kOptional,
       .without = kNoOrder,
       .sink = [](const Sinks& s) -> auto& { return s.queues.cluster_queue_sink(); }},
      {.resource = tracking::kLocalQueues,
       .need = Need::kOptional,
       .without = kNoShares,
       .sink = [](const Sinks& s) -> auto& { return s.queues.local_queue_sink(); }},
      {.resource = verify::InVersion(tracking::kTemplates, verify::DraVersion(server)),
       .need = Need::kOptional,
       .awaited = false,
       .without = kNoTemplates,
       .sink = [](const Sinks& s) -> auto& { return s.templates.sink(); }},
  };
  AddDiscovery(nominates, discovery, inputs);
  if (records) inputs.push_back(RecordsInput());
  AddKinds(kinds, inputs);
  return inputs;
}

std::string NameOf(const ManagerInput& input) { return kube::ResourceIn(input.resource, input.ns); }

bool IsWithheld(const watch::CacheHealth& health) {
  return health.state == CacheState::kForbidden || health.state == CacheState::kNotServed;
}

bool HasAnswered(const ManagerInput& input, const watch::CacheHealth& health) {
  if (!input.awaited || health.complete) return true;
  if (input.is_inherited && health.state == CacheState::kFailing) return true;
  return input.need != Need::kRequired && IsWithheld(health);
}

bool IsListedAnew(const ManagerInput& input, const watch::CacheHealth& health) {
  if (input.need == Need::kOptional)
    return HasAnswered(input, health) && !(input.is_inherited && health.IsListing());
  if (input.need != Need::kRequired && IsWithheld(health)) return true;
  return health.state == CacheState::kSynced;
}

bool IsNeeded(const ManagerInput& input, const watch::CacheHealth& health) {
  switch (input.need) {
    case Need::kRequired:
      return true;
    case Need::kIfServed:
      return health.state != CacheState::kNotServed;
    case Need::kIfGranted:
      return !IsWithheld(health);
    case Need::kOptional:
      break;
  }
  return false;
}

std::optional<Gap> GapOf(const ManagerInput& input, const watch::CacheHealth& health) {
  const bool is_missed = input.is_missed_unserved && health.state == CacheState::kNotServed;
  const bool is_wrong = is_missed || health.state == CacheState::kForbidden ||
                        (health.state == CacheState::kFailing && !verify::IsSyncing(health));
  if (!is_wrong || IsNeeded(input, health)) return std::nullopt;
  const std::string name = NameOf(input);
  return Gap{name, fmt::format("{}: {}", verify::Problem(health, name), input.without)};
}

}  // namespace fedra::reconcile
