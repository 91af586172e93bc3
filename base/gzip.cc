#include "base/gzip.h"

#include <zlib.h>

#include <array>
#include <utility>

#include "base/assert.h"

namespace fedra {
namespace {

constexpr int kGzip = 16;   // added to the window's size: gzip's header, not zlib's
constexpr int kMemory = 8;  // zlib's default

}  // namespace

struct GzipWriter::Stream {
  z_stream state{};
  std::string packed;

  void Feed(std::string_view bytes, int flush) {
    std::array<char, 64 * 1024> out{};
    // zlib counts in unsigned int: a piece at a time.
    do {
      const std::string_view piece = bytes.substr(0, size_t{1} << 20);
      bytes.remove_prefix(piece.size());
      // zlib does not write there; its type is from before const.
      state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      state.avail_in = static_cast<uInt>(piece.size());
      do {
        state.next_out = reinterpret_cast<Bytef*>(out.data());
        state.avail_out = static_cast<uInt>(out.size());
        deflate(&state, flush);
        packed.append(out.data(), out.size() - state.avail_out);
      } while (state.avail_out == 0);
    } while (!bytes.empty());
  }
};

GzipWriter::GzipWriter(GzipLevel level) : stream_(std::make_unique<Stream>()) {
  const int effort = level == GzipLevel::kFast ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION;
  FEDRA_ASSERT(deflateInit2(&stream_->state, effort, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                            Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib takes these settings");
}

GzipWriter::~GzipWriter() { deflateEnd(&stream_->state); }

void GzipWriter::Add(std::string_view bytes) { stream_->Feed(bytes, Z_NO_FLUSH); }

std::string GzipWriter::Finish() && {
  stream_->Feed({}, Z_FINISH);
  return std::move(stream_->packed);
}

std::string Gzip(std::string_view bytes, GzipLevel level) {
  GzipWriter writer(level);
  writer.Add(bytes);
  return std::move(writer).Finish();
}

}  // namespace fedra
