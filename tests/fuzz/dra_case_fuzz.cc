// Slices, classes, claims and nodes as an API server might send them, good or bad: they are parsed,
// made into a snapshot, and allocated. Nothing may crash, hang or read what it should not.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/dra_case.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = nlohmann::json::parse(data, data + size, nullptr, false);
  if (input.is_discarded()) return 0;
  fedra::dra::ParseContext context;
  const auto parsed = fedra::test::ReadDraCase(input, context);
  if (!parsed) return 0;
  fedra::dra::SelectorCache selectors;
  fedra::test::Solve(*parsed, selectors, {.max_steps = 5'000});
  return 0;
}
