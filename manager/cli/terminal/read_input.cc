#include "manager/cli/terminal/read_input.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

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

// One byte more than may be is enough to know.
Result<std::string> ReadAtMost(std::istream& in, const std::string& name, size_t most) {
  std::string text;
  std::array<char, 64 * 1024> piece{};
  while (text.size() <= most && (in.read(piece.data(), piece.size()) || in.gcount() > 0))
    text.append(piece.data(), static_cast<size_t>(in.gcount()));
  if (text.size() > most)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: larger than {} MiB", name, most >> 20));
  return text;
}

}  // namespace

Result<void> RefuseDevice(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::character || type == std::filesystem::file_type::block)
    return Fail(ErrorCode::kInvalidArgument, path + ": is a device, not a file");
  return {};
}

Result<std::string> ReadInput(const std::string& path, size_t most) {
  if (path == "-") return ReadAtMost(std::cin, path, most);
  // A folder opens like a file, and throws when it is read.
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: is a directory", path));
  FEDRA_RETURN_IF_ERROR(RefuseDevice(path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int error = errno;  // before anything else can set it
    return Fail(ErrorCode::kNotFound, fmt::format("{}: {}", path, WhyUnreadable(path, error)));
  }
  return ReadAtMost(file, path, most);
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
