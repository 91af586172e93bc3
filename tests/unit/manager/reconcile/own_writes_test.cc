// What we wrote is seen at once, and never outlives what the watch says.

#include "cluster-clients/watch/own_writes.h"

#include <fmt/format.h>

#include "cluster-clients/watch/tracked_cache.h"
#include "manager/tracking/workload.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::own_writes_test {

using tracking::Workload;
using Cache = watch::TrackedCache<Workload>;

namespace {

const ObjectKey kKey{"ml", "w"};

std::string Text(const std::string& uid, int version, bool deleting = false) {
  return fmt::format(
      R"({{"metadata": {{"namespace": "ml", "name": "w", "uid": "{}", "resourceVersion": "{}"{}}}}})",
      uid, version, deleting ? R"(, "deletionTimestamp": "2026-11-21T16:00:00Z")" : "");
}

std::shared_ptr<const Workload> Object(const std::string& uid, int version) {
  Workload workload;
  workload.key = kKey;
  workload.uid = uid;
  workload.version = ResourceVersion(std::to_string(version));
  return std::make_shared<const Workload>(std::move(workload));
}

struct Fixture {
  HandClock clock;
  Cache tracked{&tracking::ParseClone, [](const auto&, const auto&, const auto&) {},
                [](const auto&) {}, clock};

  Fixture() {
    tracked.cache().Reset();
    tracked.cache().Synced();
  }
  void Event(const std::string& text) { REQUIRE(tracked.cache().Upsert(text).has_value()); }
  void Gone(const std::string& text) { REQUIRE(tracked.cache().Remove(text).has_value()); }
  std::string Version() {
    const auto found = tracked.Find(kKey);
    return found == nullptr ? "-" : found->version.value;
  }
};

}  // namespace

TEST_CASE("a created object is there before the watch shows it, and goes when the watch says so") {
  Fixture f;
  f.tracked.own().Wrote(Object("u", 10));
  CHECK(f.Version() == "10");
  CHECK(f.tracked.own().unseen() == 1);
  f.Event(Text("u", 10));
  CHECK(f.tracked.own().unseen() == 0);
  f.Gone(Text("u", 11));
  CHECK(f.Version() == "-");
}

TEST_CASE("the event of our own write is the object that its answer was") {
  Fixture f;
  const auto written = Object("u", 10);
  f.tracked.own().Wrote(written);
  f.Event(Text("u", 10));
  CHECK(f.tracked.Find(kKey) == written);
  f.Event(Text("u", 11));
  CHECK(f.tracked.Find(kKey) != written);
}

TEST_CASE("an event older than our write does not hide it, a newer one replaces it") {
  Fixture f;
  f.Event(Text("u", 8));
  f.tracked.own().Wrote(Object("u", 10));
  f.Event(Text("u", 9));
  CHECK(f.Version() == "10");
  f.Event(Text("u", 12));
  CHECK(f.Version() == "12");
}

TEST_CASE("an answer that comes after its own event leaves nothing behind") {
  Fixture f;
  f.Event(Text("u", 10));
  f.tracked.own().Wrote(Object("u", 10));
  CHECK(f.tracked.own().unseen() == 0);
  f.Event(Text("u", 11));
  CHECK(f.Version() == "11");
}

TEST_CASE("the answer to a change that comes after the object's deletion does not bring it back") {
  Fixture f;
  f.Event(Text("u", 10));
  f.Gone(Text("u", 12));
  f.tracked.own().Changed(Object("u", 11));
  CHECK(f.Version() == "-");
  CHECK(f.tracked.own().unseen() == 0);
  f.Event(Text("v", 13));
  f.tracked.own().Changed(Object("v", 14));
  CHECK(f.Version() == "14");
  f.tracked.own().Changed(Object("v", 15));
  f.Gone(Text("v", 16));
  CHECK(f.Version() == "-");
}

TEST_CASE("a change of what we created counts before the watch shows it, and not after its end") {
  Fixture f;
  f.tracked.own().Wrote(Object("u", 10));
  f.tracked.own().Changed(Object("u", 11));
  f.tracked.own().Changed(Object("u", 12));
  CHECK(f.Version() == "12");
  f.Event(Text("u", 10));
  CHECK(f.Version() == "12");
  SECTION("once the watch has shown it, its end is believed") {
    f.Event(Text("u", 12));
    f.Gone(Text("u", 13));
    f.tracked.own().Changed(Object("u", 12));
    CHECK(f.Version() == "-");
  }
  SECTION("another object of the name is not the one that we created") {
    f.Gone(Text("u", 13));
    f.tracked.own().Changed(Object("v", 14));
    CHECK(f.Version() == "-");
  }
}

TEST_CASE("a deleted object is gone at once; one that lingers with a finalizer is shown again") {
  Fixture f;
  f.Event(Text("u", 10));
  f.tracked.own().Deleted(kKey, "u");
  CHECK(f.Version() == "-");
  SECTION("a change from before the deletion does not bring it back") {
    f.Event(Text("u", 11));
    CHECK(f.Version() == "-");
    f.Gone(Text("u", 12));
    CHECK(f.Version() == "-");
  }
  SECTION("being deleted is worth seeing") {
    f.Event(Text("u", 11, true));
    CHECK(f.Version() == "11");
  }
  SECTION("another object of the same name is another object") {
    f.Event(Text("v", 11));
    CHECK(f.Version() == "11");
  }
}

TEST_CASE("what no watch ever shows counts for half a minute") {
  Fixture f;
  f.tracked.own().Wrote(Object("u", 10));
  f.clock.Advance(std::chrono::seconds(30));
  CHECK(f.Version() == "10");
  CHECK(f.tracked.own().unseen() == 1);
  CHECK(f.tracked.own().TakeOverdue().empty());
  f.clock.Advance(std::chrono::milliseconds(1));
  CHECK(f.Version() == "-");
  CHECK(f.tracked.own().unseen() == 0);
  CHECK(f.tracked.own().TakeOverdue() == std::vector{kKey});
  CHECK(f.tracked.own().TakeOverdue().empty());
}

}  // namespace fedra::own_writes_test
