#pragma once
//
// Lets only a few threads wait for one cluster at a time, and none while it is slow to answer: so a
// hanging worker can never take all reconciling threads with it.
//
// Thread rules: any thread.

#include <cstddef>
#include <memory>
#include <set>

#include "base/clock.h"
#include "base/guarded.h"

namespace fedra::reconcile {

class CallGate final {
 public:
  // Held while calls to the cluster are made.
  class Pass final {
   public:
    Pass(CallGate& gate, SteadyTime since) : gate_(gate), since_(since) {}
    ~Pass() { gate_.Leave(since_); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    CallGate& gate_;
    const SteadyTime since_;
  };

  // `limit` at once; none when one has been in for `patience`.
  CallGate(const Clock& clock, size_t limit, std::chrono::milliseconds patience)
      : clock_(clock), limit_(limit), patience_(patience) {}

  // Null when the caller should come back later.
  std::unique_ptr<Pass> TryEnter() {
    const SteadyTime now = clock_.Steady();
    const bool entered = inside_.With([&](std::multiset<SteadyTime>& inside) {
      if (inside.size() >= limit_ || (!inside.empty() && now - *inside.begin() > patience_))
        return false;
      inside.insert(now);
      return true;
    });
    return entered ? std::make_unique<Pass>(*this, now) : nullptr;
  }

 private:
  void Leave(SteadyTime since) {
    inside_.With([&](std::multiset<SteadyTime>& inside) { inside.erase(inside.find(since)); });
  }

  const Clock& clock_;
  const size_t limit_;
  const std::chrono::milliseconds patience_;
  Guarded<std::multiset<SteadyTime>> inside_;
};

}  // namespace fedra::reconcile
