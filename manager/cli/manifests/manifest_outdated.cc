#include "manager/cli/manifests/manifest_outdated.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "manager/text/yaml_text.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using tracking::Path;
using tracking::Text;

constexpr std::string_view kDra = "resource.k8s.io/";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kGoneVersions{
    {{"v1alpha1", "1.26"}, {"v1alpha2", "1.27 to 1.30"}, {"v1alpha3", "1.31"}}};

// A kind, and what has taken its place; empty: it depends on the object.
struct GoneKind {
  std::string_view kind;
  std::string_view instead;
};

constexpr std::array kGoneKinds = {
    GoneKind{"ResourceClass", ""},
    GoneKind{"ResourceClassParameters",
             "write them as selectors and config of a DeviceClass of resource.k8s.io/v1"},
    GoneKind{"ResourceClaimParameters",
             "write them as count, selectors and config of the claim's "
             "spec.devices.requests[].exactly of resource.k8s.io/v1"},
    GoneKind{"PodSchedulingContext", "leave it out: the scheduler allocates devices by itself"},
    GoneKind{"PodScheduling", "leave it out: the scheduler allocates devices by itself"}};

// Groups whose PodGroup says how many of its pods must start at once: the coscheduling plugin's,
// KAI's and Volcano's.
constexpr std::array<std::string_view, 3> kGangGroups = {
    "scheduling.x-k8s.io/", "scheduling.run.ai/", "scheduling.volcano.sh/"};

std::string DriverOf(const json& resource_class) {
  std::string driver = Text(resource_class, "driverName");
  if (driver.empty())
    driver = Text(Path(resource_class, {"structuredParameters", "generatedFrom"}), "driverName");
  if (driver.empty()) driver = Text(Path(resource_class, {"metadata"}), "name");
  return IsDnsSubdomain(driver) ? driver : "DRIVER";
}

// Of a ResourceClass, the class of its driver's devices.
std::string AsDeviceClass(const json& resource_class) {
  const ordered_json selector = {
      {"cel", {{"expression", fmt::format("device.driver == \"{}\"", DriverOf(resource_class))}}}};
  ordered_json written;
  written["apiVersion"] = "resource.k8s.io/v1";
  written["kind"] = "DeviceClass";
  written["metadata"]["name"] = Text(Path(resource_class, {"metadata"}), "name");
  written["spec"]["selectors"] = ordered_json::array({selector});
  return "write\n" + text::ToYaml(written);
}

}  // namespace

std::string_view ReleasesOf(std::string_view version) {
  for (const auto& [gone, releases] : kGoneVersions)
    if (gone == version) return releases;
  return {};
}

bool CheckOutdatedKind(const Manifest& manifest, std::vector<Finding>& all) {
  const json& object = *manifest.object;
  const std::string api = Text(object, "apiVersion");
  const std::string kind = Text(object, "kind");
  const auto gone =
      std::ranges::find_if(kGoneKinds, [&](const GoneKind& each) { return each.kind == kind; });
  if (!api.starts_with(kDra) || gone == kGoneKinds.end()) return false;
  const std::string_view releases = ReleasesOf(std::string_view(api).substr(kDra.size()));
  Findings findings(manifest, kind + " " + Text(Path(object, {"metadata"}), "name"), all);
  findings.Error(
      "kind",
      fmt::format("{} is served by no Kubernetes that is still maintained{}", kind,
                  releases.empty() ? std::string()
                                   : fmt::format("; {} is of Kubernetes {}", api, releases)),
      gone->instead.empty() ? AsDeviceClass(object) : std::string(gone->instead));
  return true;
}

std::string GangHint(const json& object) {
  const std::string api = Text(object, "apiVersion");
  const bool is_gang = Text(object, "kind") == "PodGroup" &&
                       std::ranges::any_of(kGangGroups, [&](std::string_view group) {
                         return api.starts_with(group);
                       });
  if (!is_gang) return {};
  return "a gang is a group of pods of Kueue: the label kueue.x-k8s.io/pod-group-name and the "
         "annotation kueue.x-k8s.io/pod-group-total-count on each of its pods, or one Job";
}

}  // namespace fedra::cli
