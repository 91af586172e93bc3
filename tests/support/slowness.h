#pragma once
//
// How much longer than an optimised program on an idle machine a test may take.

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace fedra {

// FEDRA_TEST_SLOWNESS, which `make asan` and `make tsan` set to what their sanitizers cost; 1
// without it. Anything but a number counts as 1. tests/scenarios/waiting.py does the same.
inline double Slowness() {
  static const char* const text = std::getenv("FEDRA_TEST_SLOWNESS");
  return text == nullptr ? 1.0 : std::max(1.0, std::strtod(text, nullptr));
}

// How long to wait for what must happen within `limit`. How long something must not happen is not
// stretched.
inline std::chrono::milliseconds Stretched(std::chrono::milliseconds limit) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(limit * Slowness());
}

}  // namespace fedra
