// Electors on a simulated API server: with its real requests, and what goes wrong with them.

#include "manager/leader/elector.h"

#include <atomic>
#include <nlohmann/json.hpp>

#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/wait.h"

namespace fedra::leader::elector_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const ObjectKey kLeaseKey{"fedra-system", "fedra"};

struct Replica {
  std::atomic<bool> able = true;
  std::atomic<bool> idle = false;
  std::atomic<bool> warm = true;
  bool hangs_as_leader = false;  // from the moment on in which it leads; before Start only
  std::atomic<int> acquired = 0;
  std::atomic<int> lost = 0;
  Guarded<std::string> why_lost;
  Elector elector;

  Replica(const sim::Server& server, const std::string& name, LeaseTerms terms)
      : elector({.lease = kLeaseKey, .identity = name, .terms = terms, .access = AccessTo(server)},
                {.ability = [this] { return Now(); },
                 .on_acquired =
                     [this] {
                       if (hangs_as_leader) able = false;
                       ++acquired;
                     },
                 .on_lost =
                     [this](const std::string& why) {
                       why_lost.With([&](std::string& last) { last = why; });
                       ++lost;
                     }},
                SystemClock()) {}
  Ability Now() const {
    return {.unable = able ? "" : "it hangs", .idle = idle, .cold = warm ? "" : "no lists yet"};
  }
  bool Leads() const { return elector.leadership()->Leads(); }
};

// What happens with these happens at once: no wait of a test is as long as any of their times. And
// no pause of a busy machine costs the lead.
const LeaseTerms kLong{.lease_duration = 1h, .renew_deadline = 30min, .retry_period = 100ms};
// For leads that are to run out.
const LeaseTerms kShort{.lease_duration = 3s, .renew_deadline = 2s, .retry_period = 100ms};

struct ElectorFixture {
  sim::Server server;
  ElectorFixture() {
    REQUIRE(server.objects().Create(json{
        {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "fedra-system"}}}}));
  }
  json Spec() { return (*server.objects().Get("leases", kLeaseKey))["spec"]; }
};

}  // namespace

TEST_CASE("a leader tells of itself in its Lease, the others read it, and none is left of it") {
  ElectorFixture f;
  Replica a(f.server, "a", kLong);
  Replica b(f.server, "b", kLong);
  const HolderNotes notes{.version = "1", .configuration = "dispatch=0f"};
  a.elector.SetNotes(notes);
  a.elector.Start();
  REQUIRE(WaitUntil([&] { return a.Leads(); }));
  b.elector.SetNotes({.version = "2"});
  b.elector.Start();
  REQUIRE(WaitUntil([&] { return b.elector.Now().notes == notes; }));
  // It has been given another configuration meanwhile.
  a.elector.SetNotes({.version = "1", .configuration = "dispatch=1e"});
  REQUIRE(WaitUntil([&] { return b.elector.Now().notes.configuration == "dispatch=1e"; }));
  a.elector.Stop(/*release=*/true);
  REQUIRE(WaitUntil([&] { return b.Leads(); }));
  CHECK(b.elector.Now().notes == HolderNotes{.version = "2"});
  b.elector.Stop(/*release=*/true);
  CHECK_FALSE((*f.server.objects().Get("leases", kLeaseKey))["metadata"].contains("annotations"));
}

TEST_CASE("the first elector makes the Lease and keeps it, the second one waits") {
  ElectorFixture f;
  Replica a(f.server, "a", kLong);
  Replica b(f.server, "b", kLong);
  CHECK_FALSE(a.elector.leadership()->Ask());
  a.elector.Start();
  REQUIRE(WaitUntil([&] { return a.Leads(); }));
  b.elector.Start();
  const std::string renewed = f.Spec()["renewTime"];
  CHECK(f.Spec()["holderIdentity"] == "a");
  CHECK(f.Spec()["leaseDurationSeconds"] == 3600);
  CHECK(f.Spec()["leaseTransitions"] == 0);
  CHECK(WaitUntil([&] { return f.Spec()["renewTime"] != renewed; }));
  CHECK(WaitUntil([&] { return b.elector.Now().record.has_value(); }));
  CHECK(b.elector.Now().record->holder == "a");
  CHECK_FALSE(b.elector.Now().leads);
  CHECK_FALSE(b.elector.leadership()->Ask());
  CHECK(a.acquired == 1);
  const auto permit = a.elector.leadership()->Ask();
  REQUIRE(permit);
  CHECK(permit->left <= 30min);
  CHECK(permit->server == 30min);

  SECTION("which takes over at once what is given back") {
    a.elector.Stop(/*release=*/true);
    CHECK_FALSE(a.Leads());
    CHECK(WaitUntil([&] { return b.Leads(); }));
    CHECK(f.Spec()["leaseTransitions"] == 1);
    CHECK(a.lost == 0);
  }
  SECTION("which waits for what was not given back") {
    a.elector.Stop(/*release=*/false);
    CHECK_FALSE(a.Leads());
    CHECK(f.Spec()["holderIdentity"] == "a");
    CHECK_FALSE(HappensWithin([&] { return b.Leads(); }, 1s));
    // It waits as long as the record says.
    REQUIRE(
        f.server.objects().Patch("leases", kLeaseKey, {{"spec", {{"leaseDurationSeconds", 1}}}}));
    CHECK(WaitUntil([&] { return b.Leads(); }));
    CHECK(a.lost == 0);
  }
  SECTION("which takes over at once from one that could not begin") {
    a.idle = true;
    a.able = false;
    CHECK(WaitUntil([&] { return b.Leads(); }));
    CHECK(f.Spec()["leaseTransitions"] == 1);
    CHECK(WaitUntil([&] { return a.lost == 1; }));
    CHECK(a.why_lost.Copy() == "it hangs");
  }
}

TEST_CASE("an elector takes over from one that is stuck") {
  ElectorFixture f;
  Replica a(f.server, "a", kShort);
  a.hangs_as_leader = true;
  a.elector.Start();
  REQUIRE(WaitUntil([&] { return a.acquired == 1; }));
  Replica b(f.server, "b", kLong);
  b.elector.Start();
  CHECK(WaitUntil([&] { return b.Leads(); }));
  CHECK_FALSE(a.Leads());
  CHECK(WaitUntil([&] { return a.lost == 1; }));
  CHECK(a.why_lost.Copy() == "it hangs");
  CHECK(a.elector.Now().problem == "it hangs");
}

TEST_CASE("a candidate without its lists leaves the Lease to one that has them") {
  ElectorFixture f;
  Replica cold(f.server, "cold", kLong);
  cold.warm = false;
  cold.elector.Start();
  CHECK_FALSE(HappensWithin([&] { return cold.Leads(); }, 1s));
  CHECK(cold.elector.Now().problem == "no lists yet");
  SECTION("also when that one comes later") {
    Replica warm(f.server, "warm", kLong);
    warm.elector.Start();
    CHECK(WaitUntil([&] { return warm.Leads(); }));
    CHECK_FALSE(HappensWithin([&] { return cold.Leads(); }, 1s));
    warm.elector.Stop(/*release=*/true);
    CHECK(cold.acquired == 0);
  }
  SECTION("takes it at once when it has them") {
    cold.warm = true;
    CHECK(WaitUntil([&] { return cold.Leads(); }));
    CHECK(WaitUntil([&] { return cold.elector.Now().problem.empty(); }));
  }
}

TEST_CASE("a candidate without its lists takes the Lease in the end when there is no other one") {
  ElectorFixture f;
  Replica cold(f.server, "cold", kShort);
  cold.warm = false;
  cold.elector.Start();
  CHECK(WaitUntil([&] { return cold.acquired == 1; }, 4 * kGraceDurations * kShort.lease_duration));
  CHECK(WaitUntil([&] { return cold.elector.Now().problem.empty(); }));
}

TEST_CASE("an elector that gets no answer loses the lead at its deadline, once and for all") {
  ElectorFixture f;
  Replica a(f.server, "a", kShort);
  a.elector.Start();
  REQUIRE(WaitUntil([&] { return a.acquired == 1; }));
  sim::Faults faults;
  faults.hang = true;
  f.server.SetFaults(faults);
  CHECK(WaitUntil([&] { return a.lost == 1; }));
  CHECK_FALSE(a.Leads());
  f.server.SetFaults({});
  CHECK_FALSE(HappensWithin([&] { return a.Leads(); }, 1s));
  CHECK(a.acquired == 1);
}

TEST_CASE("an elector outlives requests that fail within its deadline") {
  ElectorFixture f;
  Replica a(f.server, "a", kLong);
  a.elector.Start();
  REQUIRE(WaitUntil([&] { return a.Leads(); }));
  sim::Faults faults;
  sim::InjectedAnswer refusal;
  refusal.code = 500;
  refusal.times = 3;
  faults.answers.push_back(refusal);
  f.server.SetFaults(faults);
  const std::string renewed = f.Spec()["renewTime"];
  CHECK(WaitUntil([&] { return f.Spec()["renewTime"] != renewed; }));
  CHECK(a.Leads());
  CHECK(a.lost == 0);
}

TEST_CASE("an elector whose Lease another one has gives up at once") {
  ElectorFixture f;
  Replica a(f.server, "a", kLong);
  a.elector.Start();
  REQUIRE(WaitUntil([&] { return a.Leads(); }));
  REQUIRE(f.server.objects().Patch("leases", kLeaseKey, {{"spec", {{"holderIdentity", "x"}}}}));
  CHECK(WaitUntil([&] { return a.lost == 1; }));
}

TEST_CASE("identities differ from process to process on one host") {
  CHECK(NewIdentity("host") != NewIdentity("host"));
  CHECK(NewIdentity("host").starts_with("host_"));
}

}  // namespace fedra::leader::elector_test
