#include "manager/tracking/json_fields.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/time.h"

namespace fedra::tracking {

using nlohmann::json;

const json& Path(const json& object, std::initializer_list<std::string_view> names) {
  const json* at = &object;
  for (const std::string_view name : names) at = &Member(*at, name);
  return *at;
}

std::string Dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool Flag(const json& object, std::string_view name, bool fallback) {
  const json& member = Member(object, name);
  return member.is_boolean() ? member.get<bool>() : fallback;
}

int Number(const json& object, std::string_view name, int fallback) {
  const json& member = Member(object, name);
  if (!member.is_number_integer()) return fallback;
  constexpr auto kLow = static_cast<int64_t>(std::numeric_limits<int>::min());
  constexpr auto kHigh = static_cast<int64_t>(std::numeric_limits<int>::max());
  return static_cast<int>(std::clamp(member.get<int64_t>(), kLow, kHigh));
}

WallTime Time(const json& object, std::string_view name) {
  const json& member = Member(object, name);
  if (!member.is_string()) return {};
  return ParseRfc3339(member.get_ref<const std::string&>()).value_or(WallTime{});
}

}  // namespace fedra::tracking
