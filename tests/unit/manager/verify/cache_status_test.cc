#include "manager/verify/cache_status.h"

#include "tests/support/catch.h"

namespace fedra::verify::cache_status_test {
namespace {

using std::chrono::seconds;
using watch::CacheHealth;
using watch::CacheState;

const SteadyTime kNow{seconds(1'000)};

NamedHealth List(std::string name, CacheState state, seconds age = seconds(0)) {
  return {std::move(name), CacheHealth{.state = state, .since = kNow - age}};
}

TEST_CASE("what is wrong with a worker's lists: errors first, then those that take longest") {
  CHECK(Problems({}, kNow).empty());
  CHECK(
      Problems({List("pods", CacheState::kSynced), List("rayjobs.ray.io", CacheState::kNotServed)},
               kNow)
          .empty());
  CHECK(Problems({List("nodes", CacheState::kSyncing, seconds(3)),
                  List("pods", CacheState::kSyncing, seconds(25)),
                  List("workloads.kueue.x-k8s.io", CacheState::kForbidden, seconds(1))},
                 kNow) ==
        "not allowed to list or watch workloads.kueue.x-k8s.io (403); "
        "pods are still being listed (for 20s); nodes are still being listed");
}

TEST_CASE("of many lists that are on their way two are named, the others counted") {
  CHECK(Problems({List("a", CacheState::kSyncing), List("b", CacheState::kSyncing),
                  List("c", CacheState::kSyncing, seconds(12)), List("d", CacheState::kSyncing)},
                 kNow) ==
        "c are still being listed (for 10s); a are still being listed; and 2 more lists");
}

}  // namespace
}  // namespace fedra::verify::cache_status_test
