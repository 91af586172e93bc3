#include "manager/cli/cel_slices.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace fedra::cli {
namespace {

using nlohmann::json;

std::string TextOf(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const json& Member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

template <class T>
std::optional<std::vector<T>> ListOf(const json& attribute, const char* key) {
  const json& list = Member(attribute, key);
  if (!list.is_array()) return std::nullopt;
  std::vector<T> values;
  for (const json& item : list) {
    if constexpr (std::is_same_v<T, bool>) {
      values.push_back(item.is_boolean() && item.get<bool>());
    } else if constexpr (std::is_same_v<T, int64_t>) {
      values.push_back(item.is_number_integer() ? item.get<int64_t>() : 0);
    } else if constexpr (std::is_same_v<T, std::string>) {
      values.push_back(item.is_string() ? item.get<std::string>() : std::string());
    } else {
      values.push_back({item.is_string() ? item.get<std::string>() : std::string()});
    }
  }
  return values;
}

cel::AttributeValue AttributeOf(const json& attribute) {
  if (auto list = ListOf<int64_t>(attribute, "ints")) return *list;
  if (auto list = ListOf<bool>(attribute, "bools")) return *list;
  if (auto list = ListOf<std::string>(attribute, "strings")) return *list;
  if (auto list = ListOf<cel::VersionText>(attribute, "versions")) return *list;
  if (const json& value = Member(attribute, "int"); value.is_number_integer())
    return value.get<int64_t>();
  if (const json& value = Member(attribute, "bool"); value.is_boolean()) return value.get<bool>();
  if (const json& value = Member(attribute, "string"); value.is_string())
    return value.get<std::string>();
  if (const json& value = Member(attribute, "version"); value.is_string()) {
    return cel::VersionText{value.get<std::string>()};
  }
  return std::monostate();
}

// "80Gi", 80, or {"value": "80Gi"}.
std::string QuantityOf(const json& capacity) {
  const json& value = capacity.is_object() ? Member(capacity, "value") : capacity;
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

CelCandidate CelCandidateOf(const json& slice, const json& device) {
  const json& spec = Member(slice, "spec");
  // Up to v1beta1 everything but the name is below "basic".
  const json& basic = Member(device, "basic");
  const json& fields = basic.is_object() ? basic : device;
  CelCandidate candidate;
  candidate.slice = TextOf(
      Member(slice, "metadata").is_object() ? Member(slice, "metadata") : json::object(), "name");
  candidate.driver = TextOf(spec, "driver");
  candidate.pool = Member(spec, "pool").is_object() ? TextOf(Member(spec, "pool"), "name") : "";
  candidate.name = TextOf(device, "name");
  candidate.input.driver = candidate.driver;
  if (const json& attributes = Member(fields, "attributes"); attributes.is_object()) {
    for (const auto& [name, value] : attributes.items()) {
      candidate.input.attributes.emplace_back(name, AttributeOf(value));
    }
  }
  if (const json& capacity = Member(fields, "capacity"); capacity.is_object()) {
    for (const auto& [name, value] : capacity.items())
      candidate.input.capacity.emplace_back(name, QuantityOf(value));
  }
  if (const json& shared = Member(fields, "allowMultipleAllocations"); shared.is_boolean()) {
    candidate.input.allow_multiple_allocations = shared.get<bool>();
  }
  return candidate;
}

// The devices of all slices in a document; other objects are passed over.
void Collect(const json& document, const std::string& driver,
             std::vector<CelCandidate>& candidates) {
  if (document.is_array()) {
    for (const json& item : document) Collect(item, driver, candidates);
    return;
  }
  if (const json& items = Member(document, "items"); items.is_array())
    return Collect(items, driver, candidates);
  const json& spec = Member(document, "spec");
  const json& devices = Member(spec, "devices");
  if (!spec.is_object() || !devices.is_array()) return;
  if (!driver.empty() && TextOf(spec, "driver") != driver) return;
  for (const json& device : devices) {
    if (device.is_object()) candidates.push_back(CelCandidateOf(document, device));
  }
}

}  // namespace

std::vector<CelCandidate> CelCandidatesOf(const json& document, const std::string& driver) {
  std::vector<CelCandidate> candidates;
  Collect(document, driver, candidates);
  return candidates;
}

}  // namespace fedra::cli
