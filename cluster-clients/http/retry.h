#pragma once
//
// Whether and when a failed call is repeated. Pure: time, jitter and the past are arguments.

#include <chrono>
#include <optional>

#include "base/error.h"

namespace fedra::http {

// Evenly distributed in [0, 1): what RetryDelay and other backoffs take as jitter.
double Jitter();

struct FailedAttempt {
  Error error;
  int number = 1;                     // 1 for the first attempt of the call
  bool idempotent = false;            // repeating it has the effect of doing it once
  bool unsent = false;                // nothing of the request has left this machine
  std::chrono::milliseconds left{0};  // until the call's deadline
  double jitter = 0.5;                // evenly distributed in [0, 1)
};

// How long to wait before the next attempt; nothing: give up and report the error.
//
// 429 is repeated whatever the call was, and so is 503 with Retry-After: the server says that it
// did not do it (client-go 1.36 does the same). Other failures are repeated when the call is
// idempotent or cannot have reached the server. Retry-After is a floor; jitter only adds to it.
std::optional<std::chrono::milliseconds> RetryDelay(const FailedAttempt& attempt);

}  // namespace fedra::http
