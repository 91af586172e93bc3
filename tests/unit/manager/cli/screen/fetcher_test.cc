#include "manager/cli/screen/fetcher.h"

#include <poll.h>

#include <atomic>
#include <future>

#include "tests/support/catch.h"

namespace fedra::cli::screen::fetcher_test {
namespace {

using std::chrono::milliseconds;

// Waits for one answer at least, up to a minute.
std::vector<Answer> Answers(Fetcher& fetcher) {
  pollfd event{.fd = fetcher.fd(), .events = POLLIN, .revents = 0};
  poll(&event, 1, 60'000);
  return fetcher.Take();
}

Question Why(const std::string& job) { return {.what = What::kWhy, .subject = job}; }

}  // namespace

TEST_CASE("what is wanted is asked again and again, and nothing else") {
  std::atomic<int> asked = 0;
  Fetcher fetcher({.ask = [&](const Question& question) -> Result<text::Output> {
                     return text::Output{question.subject + std::to_string(++asked) + "\n", {}};
                   },
                   .pause = milliseconds(1)},
                  true);
  CHECK(fetcher.Take().empty());
  fetcher.Want(Why("a"));
  const std::vector<Answer> first = Answers(fetcher);
  REQUIRE(!first.empty());
  CHECK(first.front().question == Why("a"));
  REQUIRE(first.front().document);
  CHECK(TextOf((*first.front().document)->lines.front()) == "a1");
  CHECK(!Answers(fetcher).empty());
  fetcher.Want(Why("b"));
  for (bool seen = false; !seen;)
    for (const Answer& answer : Answers(fetcher)) seen = seen || answer.question == Why("b");
}

TEST_CASE("an error is an answer") {
  Fetcher fetcher({.ask = [](const Question&) -> Result<text::Output> {
                    return Fail(ErrorCode::kConnection, "no daemon");
                  }},
                  true);
  fetcher.Want(Why("a"));
  const std::vector<Answer> answers = Answers(fetcher);
  REQUIRE(answers.size() == 1);
  REQUIRE(!answers.front().document);
  CHECK(answers.front().document.error().message == "no daemon");
}

TEST_CASE("an answer that does not come delays nobody, and is cancelled at the end") {
  std::promise<void> asked;
  std::promise<void> cancelled;
  {
    Fetcher fetcher({.ask = [&](const Question&) -> Result<text::Output> {
                       asked.set_value();
                       cancelled.get_future().wait();
                       return Fail(ErrorCode::kCancelled, "the end");
                     },
                     .cancel = [&] { cancelled.set_value(); }},
                    true);
    fetcher.Want(Why("a"));
    asked.get_future().wait();
    fetcher.Want(Why("b"));
    CHECK(fetcher.Take().empty());
  }
}

}  // namespace fedra::cli::screen::fetcher_test
