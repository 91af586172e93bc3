// Answers that go on, on real sockets: what clients get, and that none of them holds anything up.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/http/loop.h"
#include "manager/http/listener.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/http/raw_client.h"

namespace fedra::httpd::long_answer_test {

using namespace std::chrono_literals;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

// /watch goes on; everything else is "ok". What is behind "?" is the user who asks.
struct Fixture {
  explicit Fixture(ServerLimits limits = {.streams = 3}) {
    listener.emplace(
        loop,
        Service{.answer =
                    [this](const Request& request, const std::function<void(Answer)>& done) {
                      Answer answer{.body = "ok"};
                      const size_t mark = request.target.find('?');
                      if (request.target.substr(0, mark) == "/watch") answer.goes_on = Keep();
                      if (mark != std::string::npos) answer.user = request.target.substr(mark + 1);
                      done(std::move(answer));
                    },
                .is_urgent = [](const Request&) { return false; },
                .refusal =
                    [](int status, const std::string& message) {
                      return Answer{.status = status, .body = message};
                    }},
        limits);
    REQUIRE(listener->ListenOn("127.0.0.1:0"));
  }

  std::function<void(std::shared_ptr<Sink>)> Keep() {
    return [this](std::shared_ptr<Sink> sink) {
      sinks.With([&](auto& all) { all.push_back(std::move(sink)); });
    };
  }
  RawClient Ask(const std::string& target, const std::string& version = "1.1",
                const std::string& method = "GET") {
    RawClient client(listener->port());
    client.Say(method + " " + target + " HTTP/" + version + "\r\nHost: localhost\r\n\r\n");
    return client;
  }
  // The sink of the client that has asked last.
  std::shared_ptr<Sink> Wait(size_t count) {
    REQUIRE(WaitUntil([&] { return sinks.Copy().size() == count; }));
    return sinks.Copy().back();
  }

  http::HttpLoop loop;
  Guarded<std::vector<std::shared_ptr<Sink>>> sinks;
  std::optional<Listener> listener;
};

std::string Until(RawClient& client, const std::string& text) {
  std::string heard;
  while (heard.find(text) == heard.npos) {
    const std::string some = client.HearSome();
    REQUIRE(!some.empty());
    heard += some;
  }
  return heard;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "an answer that goes on comes as it is written, and has an end") {
  RawClient client = Ask("/watch");
  const auto sink = Wait(1);
  const std::string head = Until(client, "\r\n\r\n");
  CHECK_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n") &&
                       EndsWith("Transfer-Encoding: chunked\r\n\r\n") &&
                       !ContainsSubstring("Content-Length"));
  CHECK(sink->IsReady());
  sink->Write("one");
  CHECK(Until(client, "\r\none\r\n") == "3\r\none\r\n");
  REQUIRE(WaitUntil([&] { return sink->IsReady(); }));
  sink->Write(std::string(20, 'x'));
  CHECK_THAT(Until(client, "x\r\n"), StartsWith("14\r\n"));
  REQUIRE(WaitUntil([&] { return sink->IsReady(); }));
  sink->End();
  CHECK(client.Hear() == "0\r\n\r\n");
  CHECK(client.closed());
  CHECK(WaitUntil([&] { return sink->IsOver(); }));
  sink->Write("nothing");
  sink->End();
}

TEST_CASE_METHOD(Fixture, "HTTP/1.0 gets it without chunks, and HEAD its head alone") {
  RawClient old = Ask("/watch", "1.0");
  const auto sink = Wait(1);
  CHECK_THAT(Until(old, "\r\n\r\n"), !ContainsSubstring("chunked"));
  sink->Write("text\n");
  CHECK(Until(old, "\n") == "text\n");
  RawClient head = Ask("/watch", "1.1", "HEAD");
  CHECK_THAT(head.HearAnswer(), StartsWith("HTTP/1.1 200") && EndsWith("\r\n\r\n"));
  CHECK(sinks.Copy().size() == 1);
}

TEST_CASE_METHOD(Fixture, "a client that has gone is seen, though nothing is written") {
  std::shared_ptr<Sink> sink;
  {
    const RawClient client = Ask("/watch");
    sink = Wait(1);
    CHECK_FALSE(sink->IsOver());
  }
  CHECK(WaitUntil([&] { return sink->IsOver(); }));
}

TEST_CASE_METHOD(Fixture, "more streams than there may be are refused, and questions are not") {
  std::vector<RawClient> clients;
  for (size_t i = 1; i <= 3; ++i) {
    clients.push_back(Ask("/watch"));
    (void)Wait(i);
  }
  RawClient refused = Ask("/watch");
  CHECK_THAT(refused.HearAnswer(), StartsWith("HTTP/1.1 503 ") &&
                                       ContainsSubstring("Retry-After: 1\r\n") &&
                                       EndsWith("too many streams at a time"));
  CHECK_THAT(Ask("/").HearAnswer(), StartsWith("HTTP/1.1 200"));
  clients.pop_back();
  CHECK(WaitUntil([&] {
    RawClient next = Ask("/watch");
    return next.HearSome().starts_with("HTTP/1.1 200");
  }));
}

TEST_CASE("one client's streams leave room for those of others, and end with them") {
  Fixture f({.streams = 8, .streams_of_client = 2});
  std::vector<RawClient> clients;
  for (const char* const user : {"alice", "alice", "bob"}) {
    clients.push_back(f.Ask(std::string("/watch?") + user));
    (void)f.Wait(clients.size());
  }
  RawClient refused = f.Ask("/watch?alice");
  CHECK_THAT(refused.HearAnswer(), StartsWith("HTTP/1.1 503 ") &&
                                       ContainsSubstring("Retry-After: 1\r\n") &&
                                       EndsWith("too many streams at a time"));
  CHECK_THAT(f.Ask("/?alice").HearAnswer(), StartsWith("HTTP/1.1 200"));
  clients.erase(clients.begin());
  CHECK(WaitUntil([&] {
    RawClient next = f.Ask("/watch?alice");
    return next.HearSome().starts_with("HTTP/1.1 200");
  }));
  // Where no user is known the address is the client, which has as many already.
  CHECK_THAT(f.Ask("/watch").HearAnswer(), StartsWith("HTTP/1.1 503 "));
}

TEST_CASE("streams are no questions, and make no room for other connections") {
  Fixture f({.connections = 8, .streams = 3});
  std::vector<RawClient> streams;
  for (size_t i = 1; i <= 3; ++i) {
    streams.push_back(f.Ask("/watch"));
    (void)f.Wait(i);
  }
  std::vector<RawClient> silent;
  for (int i = 0; i < 50; ++i) silent.emplace_back(f.listener->port());
  for (int i = 0; i < 10; ++i) CHECK_THAT(f.Ask("/").HearAnswer(), StartsWith("HTTP/1.1 200"));
  for (const auto& sink : f.sinks.Copy()) CHECK_FALSE(sink->IsOver());
}

TEST_CASE("a client that does not take what is written is cut off") {
  Fixture f({.streams = 3, .stream_write = 200ms});
  const RawClient slow = f.Ask("/watch");
  const auto sink = f.Wait(1);
  // More than the sockets hold.
  sink->Write(std::string(64 << 20, 'x'));
  CHECK_FALSE(sink->IsReady());
  CHECK(WaitUntil([&] { return sink->IsOver(); }));
}

TEST_CASE("one that waits longer than a write may take is not cut off") {
  Fixture f({.streams = 3, .stream_write = 100ms});
  RawClient client = f.Ask("/watch");
  const auto sink = f.Wait(1);
  sink->Write("one");
  (void)Until(client, "one");
  CHECK_FALSE(HappensWithin([&] { return sink->IsOver(); }, 400ms));
  sink->Write("two");
  (void)Until(client, "two");
}

TEST_CASE("a client that sends without end is cut off") {
  Fixture f;
  RawClient client = f.Ask("/watch");
  const auto sink = f.Wait(1);
  client.Say(std::string(1 << 20, 'x'));
  CHECK(WaitUntil([&] { return sink->IsOver(); }));
}

TEST_CASE("the end of the listener ends what goes on, and what is written later goes nowhere") {
  auto f = std::make_unique<Fixture>();
  RawClient client = f->Ask("/watch");
  const auto sink = f->Wait(1);
  RawClient busy = f->Ask("/watch");
  const auto writes = f->Wait(2);
  writes->Write(std::string(64 << 20, 'x'));
  f->listener->Stop();
  (void)Until(client, "\r\n\r\n");
  CHECK(client.Hear().empty());
  CHECK(client.closed());
  CHECK(WaitUntil([&] { return sink->IsOver() && writes->IsOver(); }));
  f.reset();
  sink->Write("nothing");
  sink->End();
}

}  // namespace fedra::httpd::long_answer_test
