// The API on a real socket, and clients that want to keep others out.

#include "manager/api/server.h"

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "manager/api/routes.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/http/raw_client.h"
#include "tests/unit/manager/report/rows.h"
#include "tests/unit/manager/support/slow_check.h"

namespace fedra::server_test {

using namespace std::chrono_literals;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using httpd::RawClient;

namespace {

// A store with many jobs, so that answers do not fit a socket's buffers.
struct Fixture {
  explicit Fixture(httpd::ServerLimits limits = api::kLimits, int jobs = 5,
                   api::CheckSource check = {})
      : store(store::Store::Open(
                  {.path = folder.Path("fedra.db"),
                   .on_transaction = [this](const auto& report) { feed.Pass(report.written); }})
                  .value()) {
    for (int i = 0; i < jobs; ++i) {
      store->Enqueue(
          store::PutWorkload{report::Job("train-" + std::to_string(i), "Running", "a", 1s)});
    }
    REQUIRE(store->Flush());
    auto made =
        api::Server::OnSocket({folder.Path("s"), ""},
                              {.store =
                                   [this] {
                                     may_answer.Wait([](bool may) { return may; }, [](bool) {});
                                     return store->Read();
                                   },
                               .check = std::move(check),
                               .feed = &feed,
                               .on_answer =
                                   [this](std::string_view endpoint, int status) {
                                     answered.With([&](auto& all) {
                                       ++all[std::string(endpoint) + " " + std::to_string(status)];
                                     });
                                   }},
                              limits);
    REQUIRE(made);
    server = *std::move(made);
  }

  void Hold() {
    may_answer.With([](bool& may) { may = false; });
  }
  void Release() {
    may_answer.With([](bool& may) { may = true; });
    may_answer.Notify();
  }
  RawClient Connect() const { return RawClient(folder.Path("s")); }
  std::string Say(std::string_view line, std::string_view headers = "") const {
    RawClient client = Connect();
    client.Say(line).Say(" HTTP/1.1\r\nHost: fedra\r\nConnection: close\r\n");
    client.Say(headers).Say("\r\n");
    return client.Hear();
  }
  std::string Get(std::string_view path, std::string_view headers = "") const {
    return Say("GET " + std::string(api::kPrefix) + std::string(path), headers);
  }

  const TempFolder folder;
  api::ChangeFeed feed;
  Guarded<bool> may_answer{true};
  Guarded<std::map<std::string, int>> answered;  // "jobs 200"
  const std::unique_ptr<store::Store> store;
  std::unique_ptr<api::Server> server;
};

nlohmann::json BodyOf(const std::string& answer) {
  return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
}

constexpr std::string_view kAsk = "GET /api/v1alpha1/jobs HTTP/1.1\r\nHost: fedra\r\n\r\n";
constexpr std::string_view kWatch =
    "GET /api/v1alpha1/watch?topics=jobs HTTP/1.1\r\nHost: fedra\r\n\r\n";

}  // namespace

TEST_CASE("a client over the socket gets its document") {
  const Fixture f;
  const std::string answer = f.Get("jobs");
  CHECK_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  CHECK_THAT(answer, ContainsSubstring("Content-Type: application/json\r\n"));
  CHECK(BodyOf(answer).at("jobs").size() == 5);
  const std::string tag = answer.substr(answer.find("ETag: ") + 6, 20);
  CHECK_THAT(f.Get("jobs", "If-None-Match: " + tag + "\r\n"), StartsWith("HTTP/1.1 304"));
  CHECK_THAT(f.Get("jobs", "Accept-Encoding: gzip\r\n"),
             ContainsSubstring("Content-Encoding: gzip\r\n"));
  const std::string head = f.Say("HEAD /api/v1alpha1/jobs");
  CHECK_THAT(head, StartsWith("HTTP/1.1 200") && EndsWith("\r\n\r\n"));
}

TEST_CASE("what is no request, or too much of one, is a Status") {
  const Fixture f;
  struct Row {
    std::string line;
    std::string headers;
    int code;
  };
  const Row rows[] = {
      {"POST /api/v1alpha1/jobs", "", 405},
      {"DELETE /api/v1alpha1/jobs", "", 405},
      {"GET /" + std::string(50'000, 'x'), "", 414},
      {"GET /api/v1alpha1/jobs", "X: " + std::string(50'000, 'x') + "\r\n", 431},
      {"\x01", "", 400},
      {"GET /api/v1alpha1/none", "", 404},
  };
  for (const Row& row : rows) {
    INFO(row.code);
    const std::string answer = f.Say(row.line, row.headers);
    CHECK_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(row.code)));
    CHECK(BodyOf(answer).at("code") == row.code);
  }
}

TEST_CASE("Allow names the methods of what is asked, whatever was sent") {
  const Fixture f;
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS", "BREW"}) {
    INFO(method);
    const std::string answer = f.Say(method + " /api/v1alpha1/jobs");
    CHECK_THAT(answer, StartsWith("HTTP/1.1 405"));
    CHECK_THAT(answer, ContainsSubstring("\r\nAllow: GET, HEAD\r\n"));
  }
  for (const std::string method : {"GET", "PUT", "DELETE", "OPTIONS", "BREW"}) {
    INFO(method);
    const std::string answer = f.Say(method + " /api/v1alpha1/check?namespace=ml");
    CHECK_THAT(answer, StartsWith("HTTP/1.1 405"));
    CHECK_THAT(answer, ContainsSubstring("\r\nAllow: POST\r\n"));
    CHECK_THAT(BodyOf(answer).at("message").get<std::string>(), ContainsSubstring("only POST"));
  }
}

TEST_CASE("a POST is read where it is taken, and no longer than it may be") {
  const Fixture f;
  const std::string check = "POST " + std::string(api::kPrefix) + "check";
  const auto post = [&](const std::string& line, size_t size, const std::string& body) {
    return f.Say(line, "Content-Type: application/yaml\r\nContent-Length: " + std::to_string(size) +
                           "\r\n\r\n" + body);
  };
  // This server judges nothing, which is said of what has been read.
  CHECK_THAT(post(check, 9, "kind: Job"), StartsWith("HTTP/1.1 503"));
  CHECK_THAT(post(check, 0, ""), StartsWith("HTTP/1.1 503"));
  CHECK_THAT(post(check, (size_t{1} << 20) + 1, "kind: Job"), StartsWith("HTTP/1.1 413"));
  CHECK_THAT(post("POST /api/v1alpha1/jobs", 9, "kind: Job"), StartsWith("HTTP/1.1 405"));
  CHECK_THAT(f.Say(check, "Transfer-Encoding: chunked\r\n\r\n9\r\nkind: Job\r\n0\r\n"),
             StartsWith("HTTP/1.1 415"));
}

TEST_CASE("of more bodies at a time than are read the oldest makes room") {
  const Fixture f({.bodies = 2});
  RawClient slow = f.Connect();
  const std::string head =
      "POST /api/v1alpha1/check HTTP/1.1\r\nHost: fedra\r\nContent-Type: application/yaml\r\n"
      "Content-Length: 9\r\n\r\n";
  slow.Say(head + "kind");
  // One who came later has been answered: the first one's headers have been read.
  CHECK_THAT(f.Get("jobs"), StartsWith("HTTP/1.1 200"));
  RawClient other = f.Connect();
  other.Say(head + "ki");
  CHECK_THAT(f.Get("jobs"), StartsWith("HTTP/1.1 200"));
  RawClient third = f.Connect();
  third.Say(head + "kind: Job");
  CHECK_THAT(third.HearAnswer(), ContainsSubstring("judges no manifests"));
  CHECK(slow.HearAnswer().empty());
  other.Say("nd: Job");
  CHECK_THAT(other.HearAnswer(), ContainsSubstring("judges no manifests"));
}

TEST_CASE("a check that takes long holds no other answer, and checks wait for each other") {
  testing::SlowCheck check;
  const Fixture f(api::kLimits, 5, check.Source());
  std::vector<RawClient> checks;
  for (int i = 0; i < 3; ++i) {
    checks.push_back(f.Connect());
    checks.back().Say(
        "POST /api/v1alpha1/check HTTP/1.1\r\nHost: fedra\r\nContent-Type: application/yaml\r\n"
        "Content-Length: 9\r\n\r\nkind: Job");
  }
  CHECK(WaitUntil([&] { return check.begun == 1; }));
  for (const std::string path : {"status", "jobs", "reasons"}) {
    INFO(path);
    CHECK_THAT(f.Get(path), StartsWith("HTTP/1.1 200"));
  }
  CHECK_THAT(f.Get("check"), StartsWith("HTTP/1.1 405"));
  CHECK(check.begun == 1);
  check.End();
  for (RawClient& client : checks) CHECK_THAT(client.HearAnswer(), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("the end of a server ends its check") {
  testing::SlowCheck check;
  Fixture f(api::kLimits, 5, check.Source());
  RawClient client = f.Connect();
  client.Say(
      "POST /api/v1alpha1/check HTTP/1.1\r\nHost: fedra\r\nContent-Type: application/yaml\r\n"
      "Content-Length: 9\r\n\r\nkind: Job");
  CHECK(WaitUntil([&] { return check.begun == 1; }));
  f.server.reset();
  (void)client.Hear();
  CHECK(client.closed());
}

TEST_CASE("every answer is counted, refusals and nonsense too") {
  const Fixture f;
  (void)f.Get("jobs");
  (void)f.Get("jobs");
  (void)f.Get("why?job=ml/none");
  (void)f.Get("none");
  (void)f.Say("POST /api/v1alpha1/jobs");
  (void)f.Say("\x01");
  CHECK(f.answered.Copy() ==
        std::map<std::string, int>{
            {"jobs 200", 2}, {"jobs 405", 1}, {"other 400", 1}, {"other 404", 1}, {"why 404", 1}});
}

TEST_CASE("1,000 clients that never ask keep nobody out") {
  const Fixture f;
  std::vector<RawClient> silent;
  for (int i = 0; i < 1'000; ++i) {
    silent.push_back(f.Connect());
    if (i % 2 == 0) silent.back().Say("GET /api/v1alpha1/jobs HTTP/1.1\r\nHost: fed");
  }
  CHECK_THAT(f.Get("jobs"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("more questions than the half of the connections are told to come again") {
  Fixture f({.connections = 8});
  f.Hold();
  std::vector<RawClient> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(f.Connect());
    waiting.back().Say(kAsk);
  }
  const std::string refused = waiting.back().HearAnswer();
  CHECK_THAT(refused, StartsWith("HTTP/1.1 503"));
  CHECK_THAT(refused, ContainsSubstring("Retry-After: 1\r\n"));
  CHECK(BodyOf(refused).at("reason") == "ServiceUnavailable");
  f.Release();
  CHECK_THAT(waiting.front().HearAnswer(), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(f.Get("jobs"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("answers that are not taken hold no more memory than is allowed, and not for ever") {
  const Fixture f({.write = {.whole = 5s}, .answer_bytes = 1, .stalled = 30s}, 1'500);
  const auto status = [&] {
    const std::string answer = f.Get("jobs");
    return answer.size() > 12 ? answer.substr(9, 3) : answer;
  };
  const std::string whole = f.Get("jobs");
  REQUIRE_THAT(whole, EndsWith("}\n"));
  RawClient slow = f.Connect();
  slow.Say(kAsk);
  CHECK(WaitUntil([&] { return status() == "503"; }, 30s));
  CHECK(WaitUntil([&] { return status() == "200"; }, 30s));
  CHECK(slow.Hear().size() < whole.size());
  CHECK(slow.closed());
}

TEST_CASE("clients that ask and do not read keep nobody waiting") {
  const Fixture f({.write = {.whole = 300s, .pause = 300s}}, 1'500);
  const std::string whole = f.Get("jobs");
  std::vector<RawClient> slow;
  for (int i = 0; i < 400; ++i) {
    slow.push_back(f.Connect());
    slow.back().Say(kAsk);
  }
  // What is answered at all has begun: all questions have been read, and wait for their clients.
  for (RawClient& each : slow) each.HearSome();
  for (int i = 0; i < 3; ++i) {
    std::string answer;
    // Not after the 300 s that the others may take.
    CHECK(WaitUntil([&] {
      answer = f.Get("jobs");
      return answer.starts_with("HTTP/1.1 200 OK");
    }));
    CHECK(answer.size() == whole.size());
  }
}

TEST_CASE("of those who are answered it is not the one that reads who makes room") {
  const Fixture f({.connections = 8, .write = {.whole = 300s, .pause = 300s}}, 5'000);
  RawClient reader = f.Connect();
  reader.Say(kAsk);
  std::string heard = reader.HearSome();
  std::vector<RawClient> slow;
  for (int i = 0; i < 10; ++i) {
    slow.push_back(f.Connect());
    slow.back().Say(kAsk);
    CHECK_THAT(slow.back().HearSome(), StartsWith("HTTP/1.1"));
    for (size_t end = heard.size() + 150'000; heard.size() < end;) {
      const std::string some = reader.HearSome();
      REQUIRE(!some.empty());
      heard += some;
    }
  }
  CHECK(!RawClient::IsWhole(heard));
  heard += reader.HearRest(heard);
  CHECK(RawClient::IsWhole(heard));
}

TEST_CASE("of the 64 streams a client has 16") {
  Fixture f;
  std::vector<RawClient> clients;
  for (int i = 0; i <= 16; ++i) {
    clients.push_back(f.Connect());
    clients.back().Say(kWatch);
    CHECK_THAT(clients.back().HearSome(), StartsWith(i < 16 ? "HTTP/1.1 200" : "HTTP/1.1 503"));
  }
  CHECK(api::kLimits.streams == 64);
}

TEST_CASE("64 clients watch, one more is refused, and jobs are asked about all the same") {
  // They are all of one user.
  Fixture f({.connections = 256, .streams = 256, .streams_of_client = 64});
  std::vector<RawClient> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(f.Connect());
    clients.back().Say(kWatch);
    CHECK_THAT(clients.back().HearSome(), StartsWith("HTTP/1.1 200"));
  }
  RawClient refused = f.Connect();
  refused.Say(kWatch);
  const std::string answer = refused.HearAnswer();
  CHECK_THAT(answer, StartsWith("HTTP/1.1 503") && ContainsSubstring("Retry-After: 1\r\n"));
  CHECK(BodyOf(answer).at("kind") == "Status");
  CHECK_THAT(f.Get("jobs"), StartsWith("HTTP/1.1 200"));
  REQUIRE(f.store->Commit({store::PutWorkload{report::Job("fresh", "Running", "a", 1s)}}));
  for (RawClient& client : clients) {
    std::string heard;
    while (heard.find("ml/fresh") == heard.npos) {
      const std::string some = client.HearSome();
      REQUIRE(!some.empty());
      heard += some;
    }
  }
  f.server.reset();
  for (RawClient& client : clients) {
    (void)client.Hear();
    CHECK(client.closed());
  }
}

TEST_CASE("a connection ends after so many requests") {
  const Fixture f({.requests = 2});
  RawClient client = f.Connect();
  client.Say(kAsk);
  CHECK_THAT(client.HearAnswer(), StartsWith("HTTP/1.1 200"));
  CHECK(!client.closed());
  client.Say(kAsk);
  CHECK_THAT(client.Hear(), ContainsSubstring("Connection: close\r\n"));
  CHECK(client.closed());
}

}  // namespace fedra::server_test
