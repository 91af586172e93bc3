#pragma once
//
// Rules between keys of a decoded configuration. Private to this folder.
// Thread rules: pure function.

#include <string>

#include "config/decode.h"
#include "config/problem.h"

namespace fedra::config {

// The position of a value, or of the nearest part of the file around it that was written.
Mark MarkOf(const Decoded& decoded, std::string path);

// Everything that is wrong although each key by itself is right.
Problems CheckTogether(const Decoded& decoded, const std::string& filename);

}  // namespace fedra::config
