// Any bytes through the parser, the checker and the validator of device selectors.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cel/selector.h"
#include "tests/fuzz/any_release.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fedra::cel::SelectorOptions options;
  options.release = fedra::cel::AnyRelease(size);
  const auto selector = fedra::cel::CompileSelector(text, options);
  if (!selector && selector.error().issues.empty()) __builtin_trap();
  if (selector && selector->operands().empty()) __builtin_trap();
  return 0;
}
