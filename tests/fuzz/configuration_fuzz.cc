// Any bytes as a configuration file: problems or a configuration, and a configuration survives
// View.

#include <cstdint>
#include <string>

#include "base/assert.h"
#include "config/load.h"
#include "config/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace fedra::config;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto parsed = Parse(text, "/etc/fedra/fedra.yaml");
  if (!parsed) {
    FEDRA_ASSERT(!parsed.error().empty(), "a refusal names a problem");
    return 0;
  }
  const std::string view = View(*parsed);
  const auto again = Parse(view, "/etc/fedra/fedra.yaml");
  FEDRA_ASSERT(again && View(*again) == view, "a viewed configuration reads back as the same");
  return 0;
}
