// What subscribers of the stream get: what is put together, what is left out, what was missed.

#include "manager/api/changes.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::changes_test {

using api::Changes;
using namespace std::chrono_literals;

namespace {

const api::Topics kAll{.daemon = true, .workers = true, .jobs = true};
const api::Viewer kAdmin = api::Viewer::OfEverything();
const api::Viewer kMl{.namespaces = {"ml"}};
const ObjectKey kTrain{"ml", "train"};
const ObjectKey kStripes{"zebra", "stripes"};

Changes Jobs(const std::string& ns, int count) {
  Changes changes;
  for (int i = 0; i < count; ++i) changes.jobs.insert({ns, "job-" + std::to_string(i)});
  return changes;
}

// The data of each event; of a comment itself.
std::vector<std::string> Events(const std::string& text) {
  std::vector<std::string> events;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find("\n\n", begin);
    REQUIRE(end != text.npos);
    const std::string event = text.substr(begin, end - begin);
    const size_t name = event.find("event: ");
    const size_t data = event.find("\ndata: ");
    events.push_back(name == event.npos
                         ? event
                         : event.substr(name + 7, event.find('\n', name) - name - 7) + " " +
                               event.substr(data + 7));
    begin = end + 2;
  }
  return events;
}

struct Fixture {
  std::vector<std::string> Next(SteadyTime::duration passed = 500ms) {
    now += passed;
    return Events(subscription.Next(now, "e.1"));
  }

  SteadyTime now{};
  api::Subscription subscription{kAll, kAdmin, {}};
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("changes: of what has changed a viewer is told what they want and may see") {
  struct Row {
    std::string what;
    Changes changes;
    api::Topics topics;
    api::Viewer viewer;
    Changes expected;
  };
  const Changes both{.daemon = true, .workers = true, .jobs = {kTrain, kStripes}};
  const Changes many{.many_jobs = true};
  const Row rows[] = {
      {"everything", both, kAll, kAdmin, both},
      {"no topic", both, {}, kAdmin, {}},
      {"workers", both, {.workers = true}, kAdmin, {.workers = true}},
      {"workers without the fleet's right", both, {.workers = true}, kMl, {}},
      {"the daemon's state is in every document", both, {.daemon = true}, kMl, {.daemon = true}},
      {"jobs of some namespaces", both, {.jobs = true}, kMl, {.jobs = {kTrain}}},
      {"jobs of one namespace", both, {.jobs = true, .ns = "zebra"}, kAdmin, {.jobs = {kStripes}}},
      {"of one that is not seen", both, {.jobs = true, .ns = "zebra"}, kMl, {}},
      {"many", many, {.jobs = true}, kMl, many},
      {"many, and none is seen", many, {.jobs = true}, {.fleet = true}, {}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(api::ShownOf(row.changes, row.topics, row.viewer) == row.expected);
  }
}

TEST_CASE("changes: many and some are many") {
  Changes changes{.jobs = {kTrain}};
  api::Add(changes, {.workers = true, .jobs = {kStripes}});
  CHECK(changes == Changes{.workers = true, .jobs = {kTrain, kStripes}});
  api::Add(changes, {.many_jobs = true});
  CHECK(changes == Changes{.workers = true, .many_jobs = true});
  api::Add(changes, {.jobs = {kTrain}});
  CHECK(changes == Changes{.workers = true, .many_jobs = true});
}

TEST_CASE_METHOD(Fixture,
                 "subscription: begins with its topics, then at most one event in 500 ms") {
  CHECK(Next() == Words{R"(watching {"topics":["daemon","workers","jobs"]})"});
  CHECK(Next().empty());
  subscription.Add({.jobs = {kTrain}});
  CHECK(Next() == Words{R"(changed {"topics":["jobs"],"jobs":["ml/train"]})"});
  subscription.Add({.workers = true});
  CHECK(Next(499ms).empty());
  subscription.Add({.daemon = true, .jobs = {kStripes}});
  subscription.Add({.jobs = {kTrain}});
  CHECK(
      Next(1ms) ==
      Words{
          R"(changed {"topics":["daemon","workers","jobs"],"jobs":["ml/train","zebra/stripes"]})"});
  CHECK(Next().empty());
}

TEST_CASE_METHOD(
    Fixture, "subscription: at most 100 jobs are named, however long the client does not read") {
  (void)Next();
  subscription.Add(Jobs("ml", 100));
  CHECK_THAT(Next().at(0), ContainsSubstring("ml/job-99") && !ContainsSubstring("many"));
  subscription.Add(Jobs("ml", 100));
  subscription.Add(Jobs("zebra", 1));
  CHECK(Next() == Words{R"(changed {"topics":["jobs"],"many":true})"});
}

TEST_CASE_METHOD(Fixture, "subscription: a comment after 15 s without an event") {
  (void)Next();
  CHECK(Next(14'999ms).empty());
  CHECK(Next(1ms) == Words{": "});
  CHECK(Next(1ms).empty());
  subscription.Add({.workers = true});
  CHECK(Next().size() == 1);
  CHECK(Next(14s).empty());
  CHECK(Next(1s) == Words{": "});
}

TEST_CASE_METHOD(Fixture, "subscription: who has missed something asks for everything, once") {
  subscription.Add({.workers = true});
  subscription.RequireResync();
  CHECK(Next() == Words{R"(watching {"topics":["daemon","workers","jobs"]})", "resync {}"});
  CHECK(Next().empty());
}

TEST_CASE_METHOD(Fixture,
                 "subscription: what is not seen any more is not named, though it waited") {
  (void)Next();
  subscription.Add({.workers = true, .jobs = {kStripes}});
  subscription.SetViewer(kMl);
  CHECK(Next() == Words{R"(watching {"topics":["daemon","jobs"]})", "resync {}"});
  subscription.Add({.workers = true, .jobs = {kStripes}});
  subscription.SetViewer(kMl);
  CHECK(Next().empty());
  subscription.Add({.jobs = {kStripes, kTrain}});
  CHECK(Next() == Words{R"(changed {"topics":["jobs"],"jobs":["ml/train"]})"});
}

TEST_CASE("recent changes: an id brings what came since, or it is not known") {
  api::RecentChanges recent("e");
  CHECK(recent.Id() == "e.0");
  recent.Add({.workers = true});
  recent.Add({.jobs = {kTrain}});
  recent.Add({.jobs = {kStripes}});
  CHECK(recent.Id() == "e.3");
  CHECK(recent.Since("e.3") == Changes{});
  CHECK(recent.Since("e.2") == Changes{.jobs = {kStripes}});
  CHECK(recent.Since("e.0") == Changes{.workers = true, .jobs = {kTrain, kStripes}});
  for (const std::string id : {"", "e", "e.", ".3", "f.3", "e.4", "e.x", "e.3x", "e.-1",
                               "e.99999999999999999999", "ee.3"}) {
    INFO(id);
    CHECK_FALSE(recent.Since(id));
  }
  recent.AddUnknown();
  CHECK(recent.Id() == "e.4");
  CHECK(recent.Since("e.4") == Changes{});
  CHECK_FALSE(recent.Since("e.3"));
}

TEST_CASE("recent changes: what is kept is bounded, by number and by jobs") {
  api::RecentChanges recent("e");
  for (int i = 0; i < 1'000; ++i) recent.Add({.workers = true});
  CHECK(recent.Since("e.880"));
  CHECK_FALSE(recent.Since("e.879"));
  for (int i = 0; i < 20; ++i) recent.Add(Jobs("ml", 2'000));
  CHECK(recent.Since("e.1015"));
  CHECK_FALSE(recent.Since("e.1014"));
}

}  // namespace fedra::changes_test
