// The work queue: each key once at a time, none forgotten.

#include "manager/reconcile/queue.h"

#include <array>
#include <atomic>
#include <thread>

#include "base/types.h"
#include "tests/support/catch.h"

namespace fedra::queue_test {

using namespace std::chrono_literals;

namespace {

using Queue = reconcile::Queue<ObjectKey>;

const ObjectKey kA{"ml", "a"};
const ObjectKey kB{"ml", "b"};

}  // namespace

TEST_CASE("a key added twice is worked on once") {
  Queue queue(SystemClock());
  queue.Add(kA);
  queue.Add(kA);
  queue.Add(kB);
  CHECK(queue.depth() == 2);
  CHECK(queue.Get() == kA);
  CHECK(queue.Get() == kB);
  CHECK(queue.depth() == 0);
}

TEST_CASE("a key added while it is worked on comes back afterwards, not before") {
  Queue queue(SystemClock());
  queue.Add(kA);
  REQUIRE(queue.Get() == kA);
  queue.Add(kA);
  queue.Add(kB);
  CHECK(queue.Get() == kB);
  CHECK(queue.depth() == 0);
  queue.Done(kA);
  CHECK(queue.Get() == kA);
}

TEST_CASE("dead keys are dropped, those that wait for their time, too, and the others are not") {
  Queue queue(SystemClock());
  const SteadyTime later = SystemClock().Steady() + 1h;
  const ObjectKey c{"ml", "c"};
  queue.Add(kA);
  queue.Add(kB);
  queue.AddAt(kB, later);  // comes sooner, and once
  queue.AddAt(c, later + 1h);
  queue.AddAt(c, later);
  queue.AddAt({"ml", "d"}, later);
  CHECK(queue.held() == 6);
  const auto is_dead = [&](const ObjectKey& key) { return key == kA || key.name == "d"; };
  queue.DropIf(is_dead);
  CHECK(queue.held() == 2);
  CHECK(queue.depth() == 1);
  CHECK(queue.Get() == kB);
  queue.Add(kA);  // it has come back
  CHECK(queue.Get() == kA);
  queue.Add(kB);  // while it is worked on
  queue.DropIf([&](const ObjectKey& key) { return key == kB; });
  queue.Done(kB);
  CHECK(queue.Get() == kB);
  queue.AddAt(c, SystemClock().Steady());
  CHECK(queue.Get() == c);
}

TEST_CASE("the earlier of two times wins, and it comes once") {
  Queue queue(SystemClock());
  const SteadyTime now = SystemClock().Steady();
  queue.AddAt(kA, now + 1h);
  queue.AddAt(kA, now + 20ms);
  queue.AddAt(kA, now + 2h);
  REQUIRE(queue.Get() == kA);
  CHECK(SystemClock().Steady() - now >= 20ms);
  queue.Done(kA);
  CHECK(queue.depth() == 0);
}

TEST_CASE("a stop wakes everybody who waits") {
  Queue queue(SystemClock());
  std::thread waiting([&] { CHECK_FALSE(queue.Get().has_value()); });
  queue.Stop();
  waiting.join();
}

TEST_CASE("many threads: no key is held twice, every change is seen") {
  constexpr int kKeys = 20;
  constexpr int kRounds = 2000;
  Queue queue(SystemClock());
  std::array<std::atomic<int>, kKeys> version{};
  std::array<std::atomic<int>, kKeys> seen{};
  std::array<std::atomic<bool>, kKeys> held{};
  std::atomic<bool> twice{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (const auto key = queue.Get()) {
        const auto index = static_cast<size_t>(std::stoi(key->name));
        if (held[index].exchange(true)) twice = true;
        seen[index] = version[index].load();
        held[index] = false;
        queue.Done(*key);
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    const auto index = static_cast<size_t>(round % kKeys);
    ++version[index];
    queue.Add({"ns", std::to_string(index)});
  }
  const auto all_seen = [&] {
    for (size_t i = 0; i < kKeys; ++i) {
      if (seen[i] != version[i]) return false;
    }
    return true;
  };
  const SteadyTime limit = SystemClock().Steady() + 10s;
  while (!all_seen() && SystemClock().Steady() < limit) std::this_thread::yield();
  CHECK(all_seen());
  CHECK_FALSE(twice);
  queue.Stop();
  for (std::thread& worker : workers) worker.join();
}

// A thread that took a due key must have handed the watch over the rest to another one.
TEST_CASE("many threads: every key comes at its time, while all others sleep or work") {
  constexpr int kKeys = 300;
  Queue queue(SystemClock());
  std::atomic<int> seen{0};
  std::atomic<bool> too_early{false};
  const SteadyTime begin = SystemClock().Steady();
  const auto due = [&](int index) { return begin + std::chrono::microseconds(200) * index; };
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      while (const auto key = queue.Get()) {
        if (SystemClock().Steady() < due(std::stoi(key->name))) too_early = true;
        ++seen;
        queue.Done(*key);
      }
    });
  }
  for (int index = kKeys; index-- > 0;) queue.AddAt({"ns", std::to_string(index)}, due(index));
  const SteadyTime limit = SystemClock().Steady() + 10s;
  while (seen < kKeys && SystemClock().Steady() < limit) std::this_thread::yield();
  CHECK(seen == kKeys);
  CHECK_FALSE(too_early);
  queue.Stop();
  for (std::thread& worker : workers) worker.join();
}

TEST_CASE("queue: a key that was taken is waited for, whether its work has begun or not") {
  Queue queue(SystemClock());
  queue.Add(kA);
  REQUIRE(queue.Get() == kA);
  CHECK_FALSE(queue.WaitUntilIdle(std::chrono::milliseconds(1)));
  queue.Add(kA);  // comes again: that is not being worked on
  queue.Done(kA);
  CHECK(queue.WaitUntilIdle(std::chrono::milliseconds(1)));
}

TEST_CASE("what is added as next overtakes those that came at once, and does not shut them out") {
  Queue queue(SystemClock());
  for (int i = 0; i < 1000; ++i) queue.Add({"burst", std::to_string(i)});
  // It was one of them.
  queue.AddNext({"burst", "999"});
  queue.AddNext(kA);
  CHECK(queue.depth() == 1001);
  CHECK(queue.Get() == ObjectKey{"burst", "999"});
  CHECK(queue.Get() == kA);
  queue.Done(kA);
  // A chain of which each wakes the next: of four keys one is still of the burst.
  int of_burst = 0;
  for (int i = 0; i < 400; ++i) {
    queue.AddNext(kA);
    const auto key = queue.Get();
    REQUIRE(key);
    of_burst += key->ns == "burst" ? 1 : 0;
    queue.Done(*key);
  }
  CHECK(of_burst >= 99);
  CHECK(of_burst <= 101);
}

TEST_CASE("what has come since does not wait behind the backlog, and the backlog not for ever") {
  Queue queue(SystemClock());
  for (int i = 0; i < 100'000; ++i) queue.AddBacklog({"backlog", std::to_string(i)});
  queue.Add(kA);
  queue.Add({"backlog", "99999"});  // news of one of them
  queue.AddNext(kB);
  CHECK(queue.depth() == 100'002);
  CHECK(queue.Get() == kB);
  CHECK(queue.Get() == kA);
  CHECK(queue.Get() == ObjectKey{"backlog", "99999"});
  CHECK(queue.Get() == ObjectKey{"backlog", "0"});
  queue.AddBacklog(kA);  // while it is worked on
  queue.Add(kA);
  queue.Done(kA);
  queue.Done(kB);
  // Both other lanes have always some.
  int of_backlog = 0, of_rest = 0;
  for (int i = 0; i < 1'600; ++i) {
    queue.Add(kA);
    queue.AddNext(kB);
    const auto key = queue.Get();
    REQUIRE(key);
    of_backlog += key->ns == "backlog" ? 1 : 0;
    of_rest += key == kA ? 1 : 0;
    queue.Done(*key);
  }
  CHECK(of_backlog >= 99);
  CHECK(of_backlog <= 101);
  CHECK(of_rest >= 299);
  CHECK(of_rest <= 301);
}

TEST_CASE("all that is ready becomes backlog, in the order that it had") {
  Queue queue(SystemClock());
  queue.AddBacklog({"backlog", "1"});
  queue.Add(kA);
  queue.Add({"rest", "1"});
  queue.AddNext(kA);
  queue.AddNext({"next", "1"});
  queue.MakeBacklog();
  CHECK(queue.depth() == 4);
  queue.Add(kB);
  CHECK(queue.Get() == kB);
  CHECK(queue.Get() == kA);
  CHECK(queue.Get() == ObjectKey{"next", "1"});
  CHECK(queue.Get() == ObjectKey{"rest", "1"});
  CHECK(queue.Get() == ObjectKey{"backlog", "1"});
  CHECK(queue.depth() == 0);
}

TEST_CASE("a key that changes its lane is taken once, and again only when it is added again") {
  Queue queue(SystemClock());
  queue.Add(kA);
  queue.AddNext(kA);
  queue.Add(kB);
  CHECK(queue.depth() == 2);
  CHECK(queue.Get() == kA);
  queue.Add(kA);  // while it is worked on
  queue.Done(kA);
  CHECK(queue.depth() == 2);
  // Where it was before it changed its lane.
  CHECK(queue.Get() == kA);
  CHECK(queue.Get() == kB);
  queue.Done(kA);
  queue.Done(kB);
  CHECK(queue.depth() == 0);
}

}  // namespace fedra::queue_test
