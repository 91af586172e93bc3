#include "cluster-clients/http/connect_limiter.h"

#include <utility>

#include "base/assert.h"

namespace fedra::http {

void ConnectLimiter::Enter(std::function<void()> go) {
  if (inside_ >= limit_) {
    waiting_.push_back(std::move(go));
    return;
  }
  ++inside_;
  go();
}

void ConnectLimiter::Leave() {
  FEDRA_ASSERT(inside_ > 0, "only who entered leaves");
  if (waiting_.empty()) {
    --inside_;
    return;
  }
  auto next = std::move(waiting_.front());  // takes over the place
  waiting_.pop_front();
  next();
}

}  // namespace fedra::http
