// What `fedra config validate --connect` adds: does every cluster answer, and are all rights there?

#include "manager/cli/fleet/config_connect.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/time.h"
#include "manager/cli/fleet/access_rights.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/text/display_text.h"
#include "manager/tracking/resources.h"
#include "manager/verify/existence.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

// The manager and then the workers, with the rights needed on each and the files that grant them.
struct Asked {
  std::vector<ClusterSettings> clusters;
  std::vector<std::vector<Right>> rights;
  std::vector<std::vector<std::string>> files;  // of deploy/
};

bool ServesUsers(const config::Configuration& configuration) {
  return !configuration.api.secure.address.empty();
}

bool HasReplicas(const config::Configuration& configuration) {
  return configuration.high_availability.enabled;
}

std::vector<std::string> ManagerFiles(const config::Configuration& configuration) {
  const tracking::Mode mode = ToMode(configuration);
  std::vector<std::string> files = {"manager-rbac.yaml"};
  if (KueueCopies(mode)) files = {"dispatcher-manager-rbac.yaml"};
  if (HasReplicas(configuration)) files.push_back("manager-rbac-replicas.yaml");
  if (ServesUsers(configuration)) files.push_back("manager-rbac-secure-api.yaml");
  if (KueueCopies(mode)) return files;
  if (TakesOver(mode)) files.push_back("manager-rbac-multikueue.yaml");
  if (configuration.kueue.pods) files.push_back("manager-rbac-pods.yaml");
  if (config::DiscoversWorkers(configuration.workers_from))
    files.push_back("manager-rbac-discovery.yaml");
  if (!configuration.workers_from.access_providers.empty())
    files.push_back("manager-rbac-clusterprofiles.yaml");
  return files;
}

std::vector<std::string> WorkerFiles(const verify::WorkerObjectsOptions& verified, bool nominates,
                                     bool pods, bool copies_templates, bool reads_logs) {
  std::vector<std::string> files = {nominates ? "dispatcher-worker-rbac.yaml" : "worker-rbac.yaml"};
  if (verified.dependencies) files.push_back("worker-rbac-dependencies.yaml");
  if (reads_logs) files.push_back("worker-rbac-logs.yaml");
  if (pods) files.push_back("worker-rbac-pods.yaml");
  if (copies_templates) files.push_back("worker-rbac-template-sync.yaml");
  return files;
}

Asked WhatToAsk(const config::Loaded& loaded) {
  Asked asked;
  asked.clusters.push_back(ToManager(loaded));
  const tracking::Mode mode = ToMode(loaded.configuration);
  const bool nominates = KueueCopies(mode);
  asked.rights.push_back(ManagerRights(*ToKinds(loaded.configuration),
                                       ToDiscovery(loaded.configuration.workers_from), nominates,
                                       TakesOver(mode)));
  // Discovery has read each Secret by its name, and more need not be allowed: of one that it may
  // not read its worker says so.
  std::erase_if(asked.rights.back(),
                [](const Right& right) { return right.resource == tracking::kSecrets; });
  const auto add = [&](std::vector<Right> more) {
    std::move(more.begin(), more.end(), std::back_inserter(asked.rights.back()));
  };
  add(LeaderRights(ToLease(loaded.configuration)));
  if (HasReplicas(loaded.configuration)) add(ReplicaRights(ToOutages(loaded.configuration)));
  if (ServesUsers(loaded.configuration)) add(SecureApiRights());
  asked.files.push_back(ManagerFiles(loaded.configuration));
  const bool copies = ToRules(loaded.configuration.verification).copies_templates;
  const bool reads_logs = loaded.configuration.dispatch.failure_log_lines > 0;
  for (reconcile::WorkerSettings& worker : ToWorkers(loaded)) {
    asked.rights.push_back(WorkerRights(worker.verified, copies, reads_logs, nominates));
    asked.files.push_back(WorkerFiles(worker.verified, nominates, loaded.configuration.kueue.pods,
                                      copies, reads_logs));
    asked.clusters.push_back(std::move(worker.cluster));
  }
  return asked;
}

std::string Forbidden(const std::vector<Right>& missing, const std::vector<std::string>& files) {
  std::string forbidden;
  for (const Right& right : missing) forbidden += (forbidden.empty() ? "" : ", ") + ToText(right);
  if (forbidden.empty()) return forbidden;
  return fmt::format("Forbidden (cluster-wide): {}; apply {} of deploy/ there", forbidden,
                     fmt::join(files, ", "));
}

// `files`: those that grant the rights. `queues`: the namespaces that jobs can wait in there.
void FillRights(Cluster& cluster, const std::vector<Right>& rights,
                const std::vector<std::string>& files, const std::vector<std::string>& queues,
                ClusterAnswer& answer) {
  const auto cannot_ask = [&](const Error& error) {
    answer.problem = "cannot check permissions: " + text::Printable(ToString(error));
  };
  const auto missing = MissingRights(cluster, rights);
  if (!missing) return cannot_ask(missing.error());
  answer.problem = Forbidden(*missing, files);
  if (missing->empty() || !std::ranges::all_of(*missing, IsOfNamespaces)) return;
  const auto granted = GrantedIn(cluster, *missing, queues);
  if (!granted) return cannot_ask(granted.error());
  if (granted->empty()) return;
  answer.problem.clear();
  for (const std::string& ns : *granted) answer.only_in.push_back(text::Printable(ns));
}

using Queues = verify::Cache<verify::LocalQueue>;

std::vector<std::string> NamespacesOf(const Queues& queues) {
  std::set<std::string> namespaces;
  for (const auto& queue : queues.List()) namespaces.insert(queue->key.ns);
  return {namespaces.begin(), namespaces.end()};
}

}  // namespace

std::string WhyUnusable(const ConnectionState& state) {
  const std::string words = state.why ? text::Printable(state.why->message) : "no answer yet";
  if (state.phase != ConnectionPhase::kRejected)
    return fmt::format("{}: {}", ToString(state.phase), words);
  // Either side may have rejected the other: the reason says which.
  const std::string_view code = verdict::ToString(verify::ConnectionReason(state).code);
  return fmt::format("{}: {}; see `fedra explain {}`", code, words, code);
}

std::vector<ClusterAnswer> AskClusters(const config::Loaded& loaded,
                                       std::chrono::milliseconds timeout, Terminal& terminal) {
  const Asked asked = WhatToAsk(loaded);
  FleetSignal signal;
  std::vector<std::unique_ptr<Queues>> queues;
  for (size_t i = 0; i < asked.clusters.size(); ++i)
    queues.push_back(std::make_unique<Queues>(
        &verify::ParseLocalQueue, [](const ObjectKey&, const auto&, const auto&) {},
        [&](const watch::CacheHealth&) { signal.Raise(); }));
  // Of the workers; the manager is the first.
  LiveFleet fleet(
      asked.clusters,
      [&](size_t i, const kube::ServerInfo*) {
        std::vector<verify::Input> inputs;
        if (i > 0) inputs.push_back({tracking::kLocalQueues, queues[i].get()});
        return inputs;
      },
      [&](size_t i) { return i > 0 && queues[i]->health().IsListing(); }, signal);
  fleet.Wait(timeout, terminal);
  std::vector<ClusterAnswer> answers;
  for (size_t i = 0; i < asked.clusters.size(); ++i) {
    const auto server = fleet.server(i);
    ClusterAnswer& answer = answers.emplace_back();
    answer.name = asked.clusters[i].name.value;
    if (server != nullptr) answer.release = text::Printable(server->git_version);
    const ConnectionState state = fleet.state(i);
    if (state.phase == ConnectionPhase::kConnected)
      FillRights(fleet.cluster(i), asked.rights[i], asked.files[i], NamespacesOf(*queues[i]),
                 answer);
    else
      answer.problem = WhyUnusable(state);
  }
  return answers;
}

}  // namespace fedra::cli
