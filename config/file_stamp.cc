#include "config/file_stamp.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

namespace fedra::config {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// The file behind every symlink: a mounted Secret is replaced by pointing `..data` elsewhere.
std::string ResolvedPath(const std::string& path) {
  const std::unique_ptr<char, Free> resolved(::realpath(path.c_str(), nullptr));
  return resolved ? resolved.get() : "";
}

std::string StampOf(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return fmt::format("{}\x1f{}", path, errno);
  return fmt::format("{}\x1f{}\x1f{}:{}:{}:{}.{:09}:{}.{:09}:{:o}", path, ResolvedPath(path),
                     info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec, info.st_mode);
}

}  // namespace

FileStamp StampFiles(const std::vector<std::string>& paths) {
  FileStamp stamp;
  for (const std::string& path : paths) stamp.value += StampOf(path) + "\x1e";
  return stamp;
}

}  // namespace fedra::config
