// Any bytes through the reader of conformance vectors.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/tools/conformance/textproto.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)fedra::conformance::ParseTextproto({reinterpret_cast<const char*>(data), size});
  return 0;
}
