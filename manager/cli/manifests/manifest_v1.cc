#include "manager/cli/manifests/manifest_v1.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kMembersOfExactly = {
    "deviceClassName", "selectors",   "allocationMode", "count",
    "adminAccess",     "tolerations", "capacity",       "derivedAttributes"};

// The lists of requests in the object, to be changed: of a claim or of a template.
ordered_json* RequestsOf(ordered_json& object) {
  const auto member = [](ordered_json* at, const char* name) -> ordered_json* {
    if (at == nullptr || !at->is_object()) return nullptr;
    const auto found = at->find(name);
    return found == at->end() ? nullptr : &*found;
  };
  ordered_json* spec = member(&object, "spec");
  if (ordered_json* inner = member(spec, "spec"); inner != nullptr) spec = inner;
  ordered_json* requests = member(member(spec, "devices"), "requests");
  return requests != nullptr && requests->is_array() ? requests : nullptr;
}

void Unflatten(ordered_json& request) {
  if (!request.is_object() || request.contains("exactly")) return;
  ordered_json exactly = ordered_json::object();
  ordered_json rest = ordered_json::object();
  for (const auto& [name, value] : request.items())
    (IsFieldOfExactly(name.c_str()) ? exactly : rest)[name] = value;
  if (exactly.empty()) return;
  request = std::move(rest);
  request["exactly"] = std::move(exactly);
}

}  // namespace

bool IsFieldOfExactly(const char* member) {
  return std::find(kMembersOfExactly.begin(), kMembersOfExactly.end(), member) !=
         kMembersOfExactly.end();
}

ordered_json ToV1(const json& object) {
  ordered_json converted = ordered_json::object();
  converted["apiVersion"] = "resource.k8s.io/v1";
  for (const char* member : {"kind", "metadata", "spec"})
    if (object.contains(member)) converted[member] = ordered_json(object[member]);
  if (ordered_json* requests = RequestsOf(converted))
    for (ordered_json& request : *requests) Unflatten(request);
  return converted;
}

}  // namespace fedra::cli
