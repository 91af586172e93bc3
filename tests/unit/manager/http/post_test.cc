// Bodies that clients post: which are read, and whose makes room.

#include <optional>
#include <string>
#include <vector>

#include "cluster-clients/threads.h"
#include "manager/http/listener.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/http/raw_client.h"

namespace fedra::httpd::post_test {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

// Answers a POST with what was posted, if it says who posts.
struct Fixture {
  explicit Fixture(ServerLimits limits = {})
      : listener(threads.loop,
                 {.answer = [](const Request& request,
                               const auto& done) { done({.body = "got " + request.body}); },
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

  Threads threads{1};
  Listener listener;
};

std::string Head(const std::string& headers) {
  return "POST /x HTTP/1.1\r\nHost: fedra\r\n" + headers + "Content-Length: 4\r\n\r\n";
}

TEST_CASE("a POST that its headers refuse is answered before its body has come") {
  Fixture f;
  RawClient nobody(f.listener.port());
  nobody.Say(Head(""));
  const std::string refused = nobody.HearAnswer();
  CHECK_THAT(refused, StartsWith("HTTP/1.1 401"));
  CHECK_THAT(refused, EndsWith("who?"));
  RawClient somebody(f.listener.port());
  somebody.Say(Head("Authorization: Bearer x\r\n") + "text");
  CHECK_THAT(somebody.HearAnswer(), EndsWith("got text"));
}

TEST_CASE("a crowd that never sends its bodies keeps no other body out") {
  Fixture f({.bodies = 3});
  const std::string head = Head("Authorization: Bearer x\r\n");
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

}  // namespace
}  // namespace fedra::httpd::post_test
