#pragma once
//
// How long a reflector waits before it asks again. Pure: luck is an argument.

#include <chrono>

namespace fedra::watch {

enum class Trouble {
  kCut,      // something that worked was cut, or the server asked us to begin again
  kFailing,  // an error that may go away by itself
  kRefused,  // 403 or 404: somebody has to change something
};

// `failures`: how many there were in a row, this one included (1 or more). `luck` in [0, 1).
//
//   kCut      50 to 200 ms the first time: most cuts are a restart or a load balancer, and every
//             millisecond is one in which nobody sees what happens there
//   then, and for kFailing: 800 ms doubled each time up to 30 s (kube-rs, client-go's reflector)
//   kRefused  1 s doubled up to 15 s
std::chrono::milliseconds Backoff(Trouble trouble, int failures, double luck);

}  // namespace fedra::watch
