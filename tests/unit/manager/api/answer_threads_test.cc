// Who waits for whom among the threads that answer, and how they end.

#include "manager/api/answer_threads.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"

namespace fedra::answer_threads_test {

namespace {

// Lets through when it is opened.
class Gate final {
 public:
  void Open() {
    is_open_.With([](bool& open) { open = true; });
    is_open_.Notify();
  }
  void Pass() {
    ++waiting;
    is_open_.Wait([](bool open) { return open; }, [](bool) {});
  }

  std::atomic<int> waiting{0};

 private:
  Guarded<bool> is_open_{false};
};

httpd::Listener Deaf(api::AnswerThreads& threads) {
  return httpd::Listener(threads.loop(), {}, {});
}

}  // namespace

TEST_CASE("checks wait for each other, and no answer for a check") {
  Gate gate;
  std::atomic<int> answered{0};
  std::atomic<int> checked{0};
  api::AnswerThreads threads(1);
  httpd::Listener listener = Deaf(threads);
  for (int i = 0; i < 3; ++i)
    threads.SubmitCheck("a", [&] {
      gate.Pass();
      ++checked;
    });
  CHECK(WaitUntil([&] { return gate.waiting == 1; }));
  for (int i = 0; i < 3; ++i) threads.Submit("a", [&] { ++answered; });
  CHECK(WaitUntil([&] { return answered == 3; }));
  CHECK(gate.waiting == 1);
  gate.Open();
  CHECK(WaitUntil([&] { return checked == 3; }));
  threads.End(listener);
}

TEST_CASE("at the end what runs is waited for, and nothing runs after it") {
  Gate gate;
  std::atomic<bool> has_ended{false};
  std::atomic<bool> was_waited_for{false};
  std::atomic<int> late{0};
  const auto token = std::make_shared<int>();
  {
    api::AnswerThreads threads(2);
    httpd::Listener listener = Deaf(threads);
    const auto more = [&has_ended, &late, token] { late += has_ended ? 1 : 0; };
    threads.Submit("a", [&] {
      gate.Pass();
      for (int i = 0; i < 100; ++i) {
        threads.Submit("b", more);
        threads.SubmitCheck("b", more);
      }
      was_waited_for = !has_ended;
    });
    CHECK(WaitUntil([&] { return gate.waiting == 1; }));
    std::thread opens([&] { gate.Open(); });
    threads.End(listener);
    has_ended = true;
    opens.join();
    threads.Submit("c", more);
    threads.SubmitCheck("c", more);
  }
  CHECK(was_waited_for);
  CHECK(late == 0);
  // What was dropped is gone, with what it held.
  CHECK(token.use_count() == 1);
}

}  // namespace fedra::answer_threads_test
