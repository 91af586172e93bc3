#pragma once
//
// Kubernetes manifests as people write them (YAML or JSON, one or many documents) to JSON.
//
// Scalars get the types that kubectl gives them (sigs.k8s.io/yaml 1.6, YAML 1.1 rules): plain
// yes/no/on/off are booleans, 0755 is octal, timestamps stay strings, "<<" merges, other scalar
// keys become strings. Errors: kInvalidArgument with "line L, column C: ..."; kTooLarge when an
// input bound is exceeded. Thread rules: pure function.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/yaml_places.h"

namespace fedra::config {

struct YamlNode;

struct YamlDocument {
  std::string json;
  YamlPlaces places;
  size_t values = 0;  // in it, those that aliases repeat each time
};

inline constexpr size_t kMostYaml = size_t{16} << 20;  // bytes

// What a text may take beside its length.
struct YamlBounds {
  size_t values = 1'000'000;              // that are written out
  size_t alias_bytes = size_t{16} << 20;  // memory that copies for aliases may take
};

// The documents of a text; those without content (comments, a lone "---") are left out.
// Bounds: kMostYaml of text, 100 levels, and those that are given.
Result<std::vector<YamlDocument>> ReadYaml(std::string_view text, const YamlBounds& bounds = {});
// Their JSON texts alone.
Result<std::vector<std::string>> YamlToJson(std::string_view text);
// A part of a document that was parsed already.
Result<std::string> TreeToJson(const YamlNode& tree);

}  // namespace fedra::config
