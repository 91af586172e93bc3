#include "manager/verify/reason_json.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::verify {

using nlohmann::ordered_json;

ordered_json CountsJson(const verdict::DeviceCounts& counts) {
  ordered_json parts = ordered_json::array();
  for (const verdict::CountedCause& part : counts.parts)
    parts.push_back({{"devices", part.devices}, {"what", part.what}});
  return {{"wish", counts.wish}, {"devices", counts.devices}, {"parts", std::move(parts)}};
}

std::optional<verdict::DeviceCounts> ParseCounts(const ordered_json& value) {
  const auto text = [](const ordered_json& object, const char* key) -> std::optional<std::string> {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  };
  const auto number = [](const ordered_json& object) -> std::optional<int> {
    const auto found = object.find("devices");
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<int>();
  };
  if (!value.is_object()) return std::nullopt;
  const auto wish = text(value, "wish");
  const auto devices = number(value);
  const auto parts = value.find("parts");
  if (!wish || !devices || parts == value.end() || !parts->is_array()) return std::nullopt;
  verdict::DeviceCounts counts{.wish = *wish, .devices = *devices, .parts = {}};
  for (const ordered_json& part : *parts) {
    if (!part.is_object()) return std::nullopt;
    auto what = text(part, "what");
    const auto of_these = number(part);
    if (!what || !of_these) return std::nullopt;
    counts.parts.push_back({*std::move(what), *of_these});
  }
  return counts;
}

ordered_json ResourcesJson(const std::vector<verdict::ResourceShortage>& resources) {
  ordered_json list = ordered_json::array();
  for (const verdict::ResourceShortage& shortage : resources) {
    list.push_back({{"resource", shortage.resource},
                    {"asked", shortage.asked.ToString()},
                    {"free", shortage.free.ToString()},
                    {"largest", shortage.largest.ToString()},
                    {"nodes", shortage.nodes}});
  }
  return list;
}

std::vector<verdict::ResourceShortage> ParseResources(const ordered_json& value) {
  std::vector<verdict::ResourceShortage> resources;
  if (!value.is_array()) return resources;
  for (const ordered_json& item : value) {
    if (!item.is_object()) continue;
    const auto text = [&](const char* key) {
      const auto found = item.find(key);
      return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto asked = Quantity::Parse(text("asked"));
    const auto free = Quantity::Parse(text("free"));
    const auto largest = Quantity::Parse(text("largest"));
    const auto nodes = item.find("nodes");
    if (!asked || !free || !largest || nodes == item.end() || !nodes->is_number_integer()) continue;
    resources.push_back({.resource = text("resource"),
                         .asked = *asked,
                         .free = *free,
                         .largest = *largest,
                         .nodes = nodes->get<int>()});
  }
  return resources;
}

ordered_json ReasonJson(const verdict::Reason& reason) {
  ordered_json object = {{"code", verdict::ToString(reason.code)},
                         {"object", reason.object},
                         {"message", reason.message}};
  if (reason.counts) object["counts"] = CountsJson(*reason.counts);
  if (!reason.resources.empty()) object["resources"] = ResourcesJson(reason.resources);
  return object;
}

}  // namespace fedra::verify
