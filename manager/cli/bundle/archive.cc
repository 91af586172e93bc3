#include "manager/cli/bundle/archive.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/gzip.h"

namespace fedra::cli {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMostName = 100;

// The fields of a header are texts of fixed width, numbers octal and ended by a zero.
std::string TarHeader(const ArchivedFile& file, WallTime modified) {
  FEDRA_ASSERT(file.name.size() <= kMostName, "names of archived files are short");
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(modified.time_since_epoch()).count();
  std::string header(kBlock, '\0');
  const auto put = [&](size_t at, const std::string& field) {
    header.replace(at, field.size(), field);
  };
  put(0, file.name);
  put(100, "0000600");  // mode
  put(108, "0000000");  // user and group: who unpacks it
  put(116, "0000000");
  put(124, fmt::format("{:011o}", file.text.size()));
  put(136, fmt::format("{:011o}", std::max<int64_t>(0, seconds)));
  put(148, "        ");  // the sum counts its own field as blanks
  put(156, "0");         // a regular file
  put(257, std::string("ustar\00000", 8));
  const unsigned sum = std::accumulate(header.begin(), header.end(), 0u, [](unsigned n, char c) {
    return n + static_cast<unsigned char>(c);
  });
  put(148, fmt::format("{:06o}", sum) + '\0' + ' ');
  return header;
}

}  // namespace

std::string TarGz(const std::vector<ArchivedFile>& files, WallTime modified) {
  GzipWriter packed;
  for (const ArchivedFile& file : files) {
    packed.Add(TarHeader(file, modified));
    packed.Add(file.text);
    packed.Add(std::string((kBlock - file.text.size() % kBlock) % kBlock, '\0'));
  }
  packed.Add(std::string(2 * kBlock, '\0'));
  return std::move(packed).Finish();
}

}  // namespace fedra::cli
