#pragma once
//
// Reading what a person names on the command line.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace fedra::cli {

// A file's bytes, or standard input for "-". kNotFound when it cannot be read.
Result<std::string> ReadInput(const std::string& path);

// A document of YAML as JSON text that should be a Kubernetes object. The error says what it is
// instead: "is a text, not a Kubernetes object ...".
Result<nlohmann::json> ParseManifest(std::string_view json_text);

}  // namespace fedra::cli
