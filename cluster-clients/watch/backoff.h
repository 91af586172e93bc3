#pragma once
//
// How long a reflector waits before it asks again. Pure: jitter is an argument.

#include <chrono>
#include <optional>

namespace fedra::watch {

enum class RetryClass {
  kCut,      // something that worked was cut, or the server asked us to begin again
  kFailing,  // an error that may go away by itself
  kRefused,  // 403 or 404: lasts until an administrator changes something
  kTooLong,  // more was sent than any real server has: to read it again costs as much again
};

// `failures`: how many there were in a row, this one included (1 or more). `jitter` in [0, 1).
//
//   kCut      50 to 200 ms the first time: most cuts are a restart or a load balancer, and every
//             millisecond is one in which we do not see what happens there
//   then, and for kFailing: 800 ms doubled each time up to 30 s (kube-rs, client-go's reflector)
//   kRefused  1 s doubled up to 15 s
//   kTooLong  30 s doubled up to 10 min
//
// Never less than `retry_after`, the server's Retry-After; of that no more than five minutes are
// granted, so that no server can end a watch for good.
std::chrono::milliseconds Backoff(
    RetryClass trouble, int failures, double jitter,
    std::optional<std::chrono::milliseconds> retry_after = std::nullopt);

}  // namespace fedra::watch
