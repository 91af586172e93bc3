#include "tests/sim/api/conversion.h"

#include <utility>

namespace fedra::sim {
namespace {

void Rename(Json& object, const char* from, const char* to) {
  const auto found = object.find(from);
  if (found == object.end()) return;
  Json value = std::move(*found);
  object.erase(found);
  object[to] = std::move(value);
}

constexpr std::pair<const char*, const char*> kEventFields[] = {
    // core/v1, events.k8s.io/v1
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

constexpr const char* kExactFields[] = {"deviceClassName", "selectors",   "allocationMode", "count",
                                        "adminAccess",     "tolerations", "capacity"};

// v1beta1: the members of `exactly` stand in the request itself.
void NestRequest(Json& request) {
  if (!request.contains("deviceClassName")) return;
  Json exactly = Json::object();
  for (const char* field : kExactFields) {
    const auto found = request.find(field);
    if (found == request.end()) continue;
    exactly[field] = std::move(*found);
    request.erase(found);
  }
  request["exactly"] = std::move(exactly);
}

void FlattenRequest(Json& request) {
  const auto exactly = request.find("exactly");
  if (exactly == request.end()) return;
  const Json members = std::move(*exactly);
  request.erase(exactly);
  request.update(members);
}

void NestDevice(Json& device) {
  const auto basic = device.find("basic");
  if (basic == device.end()) return;
  const Json members = std::move(*basic);
  device.erase(basic);
  device.update(members);
}

void FlattenDevice(Json& device) {
  Json basic = device;
  basic.erase("name");
  device = {{"name", device["name"]}, {"basic", std::move(basic)}};
}

template <class F>
void Each(Json* list, const F& change) {
  if (list == nullptr || !list->is_array()) return;
  for (Json& entry : *list) {
    if (entry.is_object()) change(entry);
  }
}

Json* Member(Json& object, Path path) { return const_cast<Json*>(At(object, path)); }

void Reshape(Json& object, bool nested) {
  const auto request = nested ? NestRequest : FlattenRequest;
  Each(Member(object, {"spec", "devices", "requests"}), request);
  Each(Member(object, {"spec", "spec", "devices", "requests"}), request);
  if (StringAt(object, {"kind"}) != "ResourceSlice") return;
  Each(Member(object, {"spec", "devices"}), nested ? NestDevice : FlattenDevice);
}

bool OldShape(const View& view) {
  return view.type->group == "resource.k8s.io" && view.version == "v1beta1";
}

}  // namespace

void ToStored(const View& view, Json& object) {
  if (!view.Converts() || !object.is_object()) return;
  const ResourceType& stored = view.type->Stored();
  if (object.contains("apiVersion")) object["apiVersion"] = stored.ApiVersion();
  if (view.type->stored_as != nullptr) {
    for (const auto& [core, modern] : kEventFields) Rename(object, core, modern);
  }
  if (OldShape(view)) Reshape(object, /*nested=*/true);
}

void FromStored(const View& view, Json& object) {
  if (!view.Converts() || !object.is_object()) return;
  object["apiVersion"] = view.type->ApiVersion(view.version);
  if (view.type->stored_as != nullptr) {
    for (const auto& [core, modern] : kEventFields) Rename(object, modern, core);
  }
  if (OldShape(view)) Reshape(object, /*nested=*/false);
}

std::string ObjectFromStored(const View& view, std::string_view text) {
  auto object = ParseJson(text);
  if (!object) return std::string(text);
  FromStored(view, *object);
  return Serialize(*object);
}

std::string ListFromStored(const View& view, std::string_view text) {
  auto list = ParseJson(text);
  if (!list || !list->is_object()) return std::string(text);
  (*list)["apiVersion"] = view.type->ApiVersion(view.version);
  Each(Member(*list, {"items"}), [&view](Json& item) { FromStored(view, item); });
  return Serialize(*list);
}

}  // namespace fedra::sim
