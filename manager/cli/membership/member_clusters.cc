#include "manager/cli/membership/member_clusters.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cluster-clients/kube/resource_name.h"
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

MemberClusters::MemberClusters(const std::vector<ClusterSettings>& clusters,
                               std::chrono::milliseconds timeout, const Terminal& terminal,
                               const std::optional<MemberFeed>& feed)
    : names_(NamesOf(clusters)),
      live_(
          clusters,
          [inputs = feed ? feed->inputs : std::vector<verify::Input>()](size_t cluster,
                                                                        const auto*) {
            return cluster == 0 ? inputs : std::vector<verify::Input>();
          },
          [is_listing = feed ? feed->is_listing : [] { return false; }](size_t cluster) {
            return cluster == 0 && is_listing();
          },
          feed ? feed->signal : signal_) {
  live_.Wait(timeout, terminal);
}

Result<void> MemberClusters::Listed(const kube::Resource& resource,
                                    const watch::CacheHealth& health) const {
  FEDRA_RETURN_IF_ERROR(Reached(0));
  if (health.complete) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{}: {} cannot be listed: {}", names_[0], kube::ResourceIn(resource, {}),
                          health.error ? health.error->message : "no answer in time"));
}

Result<void> MemberClusters::Reached(size_t cluster) const {
  const ConnectionState state = live_.state(cluster);
  if (state.phase == ConnectionPhase::kConnected) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{}: {}", names_[cluster],
                          verdict::MessageOf(NotReached(state, live_.waited()))));
}

MemberJobs::MemberJobs(const std::vector<ClusterSettings>& clusters,
                       std::chrono::milliseconds timeout, const Terminal& terminal)
    : workloads_(
          &tracking::ParseClone, [](const ObjectKey&, const auto&, const auto&) {},
          [this](const watch::CacheHealth&) { signal_.Raise(); }),
      clusters_(clusters, timeout, terminal,
                MemberFeed{{{tracking::kWorkloads, &workloads_}},
                           [this] { return workloads_.health().IsListing(); },
                           signal_}) {}

Result<std::vector<std::string>> MemberJobs::UnfinishedJobs(
    const std::vector<std::string>& but_of) const {
  const watch::CacheHealth health = workloads_.health();
  const Result<void> listed = clusters_.Listed(tracking::kWorkloads, health);
  // Without Kueue there are none.
  if (!listed && !(clusters_.Reached(0) && health.state == watch::CacheState::kNotServed))
    return Fail(listed.error());
  std::vector<std::string> jobs;
  for (const auto& clone : workloads_.List()) {
    if (tracking::IsCopyOfNoneOf(but_of, clone->marks) && !clone->Finished())
      jobs.push_back(clone->key.ToString());
  }
  std::ranges::sort(jobs);
  return jobs;
}

ManagerChecks::ManagerChecks(const ClusterSettings& manager, std::chrono::milliseconds timeout,
                             const Terminal& terminal)
    : checks_(
          &tracking::ParseAdmissionCheck, [](const ObjectKey&, const auto&, const auto&) {},
          [this](const watch::CacheHealth&) { signal_.Raise(); }),
      configs_(
          &tracking::ParseMultiKueueConfig, [](const ObjectKey&, const auto&, const auto&) {},
          [this](const watch::CacheHealth&) { signal_.Raise(); }),
      scopes_(/*controller_name=*/"", checks_, configs_),
      clusters_(
          {manager}, timeout, terminal,
          MemberFeed{
              {{tracking::kAdmissionChecks, &checks_}, {tracking::kMultiKueueConfigs, &configs_}},
              [this] { return checks_.health().IsListing() || configs_.health().IsListing(); },
              signal_}) {}

Result<std::vector<std::shared_ptr<const tracking::AdmissionCheck>>> ManagerChecks::All() const {
  FEDRA_RETURN_IF_ERROR(clusters_.Listed(tracking::kAdmissionChecks, checks_.health()));
  auto checks = checks_.List();
  std::ranges::sort(checks, {}, [](const auto& check) { return check->name; });
  return checks;
}

ClusterSettings MemberSettings(const std::string& name, const config::KubeAccess& access) {
  ClusterSettings settings;
  settings.name = ClusterName(name);
  settings.access = ToAccess(access);
  settings.options.discover_groups = {tracking::kWorkloads.group};
  return settings;
}

}  // namespace fedra::cli
