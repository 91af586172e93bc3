#pragma once
//
// What a YAML scalar means to Kubernetes: the rules of go.yaml.in/yaml/v2 2.4 (resolve.go), which
// sigs.k8s.io/yaml 1.6 and so kubectl use. Private to this folder.
// Thread rules: pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "config/yaml_tree.h"

namespace fedra::config {

// Null, or a value of one of the JSON kinds. uint64_t only for numbers above int64_t.
using ScalarValue = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string>;

// The type of an unquoted scalar without a tag.
ScalarValue ResolvePlain(std::string_view text);

// The same for any kNull or kScalar node, explicit tags included; nullopt when the text does not
// fit the tag ("!!int x").
std::optional<ScalarValue> ResolveScalar(const YamlNode& node);

// "a string", "a number", "a boolean", "null", "a list", "a map": for messages.
std::string_view KindName(const YamlNode& node);

}  // namespace fedra::config
