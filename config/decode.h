#pragma once
//
// A YAML tree to a Configuration by the description in schema.h. Private to this folder.
//
// Decoding goes on after a problem, so that one run reports everything; the configuration is only
// meaningful when there are no problems.
// Thread rules: pure function.

#include <map>
#include <string>

#include "config/configuration.h"
#include "config/problem.h"
#include "config/yaml_tree.h"

namespace fedra::config {

struct Decoded {
  Configuration configuration;
  std::map<std::string, Mark> marks;  // where each value that was written is, by path
  Problems problems;
};

// `filename` names the file in problems and gives the folder that relative paths start from.
Decoded Decode(const YamlNode& document, const std::string& filename);

}  // namespace fedra::config
