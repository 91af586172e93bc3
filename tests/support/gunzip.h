#pragma once
//
// What a gzip file holds, for tests of those that write one. Its program must link zlib.

#include <zlib.h>

#include <string>

#include "tests/support/catch.h"

namespace fedra {

// Fails the test when `packed` is not exactly one whole file.
inline std::string Gunzip(std::string packed) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, MAX_WBITS + 16) == Z_OK);
  std::string out(packed.size() * 1200 + 4096, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  CHECK(stream.avail_in == 0);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace fedra
