#include "manager/cli/bundle/archive.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "base/assert.h"

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
  constexpr int kGzip = 16;  // added to the window's size: gzip's header, not zlib's
  z_stream stream{};
  FEDRA_ASSERT(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip,
                            /*memLevel=*/8, Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib takes these settings");
  std::string packed;
  const auto feed = [&](std::string_view bytes, int flush) {
    std::array<char, 64 * 1024> out{};
    // zlib counts in unsigned int: a piece at a time.
    do {
      const std::string_view piece = bytes.substr(0, size_t{1} << 20);
      bytes.remove_prefix(piece.size());
      // zlib does not write there; its type is from before const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
      do {
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        deflate(&stream, flush);
        packed.append(out.data(), out.size() - stream.avail_out);
      } while (stream.avail_out == 0);
    } while (!bytes.empty());
  };
  for (const ArchivedFile& file : files) {
    feed(TarHeader(file, modified), Z_NO_FLUSH);
    feed(file.text, Z_NO_FLUSH);
    feed(std::string((kBlock - file.text.size() % kBlock) % kBlock, '\0'), Z_NO_FLUSH);
  }
  feed(std::string(2 * kBlock, '\0'), Z_FINISH);
  deflateEnd(&stream);
  return packed;
}

}  // namespace fedra::cli
