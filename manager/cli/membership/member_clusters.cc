#include "manager/cli/membership/member_clusters.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/judged/connect_error.h"
#include "manager/tracking/resources.h"
#include "manager/wiring.h"
#include "verdict/reason_text.h"

namespace fedra::cli {
namespace {

std::vector<std::string> NamesOf(const std::vector<ClusterSettings>& clusters) {
  std::vector<std::string> names;
  for (const ClusterSettings& cluster : clusters) names.push_back(cluster.name.value);
  return names;
}

}  // namespace

MemberClusters::MemberClusters(const std::vector<ClusterSettings>& clusters, bool lists_workloads,
                               std::chrono::milliseconds timeout, const Terminal& terminal)
    : names_(NamesOf(clusters)),
      lists_workloads_(lists_workloads),
      workloads_(
          &tracking::ParseClone, [](const ObjectKey&, const auto&, const auto&) {},
          [this](const watch::CacheHealth&) { signal_.Raise(); }),
      live_(
          clusters, [this](size_t i, const kube::ServerInfo* server) { return Feeds(i, server); },
          [this](size_t i) {
            return i == 0 && lists_workloads_ && workloads_.health().IsListing();
          },
          signal_) {
  live_.Wait(timeout, terminal);
}

std::vector<verify::Input> MemberClusters::Feeds(size_t cluster, const kube::ServerInfo*) {
  if (cluster != 0 || !lists_workloads_) return {};
  return {{tracking::kWorkloads, &workloads_}};
}

Result<void> MemberClusters::Reached(size_t cluster) const {
  const ConnectionState state = live_.state(cluster);
  if (state.phase == ConnectionPhase::kConnected) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{}: {}", names_[cluster],
                          verdict::MessageOf(NotReached(state, live_.waited()))));
}

Result<std::vector<std::string>> MemberClusters::UnfinishedJobs(
    const std::vector<std::string>& but_of) const {
  FEDRA_RETURN_IF_ERROR(Reached(0));
  const watch::CacheHealth health = workloads_.health();
  // Without Kueue there are none.
  if (!health.complete && health.state != watch::CacheState::kNotServed) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("{}: workloads.kueue.x-k8s.io cannot be listed: {}", names_[0],
                            health.error ? health.error->message : "no answer in time"));
  }
  std::vector<std::string> jobs;
  for (const auto& clone : workloads_.List()) {
    const bool is_left_out = std::ranges::find(but_of, clone->marks.made_by) != but_of.end();
    if (IsCopy(clone->marks) && !is_left_out && !clone->Finished())
      jobs.push_back(clone->key.ToString());
  }
  std::ranges::sort(jobs);
  return jobs;
}

ClusterSettings MemberSettings(const std::string& name, const config::KubeAccess& access) {
  ClusterSettings settings;
  settings.name = ClusterName(name);
  settings.access = ToAccess(access);
  settings.options.discover_groups = {tracking::kWorkloads.group};
  return settings;
}

}  // namespace fedra::cli
