// What `fedra config validate --connect` adds: does every cluster answer, and are all rights there?

#include "manager/cli/fleet/config_connect.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/time.h"
#include "manager/cli/fleet/access_rights.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/text/display_text.h"
#include "manager/verify/existence.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

// The manager and then the workers, with the rights needed on each.
struct Asked {
  std::vector<ClusterSettings> clusters;
  std::vector<std::vector<Right>> rights;
};

Asked WhatToAsk(const config::Loaded& loaded) {
  Asked asked;
  asked.clusters.push_back(ToManager(loaded));
  const bool nominates = KueueCopies(loaded.configuration);
  const config::WorkersFrom& from = loaded.configuration.workers_from;
  asked.rights.push_back(
      ManagerRights(*ToKinds(loaded.configuration),
                    from.multi_kueue_clusters ? std::optional(from.secret_namespace) : std::nullopt,
                    nominates, TakesOver(loaded.configuration)));
  std::vector<Right> more = LeaderRights(ToLease(loaded.configuration));
  std::move(more.begin(), more.end(), std::back_inserter(asked.rights.back()));
  const bool copies = ToRules(loaded.configuration.verification).copies_templates;
  const bool reads_logs = loaded.configuration.dispatch.failure_log_lines > 0;
  for (reconcile::WorkerSettings& worker : ToWorkers(loaded)) {
    asked.rights.push_back(WorkerRights(worker.verified, copies, reads_logs, nominates));
    asked.clusters.push_back(std::move(worker.cluster));
  }
  return asked;
}

// Why the cluster cannot be used as it should; empty: it can.
std::string ProblemOf(Cluster& cluster, const std::vector<Right>& rights) {
  const ConnectionState state = cluster.state();
  if (state.phase != ConnectionPhase::kConnected) return WhyUnusable(state);
  const auto missing = MissingRights(cluster, rights);
  if (!missing) return "cannot check permissions: " + text::Printable(missing.error().message);
  std::string forbidden;
  for (const Right& right : *missing) forbidden += (forbidden.empty() ? "" : ", ") + ToText(right);
  return forbidden.empty() ? forbidden : "Forbidden (cluster-wide): " + forbidden;
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
  LiveFleet fleet(
      asked.clusters, [](size_t, const kube::ServerInfo*) { return std::vector<verify::Input>(); },
      [](size_t) { return false; }, signal);
  fleet.Wait(timeout, terminal);
  std::vector<ClusterAnswer> answers;
  for (size_t i = 0; i < asked.clusters.size(); ++i) {
    const auto server = fleet.server(i);
    answers.push_back({.name = asked.clusters[i].name.value,
                       .release = server ? text::Printable(server->git_version) : std::string(),
                       .problem = ProblemOf(fleet.cluster(i), asked.rights[i])});
  }
  return answers;
}

}  // namespace fedra::cli
