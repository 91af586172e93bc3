#include "manager/wiring.h"

#include <utility>

#include "base/guarded.h"
#include "manager/kind_settings.h"
#include "manager/same_names.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/manager_name.h"
#include "manager/tracking/resources.h"

namespace fedra {
namespace {

std::optional<verify::DeviceStateOptions> ToDevices(
    const config::VerificationSettings& verification, const config::WorkerSettings& worker) {
  if (verification.devices == config::DeviceCheck::kOff) return std::nullopt;
  verify::DeviceStateOptions options;
  options.node_resources = worker.node_resources;
  for (const config::ScalablePool& pool : worker.scalable_pools)
    options.scalable_pools.push_back(
        {pool.device_class, pool.devices, pool.node_labels, pool.max_nodes});
  return options;
}

std::optional<verify::DependencyOptions> ToDependencies(
    const config::VerificationSettings& verification) {
  if (verification.dependencies == config::DependencyCheck::kOff) return std::nullopt;
  return verify::DependencyOptions{
      .enforce = verification.dependencies == config::DependencyCheck::kEnforce,
      .secrets = verification.secrets};
}

ErrorCode CodeOf(config::AccessFault fault) {
  switch (fault) {
    case config::AccessFault::kRefused:
      break;
    case config::AccessFault::kMissing:
      return ErrorCode::kNotFound;
  }
  return ErrorCode::kInvalidArgument;
}

}  // namespace

kube::AccessSettings ToAccess(const config::KubeAccess& access) {
  kube::AccessSettings settings;
  settings.server = access.server;
  settings.ca_pem = access.ca_pem;
  settings.tls_server_name = access.tls_server_name;
  settings.proxy_url = access.proxy_url;
  settings.insecure_skip_tls_verify = access.insecure_skip_tls_verify;
  settings.client_certificate_pem = access.client_certificate_pem;
  settings.client_key_pem = access.client_key_pem;
  settings.token = access.token;
  settings.token_file = access.token_file;
  settings.username = access.username;
  settings.password = access.password;
  if (access.exec) {
    kube::ExecPlugin& plugin = settings.exec.emplace_back();
    plugin.api_version = access.exec->api_version;
    plugin.command = access.exec->command;
    plugin.args = access.exec->args;
    for (const config::ExecVariable& variable : access.exec->env)
      plugin.env[variable.name] = variable.value;
    plugin.install_hint = access.exec->install_hint;
    plugin.provide_cluster_info = access.exec->provide_cluster_info;
    plugin.cluster_config = access.exec_cluster_config;
  }
  return settings;
}

std::optional<Error> ToMisconfigured(const config::ClusterAccess& access) {
  if (access) return std::nullopt;
  return Error{
      CodeOf(access.error().fault), config::ToString(access.error().problems.front()), {}, {}};
}

tracking::JobKindsPtr ToKinds(const config::Configuration& configuration) {
  struct Made {
    std::vector<config::KindSettings> of;
    bool pods = false;
    tracking::JobKindsPtr kinds;
  };
  // All parts of the process know a kind by the address of its adapter, after a reload too. One
  // entry, since a change of them needs a restart.
  static Guarded<std::vector<Made>> all;
  const bool pods = configuration.kueue.pods;
  if (configuration.kinds.empty() && !pods) return tracking::BuiltInKinds();
  return all.With([&](std::vector<Made>& made) {
    for (const Made& known : made)
      if (known.of == configuration.kinds && known.pods == pods) return known.kinds;
    std::vector<tracking::KindRow> rows;
    for (const config::KindSettings& kind : configuration.kinds) rows.push_back(ToRow(kind));
    made.push_back({configuration.kinds, pods,
                    std::make_shared<const tracking::JobKinds>(std::move(rows), pods)});
    return made.back().kinds;
  });
}

ClusterOptions ToOptions(config::HttpVersion version, const tracking::JobKinds& kinds) {
  ClusterOptions options;
  options.http2 = version == config::HttpVersion::k2;
  // Which of their versions are watched is chosen from what is served, so before the first watch.
  options.discover_groups = {"kueue.x-k8s.io", "resource.k8s.io", "scheduling.k8s.io"};
  for (const tracking::JobAdapter* kind : kinds.all())
    options.discover_groups.push_back(kind->resource().group);
  return options;
}

tracking::Mode ToMode(const config::Configuration& configuration) {
  return SameName(configuration.kueue.mode);
}

tracking::Identity ToIdentity(const config::Configuration& configuration) {
  const tracking::Mode mode = ToMode(configuration);
  const bool is_own = mode == tracking::Mode::kAdmissionCheck;
  return {.origin = is_own ? configuration.origin : configuration.kueue.multi_kueue_origin,
          .mode = mode};
}

std::string ControllerOf(const config::Configuration& configuration) {
  return configuration.kueue.mode == config::KueueMode::kAdmissionCheck
             ? configuration.kueue.controller_name
             : std::string(tracking::kMultiKueueController);
}

bool DrainsRemoved(const config::Configuration& configuration) {
  return configuration.dispatch.removed_workers == config::RemovedWorkers::kDrain;
}

placement::Policy ToPolicy(const config::Configuration& configuration) {
  placement::Policy policy;
  const config::DispatchSettings& dispatch = configuration.dispatch;
  policy.kind = SameName(dispatch.policy);
  policy.candidates = dispatch.candidates;
  policy.admission_timeout = dispatch.admission_timeout;
  policy.worker_lost_timeout = configuration.worker_lost_timeout;
  policy.leaves_rejected = dispatch.rejected_workers == config::RejectedWorkers::kMove;
  policy.keep_failed = dispatch.keep_failed;
  policy.failure_log_lines = dispatch.failure_log_lines;
  policy.unknown = SameName(configuration.verification.unknown);
  return policy;
}

verify::Rules ToRules(const config::VerificationSettings& verification) {
  return {.drift = SameName(verification.template_drift),
          .undeclared = SameName(verification.capabilities),
          .shared_claims = SameName(verification.shared_claims),
          .copies_templates = verification.template_sync != config::SyncPolicy::kNever};
}

reconcile::GatherSettings ToGather(const config::Configuration& configuration) {
  const config::DispatchSettings& dispatch = configuration.dispatch;
  const config::VerificationSettings& verification = configuration.verification;
  reconcile::GatherSettings settings;
  settings.controller_name = ControllerOf(configuration);
  settings.us = ToIdentity(configuration);
  settings.mode = ToMode(configuration);
  settings.order = {.policy = SameName(dispatch.order),
                    .max_passes = dispatch.backfill.max_passes,
                    .max_wait = dispatch.backfill.max_wait};
  settings.devices = verification.devices == config::DeviceCheck::kEnforce;
  settings.quota = verification.queue_quota == config::QueueQuotaCheck::kEnforce;
  settings.rules = ToRules(verification);
  return settings;
}

reconcile::TemplateSettings ToTemplates(const config::Configuration& configuration) {
  reconcile::TemplateSettings settings;
  // Kueue has no copies of templates: in every mode ours have our own origin and our marks.
  settings.us = {.origin = configuration.origin};
  settings.mode = SameName(configuration.verification.template_sync);
  return settings;
}

ClusterSettings ToManager(const config::Loaded& loaded) {
  ClusterSettings manager;
  manager.name = ClusterName(std::string(tracking::kManagerName));
  if (loaded.manager) manager.access = ToAccess(*loaded.manager);
  manager.misconfigured = ToMisconfigured(loaded.manager);
  manager.options =
      ToOptions(loaded.configuration.manager.http_version, *ToKinds(loaded.configuration));
  if (loaded.configuration.high_availability.enabled)
    manager.options.discover_groups.push_back(tracking::kPlacementRecords.group);
  return manager;
}

std::vector<reconcile::WorkerSettings> ToWorkers(const config::Loaded& loaded) {
  std::vector<reconcile::WorkerSettings> workers;
  const config::Configuration& configuration = loaded.configuration;
  const tracking::JobKindsPtr kinds = ToKinds(configuration);
  for (size_t i = 0; i < configuration.workers.size(); ++i) {
    const config::WorkerSettings& from = configuration.workers[i];
    const config::ClusterAccess& access = loaded.workers[i];
    reconcile::WorkerSettings worker;
    worker.cluster.name = ClusterName(from.name);
    if (access) worker.cluster.access = ToAccess(*access);
    worker.cluster.misconfigured = ToMisconfigured(access);
    worker.cluster.options = ToOptions(from.http_version, *kinds);
    worker.verified.kinds = kinds;
    worker.verified.devices = ToDevices(configuration.verification, from);
    worker.verified.dependencies = ToDependencies(configuration.verification);
    worker.verified.queue_quota =
        configuration.verification.queue_quota == config::QueueQuotaCheck::kEnforce;
    worker.capabilities = from.capabilities;
    worker.keeps_rejected =
        configuration.dispatch.rejected_workers == config::RejectedWorkers::kKeep;
    workers.push_back(std::move(worker));
  }
  return workers;
}

ObjectKey ToLease(const config::Configuration& configuration) {
  return {configuration.high_availability.lease_namespace,
          configuration.high_availability.lease_name};
}

ObjectKey ToOutages(const config::Configuration& configuration) {
  ObjectKey map = ToLease(configuration);
  map.name += "-outages";
  return map;
}

leader::ElectorSettings ToElector(const config::Loaded& loaded) {
  const config::HighAvailabilitySettings& from = loaded.configuration.high_availability;
  leader::ElectorSettings settings;
  settings.lease = ToLease(loaded.configuration);
  settings.terms = {.lease_duration = from.lease_duration,
                    .renew_deadline = from.renew_deadline,
                    .retry_period = from.retry_period};
  settings.access = ToAccess(*loaded.manager);
  settings.connection =
      ToOptions(loaded.configuration.manager.http_version, *ToKinds(loaded.configuration));
  return settings;
}

reconcile::Discovery ToDiscovery(const config::WorkersFrom& from) {
  return {.secrets_in = from.multi_kueue_clusters ? from.secret_namespace : std::string(),
          .profiles_in = config::ProfileNamespaces(from)};
}

reconcile::FederationSettings ToFederation(const config::Loaded& loaded) {
  const config::Configuration& configuration = loaded.configuration;
  reconcile::FederationSettings settings;
  settings.gather = ToGather(configuration);
  settings.templates = ToTemplates(configuration);
  settings.policy = ToPolicy(configuration);
  settings.manager = ToManager(loaded);
  settings.kinds = ToKinds(configuration);
  settings.workers = ToWorkers(loaded);
  settings.reporting_controller = configuration.kueue.controller_name;
  settings.discovery = ToDiscovery(configuration.workers_from);
  settings.drains_removed = DrainsRemoved(configuration);
  if (configuration.high_availability.enabled) settings.outages = ToOutages(configuration);
  return settings;
}

report::Query ToQuery(const config::Configuration& configuration) {
  report::Query query;
  query.worker_lost_timeout = configuration.worker_lost_timeout;
  query.admission_timeout = configuration.dispatch.admission_timeout;
  query.race = configuration.dispatch.policy == config::DispatchPolicy::kRace;
  return query;
}

}  // namespace fedra
