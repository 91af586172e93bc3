#include "manager/tracking/workload_owner.h"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// The owner that the Workload of a StatefulSet or LeaderWorkerSet says is the job, beside its pods;
// it may not be among the owners just now. kind empty: it says nothing.
Owner ReadNamedOwner(const json& metadata) {
  constexpr std::string_view kKind = ", Kind=";
  constexpr size_t kLongest = 253;
  const json& annotations = Member(metadata, "annotations");
  const std::string gvk = Text(annotations, kJobOwnerGvk);
  const size_t at = gvk.rfind(kKind);
  if (at == std::string::npos || gvk.size() > kLongest) return {};
  return {gvk.substr(0, at),
          gvk.substr(at + kKind.size()),
          Cut(Text(annotations, kJobOwnerName), kLongest),
          {}};
}

// Of several the one that the Workload names, else the controller, else the first.
Owner ReadObjectOwner(const json& metadata) {
  const json& references = Member(metadata, "ownerReferences");
  if (!references.is_array()) return {};
  Owner named = ReadNamedOwner(metadata);
  const json* chosen = nullptr;
  for (const json& reference : references) {
    if (!named.kind.empty() && Text(reference, "kind") == named.kind) {
      named.name = Text(reference, "name");
      named.uid = Text(reference, "uid");
    }
    if (chosen == nullptr || Flag(reference, "controller", false)) chosen = &reference;
  }
  if (!named.kind.empty()) return named;
  if (chosen == nullptr) return {};
  return {Text(*chosen, "apiVersion"), Text(*chosen, "kind"), Text(*chosen, "name"),
          Text(*chosen, "uid")};
}

// StatefulSets and LeaderWorkerSets have such Workloads, too: these name their owner's kind.
bool IsPodGroup(const json& metadata, const Owner& owner) {
  const json& annotations = Member(metadata, "annotations");
  return Text(annotations, kIsGroupWorkload) == "true" && Text(annotations, kJobOwnerGvk).empty() &&
         owner.api_version == kPods.ApiVersion() && owner.kind == kPods.kind;
}

}  // namespace

Owner ReadOwner(const json& metadata, const std::string& name) {
  Owner owner = ReadObjectOwner(metadata);
  if (!IsPodGroup(metadata, owner)) return owner;
  return {kPods.ApiVersion(), std::string(kGroupOfPods), name, {}};
}

bool IsGroupOfPods(const Owner& owner) {
  return owner.api_version == kPods.ApiVersion() && owner.kind == kGroupOfPods;
}

std::vector<std::string> ReadOwnerUids(const json& metadata) {
  std::vector<std::string> uids;
  for (const json& reference : Member(metadata, "ownerReferences"))
    uids.push_back(Text(reference, "uid"));
  std::ranges::sort(uids);
  return uids;
}

}  // namespace fedra::tracking
