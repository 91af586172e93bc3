#include "manager/verify/device_obstacles.h"

#include <algorithm>
#include <map>
#include <set>

#include "manager/verify/cache_status.h"

namespace fedra::verify {
namespace {

// A gang that never has enough pods to be scheduled. No API shows whether GangScheduling is on;
// where PodGroups with a gang are served, it is taken to be.
std::optional<verdict::Reason> GangObstacle(const DeviceObjects& objects, const std::string& ns,
                                            std::span<const dra::PodDemand> demands) {
  std::map<std::string, int64_t> pods;
  for (const dra::PodDemand& demand : demands)
    if (!demand.pod_group.empty()) pods[demand.pod_group] += demand.count;
  for (const auto& [name, count] : pods) {
    const auto group = objects.pod_groups.find({ns, name});
    if (group == objects.pod_groups.end() || group->second.min_count <= count) continue;
    const int64_t there = objects.pods.InGroup(group->first);
    if (group->second.min_count <= count + there) continue;
    const std::string object = "PodGroup " + group->first.ToString();
    return verdict::Reason{
        verdict::ReasonCode::kGangIncomplete, object,
        verdict::Gang{
            .group = object, .min_count = group->second.min_count, .pods = count, .there = there}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<verdict::Reason> DeviceObstacles::Lists() const {
  for (const auto& [what, health] : feeds_.Healths()) {
    if (auto reason = WhySilent(health, what)) return reason;
  }
  return std::nullopt;
}

std::optional<verdict::Reason> DeviceObstacles::Groups(
    const std::string& ns, std::span<const dra::PodDemand> demands) const {
  if (std::all_of(demands.begin(), demands.end(),
                  [](const dra::PodDemand& demand) { return demand.pod_group.empty(); }))
    return std::nullopt;
  const watch::CacheHealth health = feeds_.pod_groups_health();
  if (health.state == watch::CacheState::kNotServed) return std::nullopt;
  return devices_.objects.With([&](DeviceObjects& objects) -> std::optional<verdict::Reason> {
    std::optional<ObjectKey> known, missing;  // one of the groups that the pods name
    for (const dra::PodDemand& demand : demands) {
      ObjectKey group{ns, demand.pod_group};
      if (!demand.pod_group.empty())
        (objects.pod_groups.contains(group) ? known : missing) = std::move(group);
    }
    const bool must_exist = objects.builder.Publish()->features().workload_claims;
    if (must_exist || known)
      if (auto reason = WhySilent(health, "podgroups.scheduling.k8s.io")) return reason;
    if (auto reason = GangObstacle(objects, ns, demands)) return reason;
    if (!must_exist || !missing) return std::nullopt;
    return MissingDependency("PodGroup", *missing);
  });
}

std::optional<verdict::Reason> DeviceObstacles::UnreadTerms(
    const std::string& ns, std::span<const dra::PodDemand> demands) const {
  return devices_.objects.With([&](DeviceObjects& objects) -> std::optional<verdict::Reason> {
    for (const dra::PodDemand& demand : demands) {
      const auto group = objects.pod_groups.find({ns, demand.pod_group});
      if (group == objects.pod_groups.end() || group->second.unread.empty()) continue;
      const std::string object = "PodGroup " + group->first.ToString();
      return verdict::Reason{verdict::ReasonCode::kGroupUnverified, object,
                             verdict::GroupTerms{.group = object, .fields = group->second.unread}};
    }
    return std::nullopt;
  });
}

std::optional<verdict::Reason> DeviceObstacles::RuleDoubt() const {
  return devices_.objects.With([](const DeviceObjects& objects) -> std::optional<verdict::Reason> {
    const dra::AllocatorFeatures& features = objects.builder.features();
    if (!features.panics_on_rules || !objects.builder.HasTaintRules()) return std::nullopt;
    return verdict::Reason{
        verdict::ReasonCode::kReleaseUnverified, "",
        verdict::ReleaseDoubt{.kind = verdict::ReleaseDoubt::Kind::kRules,
                              .release = std::string(cel::ToString(features.release)),
                              .fields = {},
                              .version = {}}};
  });
}

std::optional<verdict::Reason> DeviceObstacles::Uncertainty() const {
  const std::set<std::string> rules =
      devices_.objects.With([](const DeviceObjects& objects) { return objects.broad_rules; });
  if (rules.empty()) return std::nullopt;
  return verdict::Reason{verdict::ReasonCode::kApiVersionOld, "DeviceTaintRule " + *rules.begin(),
                         verdict::BroadTaintRules{.rules = rules.size(), .first = *rules.begin()}};
}

}  // namespace fedra::verify
