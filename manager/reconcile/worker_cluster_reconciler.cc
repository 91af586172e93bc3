#include "manager/reconcile/worker_cluster_reconciler.h"

#include <utility>

#include "manager/tracking/manager_name.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

using Source = tracking::MultiKueueCluster::Source;

constexpr std::string_view kLoadFailed = "load client config failed: ";
constexpr std::string_view kConnectionFailed = "ClientConnectionFailed";

// As of wiring.h, ToMisconfigured(). Kueue has the other words while its gate
// MultiKueueClusterProfile is off; fedra has no such gate.
std::string_view WhyNotLoaded(const std::optional<Error>& why, Source source) {
  const bool is_missing = why && why->code == ErrorCode::kNotFound;
  if (source == Source::kClusterProfile) return is_missing ? "BadClusterProfile" : "BadRestConfig";
  return is_missing ? "BadKubeConfig" : "InsecureKubeConfig";
}

// Whether what it says is good enough, though the words differ.
bool SaysAlready(const tracking::ActiveState& state, const tracking::ActiveCondition& desired) {
  tracking::ActiveCondition same = desired;
  if (desired.reason == kConnectionFailed && state.condition)
    same.message = state.condition->message;
  return tracking::Says(state, same);
}

}  // namespace

std::optional<tracking::ActiveCondition> ActiveOf(const WorkerStatus& worker, Source source) {
  if (worker.contact != placement::Contact::kNone)
    return tracking::ActiveCondition{true, "Active", "Connected"};
  switch (worker.connection.phase) {
    case ConnectionPhase::kConnecting:
      return std::nullopt;
    case ConnectionPhase::kMisconfigured:
      return tracking::ActiveCondition{false,
                                       std::string(WhyNotLoaded(worker.connection.why, source)),
                                       std::string(kLoadFailed) + worker.problem};
    case ConnectionPhase::kConnected:
    case ConnectionPhase::kUnreachable:
    case ConnectionPhase::kRejected:
      break;
  }
  return tracking::ActiveCondition{false, std::string(kConnectionFailed), worker.problem};
}

WorkerClusterReconciler::WorkerClusterReconciler(
    Cluster& manager, const watch::ObjectCache<tracking::MultiKueueCluster>& clusters,
    const WorkerSet& workers, const Clock& clock)
    : manager_(manager), clusters_(clusters), workers_(workers), clock_(clock) {}

std::optional<tracking::ActiveCondition> WorkerClusterReconciler::Desired(
    const tracking::MultiKueueCluster& cluster) const {
  // config::AddDiscovered() leaves it out.
  if (cluster.name == tracking::kManagerName)
    return tracking::ActiveCondition{
        false, "BadKubeConfig",
        std::string(kLoadFailed) + "\"manager\" is the management cluster's own name: rename it"};
  const auto worker = workers_.Now()->Find(ClusterName(cluster.name));
  return worker == nullptr ? std::nullopt : ActiveOf(worker->Status(), cluster.source);
}

Result<void> WorkerClusterReconciler::Reconcile(const std::string& name) {
  const auto cluster = clusters_.Find({"", name});
  if (cluster == nullptr) return {};
  const auto desired = Desired(*cluster);
  if (!desired || SaysAlready(cluster->active, *desired)) return {};
  auto written = manager_.MergePatch(tracking::kMultiKueueClusters, {"", name},
                                     tracking::ActivePatch(cluster->active, *desired, clock_.Now()),
                                     {.field_manager = "fedra", .subresource = "status"});
  if (!written) return Fail(std::move(written).error());
  return {};
}

}  // namespace fedra::reconcile
