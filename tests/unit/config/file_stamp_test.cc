#include "config/file_stamp.h"

#include <filesystem>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

namespace fedra::config::file_stamp_test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a stamp stays the same while nothing happens") {
  const TempFolder folder;
  const std::vector<std::string> files = {folder.Write("a", "1"), folder.Path("missing")};
  CHECK(StampFiles(files) == StampFiles(files));
}

TEST_CASE("a stamp changes with every way a file changes") {
  const TempFolder folder;
  const std::vector<std::string> files = {folder.Write("a", "1"), folder.Path("later")};
  const FileStamp before = StampFiles(files);
  SECTION("written in place") { folder.Write("a", "22"); }
  SECTION("replaced by rename with the same size and time") {
    const auto time = fs::last_write_time(folder.Path("a"));
    folder.Write("new", "2");
    fs::last_write_time(folder.Path("new"), time);
    fs::rename(folder.Path("new"), folder.Path("a"));
  }
  SECTION("removed") { fs::remove(folder.Path("a")); }
  SECTION("appeared") { folder.Write("later", ""); }
  SECTION("made unreadable") { fs::permissions(folder.Path("a"), fs::perms::none); }
  SECTION("touched") {
    fs::last_write_time(folder.Path("a"),
                        fs::last_write_time(folder.Path("a")) + std::chrono::nanoseconds(1));
  }
  CHECK_FALSE(StampFiles(files) == before);
}

TEST_CASE("a mounted Secret whose ..data moves to another folder changes the stamp") {
  const TempFolder folder;
  fs::create_directory(folder.Path("..1"));
  fs::create_directory(folder.Path("..2"));
  folder.Write("..1/config", "same");
  fs::create_hard_link(folder.Path("..1/config"), folder.Path("..2/config"));
  fs::create_symlink("..1", folder.Path("..data"));
  fs::create_symlink("..data/config", folder.Path("config"));
  const FileStamp before = StampFiles({folder.Path("config")});

  fs::create_symlink("..2", folder.Path("..data_tmp"));
  fs::rename(folder.Path("..data_tmp"), folder.Path("..data"));
  CHECK_FALSE(StampFiles({folder.Path("config")}) == before);
}

TEST_CASE("the list of files is part of the stamp") {
  const TempFolder folder;
  const std::string a = folder.Write("a", "");
  CHECK_FALSE(StampFiles({a}) == StampFiles({}));
  CHECK_FALSE(StampFiles({a}) == StampFiles({a, folder.Path("b")}));
}

}  // namespace
}  // namespace fedra::config::file_stamp_test
