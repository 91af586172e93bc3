#pragma once
//
// When something that failed is tried again. Pure.

#include <chrono>

#include "base/result.h"

namespace fedra::reconcile {

struct Retry {
  std::chrono::milliseconds delay{};
  bool is_news = false;  // worth a warning in the log
};

// A conflict is retried almost at once (10 ms), a busy server soon (50 ms), anything else after
// 100 ms; each of them twice as late after each further failure in a row, up to 1 s, 2 s and 30 s,
// and never before the server's Retry-After, of which a minute at most is granted. `failures`: in a
// row, with this one.
Retry RetryAfter(const Error& error, int failures);

// For copies of ResourceClaimTemplates: one that was refused (403, 422, 404) is tried again every
// ten seconds, and only the first refusal is news: verdicts say the rest.
Retry RetryCopyAfter(const Error& error, int failures);

// How long a worker that refused a copy is left alone.
inline constexpr std::chrono::seconds kRefusedCopyPause{10};

}  // namespace fedra::reconcile
