#pragma once
//
// JSON documents as YAML, as kubectl writes them. Pure.
//
// By hand: the emitter of yaml-cpp 0.7 writes the strings "true", "123" and "2026-01-01" plain, so
// that they come back as other types.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fedra::text {

// Block style; a string is quoted whenever a YAML 1.1 or 1.2 reader could take it for something
// else.
std::string ToYaml(const nlohmann::ordered_json& document);

}  // namespace fedra::text
