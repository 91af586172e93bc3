// What a federation that takes over gets to know of the one that led: its writes, refusals and
// outages.

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cluster-clients/kube/resource_name.h"
#include "manager/reconcile/shared_outages.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/replica_fixture.h"

namespace fedra::reconcile::takeover_test {

using namespace std::chrono_literals;
using nlohmann::json;

namespace {

using Counts = std::map<std::string, size_t>;

// By resource, since then; without those that were not listed.
Counts ListedSince(const sim::Server& server, const Counts& before) {
  Counts listed;
  for (const auto& [request, count] : server.RequestCounts()) {
    const auto found = before.find(request);
    const size_t fresh = count - (found == before.end() ? 0 : found->second);
    if (request.starts_with("list ") && fresh > 0) listed[request.substr(5)] = fresh;
  }
  return listed;
}

// Whose health has changed, be it for a moment.
std::set<std::string> Shaken(const std::vector<verify::NamedHealth>& before,
                             const std::vector<verify::NamedHealth>& now) {
  REQUIRE(before.size() == now.size());
  std::set<std::string> names;
  for (size_t i = 0; i < now.size(); ++i) {
    if (before[i].health.since != now[i].health.since) names.insert(now[i].what);
  }
  return names;
}

}  // namespace

TEST_CASE("a take-over lists a worker's Workloads and jobs, once each, and watches the rest on") {
  ReplicaFixture f;
  f.settings.workers.front().verified.devices.emplace();
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  const auto worker = federation->workers()->Find(ClusterName("east"));
  REQUIRE(federation.TicksUntil([&] { return worker->contact() == placement::Contact::kFull; }));
  REQUIRE(worker->HasAnswered());
  const Counts on_manager = f.manager.RequestCounts();
  const Counts on_worker = f.worker.RequestCounts();
  for (const char* resource : {"resourceslices", "nodes", "pods", "resourceclaims"})
    CHECK(on_worker.contains(std::string("list ") + resource));
  const auto healths = worker->objects().Healths();

  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  REQUIRE(federation.TicksUntil([&] { return worker->contact() == placement::Contact::kFull; }));
  Counts copies{{"workloads", 1}};
  std::set<std::string> names{"workloads.kueue.x-k8s.io"};
  for (const tracking::JobAdapter* kind : federation->manager().jobs().KindsInUse()) {
    ++copies[kind->resource().plural];
    names.insert(kube::ResourceName(kind->resource()));
  }
  CHECK(ListedSince(f.worker, on_worker) == copies);
  CHECK(Shaken(healths, worker->objects().Healths()) == names);
  const Counts listed = ListedSince(f.manager, on_manager);
  for (const char* resource : {"workloads", "jobs", "admissionchecks", "placementrecords"})
    CHECK(listed.contains(resource));
  CHECK_FALSE(listed.contains("resourceclaimtemplates"));
  CHECK(federation->Stop());
}

TEST_CASE("what the leader before wrote last is known before the first decision, seen or not") {
  ReplicaFixture f;
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  const auto worker = federation->workers()->Find(ClusterName("east"));
  REQUIRE(federation.TicksUntil([&] { return worker->contact() == placement::Contact::kFull; }));
  sim::Faults late;  // for longer than any take-over
  late.lose_events = true;
  f.worker.SetFaults(late);
  json clone = *f.manager.objects().Get("workloads", {"ml", "a"});
  clone["metadata"] = {{"namespace", "ml"}, {"name", "late"}};
  REQUIRE(f.worker.objects().Create(clone));
  REQUIRE(f.worker.objects().Create(sim::MakeJob("late")));
  const ObjectKey key{"ml", "late"};
  const tracking::JobAdapter& jobs = *worker->objects().kinds().all().front();
  const auto sees = [&] {
    return std::pair(worker->objects().clones().Find(key) != nullptr,
                     worker->objects().jobs(jobs).Find(key) != nullptr);
  };
  CHECK(sees() == std::pair(false, false));
  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  CHECK(sees() == std::pair(true, true));
  CHECK(federation->Stop());
}

TEST_CASE("a standby without PlacementRecords takes over all the same, and says what follows") {
  ReplicaFixture f;
  sim::Faults faults;
  SECTION("they are not served") { faults.not_served.insert("fedra.dev/v1alpha1"); }
  SECTION("they may not be read") {
    faults.answers.push_back({.method = "GET", .path_contains = "/placementrecords", .code = 403});
  }
  f.manager.SetFaults(faults);
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  federation.leads = true;
  CHECK(federation.IsWorkingSoon());
  const std::vector<Gap> gaps = federation->manager().lists().Gaps();
  REQUIRE(gaps.size() == 1);
  CHECK(gaps.front().resource == "placementrecords.fedra.dev");
  CHECK_THAT(gaps.front().why, ContainsSubstring("asks workers again"));
  CHECK(federation->Stop());
}

namespace {

// The worker refuses every copy, and a leader has met that.
void LeadUntilRefused(ReplicaFixture& f) {
  sim::Faults faults;
  faults.answers.push_back({.method = "POST", .path_contains = "/workloads", .code = 403});
  f.worker.SetFaults(faults);
  Candidate federation(f);
  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  REQUIRE(federation.TicksUntil(
      [&] { return f.manager.objects().List("placementrecords").size() == kNames.size(); }));
  federation->Stop();
  f.worker.SetFaults({});
}

// As if it had refused so often that it is left alone for minutes: longer than any test takes.
void MakePausesLong(sim::Server& manager) {
  for (const json& record : manager.objects().List("placementrecords")) {
    json failures = record["status"]["failures"];
    failures[0]["times"] = 20;
    const json patch = {{"status", {{"failures", failures}}}};
    REQUIRE(manager.objects().Patch("placementrecords",
                                    {"ml", record["metadata"]["name"].get<std::string>()}, patch));
  }
}

}  // namespace

TEST_CASE("a worker that has refused jobs is left alone by the leader that takes over, too") {
  ReplicaFixture f;
  LeadUntilRefused(f);
  MakePausesLong(f.manager);
  const bool reads_records = GENERATE(true, false);
  CAPTURE(reads_records);
  if (!reads_records) {
    sim::Faults faults;
    faults.not_served.insert("fedra.dev/v1alpha1");
    f.manager.SetFaults(faults);
  }
  f.store = store::Store::Open({.path = f.folder.Path("another.db")}).value();
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  if (reads_records) {
    REQUIRE(federation.TicksUntil([&] { return AreAllBlocked(*federation); }));
    CHECK(CountOf(f.worker, "create workloads") == 0);
  } else {
    CHECK(federation.TicksUntil([&] { return CountOf(f.worker, "create workloads") > 0; }));
  }
  CHECK(federation->Stop());
}

namespace {

const ObjectKey kOutages{"ml", "fedra-outages"};

// The standby has lost contact with the worker `ago`, for all that it remembers.
void LoseWorker(ReplicaFixture& f, std::chrono::milliseconds ago) {
  sim::Faults away;
  away.refuse = true;
  f.worker.SetFaults(away);
  store::ClusterRow row;
  row.name = ClusterName("east");
  row.lost_since = SystemClock().Now() - ago;
  REQUIRE(f.store->Commit({store::PutCluster{row}}));
  f.settings.outages = kOutages;
}

json OutageMapOf(const std::string& worker, WallTime since) {
  return json::parse(OutageMapBody(kOutages, {{ClusterName(worker), since}}));
}

}  // namespace

TEST_CASE("an outage goes on for the leader that takes over, unless the one before had contact") {
  struct Case {
    const char* what;
    const char* worker;               // that the leader before had lost
    std::chrono::minutes lost_for;    // then
    std::chrono::minutes counts_for;  // now; the standby has lost it for eight
  };
  const auto each = GENERATE(values<Case>({{"of longer", "east", 10min, 8min},
                                           {"of shorter", "east", 5min, 5min},
                                           {"of another worker", "west", 10min, 0min}}));
  CAPTURE(each.what);
  ReplicaFixture f;
  LoseWorker(f, 8min);
  const WallTime now = SystemClock().Now();
  REQUIRE(f.manager.objects().Create(OutageMapOf(each.worker, now - each.lost_for)));
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  const auto worker = federation->workers()->Find(ClusterName("east"));
  const auto lost_since = worker->Status().lost_since;
  REQUIRE(lost_since);
  // All of this has taken less than a minute.
  CHECK(*lost_since > now - each.counts_for - 1min);
  CHECK(*lost_since < now - each.counts_for + 1min);
  CHECK(federation->Stop());
}

TEST_CASE("a leader notes an outage for the next one, and its end, with one write each") {
  ReplicaFixture f;
  f.settings.outages = kOutages;
  f.settings.policy.worker_lost_timeout = 400ms;
  Candidate federation(f);
  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  for (int i = 0; i < 10; ++i) federation->Tick();
  CHECK(CountOf(f.manager, "create configmaps") == 0);
  const auto noted = [&] {
    const auto map = f.manager.objects().Get("configmaps", kOutages);
    return map && !map->value("data", json::object()).empty();
  };
  sim::Faults away;
  away.refuse = true;
  f.worker.SetFaults(away);
  CHECK(federation.TicksUntil(noted));
  f.worker.SetFaults({});
  CHECK(federation.TicksUntil([&] { return !noted(); }));
  CHECK(CountOf(f.manager, "create configmaps") == 1);
  CHECK(CountOf(f.manager, "patch configmaps") == 1);
  CHECK(federation->Stop());
}

namespace {

// By Workload: "number started", of each attempt.
std::map<std::string, std::vector<std::string>> AttemptsIn(ReplicaFixture& f) {
  std::map<std::string, std::vector<std::string>> all;
  const auto reader = f.store->Read().value();
  for (const json& workload : f.manager.objects().List("workloads")) {
    const auto rows = reader->Attempts(workload["metadata"]["uid"]).value();
    for (const store::AttemptRow& row : rows)
      all[workload["metadata"]["name"]].push_back(
          fmt::format("{} {}", row.number, row.started_at.time_since_epoch().count()));
  }
  return all;
}

}  // namespace

// Without PlacementRecords nothing else says how many there were.
TEST_CASE("a process that takes over keeps the attempts of its history, and counts on") {
  ReplicaFixture f;
  LeadUntilRefused(f);
  const auto before = AttemptsIn(f);
  REQUIRE(before.size() == kNames.size());
  sim::Faults faults;
  faults.not_served.insert("fedra.dev/v1alpha1");
  f.manager.SetFaults(faults);
  Candidate federation(f);
  REQUIRE(federation.IsStandbySoon());
  federation.leads = true;
  REQUIRE(federation.IsWorkingSoon());
  const auto has_more = [&] {
    const auto now = AttemptsIn(f);
    return std::ranges::all_of(before, [&](const auto& each) {
      const auto found = now.find(each.first);
      return found != now.end() && found->second.size() > each.second.size();
    });
  };
  REQUIRE(federation.TicksUntil(has_more));
  CHECK(federation->Stop());
  for (const auto& [name, attempts] : AttemptsIn(f)) {
    INFO(name);
    const std::vector<std::string>& kept = before.at(name);
    CHECK(std::vector(attempts.begin(), attempts.begin() + static_cast<ptrdiff_t>(kept.size())) ==
          kept);
  }
}

}  // namespace fedra::reconcile::takeover_test
