#pragma once
//
// Lets only so many clients open their first connection at the same time: after a restart a
// thousand TLS handshakes at once would keep the io loop busy for seconds, and the calls of
// clusters that are already connected would wait behind them (50 at a time: 2 s for 1,000, see
// docs/performance.md).
//
// Thread rules: io loop thread only.

#include <cstddef>
#include <deque>
#include <functional>

namespace fedra::http {

class ConnectLimiter final {
 public:
  explicit ConnectLimiter(size_t limit) : limit_(limit) {}

  // Runs `go` now or when a place becomes free. Every `go` that ran must be followed by one
  // Leave().
  void Enter(std::function<void()> go);
  void Leave();

 private:
  const size_t limit_;
  size_t inside_ = 0;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace fedra::http
