#include "manager/tracking/json_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"

namespace fedra::tracking {

using nlohmann::json;

namespace {

constexpr size_t kShown = 60;  // bytes of a remote party's value in a message
constexpr auto kLow = static_cast<int64_t>(std::numeric_limits<int>::min());
constexpr auto kHigh = static_cast<int64_t>(std::numeric_limits<int>::max());

tl::unexpected<Error> WrongType(std::string_view name, std::string_view wanted, const json& value) {
  const char* const kind = value.is_object() ? "a map" : value.is_array() ? "a list" : nullptr;
  return Fail(ErrorCode::kBadResponse,
              fmt::format("{} must be {}, not {}", name, wanted,
                          kind != nullptr ? kind : Dump(value).substr(0, kShown)));
}

}  // namespace

const json& Path(const json& object, std::initializer_list<std::string_view> names) {
  const json* at = &object;
  for (const std::string_view name : names) at = &Member(*at, name);
  return *at;
}

std::optional<Quantity> ReadQuantity(const json& value) {
  if (!value.is_string() && !value.is_number_integer()) return std::nullopt;
  const auto parsed =
      Quantity::Parse(value.is_string() ? value.get_ref<const std::string&>() : value.dump());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

const json& ConditionOf(const json& status, std::string_view type) {
  static const json none;
  const json& conditions = Member(status, "conditions");
  if (!conditions.is_array()) return none;
  const auto found = std::find_if(conditions.begin(), conditions.end(), [&](const json& condition) {
    return Text(condition, "type") == type;
  });
  return found == conditions.end() ? none : *found;
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
  if (member.is_number_unsigned() && member.get<uint64_t>() > static_cast<uint64_t>(kHigh))
    return static_cast<int>(kHigh);
  return static_cast<int>(std::clamp(member.get<int64_t>(), kLow, kHigh));
}

Result<bool> ReadFlag(const json& object, std::string_view name, bool absent) {
  const json& member = Member(object, name);
  if (member.is_null()) return absent;
  if (!member.is_boolean()) return WrongType(name, "true or false", member);
  return member.get<bool>();
}

Result<int> ReadNumber(const json& object, std::string_view name, int absent) {
  const json& member = Member(object, name);
  if (member.is_null()) return absent;
  // A manifest may say 3.0, of which kubectl makes 3.
  const bool is_whole =
      member.is_number_float() && std::trunc(member.get<double>()) == member.get<double>();
  if (!member.is_number_integer() && !is_whole) return WrongType(name, "a whole number", member);
  const bool is_above =
      member.is_number_unsigned() && member.get<uint64_t>() > static_cast<uint64_t>(kHigh);
  const double value = member.get<double>();
  if (is_above || value < static_cast<double>(kLow) || value > static_cast<double>(kHigh))
    return WrongType(name, "a number of 32 bits", member);
  return static_cast<int>(value);
}

WallTime Time(const json& object, std::string_view name) {
  const json& member = Member(object, name);
  if (!member.is_string()) return {};
  return ParseRfc3339(member.get_ref<const std::string&>()).value_or(WallTime{});
}

}  // namespace fedra::tracking
