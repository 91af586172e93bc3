#pragma once
//
// JSON documents as YAML, as kubectl writes them. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fedra::cli {

// Block style; a string is quoted whenever a YAML 1.1 or 1.2 reader could take it for something
// else.
std::string ToYaml(const nlohmann::ordered_json& document);

}  // namespace fedra::cli
