// The text of one object: our parser and nlohmann's agree on what is JSON, and on its values.

#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "cluster-clients/kube/json_object.h"
#include "cluster-clients/kube/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto ours = fedra::kube::ParseObject(text);
  if (ours)
    FEDRA_ASSERT(fedra::kube::IsCompleteObject(text), "an object is one of balanced braces");
  auto theirs = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!theirs.is_object() || !fedra::kube::IsCompleteObject(text)) {
    FEDRA_ASSERT(!ours, "what is no object for nlohmann's parser is none");
    return 0;
  }
  if (theirs.contains("metadata") && theirs["metadata"].is_object())
    theirs["metadata"].erase("managedFields");
  FEDRA_ASSERT(ours && *ours == theirs, "both parsers have the same values");
  return 0;
}
