// The archive of a support bundle, unpacked by hand; the scenario support-bundle unpacks it by a
// real tar.

#include "manager/cli/bundle/archive.h"

#include <numeric>

#include "tests/support/catch.h"
#include "tests/support/gunzip.h"

namespace fedra::cli::archive_test {

namespace {

std::string Field(const std::string& tar, size_t at, size_t size) {
  const std::string field = tar.substr(at, size);
  return field.substr(0, field.find('\0'));
}

// The files in it, read as pax(1) describes it.
std::vector<ArchivedFile> Unpacked(const std::string& packed) {
  const std::string tar = Gunzip(packed);
  REQUIRE(tar.size() % 512 == 0);
  std::vector<ArchivedFile> files;
  size_t at = 0;
  while (at + 512 <= tar.size() && tar[at] != '\0') {
    CHECK(tar.substr(at + 257, 8) == std::string("ustar\00000", 8));
    CHECK(Field(tar, at + 100, 8) == "0000600");
    CHECK(Field(tar, at + 136, 12) == "00000000144");  // 100 s
    std::string header = tar.substr(at, 512);
    const unsigned long told = std::stoul(Field(header, 148, 8), nullptr, 8);
    header.replace(148, 8, "        ");
    const unsigned long sum =
        std::accumulate(header.begin(), header.end(), 0ul,
                        [](unsigned long n, char c) { return n + static_cast<unsigned char>(c); });
    CHECK(told == sum);
    const size_t size = std::stoul(Field(tar, at + 124, 12), nullptr, 8);
    files.push_back({Field(tar, at, 100), tar.substr(at + 512, size)});
    at += 512 + (size + 511) / 512 * 512;
  }
  CHECK(tar.substr(at) == std::string(1024, '\0'));
  return files;
}

}  // namespace

TEST_CASE("what is packed is what is unpacked, whatever its size") {
  std::string large;
  while (large.size() < (size_t{3} << 20)) large += "line " + std::to_string(large.size()) + "\n";
  const std::vector<ArchivedFile> files = {{"a/empty", ""},
                                           {"a/one", "x"},
                                           {"a/block", std::string(512, 'y')},
                                           {"a/binary", std::string("\0\n\xff", 3)},
                                           {std::string(100, 'n'), "the longest name"},
                                           {"a/large", large}};
  const auto unpacked = Unpacked(TarGz(files, WallTime(std::chrono::seconds(100))));
  REQUIRE(unpacked.size() == files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    INFO(files[i].name);
    CHECK(unpacked[i].name == files[i].name);
    CHECK((unpacked[i].text == files[i].text));
  }
}

TEST_CASE("an archive without files is one all the same") {
  CHECK(Unpacked(TarGz({}, WallTime{})).empty());
}

}  // namespace fedra::cli::archive_test
