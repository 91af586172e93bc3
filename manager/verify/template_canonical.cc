#include "manager/verify/template_canonical.h"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"

namespace fedra::verify {
namespace {

using nlohmann::json;

// Null when `object` is no object or has no such member.
json* Find(json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

json* FindPath(json& object, std::initializer_list<const char*> names) {
  json* at = &object;
  for (const char* name : names) {
    at = Find(*at, name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

template <class F>
void ForEachObject(json* list, const F& change) {
  if (list == nullptr || !list->is_array()) return;
  for (json& item : *list) {
    if (item.is_object()) change(item);
  }
}

// Absent, null and empty are the same to an API server. What a driver reads (opaque parameters) is
// kept to the letter.
void DropEmpty(json& value) {
  if (value.is_array()) {
    for (json& item : value) DropEmpty(item);
    return;
  }
  if (!value.is_object()) return;
  for (auto member = value.begin(); member != value.end();) {
    if (member.key() != "parameters") DropEmpty(member.value());
    const bool empty =
        member->is_null() || ((member->is_object() || member->is_array()) && member->empty());
    member = empty ? value.erase(member) : std::next(member);
  }
}

// "1024Mi" is "1Gi".
void NormaliseQuantity(json& value) {
  if (const auto quantity = tracking::ReadQuantity(value)) value = quantity->ToString();
}

// What an API server writes into a request, or an alternative of one
// (pkg/apis/resource/v1/defaults.go of Kubernetes).
void SetDefaults(json& request) {
  const json mode = request.value("allocationMode", json("ExactCount"));
  request["allocationMode"] = mode;
  if (mode == "ExactCount" && !request.contains("count")) request["count"] = 1;
  // Absent and false ask for the same.
  if (request.value("adminAccess", json()) == json(false)) request.erase("adminAccess");
  ForEachObject(Find(request, "tolerations"), [](json& toleration) {
    if (!toleration.contains("operator")) toleration["operator"] = "Equal";
  });
  json* capacities = FindPath(request, {"capacity", "requests"});
  if (capacities == nullptr || !capacities->is_object()) return;
  for (json& capacity : *capacities) NormaliseQuantity(capacity);
}

// In v1beta1 the members of `exactly` stand in the request itself, beside its name.
void NestExactly(json& request) {
  if (request.contains("exactly") || request.contains("firstAvailable")) return;
  json nested = json::object();
  if (request.contains("name")) nested["name"] = std::move(request["name"]);
  request.erase("name");
  if (!request.empty()) nested["exactly"] = std::move(request);
  request = std::move(nested);
}

}  // namespace

json CanonicalTemplateSpec(json spec) {
  DropEmpty(spec);
  // Nothing else of a template's metadata reaches its claims.
  if (json* metadata = Find(spec, "metadata"); metadata != nullptr && metadata->is_object()) {
    for (auto member = metadata->begin(); member != metadata->end();) {
      const bool kept = member.key() == "labels" || member.key() == "annotations";
      member = kept ? std::next(member) : metadata->erase(member);
    }
    if (metadata->empty()) spec.erase("metadata");
  }
  ForEachObject(FindPath(spec, {"spec", "devices", "requests"}), [](json& request) {
    NestExactly(request);
    if (json* exactly = Find(request, "exactly"); exactly != nullptr && exactly->is_object())
      SetDefaults(*exactly);
    ForEachObject(Find(request, "firstAvailable"), &SetDefaults);
  });
  return spec;
}

json TemplateSpecInV1Beta1(json canonical) {
  ForEachObject(FindPath(canonical, {"spec", "devices", "requests"}), [](json& request) {
    json* exactly = Find(request, "exactly");
    if (exactly == nullptr || !exactly->is_object()) return;
    const json members = std::move(*exactly);
    request.erase("exactly");
    request.update(members);
  });
  return canonical;
}

}  // namespace fedra::verify
