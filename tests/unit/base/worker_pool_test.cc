#include "base/worker_pool.h"

#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "tests/support/catch.h"

namespace fedra::worker_pool_test {
namespace {

TEST_CASE("one thread runs tasks in their order") {
  Guarded<std::vector<int>> order;
  WorkerPool pool(1);
  for (int i = 0; i < 100; ++i) {
    pool.Submit([&, i] {
      order.With([&](std::vector<int>& list) { list.push_back(i); });
      order.Notify();
    });
  }
  const auto done = order.Wait([](const auto& list) { return list.size() == 100; },
                               [](auto& list) { return list; });
  for (int i = 0; i < 100; ++i) CHECK(done[static_cast<size_t>(i)] == i);
}

TEST_CASE("tasks run side by side") {
  WorkerPool pool(2);
  std::promise<void> first_here;
  std::promise<void> second_here;
  std::promise<void> both_met;
  pool.Submit([&] {
    first_here.set_value();
    second_here.get_future().wait();  // only another thread can set it
    both_met.set_value();
  });
  pool.Submit([&] {
    first_here.get_future().wait();
    second_here.set_value();
  });
  CHECK(both_met.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready);
}

TEST_CASE("no threads means one") {
  WorkerPool pool(0);
  std::promise<void> ran;
  pool.Submit([&] { ran.set_value(); });
  CHECK(ran.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready);
}

TEST_CASE("a task may submit another one") {
  WorkerPool pool(1);
  std::promise<void> ran;
  pool.Submit([&] { pool.Submit([&] { ran.set_value(); }); });
  CHECK(ran.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready);
}

TEST_CASE("Stop waits for the running task and drops the queued ones") {
  auto pool = std::make_unique<WorkerPool>(1);
  std::promise<void> started;
  std::promise<void> release;
  Guarded<int> finished;
  pool->Submit([&] {
    started.set_value();
    release.get_future().wait();
    finished.With([](int& count) { ++count; });
  });
  started.get_future().wait();
  // Destroyed only when the pool drops the task: then Stop has been called and waits for the first
  // one.
  auto dropped = std::make_shared<std::promise<void>>();
  std::future<void> drop = dropped->get_future();
  pool->Submit([&, kept = std::shared_ptr<void>(nullptr, [dropped](void*) {
                     dropped->set_value();
                   })] { finished.With([](int& count) { count += 100; }); });
  std::thread stopper([&] { pool->Stop(); });
  drop.wait();
  release.set_value();
  stopper.join();
  CHECK(finished.Copy() == 1);
  pool->Submit([&] { finished.With([](int& count) { count += 1000; }); });
  pool.reset();
  CHECK(finished.Copy() == 1);
}

}  // namespace
}  // namespace fedra::worker_pool_test
