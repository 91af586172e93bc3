// A connection of its own: one call at a time, and an end that waits for nothing.

#include "cluster-clients/own_connection.h"

#include <atomic>
#include <filesystem>
#include <thread>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/cluster-clients/support/harness.h"

namespace fedra::own_connection_test {
namespace {

using namespace std::chrono_literals;

const ObjectKey kKey{"default", "a"};
constexpr auto kTimeout = 5s;
constexpr auto kAtOnce = 2s;

struct ConnectionFixture {
  sim::Server server;

  ConnectionFixture() { REQUIRE(server.objects().Create(ConfigMap("a", "1"))); }

  OwnConnection Connect() { return {AccessTo(server), QuickOptions(), SystemClock()}; }
  void AnswerAfter(std::chrono::milliseconds delay) {
    sim::Faults faults;
    faults.answers.push_back({.kind = sim::InjectedAnswer::Kind::kLatency, .delay = delay});
    server.SetFaults(faults);
  }
  size_t Asked() { return server.RequestCounts()["get configmaps"]; }
};

Result<std::string> Get(OwnConnection& connection) {
  return connection.Call(kube::Get(kConfigMaps, kKey), kTimeout);
}

// What came of a call that `end` ended, and how long after that it was over.
template <class End>
std::pair<Result<std::string>, SteadyTime::duration> CallEndedBy(OwnConnection& connection,
                                                                 const End& end) {
  Result<std::string> result;
  std::thread caller([&] { result = Get(connection); });
  end();
  const SteadyTime begin = std::chrono::steady_clock::now();
  caller.join();
  return {std::move(result), std::chrono::steady_clock::now() - begin};
}

TEST_CASE("the server's clock is known from its answers, and goes on") {
  ConnectionFixture f;
  sim::Faults faults;
  faults.clock_ahead = 1h;
  f.server.SetFaults(faults);
  OwnConnection connection = f.Connect();
  CHECK_FALSE(connection.ServerTime());
  REQUIRE(Get(connection));
  const auto first = connection.ServerTime();
  REQUIRE(first);
  const WallTime now = SystemClock().Now();
  CHECK(*first > now + 1h - 5s);
  CHECK(*first <= now + 1h);
  CHECK(WaitUntil([&] { return connection.ServerTime() > first; }));
}

TEST_CASE("a call that waits for an answer ends when calls are cancelled, and so do later ones") {
  ConnectionFixture f;
  OwnConnection connection = f.Connect();
  REQUIRE(Get(connection));
  f.AnswerAfter(30s);
  const auto [result, took] = CallEndedBy(connection, [&] {
    CHECK(WaitUntil([&] { return f.Asked() == 2; }));
    connection.CancelCalls();
  });
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kCancelled);
  CHECK(took < kAtOnce);
  CHECK(Get(connection).error().code == ErrorCode::kCancelled);
  f.server.SetFaults({});
  connection.AllowCalls();
  CHECK(Get(connection));
}

// Between the question whether to go on and the request there is a moment; with a plugin it is as
// long as that takes.
TEST_CASE("a call that waits for credentials ends when calls are cancelled") {
  ConnectionFixture f;
  const TempFolder folder;
  kube::ExecPlugin plugin;
  plugin.api_version = "client.authentication.k8s.io/v1";
  plugin.command = folder.Write("plugin",
                                "#!/bin/sh\n"
                                "echo > \"$FOLDER/asked\"\n"
                                "exec sleep 30\n",
                                true);
  plugin.env = {{"FOLDER", folder.path().string()}};
  kube::AccessSettings access = AccessTo(f.server);
  access.token.clear();
  access.exec = {plugin};
  OwnConnection connection(access, QuickOptions(), SystemClock());
  const auto [result, took] = CallEndedBy(connection, [&] {
    CHECK(WaitUntil([&] { return std::filesystem::exists(folder.Path("asked")); }));
    connection.CancelCalls();
  });
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kCancelled);
  CHECK(took < kAtOnce);
}

TEST_CASE("whenever calls are cancelled, none is waited for") {
  ConnectionFixture f;
  OwnConnection connection = f.Connect();
  REQUIRE(Get(connection));
  f.AnswerAfter(30s);
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> stopping = false;
    std::atomic<bool> begun = false;
    std::thread caller([&] {
      begun = true;
      while (!stopping) (void)Get(connection);
    });
    while (!begun) std::this_thread::yield();
    const SteadyTime moment = std::chrono::steady_clock::now() + std::chrono::microseconds(i * 5);
    while (std::chrono::steady_clock::now() < moment) std::this_thread::yield();
    stopping = true;
    const SteadyTime begin = std::chrono::steady_clock::now();
    connection.CancelCalls();
    caller.join();
    REQUIRE(std::chrono::steady_clock::now() - begin < kAtOnce);
    connection.AllowCalls();
  }
}

TEST_CASE("an answer that nobody waits for any more is not that of the next call") {
  ConnectionFixture f;
  REQUIRE(f.server.objects().Create(ConfigMap("b", "2")));
  OwnConnection connection = f.Connect();
  REQUIRE(Get(connection));
  f.AnswerAfter(200ms);
  (void)CallEndedBy(connection, [&] {
    CHECK(WaitUntil([&] { return f.Asked() == 2; }));
    connection.CancelCalls();
  });
  connection.AllowCalls();
  const auto other = connection.Call(kube::Get(kConfigMaps, {"default", "b"}), kTimeout);
  REQUIRE(other);
  CHECK_THAT(*other, ContainsSubstring("\"b\""));
}

TEST_CASE("a list is read page by page, within its bounds") {
  ConnectionFixture f;
  constexpr size_t kObjects = 1'201;  // more than two pages of 500
  for (size_t i = 1; i < kObjects; ++i)
    REQUIRE(f.server.objects().Create(ConfigMap("b" + std::to_string(i), "1")));
  OwnConnection connection = f.Connect();
  size_t read = 0;
  const auto count = [&](std::string_view item) -> Result<void> {
    read += item.starts_with('{') ? 1 : 0;
    return {};
  };
  REQUIRE(connection.List(kConfigMaps, {.ns = "default"}, kObjects, kTimeout, count));
  CHECK(read == kObjects);
  CHECK(f.server.RequestCounts()["list configmaps"] == 3);
  const auto too_many = connection.List(kConfigMaps, {.ns = "default"}, 1'000, kTimeout, count);
  REQUIRE(!too_many);
  CHECK(too_many.error().code == ErrorCode::kTooLarge);
  const auto refused = [](std::string_view) -> Result<void> {
    return Fail(ErrorCode::kBadResponse, "no");
  };
  const auto ended = connection.List(kConfigMaps, {.ns = "default"}, kObjects, kTimeout, refused);
  REQUIRE(!ended);
  CHECK(ended.error().message == "no");
}

}  // namespace
}  // namespace fedra::own_connection_test
