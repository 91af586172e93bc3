// Any bytes as a time and as a duration; what is accepted survives formatting.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/time.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fedra;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto duration = ParseDuration(text)) {
    const auto again = ParseDuration(FormatDuration(*duration));
    FEDRA_ASSERT(again && *again == *duration, "a duration survives formatting");
  }
  if (const auto time = ParseRfc3339(text)) {
    const std::string formatted = FormatRfc3339Micro(*time);
    // An offset can lead out of the four-digit years that the format has.
    if (formatted.size() == sizeof("2026-11-21T16:11:19.123000Z") - 1) {
      const auto again = ParseRfc3339(formatted);
      FEDRA_ASSERT(again && *again == *time, "a time survives formatting");
    }
  }
  return 0;
}
