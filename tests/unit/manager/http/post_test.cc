// Bodies that clients post: which are read, and whose makes room.

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/threads.h"
#include "manager/http/listener.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/http/raw_client.h"

namespace fedra::httpd::post_test {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

// Answers a POST with what was posted, if it says who posts, and at once or when it is told to.
struct Fixture {
  explicit Fixture(ServerLimits limits = {})
      : listener(threads.loop,
                 {.answer =
                      [this](const Request& request, const auto& done) {
                        if (!request.is_post) return done({.body = "a page"});
                        const auto answer = [done, size = request.body.size(),
                                             text = request.body.substr(0, 4)] {
                          done({.body = "got " + (size > 4 ? std::to_string(size) : text)});
                        };
                        if (!holds) return answer();
                        held.With([&](auto& all) { all.push_back(answer); });
                        held.Notify();
                      },
                  .is_urgent = [](const Request&) { return false; },
                  .refusal =
                      [](int status, const std::string& message) {
                        return Answer{.status = status, .body = message};
                      },
                  .takes_post = [](const Request&) { return true; },
                  .refuses_post = [](const Request& headers) -> std::optional<Answer> {
                    if (!HeaderOf(headers, "authorization").empty()) return std::nullopt;
                    return Answer{.status = 401, .body = "who?"};
                  }},
                 limits) {
    REQUIRE(listener.ListenOn("127.0.0.1:0"));
  }

  // Until so many questions wait for their answers.
  void WaitFor(size_t count) {
    held.Wait([&](const auto& all) { return all.size() >= count; }, [](auto&) {});
  }
  void AnswerOne() {
    held.With([](auto& all) {
      const std::function<void()> first = std::move(all.front());
      all.pop_front();
      return first;
    })();
  }

  Threads threads{1};
  std::atomic<bool> holds{false};
  Guarded<std::deque<std::function<void()>>> held;
  Listener listener;
};

std::string Head(const std::string& headers, size_t size = 4) {
  return "POST /x HTTP/1.1\r\nHost: fedra\r\n" + headers +
         "Content-Length: " + std::to_string(size) + "\r\n\r\n";
}
const std::string kSomebody = "Authorization: Bearer x\r\n";

TEST_CASE("a POST that its headers refuse is answered before its body has come") {
  Fixture f;
  RawClient nobody(f.listener.port());
  nobody.Say(Head(""));
  const std::string refused = nobody.HearAnswer();
  CHECK_THAT(refused, StartsWith("HTTP/1.1 401"));
  CHECK_THAT(refused, EndsWith("who?"));
  RawClient somebody(f.listener.port());
  somebody.Say(Head(kSomebody) + "text");
  CHECK_THAT(somebody.HearAnswer(), EndsWith("got text"));
}

TEST_CASE("a crowd that never sends its bodies keeps no other body out") {
  Fixture f({.bodies = 3});
  const std::string head = Head(kSomebody);
  std::vector<RawClient> crowd;
  for (int i = 0; i < 20; ++i) crowd.emplace_back(f.listener.port()).Say(head);
  // Each is read before the next is.
  for (int i = 0; i < 5; ++i) {
    RawClient client(f.listener.port());
    client.Say(head + "text");
    CHECK_THAT(client.HearAnswer(), EndsWith("got text"));
  }
  CHECK(crowd.front().HearAnswer().empty());
  crowd.back().Say("late");
  CHECK_THAT(crowd.back().HearAnswer(), EndsWith("got late"));
}

TEST_CASE("bodies that wait for their answers are bounded, and so are those of one client") {
  Fixture f({.body_bytes = 4 * kLeastBody});
  f.holds = true;
  const auto post = [&](uint8_t from, size_t size = 4) {
    RawClient client(f.listener.port(), from);
    client.Say(Head(kSomebody, size)).Say(std::string(size, 'x'));
    return client;
  };
  const auto is_refused = [](RawClient client) {
    const std::string answer = client.HearAnswer();
    return answer.starts_with("HTTP/1.1 503") && answer.find("Retry-After: 1\r\n") != answer.npos &&
           answer.ends_with("at a time");
  };
  // By their size.
  CHECK(is_refused(post(1, 4 * kLeastBody + 1)));
  RawClient large = post(1, 2 * kLeastBody);
  f.WaitFor(1);
  CHECK(is_refused(post(2, 3 * kLeastBody)));
  f.AnswerOne();
  CHECK_THAT(large.HearAnswer(), EndsWith("got " + std::to_string(2 * kLeastBody)));
  // Small ones by their number.
  std::vector<RawClient> waiting;
  for (size_t i = 1; i <= 3; ++i) {
    waiting.push_back(post(1));
    f.WaitFor(i);
  }
  CHECK(is_refused(post(1)));
  waiting.push_back(post(2));
  f.WaitFor(4);
  CHECK(is_refused(post(3)));
  // Who posts nothing waits for none of them.
  RawClient other(f.listener.port(), 3);
  other.Say("GET /x HTTP/1.1\r\nHost: fedra\r\n\r\n");
  CHECK_THAT(other.HearAnswer(), EndsWith("a page"));
  // An answer makes room, also when its client has gone.
  waiting.erase(waiting.begin());
  f.AnswerOne();
  f.AnswerOne();
  CHECK_THAT(waiting.front().HearAnswer(), EndsWith("got xxxx"));
  waiting.push_back(post(3));
  f.WaitFor(3);
  for (int i = 0; i < 3; ++i) f.AnswerOne();
  CHECK_THAT(waiting.back().HearAnswer(), EndsWith("got xxxx"));
}

}  // namespace
}  // namespace fedra::httpd::post_test
