#include "manager/cli/input.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

namespace fedra::cli {

Result<std::string> ReadInput(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  // A folder opens like a file, and throws when it is read.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: is a directory", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(ErrorCode::kNotFound, fmt::format("{}: cannot be read", path));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace fedra::cli
