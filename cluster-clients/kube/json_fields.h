#pragma once
//
// Reading JSON of unknown quality without exceptions: a missing or wrongly typed field reads as
// empty.
//
// Pure functions.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fedra::kube {

// The member, or a null value when absent or when `object` is no object. Lives as long as `object`.
const nlohmann::json& Member(const nlohmann::json& object, std::string_view name);
// A member that is a string.
std::string Text(const nlohmann::json& object, std::string_view name);
std::string Text(const nlohmann::ordered_json& object, std::string_view name);

}  // namespace fedra::kube
