#pragma once
//
// Reading JSON objects of unknown quality without exceptions: a missing or wrongly typed field
// reads as empty. Internal to manager/.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "cluster-clients/kube/json_fields.h"

namespace fedra::tracking {

using kube::Member;
using kube::Text;
// Nested members: Path(object, {"status", "conditions"}).
const nlohmann::json& Path(const nlohmann::json& object,
                           std::initializer_list<std::string_view> names);

// The object as text. Bytes that are no UTF-8 (a remote party's, in a message) are replaced, never
// thrown about.
std::string Dump(const nlohmann::json& object);

bool Flag(const nlohmann::json& object, std::string_view name, bool fallback);
// Clamped into int; `fallback` when absent or not an integer.
int Number(const nlohmann::json& object, std::string_view name, int fallback);
// The epoch when absent or unreadable.
WallTime Time(const nlohmann::json& object, std::string_view name);

}  // namespace fedra::tracking
