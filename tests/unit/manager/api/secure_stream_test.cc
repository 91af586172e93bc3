// `watch` over TLS, without sockets: who may, what they are told, and until when.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "manager/api/secure_server.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/access/fake_reviews.h"
#include "tests/unit/manager/report/rows.h"
#include "tests/unit/manager/support/kept_sink.h"

namespace fedra::secure_stream_test {

using namespace std::chrono_literals;
using testing::KeptSink;

namespace {

const std::string kWorkloads = " workloads.kueue.x-k8s.io ";
const std::string kInMl = "in the namespace ml";
const std::string kFleet = " the path /fedra/fleet";
constexpr api::StreamPace kQuick{
    .look = 5ms, .rights = 20ms, .rights_grace = 2s, .event = {.events = 5ms}};

struct Fixture {
  Fixture() {
    known.With([](access::Known& all) {
      const auto add = [&](const std::string& name, const std::vector<std::string>& rights) {
        all.users[name + "-token"] = {.name = name, .uid = {}, .groups = {}, .extra = {}};
        for (const std::string& right : rights) all.allowed.emplace(name, right);
      };
      const auto both = [](const std::string& verb, const std::string& rest) {
        return std::vector<std::string>{verb + rest, "watch" + rest};
      };
      add("nothing", {});
      add("lists", {"list" + kWorkloads + kInMl, "get" + kFleet});
      add("ml", both("list", kWorkloads + kInMl));
      add("fleet", both("get", kFleet));
      add("admin", {"*"});
    });
    Put("train", "ml");
    Put("stripes", "zebra");
    Start();
  }

  // Rights are asked about every 20 ms here; what is remembered of them is never too old for a
  // request, by a clock that stands still, and always for a look again.
  void Start() {
    constexpr access::Rate kMany{1'000'000, 1};
    Start({.looked_again = 0s,
           .client = kMany,
           .all_clients = kMany,
           .user = kMany,
           .all_users = kMany});
  }
  void Start(access::GateLimits limits, api::StreamPace pace = kQuick) {
    server.reset();
    auto made = std::make_unique<access::FakeReviews>(known);
    reviews = made.get();
    server =
        api::SecureServer::Start(
            {.address = "127.0.0.1:0", .certificate = api::SelfSigned({}, clock), .streams = pace},
            {.store = [this] { return store->Read(); }, .clock = &clock, .feed = &feed},
            std::move(made), limits)
            .value();
  }

  void Put(const std::string& name, const std::string& ns) {
    store::WorkloadRow row = report::Job(name, "Running", "a", 1s);
    row.job.ns = row.key.ns = ns;
    row.note = std::to_string(++writes);
    REQUIRE(store->Commit({store::PutWorkload{row}}));
  }
  httpd::Answer Ask(const std::string& user, const std::string& query = "") {
    return Answer(user, "watch" + query);
  }
  httpd::Answer Answer(const std::string& user, const std::string& question) {
    return server->Answer({.target = "/api/v1alpha1/" + question,
                           .headers = {{"authorization", "Bearer " + user + "-token"}},
                           .peer = "from 10.0.0.1"});
  }
  std::shared_ptr<KeptSink> Watching(const std::string& user, const std::string& query = "") {
    const httpd::Answer answer = Ask(user, query);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    CHECK(answer.content_type == "text/event-stream");
    auto sink = std::make_shared<KeptSink>();
    answer.goes_on(sink);
    REQUIRE(WaitUntil([&] { return sink->Has("event: watching"); }));
    return sink;
  }

  const TempFolder folder;
  HandClock clock;
  api::ChangeFeed feed;
  int writes = 0;
  const std::unique_ptr<store::Store> store =
      store::Store::Open(
          {.path = folder.Path("fedra.db"),
           .on_transaction = [this](const auto& report) { feed.Pass(report.written); }})
          .value();
  Guarded<access::Known> known;
  access::FakeReviews* reviews = nullptr;
  std::unique_ptr<api::SecureServer> server;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a stream takes the right to watch beside that to ask") {
  struct Row {
    std::string user;
    std::string query;
    int expected;
    std::string told = {};  // the first event, or what is missing
  };
  const Row rows[] = {
      {"wrong", "", 401},
      {"nothing", "", 403},
      {"lists", "", 403, "you may not watch"},
      {"lists", "?topics=workers", 403, "you may not watch the path /fedra/fleet"},
      {"lists", "?topics=jobs&namespace=ml", 403, "you may not watch workloads"},
      {"ml", "", 200, R"({"topics":["daemon","jobs"]})"},
      {"ml", "?topics=jobs,workers", 200, R"({"topics":["jobs"]})"},
      {"ml", "?topics=workers", 403},
      {"ml", "?topics=jobs&namespace=zebra", 403},
      {"ml", "?topics=jobs&namespace=ml", 200, R"({"topics":["jobs"]})"},
      {"fleet", "", 200, R"({"topics":["daemon","workers"]})"},
      {"fleet", "?topics=jobs", 403},
      {"fleet", "?topics=daemon", 200, R"({"topics":["daemon"]})"},
      {"fleet", "?namespace=ml", 200, R"({"topics":["daemon","workers"]})"},
      {"fleet", "?topics=jobs&namespace=ml", 403},
      {"ml", "?topics=daemon", 200, R"({"topics":["daemon"]})"},
      {"nothing", "?topics=daemon", 403},
      {"admin", "", 200, R"({"topics":["daemon","workers","jobs"]})"},
      {"admin", "?topics=colours", 400, "colours"},
  };
  for (const Row& row : rows) {
    INFO(row.user << " " << row.query);
    if (row.expected == 200) {
      CHECK_THAT(Watching(row.user, row.query)->told(), ContainsSubstring(row.told));
      continue;
    }
    const httpd::Answer answer = Ask(row.user, row.query);
    CHECK(answer.status == row.expected);
    CHECK_FALSE(answer.goes_on);
    CHECK_THAT(answer.body, ContainsSubstring(row.told));
  }
}

TEST_CASE_METHOD(Fixture,
                 "a stream never names what is in a namespace that its reader may not see") {
  const auto ml = Watching("ml");
  const auto fleet = Watching("fleet");
  const auto admin = Watching("admin");
  for (int i = 0; i < 3; ++i) {
    Put("stripes", "zebra");
    REQUIRE(WaitUntil([&] { return admin->Has("zebra/stripes"); }));
  }
  // Nor that something has changed there.
  CHECK_THAT(ml->told(), !ContainsSubstring("changed"));
  Put("train", "ml");
  CHECK(WaitUntil([&] { return ml->Has("ml/train"); }));
  CHECK(WaitUntil([&] { return admin->Has("ml/train"); }));
  CHECK_THAT(ml->told(), !ContainsSubstring("zebra") && !ContainsSubstring("stripes"));
  CHECK_THAT(fleet->told(), !ContainsSubstring("changed"));
}

TEST_CASE_METHOD(Fixture,
                 "a stream ends when its right or its token is revoked, whatever is remembered") {
  const auto ml = Watching("ml");
  const auto admin = Watching("admin");
  const auto fleet = Watching("fleet");
  known.With([](access::Known& all) {
    all.allowed.erase({"ml", "watch" + kWorkloads + kInMl});
    all.users.erase("fleet-token");
  });
  // The gate's memory, by a clock that stands still, would say for ever that they may.
  CHECK(WaitUntil([&] { return ml->IsOver() && fleet->IsOver(); }));
  CHECK_FALSE(admin->IsOver());
  known.With([](access::Known& all) { all.answers = false; });
  CHECK(WaitUntil([&] { return admin->IsOver(); }));
}

TEST_CASE_METHOD(Fixture, "a manager that gives no answer for a moment ends no stream") {
  const auto ml = Watching("ml");
  known.With([](access::Known& all) { all.answers = false; });
  const int asked = reviews->asked_who;
  REQUIRE(WaitUntil([&] { return reviews->asked_who >= asked + 2; }));
  known.With([](access::Known& all) { all.answers = true; });
  CHECK_FALSE(ml->IsOver());
  Put("train", "ml");
  CHECK(WaitUntil([&] { return ml->Has("ml/train"); }));
  const int more = reviews->asked_may;
  REQUIRE(WaitUntil([&] { return reviews->asked_may >= more + 10; }));
  CHECK_FALSE(ml->IsOver());
}

// Ten minutes of one user's dashboard, in sixteen tabs that do not share a stream.
TEST_CASE_METHOD(Fixture, "who sees one of a hundred namespaces stays below the limits") {
  constexpr int kNamespaces = 100;
  for (int i = 0; i < kNamespaces - 2; ++i)
    Put("train-" + std::to_string(i), "t" + std::to_string(i));
  Start(access::GateLimits{});
  std::vector<std::shared_ptr<KeptSink>> streams;
  for (int i = 0; i < 16; ++i) streams.push_back(Watching("ml"));
  // The path, all namespaces, each of them, and to watch ml.
  constexpr int kQuestions = kNamespaces + 3;
  CHECK(reviews->asked_may == kQuestions);
  CHECK(reviews->AskedRights().size() == kQuestions);
  constexpr int kSteps = 120;
  for (int i = 1; i <= kSteps; ++i) {
    clock.Advance(5s);
    CHECK(Answer("ml", "jobs").status == 200);
    // What was asked 10 s ago is asked again, by the next look at the rights.
    const auto is_asked = [&](const auto& right) { return right.second >= 1 + i / 2; };
    REQUIRE(WaitUntil([&] { return std::ranges::all_of(reviews->AskedRights(), is_asked); }));
  }
  // Not more than the limit of one user lets through.
  CHECK(reviews->asked_may < 5 * kSteps * access::GateLimits{}.user.per_second);
  for (const auto& each : streams) CHECK_FALSE(each->IsOver());
}

TEST_CASE_METHOD(Fixture, "a stream says to ask again when its reader sees another namespace") {
  const auto ml = Watching("ml");
  known.With([](access::Known& all) {
    for (const std::string verb : {"list", "watch"})
      all.allowed.emplace("ml", verb + kWorkloads + "in the namespace zebra");
  });
  CHECK(WaitUntil([&] { return ml->Has("event: resync"); }));
  Put("stripes", "zebra");
  CHECK(WaitUntil([&] { return ml->Has("zebra/stripes"); }));
}

TEST_CASE_METHOD(Fixture, "streams over TLS end with the daemon") {
  const auto admin = Watching("admin");
  server->Stop();
  CHECK(admin->IsOver());
}

}  // namespace fedra::secure_stream_test
