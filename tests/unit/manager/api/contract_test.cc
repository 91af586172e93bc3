// What the API answers is what docs/openapi.json says: every document of every endpoint, strictly,
// and every field that is described is shown by some document here.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "manager/api/api.h"
#include "manager/api/changes.h"
#include "manager/api/openapi.h"
#include "manager/api/routes.h"
#include "manager/verify/reason_json.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/report/rows.h"
#include "tests/unit/manager/support/check_report.h"
#include "tests/unit/manager/support/contract.h"
#include "tests/unit/manager/support/full_reasons.h"
#include "tests/unit/manager/support/mapped_devices.h"

namespace fedra::api_contract_test {

using nlohmann::ordered_json;
using report::Ago;
using report::kNow;
using std::chrono::hours;
using std::chrono::minutes;

namespace {

// Fields that no document of these tests can show.
const std::map<std::string, std::string> kNeverShown = {
    {"DeviceReport.file", "only commands read snapshots"},
    {"DeviceMap.file", "only commands read snapshots"},
    {"CheckReport.file", "only commands read snapshots"},
    {"TemplateSync.file", "only commands read snapshots"},
    {"LaterFacts.type", "facts that this version does not have"},
    {"StatusReport.omitted", "only over TLS: secure_server_test.cc"},
    {"WorkerReport.omitted", "only over TLS"},
    {"JobReport.omitted", "only over TLS"},
    {"JobCounts.omitted", "only over TLS"},
    {"OneJobReport.omitted", "only over TLS"},
    {"WhyReport.omitted", "only over TLS"},
    {"HistoryReport.omitted", "only over TLS"},
};

constexpr std::string_view kCapacity =
    R"({"queues":{"total":2,"active":1,"stopped":[{"name":"ClusterQueue a","clusterQueue":"a",)"
    R"("why":"Hold"}],"orders":[{"clusterQueue":"a","order":"Strict","valid":true}],)"
    R"("weights":[{"clusterQueue":"a","weight":1.5}]},"devices":{"published":8,"inUse":3},)"
    R"("quota":[{"clusterQueue":"a","flavor":"f","resource":"cpu","nominal":"8",)"
    R"("reserved":"6"}]})";

store::HeartbeatRow Standby() {
  store::HeartbeatRow row = report::Beat(std::chrono::seconds(1));
  row.role = store::kStandbyRole;
  row.identity = "fedra-1";
  row.leader = "fedra-0";
  row.leader_since = Ago(hours(1));
  row.lead_problem = "the Lease is held";
  row.config_differs = "dispatch";
  return row;
}

// The fleet of rows.h with everything that a row may say.
class Fixture {
 public:
  Fixture() : store_(store::Store::Open({.path = folder_.Path("fedra.db")}).value()) {
    clock_.JumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(kNow - clock_.Now()));
    PutFleet();
    PutBlockedJob();
    PutHistory();
    REQUIRE(store_->Flush());
  }

  // The answer is held against its schema.
  void Ask(const std::string& target) {
    INFO(target);
    const api::Route* const asked = api::FindRoute(target.substr(0, target.find('?')));
    const bool is_post = asked != nullptr && api::IsPosted(*asked);
    const httpd::Answer answer =
        api_.Answer({.target = std::string(api::kPrefix) + target,
                     .headers = {{"content-type", "application/json"}},
                     .is_post = is_post,
                     .body = is_post ? api::CheckBody({{"a.yaml", "kind: Job"}}) : ""});
    INFO(answer.body);
    const api::Route* const route = api::FindRoute(target.substr(0, target.find('?')));
    const std::string schema =
        answer.status == 200 ? std::string(api::SchemaOf(*route)) : std::string("Status");
    const auto mistakes = contract_.MistakesIn(schema, ordered_json::parse(answer.body));
    CAPTURE(mistakes);
    CHECK(mistakes.empty());
  }
  void Hold(const std::string& schema, const std::string& document) {
    const auto mistakes = contract_.MistakesIn(schema, ordered_json::parse(document));
    CAPTURE(mistakes);
    CHECK(mistakes.empty());
  }
  // The data of all events that there are.
  void HoldEvents() {
    api::Subscription subscription({.workers = true, .jobs = true}, api::Viewer::OfEverything(),
                                   {});
    subscription.Add({.workers = true, .jobs = {{"ml", "train"}}});
    std::string all = subscription.Next({}, "a.1");
    subscription.Add({.many_jobs = true});
    all += subscription.Next(SteadyTime(minutes(1)), "a.2");
    subscription.RequireResync();
    all += subscription.Next(SteadyTime(minutes(2)), "a.3");
    const std::map<std::string, std::string> schemas = {
        {"watching", "Watching"}, {"changed", "Changed"}, {"resync", "Resync"}};
    std::istringstream lines(all);
    std::string name;
    size_t held = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("event: ")) name = line.substr(7);
      if (!line.starts_with("data: ")) continue;
      Hold(schemas.at(name), line.substr(6));
      ++held;
    }
    CHECK(held == 4);
  }
  std::set<std::string> Unseen() const { return contract_.Unseen(); }

 private:
  void Put(store::Change change) { store_->Enqueue(std::move(change)); }

  void PutFleet() {
    // What a standby knows of jobs is as of a heartbeat that was no standby's.
    Put(store::SetHeartbeat{report::Beat(hours(2))});
    REQUIRE(store_->Flush());
    Put(store::SetHeartbeat{Standby()});
    const report::FleetRows fleet = report::FleetStatus();
    for (store::ClusterRow row : fleet.clusters) {
      row.is_removed = row.name.value == "tpu-lab";
      row.cordon = row.is_removed ? "Cordoned" : "";
      row.note = "see below";
      row.capabilities_json =
          row.is_removed ? "{}"
                         : R"({"jobKinds":["Job"],"jobKindsMissing":["RayJob"],)"
                           R"("kueueVersions":["v1beta2"],"dra":{"versions":)"
                           R"(["v1"],"release":"1.36","features":["DRAAdminAccess"]},)"
                           R"("missingRights":["pods"],"declared":["example.com/nvlink"]})";
      Put(store::PutCluster{std::move(row)});
    }
    store::ClusterRow manager = report::Worker("manager", 0, "1.36.3");
    manager.capacity_json = kCapacity;
    Put(store::PutCluster{std::move(manager)});
    for (store::WorkloadRow row : fleet.workloads) {
      if (row.state == "Finished") row.finished_at = Ago(minutes(30));
      Put(store::PutWorkload{std::move(row)});
    }
    store::WorkloadRow waiting = report::Job("later", "Waiting", "", minutes(1));
    waiting.waits_for = "Quota";
    Put(store::PutWorkload{std::move(waiting)});
  }

  void PutBlockedJob() {
    std::vector<store::VerdictRow> verdicts = report::SweepVerdicts();
    verdicts[0].reasons_json = verify::KeptReasons(testing::FullReasons());
    const verdict::Reason busy{verdict::ReasonCode::kDevicesAllocated, "", verdict::Sentence{"x"}};
    verdicts[1].reasons_json = verify::KeptReasons({busy});
    verdicts[1].pods_fitting = 1;
    verdicts[1].alternatives_json = "[1,0]";
    Put(store::PutVerdicts{"uid-sweep-3", verdicts});
    store::PlaceRow place{.uid = "uid-sweep-3", .cluster = ClusterName("gpu-west"), .place = 2};
    place.is_kept = true;
    place.first = "ml/job-new-1a2b3";
    place.dispatch_order = "Backfill";
    Put(store::PutPlaces{"uid-sweep-3", {place}});
  }

  void PutHistory() {
    const ClusterName east("gpu-east");
    Put(store::PutAttempt{{.uid = "uid-done",
                           .number = 1,
                           .cluster = east,
                           .started_at = Ago(hours(29)),
                           .ended_at = Ago(hours(28)),
                           .outcome = "Finished",
                           .message = ""}});
    Put(store::AddEvent{{.uid = "uid-done",
                         .key = {"ml", "job-done-1a2b3"},
                         .at = Ago(hours(29)),
                         .reason = "Dispatched",
                         .cluster = east,
                         .message = "to gpu-east"}});
    Put(store::PutWorkload{report::Job("gone", "Running", "gpu-east", hours(5))});
    Put(store::RemoveWorkload{"uid-gone", Ago(hours(1))});
  }

  templates::TemplateSurvey Survey(std::optional<templates::SyncPolicy> mode) const {
    return {.mode = mode.value_or(templates::SyncPolicy::kNever),
            .problem = "",
            .steps = {{ClusterName("east"), {"ml", "one"}, {templates::Step::kCreate, "because"}}},
            .left_alone = {{ClusterName("west"), {"ml", "two"}, "spec.devices"}},
            .unread = {{ClusterName("lab"), "not reached"}}};
  }

  const TempFolder folder_;
  const std::unique_ptr<store::Store> store_;
  HandClock clock_;
  const api::Api api_{{.store = [this] { return store_->Read(); },
                       .devices =
                           [] {
                             return std::vector<report::DeviceSource>{
                                 testing::MappedDevices(), {"west", "not reached", nullptr}};
                           },
                       .templates = [this](auto mode) { return Survey(mode); },
                       .check = {.read = [](const auto&) -> Result<api::ReadCheck> {
                         return api::ReadCheck{{}, [](const auto&, const auto&) {
                                                 return text::Output{
                                                     testing::FullCheckReport().dump(), {}};
                                               }};
                       }},
                       .replica = [] { return Standby(); },
                       .clock = &clock_}};
  testing::Contract contract_;
};

// Every endpoint, with parameters that make a difference to the document, and mistakes.
const std::vector<std::string> kQuestions = {
    "status",
    "status?all",
    "status?state=Blocked,Running&sort-by=name",
    "status?namespace=other",
    "status?limit=1",
    "status?limit=x",
    "status?unknown=1",
    "reasons",
    "reasons?job=x",
    "workers",
    "workers?limit=1",
    "jobs",
    "jobs?all&limit=2",
    "jobs?reason=TemplateMissing",
    "jobs?worker=gpu-east",
    "jobs?worker=nowhere",
    "jobs?queue=gpu",
    "jobs?name=ml/sweep",
    "jobs?name=a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a",
    "counts?group-by=state&name=sweep",
    "jobs?state=Deleted",
    "jobs?state=Deleted,Finished&sort-by=ended&limit=1",
    "counts?group-by=state&state=Deleted",
    "jobs?selector=a=b",
    "jobs?selector=,,",
    "jobs?sort-by=line",
    "jobs?continue=abc",
    "counts?group-by=state",
    "counts?group-by=reason",
    "counts?group-by=worker",
    "counts?group-by=queue",
    "counts?group-by=namespace&all",
    "counts",
    "counts?group-by=colour",
    "job?job=ml/sweep-3",
    "job?job=ml/done",
    "job?job=sweep-3&namespace=ml",
    "job?job=ml/later",
    "job?job=ml/gone",
    "job?job=ml/none",
    "job",
    "why?job=ml/sweep-3",
    "why?job=ml/later",
    "why?job=ml/gone",
    "why?job=ml/done",
    "why?job=a//b",
    "history?job=ml/done",
    "history?job=ml/gone",
    "history?job=ml/later",
    "history?job=ml/none",
    "devices",
    "devices?worker=east",
    "devices?class=gpu",
    "devices?class=none",
    "devices?selector=device.driver==\"x\"",
    "devices?selector=device.",
    "devices?worker=north",
    "devices?output=name",
    "device-map?worker=east",
    "device-map?worker=east&node=node-a",
    "device-map?worker=east&limit=1",
    "device-map?worker=east&node=none",
    "device-map?worker=east&continue=x",
    "device-map?worker=west",
    "device-map?worker=north",
    "device-map",
    "templates",
    "templates?mode=Reconcile",
    "templates?mode=Always",
    "check",
    "check?namespace=ml&worker=east",
    "check?output=name",
    "watch",
    "watch?topics=jobs&namespace=ml",
    "watch?topics=colours",
    "watch?output=yaml",
};

}  // namespace

TEST_CASE_METHOD(Fixture,
                 "contract: answers are what openapi.json says, and all of that is shown") {
  for (const std::string& question : kQuestions) Ask(question);
  Hold("CheckRequest", api::CheckBody({{"a.yaml", "kind: Job"}}));
  HoldEvents();
  std::set<std::string> unseen = Unseen();
  for (const auto& [field, reason] : kNeverShown) {
    INFO(field << " is listed as never shown: " << reason);
    CHECK(unseen.erase(field) == 1);
  }
  CAPTURE(unseen);  // fields that openapi.json describes and no document has
  CHECK(unseen.empty());
}

TEST_CASE("contract: every endpoint is asked") {
  for (const api::Route& route : api::Routes()) {
    INFO(route.path);
    CHECK(std::ranges::any_of(kQuestions, [&](const std::string& question) {
      return question.substr(0, question.find('?')) == route.path;
    }));
  }
}

TEST_CASE("contract: what is no such document is found") {
  testing::Contract contract;
  const auto mistakes = [&](const ordered_json& document) {
    std::string all;
    for (const std::string& mistake : contract.MistakesIn("TemplateSync", document))
      all += mistake + "\n";
    return all;
  };
  ordered_json good = {{"apiVersion", "fedra.dev/v1alpha1"},
                       {"kind", "TemplateSync"},
                       {"asOf", "2026-11-21T16:11:19Z"},
                       {"source", "Clusters"},
                       {"mode", "Never"},
                       {"items", ordered_json::array()},
                       {"leftAlone", ordered_json::array()},
                       {"unreadWorkers", ordered_json::array()}};
  CHECK(mistakes(good).empty());
  const auto with = [&](const std::string& name, const ordered_json& value) {
    ordered_json bad = good;
    bad[name] = value;
    return mistakes(bad);
  };
  CHECK(with("surprise", 1) == "surprise: no such field\n");
  CHECK(with("asOf", "yesterday") == "asOf: \"yesterday\" is no time\n");
  CHECK(with("asOf", 1) == "asOf: is no string\n");
  CHECK(with("kind", "WhyReport") == "kind: is \"WhyReport\"\n");
  CHECK(with("mode", "Sometimes") == "mode: \"Sometimes\" is no word that is known\n");
  CHECK(with("unreadWorkers", {{{"worker", "a"}}}) == "unreadWorkers[0]: problem is missing\n");
  good.erase("items");
  CHECK(mistakes(good) == "the document: items is missing\n");
}

TEST_CASE("contract: the file itself is served, and takes no parameters") {
  const api::Api api{{.store = nullptr}};
  const auto get = [&](const std::string& target, const std::string& accept) {
    return api.Answer({std::string(api::kPrefix) + target, {{"accept", accept}}});
  };
  const httpd::Answer answer = get("openapi.json", "");
  CHECK(answer.status == 200);
  CHECK(answer.content_type == "application/json");
  CHECK(answer.body == api::OpenApi().front().text);
  const ordered_json document = ordered_json::parse(answer.body);
  CHECK(document.at("paths").size() == api::Routes().size() + 1);
  CHECK(get("openapi.json", "text/html").status == 406);
  CHECK(get("openapi.json?output=yaml", "").status == 400);
}

}  // namespace fedra::api_contract_test
