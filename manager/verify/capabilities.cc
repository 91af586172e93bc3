#include "manager/verify/capabilities.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cel/environment.h"
#include "dra/model/features.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/resources.h"
#include "manager/verify/dra_api.h"

namespace fedra::verify {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using tracking::Member;

// A server may say that it serves any number of versions, of any length.
constexpr size_t kMaxVersions = 8;
constexpr size_t kMaxVersion = 64;  // bytes; Kubernetes' are DNS labels, of at most 63

struct Gate {
  std::string_view name;
  bool dra::AllocatorFeatures::* is_on;
  // On by default from then on; before, what objects have of it counts.
  cel::KubernetesRelease since = cel::kOldestRelease;
};
// In the order of docs/releases.md. Where objects alone show whether a gate is on, it is not here.
constexpr Gate kGates[] = {
    {"DRAAdminAccess", &dra::AllocatorFeatures::admin_access},
    {"DRAPrioritizedList", &dra::AllocatorFeatures::prioritized_list},
    {"DRAPartitionableDevices", &dra::AllocatorFeatures::partitionable_devices},
    {"DRADeviceTaints", &dra::AllocatorFeatures::device_taints, cel::KubernetesRelease::k136},
    {"DRADeviceTaintRules", &dra::AllocatorFeatures::device_taint_rules},
    {"DRAConsumableCapacity", &dra::AllocatorFeatures::consumable_capacity},
    {"DRADeviceBindingConditions", &dra::AllocatorFeatures::binding_conditions},
    {"DRAExtendedResource", &dra::AllocatorFeatures::extended_resources},
};

std::vector<std::string> VersionsOf(const kube::ServerInfo& server, const std::string& group) {
  std::vector<std::string> versions;
  const auto served = server.groups.find(group);
  if (served == server.groups.end()) return versions;
  for (const std::string& version : served->second) {
    if (versions.size() == kMaxVersions) break;
    versions.push_back(Cut(version, kMaxVersion));
  }
  return versions;
}

void AddDra(const kube::ServerInfo& server, WorkerCapabilities& capabilities) {
  capabilities.dra_versions = VersionsOf(server, tracking::kDeviceClasses.group);
  if (capabilities.dra_versions.empty()) return;
  const dra::AllocatorFeatures features = FeaturesOf(ReadDraApi(&server));
  capabilities.dra_release = cel::ToString(features.release);
  for (const Gate& gate : kGates)
    if (features.*gate.is_on && features.release >= gate.since)
      capabilities.dra_features.emplace_back(gate.name);
}

std::vector<std::string> WordsIn(const json& object, std::string_view name) {
  std::vector<std::string> words;
  for (const json& word : Member(object, name))
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

}  // namespace

WorkerCapabilities CapabilitiesOf(const WorkerObjects& objects, const kube::ServerInfo& server,
                                  std::vector<std::string> declared) {
  WorkerCapabilities capabilities{.declared = std::move(declared)};
  for (const tracking::JobAdapter* kind : objects.kinds().all()) {
    const kube::Resource resource = kind->resource();
    // The core group is served by every API server.
    const bool is_served = resource.group.empty() || server.Serves(resource);
    (is_served ? capabilities.job_kinds : capabilities.job_kinds_missing).push_back(resource.kind);
  }
  capabilities.kueue_versions = VersionsOf(server, tracking::kWorkloads.group);
  AddDra(server, capabilities);
  for (NamedHealth& list : objects.Healths())
    if (list.health.state == watch::CacheState::kForbidden)
      capabilities.missing_rights.push_back(std::move(list.what));
  std::ranges::sort(capabilities.missing_rights);
  const auto twice = std::ranges::unique(capabilities.missing_rights);
  capabilities.missing_rights.erase(twice.begin(), twice.end());
  return capabilities;
}

ordered_json ToJson(const WorkerCapabilities& capabilities) {
  ordered_json object = {{"jobKinds", capabilities.job_kinds},
                         {"jobKindsMissing", capabilities.job_kinds_missing},
                         {"kueueVersions", capabilities.kueue_versions}};
  if (!capabilities.dra_versions.empty())
    object["dra"] = {{"versions", capabilities.dra_versions},
                     {"release", capabilities.dra_release},
                     {"features", capabilities.dra_features}};
  object["missingRights"] = capabilities.missing_rights;
  object["declared"] = capabilities.declared;
  return object;
}

std::string ToJsonText(const WorkerCapabilities& capabilities) {
  return ToJson(capabilities).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::optional<WorkerCapabilities> ParseCapabilities(const std::string& text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!Member(object, "jobKinds").is_array()) return std::nullopt;
  const json& dra = Member(object, "dra");
  return WorkerCapabilities{.job_kinds = WordsIn(object, "jobKinds"),
                            .job_kinds_missing = WordsIn(object, "jobKindsMissing"),
                            .kueue_versions = WordsIn(object, "kueueVersions"),
                            .dra_versions = WordsIn(dra, "versions"),
                            .dra_release = tracking::Text(dra, "release"),
                            .dra_features = WordsIn(dra, "features"),
                            .missing_rights = WordsIn(object, "missingRights"),
                            .declared = WordsIn(object, "declared")};
}

}  // namespace fedra::verify
