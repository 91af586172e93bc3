#include "manager/cli/membership/member_clusters.h"

#include <algorithm>
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

MemberClusters::MemberClusters(const std::vector<ClusterSettings>& clusters, MemberList list,
                               std::chrono::milliseconds timeout, const Terminal& terminal)
    : names_(NamesOf(clusters)),
      list_(list),
      workloads_(
          &tracking::ParseClone, [](const ObjectKey&, const auto&, const auto&) {},
          [this](const watch::CacheHealth&) { signal_.Raise(); }),
      checks_(
          &tracking::ParseAdmissionCheck, [](const ObjectKey&, const auto&, const auto&) {},
          [this](const watch::CacheHealth&) { signal_.Raise(); }),
      live_(
          clusters, [this](size_t i, const kube::ServerInfo* server) { return Feeds(i, server); },
          [this](size_t i) { return IsListing(i); }, signal_) {
  live_.Wait(timeout, terminal);
}

std::vector<verify::Input> MemberClusters::Feeds(size_t cluster, const kube::ServerInfo*) {
  if (cluster != 0) return {};
  if (list_ == MemberList::kWorkloads) return {{tracking::kWorkloads, &workloads_}};
  if (list_ == MemberList::kChecks) return {{tracking::kAdmissionChecks, &checks_}};
  return {};
}

bool MemberClusters::IsListing(size_t cluster) const {
  if (cluster != 0) return false;
  if (list_ == MemberList::kWorkloads) return workloads_.health().IsListing();
  return list_ == MemberList::kChecks && checks_.health().IsListing();
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

Result<std::vector<std::string>> MemberClusters::UnfinishedJobs(
    const std::vector<std::string>& but_of) const {
  const watch::CacheHealth health = workloads_.health();
  const Result<void> listed = Listed(tracking::kWorkloads, health);
  // Without Kueue there are none.
  if (!listed && !(Reached(0) && health.state == watch::CacheState::kNotServed))
    return Fail(listed.error());
  std::vector<std::string> jobs;
  for (const auto& clone : workloads_.List()) {
    const bool is_left_out = std::ranges::find(but_of, clone->marks.made_by) != but_of.end();
    if (IsCopy(clone->marks) && !is_left_out && !clone->Finished())
      jobs.push_back(clone->key.ToString());
  }
  std::ranges::sort(jobs);
  return jobs;
}

Result<std::vector<std::shared_ptr<const tracking::AdmissionCheck>>> MemberClusters::Checks()
    const {
  FEDRA_RETURN_IF_ERROR(Listed(tracking::kAdmissionChecks, checks_.health()));
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
