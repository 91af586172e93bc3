#pragma once
//
// Manifests in text, wherever they were read: in files, or in what a client has sent.

#include <string>

namespace fedra::report {

struct ManifestFile {
  std::string name;  // as findings name it; "-": standard input, or a body without names
  std::string text;  // YAML or JSON
};

}  // namespace fedra::report
