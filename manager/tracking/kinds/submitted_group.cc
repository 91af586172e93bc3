#include "manager/tracking/kinds/submitted_group.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/pod.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// Kueue's webhook writes it on every pod of a group: which of them are alike.
constexpr std::string_view kRoleHash = "kueue.x-k8s.io/role-hash";
// "true": the group is admitted with its first pod, as if all were like it.
constexpr std::string_view kFastAdmission = "kueue.x-k8s.io/pod-group-fast-admission";
// What makes pods alike, where Kueue has not said it yet.
constexpr std::array kShape = {"nodeSelector",
                               "affinity",
                               "tolerations",
                               "runtimeClassName",
                               "priorityClassName",
                               "priority",
                               "topologySpreadConstraints",
                               "overhead",
                               "resources",
                               "resourceClaims"};

struct Role {
  std::string hash;   // empty: Kueue has not seen the pods
  std::string shape;  // likewise, what they ask for
  const json* first = nullptr;
  int count = 0;
};

const std::string& NameIn(const json& metadata) {
  static const std::string none;
  const json& name = Member(metadata, "name");
  return name.is_string() ? name.get_ref<const std::string&>() : none;
}

json ContainerShapes(const json& containers) {
  json shapes = json::array();
  if (!containers.is_array()) return shapes;
  for (const json& container : containers)
    shapes.push_back({Member(container, "resources"), Member(container, "ports")});
  return shapes;
}

Role RoleOf(const json& pod) {
  Role role{.first = &pod};
  role.hash = Text(Member(Member(pod, "metadata"), "annotations"), kRoleHash);
  if (!role.hash.empty()) return role;
  const json& spec = Member(pod, "spec");
  json shape = json::array({ContainerShapes(Member(spec, "initContainers")),
                            ContainerShapes(Member(spec, "containers"))});
  for (const char* field : kShape) shape.push_back(Member(spec, field));
  role.shape = shape.dump(-1, ' ', false, json::error_handler_t::replace);
  return role;
}

// As Kueue orders them: by their hashes.
std::vector<Role> RolesOf(std::span<const json* const> pods) {
  std::vector<Role> roles;
  for (const json* pod : pods) {
    Role role = RoleOf(*pod);
    auto found = std::ranges::find_if(roles, [&](const Role& each) {
      return each.hash == role.hash && each.shape == role.shape;
    });
    if (found == roles.end()) found = roles.insert(found, std::move(role));
    ++found->count;
  }
  std::ranges::stable_sort(roles, {}, &Role::hash);
  return roles;
}

bool IsAdmittedFast(const json& pod) {
  return Text(Member(Member(pod, "metadata"), "annotations"), kFastAdmission) == "true";
}

std::string QueueOf(const json& pod) {
  return Text(Member(Member(pod, "metadata"), "labels"), kQueueNameLabel);
}

// Why Kueue makes no Workload of them; empty: it does.
std::string WhyNoWorkload(std::span<const json* const> pods) {
  const int total = PodGroupTotalOf(Member(*pods.front(), "metadata"));
  if (total == 0)
    return fmt::format("{} does not say how many pods the group has", kPodGroupTotalCount);
  for (const json* pod : pods) {
    const std::string& name = NameIn(Member(*pod, "metadata"));
    if (const int other = PodGroupTotalOf(Member(*pod, "metadata")); other != total)
      return fmt::format("the pods of a group have one {}: {}, and {} in pod {}",
                         kPodGroupTotalCount, total, other, name);
    if (QueueOf(*pod) != QueueOf(*pods.front()))
      return fmt::format("the pods of a group have one {}: \"{}\", and \"{}\" in pod {}",
                         kQueueNameLabel, QueueOf(*pods.front()), QueueOf(*pod), name);
  }
  const auto there = static_cast<int>(pods.size());
  if (there > total)
    return fmt::format("{} of the group are in the input, and it has {}: Kueue deletes the rest",
                       Counted(pods.size(), "pod"), total);
  if (there < total && !IsAdmittedFast(*pods.front()))
    return fmt::format(
        "{} of the {} pods of the group are in the input: Kueue admits it when all are there",
        there, total);
  return {};
}

std::vector<PodTemplate> TemplatesOf(std::span<const json* const> pods) {
  std::vector<Role> roles;
  if (IsAdmittedFast(*pods.front())) {
    roles = {RoleOf(*pods.front())};
    roles.front().count = PodGroupTotalOf(Member(*pods.front(), "metadata"));
  } else {
    roles = RolesOf(pods);
  }
  std::vector<PodTemplate> templates;
  for (const Role& role : roles)
    templates.push_back({role.hash.empty() ? NameIn(Member(*role.first, "metadata")) : role.hash,
                         role.count, role.first});
  return templates;
}

}  // namespace

Result<SubmittedJob> ParseSubmittedGroup(std::span<const json* const> pods,
                                         const JobAdapter& adapter, const ObjectKey& group) {
  if (std::string why = WhyNoWorkload(pods); !why.empty())
    return Fail(ErrorCode::kInvalidArgument, std::move(why));
  SubmittedJob job;
  job.adapter = &adapter;
  job.key = group;
  job.is_group = true;
  FEDRA_RETURN_IF_ERROR(ReadPods(TemplatesOf(pods), job.requirement));
  job.requirement.ns = group.ns;
  job.requirement.queue = QueueOf(*pods.front());
  job.requirement.kind = adapter.group_kind();
  for (const json* pod : pods) job.members.push_back({group.ns, NameIn(Member(*pod, "metadata"))});
  std::erase_if(job.members, [](const ObjectKey& member) { return member.name.empty(); });
  std::ranges::sort(job.members);
  return job;
}

}  // namespace fedra::tracking
