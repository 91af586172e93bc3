// The streams of a server over a real store, without sockets.

#include "manager/api/streams.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/report/rows.h"
#include "tests/unit/manager/support/kept_sink.h"

namespace fedra::streams_test {

using namespace std::chrono_literals;
using testing::KeptSink;

namespace {

constexpr api::StreamPace kQuick{
    .look = 5ms, .rights = 20ms, .rights_grace = 10s, .event = {.events = 5ms}};
const api::Topics kAll{.daemon = true, .workers = true, .jobs = true};

struct Fixture {
  std::shared_ptr<KeptSink> Open(api::Watch watch = {kAll, api::Viewer::OfEverything()}) {
    auto sink = std::make_shared<KeptSink>();
    streams.Open(std::move(watch), sink);
    return sink;
  }
  // One that gets what comes now.
  std::shared_ptr<KeptSink> Watching(api::Watch watch = {kAll, api::Viewer::OfEverything()}) {
    auto sink = Open(std::move(watch));
    REQUIRE(WaitUntil([&] { return sink->Has("event: watching"); }));
    return sink;
  }
  void Put(const std::string& name, const std::string& ns = "ml") {
    store::WorkloadRow row = report::Job(name, "Running", "a", 1s);
    row.job.ns = row.key.ns = ns;
    REQUIRE(store->Commit({store::PutWorkload{row}}));
  }
  static std::string LastId(const KeptSink& sink) {
    const std::string told = sink.told();
    const size_t at = told.rfind("id: ") + 4;
    return told.substr(at, told.find('\n', at) - at);
  }

  TempFolder folder;
  api::ChangeFeed feed;
  std::unique_ptr<store::Store> store =
      store::Store::Open(
          {.path = folder.Path("fedra.db"),
           .on_transaction = [this](const auto& report) { feed.Pass(report.written); }})
          .value();
  api::Streams streams{&feed, [this] { return store->Read(); }, kQuick};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "streams: a change of the store reaches all who watch it") {
  const auto first = Watching();
  const auto second = Watching({kAll, {.namespaces = {"ml"}}});
  const size_t begun = first->told().size();
  Put("train");
  Put("stripes", "zebra");
  REQUIRE(store->Commit({store::PutCluster{report::Worker("gpu", 0, "1.36.3")}}));
  CHECK(WaitUntil([&] {
    // In one event or in several.
    const std::string told = first->told().substr(begun);
    return told.find("ml/train") != told.npos && told.find("zebra/stripes") != told.npos &&
           told.find("\"workers\"") != told.npos;
  }));
  CHECK(WaitUntil([&] { return second->Has("ml/train"); }));
  Put("last");
  CHECK(WaitUntil([&] { return second->Has("ml/last"); }));
  CHECK_THAT(second->told(), !ContainsSubstring("zebra") && !ContainsSubstring("workers"));
  REQUIRE(store->Commit({store::RemoveWorkload{"uid-train", WallTime{}}}));
  const std::string before = first->told();
  CHECK(WaitUntil(
      [&] { return first->told().find("ml/train", before.size()) != std::string::npos; }));
}

TEST_CASE_METHOD(Fixture, "streams: who comes back is told what was missed, or to ask for all") {
  const auto stays = Watching();
  const auto leaves = Watching();
  Put("one");
  REQUIRE(WaitUntil([&] { return leaves->Has("ml/one"); }));
  leaves->is_over = true;
  const std::string id = Fixture::LastId(*leaves);
  Put("two");
  REQUIRE(WaitUntil([&] { return stays->Has("ml/two"); }));
  const auto back = Watching({kAll, api::Viewer::OfEverything(), id});
  CHECK(WaitUntil([&] { return back->Has("ml/two"); }));
  CHECK_THAT(back->told(), !ContainsSubstring("ml/one") && !ContainsSubstring("resync"));
  const auto stranger = Open({kAll, api::Viewer::OfEverything(), "another.7"});
  CHECK(WaitUntil([&] { return stranger->Has("event: resync"); }));
  CHECK_THAT(stays->told(), !ContainsSubstring("resync"));
  // While no client watches nothing is kept.
  const std::string last = Fixture::LastId(*stays);
  for (const auto& each : {stays, back, stranger}) each->is_over = true;
  // When that was seen, something changes.
  const auto again = [&] {
    Put("three");
    const auto late = Watching({kAll, api::Viewer::OfEverything(), last});
    late->is_over = true;
    return late->Has("event: resync");
  };
  CHECK(WaitUntil(again));
}

TEST_CASE_METHOD(Fixture,
                 "streams: a client that does not read is told once of what came meanwhile") {
  const auto slow = Watching();
  const auto quick = Watching();
  slow->takes = false;
  for (int i = 0; i < 150; ++i) Put("job-" + std::to_string(i));
  REQUIRE(WaitUntil([&] { return quick->Has("ml/job-149"); }));
  CHECK_THAT(slow->told(), !ContainsSubstring("changed"));
  slow->takes = true;
  CHECK(WaitUntil([&] { return slow->Has("\"many\":true"); }));
  CHECK_THAT(slow->told(), !ContainsSubstring("ml/job-1"));
}

TEST_CASE_METHOD(Fixture,
                 "streams: a right that is gone ends the stream, one that changes says so") {
  Guarded<api::RightsNow> now{api::Viewer{.namespaces = {"ml"}}};
  const api::LookAgain look = [&](const auto& done) { done(now.Copy()); };
  const auto sink = Watching({kAll, *now.Copy(), "", api::ChangingRights{"ada", look}});
  now.With([](auto& viewer) { viewer->namespaces = {"ml", "zebra"}; });
  CHECK(WaitUntil([&] { return sink->Has("event: resync"); }));
  Put("stripes", "zebra");
  CHECK(WaitUntil([&] { return sink->Has("zebra/stripes"); }));
  CHECK_FALSE(sink->IsOver());
  now.With([](auto& viewer) { viewer = tl::make_unexpected(access::Refusal{403, "no"}); });
  CHECK(WaitUntil([&] { return sink->IsOver(); }));
}

TEST_CASE_METHOD(Fixture, "streams: of those that ask the same for the same one asks") {
  std::atomic<int> ada = 0;
  std::atomic<int> eve = 0;
  const auto watch = [&](const std::string& of, std::atomic<int>& asked) {
    return api::Watch{kAll,
                      {.namespaces = {"ml"}},
                      "",
                      api::ChangingRights{of, [&asked, of](const auto& done) {
                                            ++asked;
                                            done(api::Viewer{.namespaces = {"ml", of}});
                                          }}};
  };
  std::vector<std::shared_ptr<KeptSink>> sinks;
  for (int i = 0; i < 5; ++i) sinks.push_back(Watching(watch("ada", ada)));
  const auto other = Watching(watch("eve", eve));
  const int asked = ada;
  const int others = eve;
  REQUIRE(WaitUntil([&] { return eve >= others + 20; }));
  // In the same looks, not five times as often.
  CHECK(ada - asked <= eve - others + 2);
  // And the answer holds for all of them, and for no other.
  Put("theirs", "ada");
  for (const auto& sink : sinks) CHECK(WaitUntil([&] { return sink->Has("ada/theirs"); }));
  CHECK_THAT(other->told(), !ContainsSubstring("theirs"));
}

TEST_CASE("streams: without an answer about its rights a stream ends") {
  const TempFolder folder;
  api::ChangeFeed feed;
  const auto store = store::Store::Open({.path = folder.Path("fedra.db")}).value();
  api::StreamPace pace = kQuick;
  pace.rights_grace = 50ms;
  api::Streams streams(&feed, [&] { return store->Read(); }, pace);
  const auto sink = std::make_shared<KeptSink>();
  streams.Open({kAll, {}, "", api::ChangingRights{"ada", [](const auto&) {}}}, sink);
  CHECK(WaitUntil([&] { return sink->IsOver(); }));
  // Nor with answers that say nothing.
  std::atomic<int> asked = 0;
  const api::LookAgain unsure = [&](const auto& done) {
    ++asked;
    done(tl::make_unexpected(access::Refusal{429, "later"}));
  };
  const auto second = std::make_shared<KeptSink>();
  streams.Open({kAll, {}, "", api::ChangingRights{"eve", unsure}}, second);
  CHECK(WaitUntil([&] { return second->IsOver(); }));
  CHECK(asked > 1);
}

TEST_CASE_METHOD(Fixture,
                 "streams: more than can be asked about are many, and a store that fails, too") {
  const auto sink = Watching();
  std::vector<std::string> uids(3'000);
  for (size_t i = 0; i < uids.size(); ++i) uids[i] = std::to_string(i);
  feed.Pass({.workloads = uids});
  CHECK(WaitUntil([&] { return sink->Has("\"many\":true"); }));
  api::Streams failing(
      &feed,
      []() -> Result<std::unique_ptr<store::Reader>> { return Fail(ErrorCode::kStorage, "x"); },
      kQuick);
  const auto other = std::make_shared<KeptSink>();
  failing.Open({kAll, api::Viewer::OfEverything()}, other);
  REQUIRE(WaitUntil([&] { return other->Has("watching"); }));
  feed.Pass({.workloads = {"uid-train"}});
  CHECK(WaitUntil([&] { return other->Has("\"many\":true"); }));
}

TEST_CASE_METHOD(Fixture,
                 "streams: the end of the server ends them, and what comes later ends at once") {
  const auto sink = Watching();
  streams.Stop();
  CHECK(sink->IsOver());
  CHECK(Open()->IsOver());
  Put("train");
  streams.Stop();
}

}  // namespace fedra::streams_test
