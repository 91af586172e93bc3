#pragma once
//
// Where the values of a YAML document stand in its text, for what is found wrong with them later.
//
// Thread rules: a plain value; copies share the document. Lifetime: none to mind.

#include <memory>
#include <string_view>

#include "config/problem.h"

namespace fedra::config {

struct YamlNode;

class YamlPlaces final {
 public:
  YamlPlaces() = default;  // of no document: every place is the file as a whole
  explicit YamlPlaces(std::shared_ptr<const YamlNode> document) : document_(std::move(document)) {}

  // `spec.containers[0].env`, `labels["a.b/c"]` for a key that has dots. What is not there has the
  // place of the nearest thing around it.
  Mark Find(std::string_view path) const;

 private:
  std::shared_ptr<const YamlNode> document_;
};

}  // namespace fedra::config
