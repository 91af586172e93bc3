// Who waits for whom among the threads that answer.

#include "manager/api/answer_threads.h"

#include <atomic>

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

}  // namespace

TEST_CASE("checks wait for each other, and no answer for a check") {
  Gate gate;
  std::atomic<int> answered{0};
  std::atomic<int> checked{0};
  api::AnswerThreads threads(1);
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
}

}  // namespace fedra::answer_threads_test
