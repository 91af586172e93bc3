#pragma once
//
// Reading JSON objects of unknown quality without exceptions. Internal to manager/.
//
// A missing or wrongly typed field reads as empty, where emptiness decides nothing. What decides is
// read with ReadFlag and ReadNumber, which never guess: of a wrong type they make an error.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/result.h"
#include "cluster-clients/kube/json_fields.h"

namespace fedra::tracking {

using kube::Member;
using kube::Text;
// Nested members: Path(object, {"status", "conditions"}).
const nlohmann::json& Path(const nlohmann::json& object,
                           std::initializer_list<std::string_view> names);

// A quantity as the API takes it, text or a whole number; nothing when it is neither.
std::optional<Quantity> ReadQuantity(const nlohmann::json& value);

// The entry of `status`.conditions of this type; null without one.
const nlohmann::json& ConditionOf(const nlohmann::json& status, std::string_view type);

// The object as text. Bytes that are no UTF-8 (a remote party's, in a message) are replaced, never
// thrown about.
std::string Dump(const nlohmann::json& object);

bool Flag(const nlohmann::json& object, std::string_view name, bool fallback);
// Clamped into int; `fallback` when absent or not an integer.
int Number(const nlohmann::json& object, std::string_view name, int fallback);
// `absent` where nothing is written (null is nothing). kBadResponse for another type, and for a
// number that no int holds: `suspend must be true or false, not "yes"`.
Result<bool> ReadFlag(const nlohmann::json& object, std::string_view name, bool absent);
Result<int> ReadNumber(const nlohmann::json& object, std::string_view name, int absent);
// The epoch when absent or unreadable.
WallTime Time(const nlohmann::json& object, std::string_view name);

}  // namespace fedra::tracking
