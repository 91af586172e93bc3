#pragma once
//
// Waiting for what nothing announces.

#include <poll.h>

#include <chrono>
#include <functional>

namespace fedra {

// Looks every few milliseconds until `holds` is true. False: it was not within the limit.
inline bool WaitUntil(const std::function<bool()>& holds,
                      std::chrono::seconds limit = std::chrono::seconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

}  // namespace fedra
