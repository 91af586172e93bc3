// The run loop: each key in one thread at a time, none forgotten, failures backed off.

#include "manager/reconcile/run_loop.h"

#include <stdio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <future>
#include <string>

#include "base/log.h"
#include "base/types.h"
#include "tests/support/catch.h"

namespace fedra::reconcile::run_loop_test {

using namespace std::chrono_literals;

namespace {

using Loop = RunLoop<std::string>;

// What the reconcile function was called with, and a gate that it waits at.
class Calls final {
 public:
  Result<void> Reconcile(const std::string& key) {
    calls_.With([&](State& state) { state.keys.push_back(key); });
    calls_.Notify();
    return calls_.Wait([](const State& state) { return state.open; },
                       [](State& state) {
                         if (state.failures == 0) return Result<void>();
                         --state.failures;
                         return Result<void>(Fail(ErrorCode::kInternal, "as the test wants"));
                       });
  }
  Loop::Reconcile Function() {
    return [this](const std::string& key) { return Reconcile(key); };
  }
  void Open(bool open) {
    calls_.With([&](State& state) { state.open = open; });
    calls_.Notify();
  }
  void FailNext(int failures) {
    calls_.With([&](State& state) { state.failures = failures; });
  }
  // Those so far, as soon as there are so many.
  std::vector<std::string> First(size_t count) {
    const auto ready = [&](const State& state) { return state.keys.size() >= count; };
    return calls_.WaitFor(10s, ready, [](const State& state) { return state.keys; });
  }

 private:
  struct State {
    std::vector<std::string> keys;
    bool open = true;
    int failures = 0;
  };
  Guarded<State> calls_;
};

Retry Quickly(const Error&, int) { return {1ms, false}; }

RunLoopOptions Threads(size_t threads) {
  return {.subject = "key", .threads = threads, .retry = &Quickly};
}

}  // namespace

TEST_CASE("run loop: keys may be added before the start, and one added twice runs once") {
  Calls calls;
  Loop loop(Threads(1), SystemClock(), calls.Function());
  loop.AddAll({"a", "b", "a"});
  CHECK(loop.depth() == 2);
  loop.Start();
  CHECK(calls.First(2) == std::vector<std::string>{"a", "b"});
  REQUIRE(loop.WaitUntilIdle(10s));
  loop.Add("end");
  CHECK(calls.First(3).back() == "end");
}

TEST_CASE("run loop: a key added while it runs, runs again afterwards") {
  Calls calls;
  calls.Open(false);
  Loop loop(Threads(2), SystemClock(), calls.Function());
  loop.Start();
  loop.Add("a");
  REQUIRE(calls.First(1).size() == 1);
  loop.Add("a");
  loop.Add("b");
  CHECK(calls.First(2) == std::vector<std::string>{"a", "b"});  // not "a" in the second thread
  calls.Open(true);
  CHECK(calls.First(3) == std::vector<std::string>{"a", "b", "a"});
}

TEST_CASE("run loop: a delayed key comes at its time, and an earlier one wins") {
  Calls calls;
  Loop loop(Threads(1), SystemClock(), calls.Function());
  loop.Start();
  const SteadyTime begin = SystemClock().Steady();
  loop.AddAfter("a", 1h);
  loop.AddAfter("a", 20ms);
  CHECK(calls.First(1).size() == 1);
  CHECK(SystemClock().Steady() - begin >= 20ms);
}

TEST_CASE("run loop: what fails runs again, and failures are counted in a row") {
  Calls calls;
  Guarded<std::vector<int>> counted;
  RunLoopOptions options = Threads(1);
  options.retry = [&](const Error& error, int failures) {
    CHECK(error.code == ErrorCode::kInternal);
    counted.With([&](auto& all) { all.push_back(failures); });
    return Retry{1ms, false};
  };
  Loop loop(options, SystemClock(), calls.Function());
  calls.FailNext(2);
  loop.Add("a");
  loop.Start();
  REQUIRE(calls.First(3) == std::vector<std::string>{"a", "a", "a"});
  REQUIRE(loop.WaitUntilIdle(10s));
  calls.FailNext(1);
  loop.Add("a");
  REQUIRE(calls.First(5).size() == 5);
  CHECK(counted.Copy() == std::vector<int>{1, 2, 1});
}

TEST_CASE("run loop: runs that have ended are counted, those that failed too, and none under way") {
  Calls calls;
  Loop loop(Threads(1), SystemClock(), calls.Function());
  CHECK(loop.turns() == 0);
  calls.FailNext(1);
  loop.Add("a");
  loop.Start();
  REQUIRE(calls.First(2).size() == 2);
  REQUIRE(loop.WaitUntilIdle(10s));
  CHECK(loop.turns() == 2);
  calls.Open(false);
  loop.Add("b");
  REQUIRE(calls.First(3).size() == 3);
  CHECK(loop.turns() == 2);
  calls.Open(true);
  REQUIRE(loop.WaitUntilIdle(10s));
  CHECK(loop.turns() == 3);
}

TEST_CASE("run loop: a stop begins no further key and waits no longer than it may") {
  Calls calls;
  calls.Open(false);
  Loop loop(Threads(1), SystemClock(), calls.Function());
  loop.Start();
  loop.Add("a");
  REQUIRE(calls.First(1).size() == 1);
  loop.Add("b");
  loop.Stop();
  CHECK_FALSE(loop.WaitUntilIdle(1ms));
  calls.Open(true);
  CHECK(loop.WaitUntilIdle(10s));
  loop.Join();
  CHECK(calls.First(1) == std::vector<std::string>{"a"});
}

TEST_CASE("run loop: many threads, no key in two of them, every change is seen") {
  constexpr size_t kKeys = 10;
  constexpr size_t kRounds = 2000;
  std::array<std::atomic<size_t>, kKeys> version{};
  std::array<std::atomic<size_t>, kKeys> seen{};
  std::array<std::atomic<bool>, kKeys> held{};
  std::atomic<bool> twice{false};
  Loop loop(Threads(4), SystemClock(), [&](const std::string& key) -> Result<void> {
    const auto index = static_cast<size_t>(std::stoi(key));
    if (held[index].exchange(true)) twice = true;
    const size_t now = version[index].load();
    seen[index] = now;
    held[index] = false;
    if (now % 7 == 0 && now < kRounds / kKeys) return Fail(ErrorCode::kConflict, "again");
    return {};
  });
  loop.Start();
  for (size_t round = 0; round < kRounds; ++round) {
    ++version[round % kKeys];
    loop.Add(std::to_string(round % kKeys));
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
}

TEST_CASE("run loop: a failure is told with the job behind the workload") {
  FILE* const file = ::tmpfile();
  REQUIRE(file != nullptr);
  const bool was_on = log::Enabled(log::Level::kWarn);
  log::SetLevel(log::Level::kWarn);
  std::fflush(stderr);
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  std::atomic<int> calls = 0;
  std::promise<void> again;
  {
    RunLoopOptions options = Threads(1);
    options.subject = "workload";
    options.retry = [](const Error&, int) { return Retry{1ms, true}; };
    options.job_of = [](const ObjectKey& key) { return key.ns + "/train"; };
    RunLoop<ObjectKey> loop(options, SystemClock(), [&](const ObjectKey&) {
      if (++calls == 1) return Result<void>(Fail(ErrorCode::kInternal, "no"));
      again.set_value();
      return Result<void>();
    });
    loop.Add({.ns = "ml", .name = "job-train-b13a5"});
    loop.Start();
    REQUIRE(again.get_future().wait_for(10s) == std::future_status::ready);
  }
  std::fflush(stderr);
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  log::SetLevel(was_on ? log::Level::kInfo : log::Level::kError);
  std::string text(4096, '\0');
  std::fseek(file, 0, SEEK_SET);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  CHECK_THAT(text, ContainsSubstring("workload=ml/job-train-b13a5 job=ml/train error=no"));
}

}  // namespace fedra::reconcile::run_loop_test
