#pragma once
//
// Reading what a person names on the command line.

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace fedra::cli {

// Of a recorded fleet; of manifests config::kMostYaml.
inline constexpr size_t kMostSnapshot = size_t{1} << 30;

// A file's bytes, or standard input for "-"; kInvalidArgument when there are more than `most`, and
// for a device, which may have no end. kNotFound when it cannot be read.
Result<std::string> ReadInput(const std::string& path, size_t most);

// Nothing: it may be read to its end.
Result<void> RefuseDevice(const std::string& path);

// A document of YAML as JSON text that should be a Kubernetes object. The error says what it is
// instead: "is a text, not a Kubernetes object ...".
Result<nlohmann::json> ParseManifest(std::string_view json_text);

}  // namespace fedra::cli
