// Where the store is to be, looked at before the daemon finds out.

#include "config/store_folder.h"

#include <unistd.h>

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

namespace fedra::config::store_folder_test {
namespace {

using test::Text;

TEST_CASE("the store's folder must be there and writable") {
  const TempFolder folder;
  const auto check = [&](const std::string& path) {
    StoreSettings store;
    store.path = path;
    return CheckStoreFolder(store, "fedra.yaml");
  };
  CHECK_FALSE(check(folder.Path("fedra.db")));
  const auto missing = check(folder.Path("none") + "/fedra.db");
  REQUIRE(missing);
  CHECK(missing->fatal);
  CHECK_THAT(Text({missing->problem}, folder),
             ContainsSubstring("fedra.yaml: store.path: DIR/none: no such folder"));
  const auto file = check(folder.Write("file", "") + "/fedra.db");
  REQUIRE(file);
  CHECK_THAT(Text({file->problem}, folder), ContainsSubstring("DIR/file: is not a folder"));
  const auto a_folder = check(folder.path().string());
  REQUIRE(a_folder);
  CHECK_THAT(Text({a_folder->problem}, folder), ContainsSubstring("DIR: is a folder"));
  std::filesystem::permissions(
      folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const auto unwritable = check(folder.Path("fedra.db"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  const std::string locked = folder.Write("locked.db", "");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  const auto not_ours = check(locked);
  if (geteuid() == 0) return;  // root may write there
  REQUIRE(unwritable);
  CHECK_THAT(Text({unwritable->problem}, folder), ContainsSubstring("DIR: is not writable"));
  REQUIRE(not_ours);
  CHECK_THAT(Text({not_ours->problem}, folder),
             ContainsSubstring("DIR/locked.db: this user may not read and write it"));
}

}  // namespace
}  // namespace fedra::config::store_folder_test
