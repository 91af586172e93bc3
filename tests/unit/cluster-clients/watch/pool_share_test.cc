#include "cluster-clients/watch/pool_share.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "base/guarded.h"
#include "base/worker_pool.h"
#include "cluster-clients/watch/serial_queue.h"
#include "tests/support/catch.h"

namespace fedra::watch::pool_share_test {
namespace {

// Holds the only thread of a pool until it is let go.
struct Gate {
  Guarded<bool> open{false};
  void Wait() {
    open.Wait([](bool is_open) { return is_open; }, [](bool) {});
  }
  void Open() {
    open.With([](bool& is_open) { is_open = true; });
    open.Notify();
  }
};

TEST_CASE("whoever asks for little waits for no more than the others' shares") {
  Gate gate;
  Gate done;
  std::atomic<int> flooded{0};
  int flooded_before = -1;
  WorkerPool pool(1);
  const auto flood = std::make_shared<PoolShare>(pool, 2);
  const auto modest = std::make_shared<PoolShare>(pool, 1);
  pool.Submit([&] { gate.Wait(); });
  for (int i = 0; i < 1'000; ++i) flood->Submit([&] { ++flooded; });
  modest->Submit([&] {
    flooded_before = flooded;
    done.Open();
  });
  gate.Open();
  done.Wait();
  CHECK(flooded_before == 2);
}

TEST_CASE("what waits for a worker does not keep its queue, which would keep the share") {
  Gate gate;
  WorkerPool pool(1);
  pool.Submit([&] { gate.Wait(); });
  auto share = std::make_shared<PoolShare>(pool, 1);
  std::vector<std::weak_ptr<SerialQueue>> left;
  for (int i = 0; i < 3; ++i) {
    const auto queue = std::make_shared<SerialQueue>(share);
    queue->Submit([] {});
    queue->Close();
    left.push_back(queue);
  }
  for (const auto& queue : left) CHECK(queue.expired());
  gate.Open();
}

TEST_CASE("everything runs, in order for one at a time") {
  Gate done;
  std::vector<int> order;
  WorkerPool pool(4);
  const auto share = std::make_shared<PoolShare>(pool, 1);
  for (int i = 0; i < 100; ++i) {
    share->Submit([&, i] {
      order.push_back(i);
      if (i == 99) done.Open();
    });
  }
  done.Wait();
  REQUIRE(order.size() == 100);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace fedra::watch::pool_share_test
