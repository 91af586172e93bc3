#pragma once
//
// A new folder, readable by everybody, that is gone with everything in it when the test ends.
// Thread rules: a plain object.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace fedra {

class TempFolder final {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fedra-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
    MakeAccessible();
  }
  ~TempFolder() {
    MakeAccessible();  // a test may have taken the rights away
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Of a file in it, that may or may not be there.
  std::string Path(std::string_view name) const { return (path_ / name).string(); }
  // Returns the file's path.
  std::string Write(std::string_view name, std::string_view text, bool executable = false) const {
    std::string file = Path(name);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    if (executable) std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

 private:
  void MakeAccessible() const {
    using std::filesystem::perms;
    std::error_code ignored;
    std::filesystem::permissions(path_,
                                 perms::owner_all | perms::group_read | perms::group_exec |
                                     perms::others_read | perms::others_exec,
                                 ignored);
  }

  std::filesystem::path path_;
};

}  // namespace fedra
