#pragma once
//
// Reading what a person names on the command line.

#include <string>

#include "base/result.h"

namespace fedra::cli {

// A file's bytes, or standard input for "-". kNotFound when it cannot be read.
Result<std::string> ReadInput(const std::string& path);

}  // namespace fedra::cli
