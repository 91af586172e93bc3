#pragma once
//
// Fields of an answer that may be of any form: what is missing or of another type reads as empty.
// Thread rules: pure functions.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fedra::kube {

std::string StringAt(const nlohmann::json& object, const char* key);

}  // namespace fedra::kube
