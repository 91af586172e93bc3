#include "manager/verify/objects.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/shared_queue.h"
#include "manager/verify/template_canonical.h"

namespace fedra::verify {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

void AddClass(const json& request, std::vector<std::string>& classes) {
  std::string name = Text(request, "deviceClassName");
  if (!name.empty() && std::find(classes.begin(), classes.end(), name) == classes.end())
    classes.push_back(std::move(name));
}

// `spec` is a ResourceClaimSpec. v1 has `exactly` or `firstAvailable`; v1beta1 has the fields flat.
std::vector<std::string> DeviceClasses(const json& spec) {
  std::vector<std::string> classes;
  const json& requests = Path(spec, {"devices", "requests"});
  if (!requests.is_array()) return classes;
  for (const json& request : requests) {
    AddClass(request, classes);
    AddClass(Member(request, "exactly"), classes);
    const json& alternatives = Member(request, "firstAvailable");
    if (!alternatives.is_array()) continue;
    for (const json& alternative : alternatives) AddClass(alternative, classes);
  }
  return classes;
}

// Alternatives cannot ask for it.
bool AsksForAdminAccess(const json& spec) {
  const json& requests = Path(spec, {"devices", "requests"});
  return requests.is_array() &&
         std::any_of(requests.begin(), requests.end(), [](const json& request) {
           return Member(request, "adminAccess") == true ||
                  Path(request, {"exactly", "adminAccess"}) == true;
         });
}

Result<ObjectKey> ReadKey(const json& object, std::string_view kind) {
  const json& metadata = Member(object, "metadata");
  ObjectKey key{Text(metadata, "namespace"), Text(metadata, "name")};
  if (key.name.empty())
    return Fail(ErrorCode::kBadResponse, "a " + std::string(kind) + " without name");
  return key;
}

// Driver configuration that needs a feature gate of the driver. Source: the gates of
// k8s-dra-driver-gpu 25.8 and its resource.nvidia.com/v1beta1 GpuConfig.
struct KnownConfiguration {
  std::string_view driver;
  std::string_view strategy;  // parameters.sharing.strategy
  std::string_view capability;
};
constexpr KnownConfiguration kKnownConfigurations[] = {
    {"gpu.nvidia.com", "MPS", "gpu.nvidia.com/MPSSupport"},
    {"gpu.nvidia.com", "TimeSlicing", "gpu.nvidia.com/TimeSlicingSettings"},
};

std::vector<std::string> Capabilities(const json& metadata, const json& spec) {
  std::set<std::string> found;
  const std::string listed =
      Text(Member(metadata, "annotations"), tracking::kCapabilitiesAnnotation);
  for (size_t at = 0; at < listed.size();) {
    const size_t end = std::min(listed.find(',', at), listed.size());
    const size_t first = listed.find_first_not_of(' ', at);
    if (first < end)
      found.insert(listed.substr(first, listed.find_last_not_of(' ', end - 1) + 1 - first));
    at = end + 1;
  }
  const json& configurations = Path(spec, {"devices", "config"});
  if (!configurations.is_array()) return {found.begin(), found.end()};
  for (const json& configuration : configurations) {
    const json& opaque = Member(configuration, "opaque");
    const std::string driver = Text(opaque, "driver");
    const std::string strategy = Text(Path(opaque, {"parameters", "sharing"}), "strategy");
    for (const KnownConfiguration& known : kKnownConfigurations) {
      if (driver == known.driver && strategy == known.strategy) found.emplace(known.capability);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace

Result<NamedObject> ParseNamedObject(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(ObjectKey key, ReadKey(object, "object"));
  return NamedObject{std::move(key)};
}

Result<NamedSpec> ParseNamedSpec(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(ObjectKey key, ReadKey(object, "object"));
  return NamedSpec{std::move(key), tracking::Dump(Member(object, "spec"))};
}

Result<Namespace> ParseNamespace(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(const ObjectKey key, ReadKey(object, "Namespace"));
  return Namespace{
      .name = key.name,
      .terminating = Text(Member(object, "status"), "phase") == "Terminating",
      .admin_access = Text(Path(object, {"metadata", "labels"}), kAdminAccessLabel) == "true"};
}

Result<LocalQueue> ParseLocalQueue(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(ObjectKey key, ReadKey(object, "LocalQueue"));
  LocalQueue queue{.key = std::move(key),
                   .active = false,
                   .why_inactive = "Kueue has not said anything about it yet",
                   .cluster_queue = Text(Member(object, "spec"), "clusterQueue"),
                   .stop = ReadStopPolicy(Member(object, "spec")),
                   .weight = tracking::FairSharingWeight(object)};
  const json& active = tracking::ConditionOf(Member(object, "status"), tracking::kActive);
  if (active.is_null()) return queue;
  queue.active = Text(active, "status") == "True";
  queue.why_inactive = queue.active ? std::string() : Text(active, "message");
  return queue;
}

Result<ClaimSummary> ParseTemplate(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(ObjectKey key, ReadKey(object, "ResourceClaimTemplate"));
  const json& metadata = Member(object, "metadata");
  const json& spec = Path(object, {"spec", "spec"});
  ClaimSummary claim{.key = std::move(key),
                     .device_classes = DeviceClasses(spec),
                     .capabilities = Capabilities(metadata, spec),
                     .admin_access = AsksForAdminAccess(spec),
                     .spec = tracking::Dump(CanonicalTemplateSpec(Member(object, "spec"))),
                     .uid = Text(metadata, "uid"),
                     .version = ResourceVersion(Text(metadata, "resourceVersion")),
                     .deleting = !Member(metadata, "deletionTimestamp").is_null(),
                     .marks = tracking::ReadTemplateMarks(metadata)};
  return claim;
}

Result<ClaimSummary> ParseClaim(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(ObjectKey key, ReadKey(object, "ResourceClaim"));
  const json& spec = Member(object, "spec");
  ClaimSummary claim;
  claim.key = std::move(key);
  claim.device_classes = DeviceClasses(spec);
  claim.capabilities = Capabilities(Member(object, "metadata"), spec);
  claim.shared = ParseSharedClaims(
      Text(Path(object, {"metadata", "annotations"}), tracking::kSharedAnnotation));
  claim.admin_access = AsksForAdminAccess(spec) && Path(object, {"status", "allocation"}).is_null();
  return claim;
}

Result<ClassSummary> ParseClass(const json& object) {
  FEDRA_ASSIGN_OR_RETURN(const ObjectKey key, ReadKey(object, "DeviceClass"));
  return ClassSummary{key.name, Text(Member(object, "spec"), "extendedResourceName")};
}

}  // namespace fedra::verify
