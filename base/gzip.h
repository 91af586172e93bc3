#pragma once
//
// gzip (RFC 1952). The only room of zlib.
//
//   GzipWriter writer;
//   writer.Add(header);
//   writer.Add(body);
//   Save(std::move(writer).Finish());
//
// Thread rules: one thread at a time.

#include <memory>
#include <string>
#include <string_view>

namespace fedra {

enum class GzipLevel {
  kFast,   // for what is sent once
  kUsual,  // for what is kept
};

class GzipWriter final {
 public:
  explicit GzipWriter(GzipLevel level = GzipLevel::kUsual);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void Add(std::string_view bytes);
  // What was added, packed. Nothing may be added after it.
  std::string Finish() &&;

 private:
  struct Stream;
  const std::unique_ptr<Stream> stream_;
};

std::string Gzip(std::string_view bytes, GzipLevel level);

}  // namespace fedra
