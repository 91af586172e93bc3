#pragma once
//
// Waiting for what nothing announces.

#include <poll.h>

#include <chrono>
#include <functional>

#include "tests/support/slowness.h"

namespace fedra {

// Looks every few milliseconds until `holds` is true. False: it was not within `time`, which is
// never stretched: for what must not happen.
inline bool HappensWithin(const std::function<bool()>& holds, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

// The same for what must happen: the limit is that of an optimised program, and Slowness()
// stretches it.
inline bool WaitUntil(const std::function<bool()>& holds,
                      std::chrono::milliseconds limit = std::chrono::seconds(10)) {
  return HappensWithin(holds, Stretched(limit));
}

}  // namespace fedra
