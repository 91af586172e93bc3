// Events: one per thing that happened, counted when it happens again, and not lost by an error.

#include "manager/reconcile/event_writer.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::event_writer_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const Regarding kJob{"batch/v1", "Job", {"ml", "train"}, "uid-1"};
constexpr const char* kReason = "PlacementRejected";
constexpr const char* kMessage = "no worker eligible";
const ObjectKey kEvent{"ml", "train." + HashHex("uid-1" + std::string(kReason) + kMessage)};

void Emit(EventWriter& writer) { writer.Emit(kJob, kReason, /*is_warning=*/true, kMessage); }

struct Fixture {
  Connected fleet;
  EventWriter writer{
      {"example.com/federation", "fedra-1"}, fleet.manager().cluster(), SystemClock()};

  Fixture() { fleet.Start(); }
  sim::Server& server() { return fleet.manager_server(); }
  // Whether the event comes to say that it happened so often.
  bool IsCounted(int times) {
    return server().objects().WaitFor("events", kEvent, [&](const json& event) {
      if (event.is_null()) return false;
      return (event.contains("series") ? event["series"]["count"].get<int>() : 1) == times;
    });
  }
};

}  // namespace

TEST_CASE("an event that happens again is counted") {
  Fixture f;
  Emit(f.writer);
  REQUIRE(f.IsCounted(1));
  const json event = *f.server().objects().Get("events", kEvent);
  CHECK(event["reason"] == kReason);
  CHECK(event["reportingController"] == "example.com/federation");
  CHECK(event["reportingInstance"] == "fedra-1");
  CHECK(event["type"] == "Warning");
  CHECK(event["note"] == kMessage);
  CHECK(event["regarding"]["uid"] == "uid-1");
  Emit(f.writer);
  Emit(f.writer);
  CHECK(f.IsCounted(3));
}

TEST_CASE("an event that could not be written is written when it happens again") {
  Fixture f;
  sim::Faults faults;
  faults.answers.push_back({.method = "POST", .path_contains = "/events", .times = 1, .code = 400});
  f.server().SetFaults(faults);
  Emit(f.writer);
  Emit(f.writer);
  CHECK(f.IsCounted(1));
}

TEST_CASE("at the end what is queued is written, and it is said whether something is under way") {
  Fixture f;
  sim::InjectedAnswer fault{.method = "POST", .path_contains = "/events"};
  sim::Faults faults;
  SECTION("as long as there is time") {
    fault.kind = sim::InjectedAnswer::Kind::kLatency;
    fault.delay = 200ms;
    faults.answers.push_back(fault);
    f.server().SetFaults(faults);
    Emit(f.writer);
    f.writer.Emit(kJob, "Placed", false, "another one");
    CHECK(f.writer.Finish(6s));
    Emit(f.writer);  // too late
    const auto counts = f.server().RequestCounts();
    CHECK(counts.at("create events") == 2);
    CHECK(counts.count("patch events") == 0);
  }
  SECTION("which a server that does not answer uses up") {
    fault.kind = sim::InjectedAnswer::Kind::kLatency;
    fault.delay = 30s;
    faults.answers.push_back(fault);
    f.server().SetFaults(faults);
    Emit(f.writer);
    const auto begun = [&] { return f.server().RequestCounts().contains("create events"); };
    REQUIRE(WaitUntil(begun));
    CHECK_FALSE(f.writer.Finish(300ms));
    f.fleet.manager().Stop();  // cuts off what waits
    CHECK(f.writer.Finish(6s));
  }
}

TEST_CASE("an event that the API server has forgotten is created again") {
  Fixture f;
  Emit(f.writer);
  REQUIRE(f.IsCounted(1));
  REQUIRE(f.server().objects().Delete("events", kEvent));
  Emit(f.writer);
  CHECK(f.IsCounted(1));
}

TEST_CASE("an event of the process before us is counted on") {
  Fixture f;
  Emit(f.writer);
  REQUIRE(f.IsCounted(1));
  EventWriter after({"fedra.dev/federation", "fedra"}, f.fleet.manager().cluster(), SystemClock());
  Emit(after);
  CHECK(f.IsCounted(2));
}

TEST_CASE("what happens again and again is written 25 times, and then seldom") {
  Fixture f;
  for (int i = 0; i < 100; ++i) Emit(f.writer);
  REQUIRE(f.IsCounted(25));
  CHECK(f.writer.dropped() == 75);
  CHECK(f.writer.Finish(6s));
  const auto counts = f.server().RequestCounts();
  CHECK(counts.at("create events") == 1);
  CHECK(counts.at("patch events") == 24);
}

TEST_CASE("of a reason with ever new messages there are ten events: nine, and one of all others") {
  Fixture f;
  for (int i = 0; i < 20; ++i)
    f.writer.Emit(kJob, kReason, /*is_warning=*/true, std::to_string(i) + " devices are missing");
  CHECK(f.writer.Finish(6s));
  const std::vector<json> events = f.server().objects().List("events", "ml");
  CHECK(events.size() == 10);
  int combined = 0;
  for (const json& event : events) {
    if (!event["note"].get<std::string>().starts_with("(combined from similar events): ")) continue;
    ++combined;
    CHECK(event["note"] == "(combined from similar events): 9 devices are missing");
    CHECK(event["series"]["count"] == 11);
  }
  CHECK(combined == 1);
}

}  // namespace fedra::reconcile::event_writer_test
