// A daemon that is meant to be the only one, on a simulated API server: whom it notices, and what
// stops it.

#include "manager/leader/sole.h"

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/time.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/support/slowness.h"
#include "tests/support/wait.h"

namespace fedra::leader::sole_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const ObjectKey kLeaseKey{"fedra-system", "fedra"};
// The API's least duration is a second.
const LeaseTerms kQuick{.lease_duration = 2s, .renew_deadline = 1s, .retry_period = 100ms};

ElectorSettings SettingsOf(const sim::Server& server, const std::string& identity) {
  return {.lease = kLeaseKey, .identity = identity, .terms = kQuick, .access = AccessTo(server)};
}

struct Daemon {
  Guarded<std::string> why;
  std::atomic<int> met = 0;
  Sole sole;

  Daemon(const sim::Server& server, const std::string& identity)
      : sole(
            SettingsOf(server, identity),
            [this](const std::string& told) {
              why.With([&](std::string& last) { last = told; });
              ++met;
            },
            SystemClock()) {}

  Result<void> Check() {
    return sole.Check([] { return false; });
  }
};

struct SoleFixture {
  sim::Server server;
  SoleFixture() {
    REQUIRE(server.objects().Create(json{
        {"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "fedra-system"}}}}));
  }
  json Spec() { return (*server.objects().Get("leases", kLeaseKey))["spec"]; }
  std::string Holder() { return Spec()["holderIdentity"]; }
  void Edit(const json& spec) {
    REQUIRE(server.objects().Patch("leases", kLeaseKey, {{"spec", spec}}));
  }
  // As one that was killed has left it.
  void Leave(const std::string& holder) {
    REQUIRE(server.objects().Create(
        json{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"namespace", kLeaseKey.ns}, {"name", kLeaseKey.name}}},
             {"spec", {{"holderIdentity", holder}, {"leaseDurationSeconds", 2}}}}));
  }
  void Refuse(int code) {
    sim::Faults faults;
    sim::InjectedAnswer answer;
    answer.code = code;
    answer.path_contains = "leases";
    faults.answers.push_back(answer);
    server.SetFaults(faults);
  }
};

}  // namespace

TEST_CASE("the second daemon on a manager refuses to start while the first one lives") {
  SoleFixture f;
  Daemon a(f.server, "a");
  Daemon b(f.server, "b");
  REQUIRE(a.Check());
  a.sole.Start();
  CHECK(f.Holder() == "a");
  const Result<void> refused = b.Check();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kConflict);
  CHECK(refused.error().message.find("a keeps the Lease fedra-system/fedra") != std::string::npos);
  CHECK(f.Holder() == "a");
  CHECK(a.met == 0);

  SECTION("and starts at once when that one has ended") {
    a.sole.Stop(/*release=*/true);
    const SteadyTime begun = SystemClock().Steady();
    CHECK(b.Check());
    CHECK(SystemClock().Steady() - begun < 1s);
    CHECK(f.Holder() == "b");
  }
}

TEST_CASE("a Lease that was left behind") {
  SoleFixture f;
  f.Leave("killed");
  SECTION("by this daemon's predecessor is taken at once") {
    Daemon again(f.server, "killed");
    const SteadyTime begun = SystemClock().Steady();
    CHECK(again.Check());
    CHECK(SystemClock().Steady() - begun < 1s);
    CHECK(f.Spec().contains("renewTime"));
  }
  SECTION("by another one is taken after its time") {
    Daemon other(f.server, "other");
    CHECK(other.Check());
    other.sole.Start();
    CHECK(WaitUntil([&] { return f.Holder() == "other"; }));
    CHECK(other.met == 0);
  }
}

TEST_CASE("a start that waits for a sign of life ends when it is asked to") {
  SoleFixture f;
  f.Leave("killed");
  Daemon other(f.server, "other");
  const SteadyTime begun = SystemClock().Steady();
  const Result<void> ended =
      other.sole.Check([&] { return SystemClock().Steady() > begun + 200ms; });
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == ErrorCode::kCancelled);
  CHECK(SystemClock().Steady() - begun < Stretched(1s));
  CHECK(f.Holder() == "killed");
}

TEST_CASE("a daemon whose Lease another one has taken") {
  SoleFixture f;
  Daemon a(f.server, "a");
  REQUIRE(a.Check());
  a.sole.Start();
  f.Edit({{"holderIdentity", "x"}, {"leaseDurationSeconds", 2}});
  SECTION("learns it when that one shows life") {
    CHECK(WaitUntil([&] {
      f.Edit({{"renewTime", FormatRfc3339Micro(SystemClock().Now())}});
      return a.met == 1;
    }));
    CHECK(a.why.Copy().find("x keeps the Lease") != std::string::npos);
  }
  SECTION("takes it back from one that shows none") {
    CHECK(WaitUntil([&] { return f.Holder() == "a"; }));
    CHECK(a.met == 0);
  }
}

TEST_CASE("a manager that does not answer stops no daemon, and is not taken for another fedra") {
  SoleFixture f;
  Daemon a(f.server, "a");
  REQUIRE(a.Check());
  a.sole.Start();
  f.Refuse(503);
  CHECK(WaitUntil([&] { return !a.sole.Problem().empty(); }));
  f.server.SetFaults({});
  CHECK(WaitUntil([&] { return a.sole.Problem().empty(); }));
  const std::string renewed = f.Spec()["renewTime"];
  CHECK(WaitUntil([&] { return f.Spec()["renewTime"] != renewed; }));
  CHECK(a.met == 0);
}

TEST_CASE("a daemon without the right to Leases starts, and says what it cannot see") {
  SoleFixture f;
  f.Refuse(403);
  Daemon a(f.server, "a");
  CHECK(a.Check());
  CHECK_FALSE(a.sole.Problem().empty());
}

TEST_CASE("of two that start at once one refuses") {
  SoleFixture f;
  Daemon a(f.server, "a");
  Daemon b(f.server, "b");
  std::atomic<int> started = 0;
  const auto start = [&](Daemon& daemon) {
    if (!daemon.Check()) return;
    daemon.sole.Start();
    ++started;
  };
  std::thread other([&] { start(b); });
  start(a);
  other.join();
  CHECK(started == 1);
  CHECK(a.met + b.met == 0);
}

TEST_CASE("a daemon without replicas and a leader see each other") {
  SoleFixture f;
  std::atomic<bool> acquired = false;
  Elector elector(SettingsOf(f.server, "replica"),
                  {.ability = [] { return Ability{}; },
                   .on_acquired = [&] { acquired = true; },
                   .on_lost = [](const std::string&) {}},
                  SystemClock());
  Daemon alone(f.server, "alone");
  SECTION("it refuses to start beside a leader") {
    elector.Start();
    REQUIRE(WaitUntil([&] { return acquired.load(); }));
    CHECK_FALSE(alone.Check());
  }
  SECTION("a replica stands by while it runs") {
    REQUIRE(alone.Check());
    alone.sole.Start();
    elector.Start();
    CHECK_FALSE(WaitUntil([&] { return acquired.load(); }, 3s));
    alone.sole.Stop(/*release=*/true);
    CHECK(WaitUntil([&] { return acquired.load(); }));
  }
}

}  // namespace fedra::leader::sole_test
