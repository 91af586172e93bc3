#include "config/store_folder.h"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

namespace fedra::config {
namespace {

constexpr const char* kMadeByUnit = "/var/lib/fedra";

}  // namespace

std::optional<StoreFinding> CheckStoreFolder(const StoreSettings& store,
                                             const std::string& filename) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(store.path);
  const std::string folder = path.parent_path().string();
  const auto about = [&](const std::string& place, const char* what, const char* hint, bool fatal) {
    return StoreFinding{{filename, {}, "store.path", fmt::format("{}: {}", place, what), hint},
                        fatal};
  };
  const auto finding = [&](const char* what, const char* hint, bool fatal) {
    return about(folder, what, hint, fatal);
  };
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  const bool by_unit = folder == kMadeByUnit;
  if (status.type() == fs::file_type::not_found) {
    if (by_unit)
      return finding("does not exist yet", "fedra.service makes it; without systemd, make it",
                     false);
    return finding("no such folder", "make it; it must belong to the user who runs fedra", true);
  }
  if (error)
    return finding("this user may not look", "the user who runs fedra must be able to", !by_unit);
  if (!fs::is_directory(status)) return finding("is not a folder", "name a file in a folder", true);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return finding("is not writable by this user", "the user who runs fedra must be able to",
                   !by_unit);
  if (fs::is_directory(path, error))
    return about(path.string(), "is a folder", "name a file in a folder", true);
  if (fs::exists(path, error) && access(path.c_str(), R_OK | W_OK) != 0)
    return about(path.string(), "this user may not read and write it",
                 "it must belong to the user who runs fedra", !by_unit);
  return std::nullopt;
}

}  // namespace fedra::config
