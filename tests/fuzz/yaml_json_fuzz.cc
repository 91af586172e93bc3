// Any bytes as manifests: an error, or texts that a JSON parser takes.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "config/yaml_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto texts = fedra::config::YamlToJson({reinterpret_cast<const char*>(data), size});
  if (!texts) return 0;
  for (const std::string& text : *texts) {
    FEDRA_ASSERT(nlohmann::json::accept(text), "the result is JSON");
  }
  return 0;
}
