#include "manager/cli/read_input.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cluster-clients/watch/object_cache.h"

namespace fedra::cli {
namespace {

// What is wrong and what to do, for the path as it was given. A relative path is usually right, and
// the folder is not.
std::string WhyUnreadable(const std::string& path, int error) {
  std::error_code ignored;
  const bool relative = std::filesystem::path(path).is_relative();
  const std::string folder = std::filesystem::current_path(ignored).string();
  switch (error) {
    case ENOENT:
      return relative ? fmt::format(
                            "there is no such file in {}; check the name, or give the "
                            "whole path",
                            folder)
                      : std::string("there is no such file; check the name");
    case EACCES:
      return "this user may not read it; change its permissions, or run the command as its owner";
    default:
      return "cannot be read: " + std::generic_category().message(error);
  }
}

}  // namespace

Result<std::string> ReadInput(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  // A folder opens like a file, and throws when it is read.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: is a directory", path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int error = errno;  // before anything else can set it
    return Fail(ErrorCode::kNotFound, fmt::format("{}: {}", path, WhyUnreadable(path, error)));
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<nlohmann::json> ParseManifest(std::string_view json_text) {
  if (json_text.starts_with('{')) return watch::ParseJson(json_text);
  const char first = json_text.empty() ? 'n' : json_text.front();
  const std::string_view what = first == '"'   ? "a text"
                                : first == '[' ? "a list"
                                : first == 'n' ? "empty"
                                               : "a single value";
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("is {}, not a Kubernetes object with apiVersion and kind", what));
}

}  // namespace fedra::cli
