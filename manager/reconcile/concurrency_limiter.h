#pragma once
//
// Bounds how many reconciling threads wait for workers, so that those that hang can never take all
// threads with them:
//
// - fast workers share the full budget; a slow one gets at most a few threads, and no thread joins
//   one that has waited for too long;
// - all threads that wait for suspect workers share one small budget: workers that have not
//   answered lately (or ever), and those that keep a thread waiting now; a few for each of them;
// - of the others the first to wait for a worker always may; the rest shares one budget over all
//   workers.
//
// So with T threads, a budget of B beyond the first and D for suspect workers, any number of
// workers that are silent from the start, and fewer than T - B - D that answered a moment ago and
// fall silent together, delay no workload that does not need them. How long a call may hang at all
// is the cluster client's business.
//
// Thread rules: any thread. Lifetime: the clock must outlive the limiter, the limiter every Permit.

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"

namespace fedra::reconcile {

class ConcurrencyLimiter final {
 public:
  struct Limits {
    size_t per_slow_worker = 6;  // threads that wait for one that is not fast, or suspect
    size_t beyond_first = 36;    // over all workers, not counting the first of each
    size_t suspects = 24;        // threads that wait for suspect workers, over all
    std::chrono::milliseconds fast_below{
        50};  // a worker is fast while no thread has waited for longer
    std::chrono::milliseconds stuck_after{500};  // past this no further thread waits for the worker
    std::chrono::milliseconds fresh{1'000};      // an answer speaks for the worker for so long
  };

  // Held while calls to the worker are made.
  class Permit final {
   public:
    Permit(ConcurrencyLimiter& limiter, ClusterName worker, SteadyTime since)
        : limiter_(limiter), worker_(std::move(worker)), since_(since) {}
    ~Permit() { limiter_.Leave(worker_, since_); }
    Permit(const Permit&) = delete;
    Permit& operator=(const Permit&) = delete;

   private:
    ConcurrencyLimiter& limiter_;
    const ClusterName worker_;
    const SteadyTime since_;
  };

  ConcurrencyLimiter(const Clock& clock, Limits limits) : clock_(clock), limits_(limits) {}

  // Null when the caller should come back later.
  std::unique_ptr<Permit> TryEnter(const ClusterName& worker);
  // The same as kUnavailable with retry_after.
  Result<std::unique_ptr<Permit>> Enter(const ClusterName& worker);

  // Permits that are held.
  size_t held() const;

  // What was learned of the worker; one that comes back under this name is another one.
  void Forget(const ClusterName& worker);

 private:
  struct State {
    // Since when each thread has been waiting, of the workers that any waits for.
    std::unordered_map<ClusterName, std::multiset<SteadyTime>> waiting;
    size_t beyond_first = 0;
    // When a thread last left that had not waited for longer than `stuck_after`, of each worker.
    std::unordered_map<ClusterName, SteadyTime> answered;
  };

  bool IsSuspect(const State& state, const ClusterName& worker, SteadyTime now) const;
  // Threads that wait for suspect workers.
  size_t ThreadsOnSuspects(const State& state, SteadyTime now) const;
  bool MayEnter(const State& state, const ClusterName& worker, SteadyTime now) const;
  void Leave(const ClusterName& worker, SteadyTime since);

  const Clock& clock_;
  const Limits limits_;
  Guarded<State> state_;
};

}  // namespace fedra::reconcile
