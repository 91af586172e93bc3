// The secure API without sockets: which user gets what of which endpoint, and that nothing of a
// namespace that they may not see is in any answer.

#include "manager/api/secure_server.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/api/rights.h"
#include "manager/api/routes.h"
#include "manager/api/withhold.h"
#include "manager/dashboard/assets.h"
#include "manager/placement/note_reasons.h"
#include "manager/text/verdict_view.h"
#include "manager/verify/capacity.h"
#include "manager/verify/reason_json.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/access/fake_reviews.h"
#include "tests/unit/manager/report/rows.h"
#include "tests/unit/manager/support/check_report.h"
#include "tests/unit/manager/support/contract.h"

namespace fedra::secure_server_test {

using nlohmann::ordered_json;
using report::kNow;
using namespace std::chrono_literals;
using Catch::Matchers::EndsWith;

namespace {

constexpr const char* kListMl = "list workloads.kueue.x-k8s.io in the namespace ml";
constexpr const char* kGetMl = "get workloads.kueue.x-k8s.io in the namespace ml";
constexpr const char* kLogsMl = "get pods/log in the namespace ml";
constexpr const char* kListAll = "list workloads.kueue.x-k8s.io everywhere";
constexpr const char* kGetAll = "get workloads.kueue.x-k8s.io everywhere";
constexpr const char* kFleet = "get the path /fedra/fleet";

// Everything about ml/sweep-3 that could show a job of namespace zebra.
std::vector<store::VerdictRow> TellingVerdicts() {
  using verdict::ReasonCode;
  verdict::DeviceCounts counts{
      .requested = {.request = "gpu", .claim = "claim gpu", .device_class = "gpu", .count = 1},
      .devices = 2,
      .parts = {{.rule = verdict::Rule::kAllocated,
                 .devices = 2,
                 .holders = {{true, {"zebra", "stripes"}}, {true, {"ml", "train-7b"}}},
                 .all_holders = 2}}};
  const std::vector<verdict::Reason> reasons = {
      {ReasonCode::kDevicesAllocated, "", counts},
      {ReasonCode::kDevicesAllocated, "",
       verdict::AlternativeCounts{
           .request = "gpu",
           .claim = "claim gpu",
           .alternatives = {{.code = ReasonCode::kDevicesAllocated, .counts = counts}},
           .all = 1}},
      {ReasonCode::kInLine, "",
       verdict::InLine{.ahead = 2, .first = ObjectKey{"zebra", "stripes"}, .priority = 7}},
      {ReasonCode::kDevicesAllocated, "",
       verdict::Reserved{.spare = 0, .reserved = 1, .job = {"zebra", "stripes"}}},
      {ReasonCode::kClusterUnreachable, "",
       verdict::Connection{.error = "GET /apis/batch/v1/namespaces/zebra/jobs/stripes: cut"}},
      {ReasonCode::kTemplateMissing, "", verdict::Sentence{"the template of zebra is missing"}}};
  std::vector<store::VerdictRow> rows = report::SweepVerdicts();
  for (store::VerdictRow& row : rows) {
    row.reasons_json = verify::KeptReasons(reasons);
    row.pods_fitting = 1;
    row.pods_wanted = 2;
    row.headroom = 3;
    row.alternatives_json = "[0]";
  }
  return rows;
}

struct Fixture {
  explicit Fixture(access::GateLimits limits = {})
      : store(store::Store::Open({.path = folder.Path("fedra.db")}).value()) {
    Fill();
    clock.JumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(kNow - clock.Now()));
    known.With([](access::Known& all) {
      const auto add = [&](const std::string& name, const std::vector<std::string>& rights) {
        all.users[name + "-token"] = {.name = name, .uid = {}, .groups = {}, .extra = {}};
        for (const std::string& right : rights) all.allowed.emplace(name, right);
      };
      add("nothing", {});
      add("ml", {kListMl, kGetMl});
      add("ml-fleet", {kListMl, kGetMl, kFleet});
      add("ml-watch", {kListMl, "watch workloads.kueue.x-k8s.io in the namespace ml"});
      add("everywhere", {kListAll, kGetAll});
      add("fleet", {kFleet});
      add("scraper", {"get the path /metrics"});
      add("admin", {"*"});
    });
    auto started = api::SecureServer::Start(
        {.address = "127.0.0.1:0",
         .hosts = {"fedra.fedra-system.svc"},
         .certificate = api::SelfSigned({}, clock),
         .metrics = [] { return std::string("fedra_workloads 1\n"); },
         .page =
             [](const httpd::Request& request) {
               return httpd::Answer{.body = "the page " + request.target};
             }},
        {.store = [this] { return store->Read(); },
         .devices = [] { return std::vector<report::DeviceSource>{{"gpu-east", "away", nullptr}}; },
         .templates = [](auto) { return Survey(); },
         .check = {.read = [this](const api::CheckRequest& asked) { return Read(asked); },
                   .stop = [this] { is_told_to_end = true; }},
         .replica = [this] { return replica; },
         .clock = &clock,
         .feed = &feed},
        std::make_unique<access::FakeReviews>(known), limits);
    REQUIRE(started);
    server = *std::move(started);
  }

  // A copy that is made when a job of zebra is dispatched.
  static templates::TemplateSurvey Survey() {
    const ObjectKey awaits{"zebra", "job-stripes"};
    return {.mode = templates::SyncPolicy::kIfMissing,
            .steps = {{ClusterName("gpu-east"),
                       {"shared", "one-gpu"},
                       {templates::Step::kCreate, templates::WhenDispatched(awaits)},
                       awaits}}};
  }

  // The files' names stand for the namespaces that they are about.
  Result<api::ReadCheck> Read(const api::CheckRequest& asked) {
    ++bodies_read;
    std::set<std::string> all;
    for (const report::ManifestFile& file : asked.files) all.insert(file.name);
    if (all.contains("broken")) return Fail(ErrorCode::kInvalidArgument, "it is no YAML");
    all.erase("classes");
    return api::ReadCheck{std::move(all), [this](const auto& form, const auto& viewer) {
                            checked_as_of = form.as_of;
                            return Judge(viewer);
                          }};
  }
  Result<text::Output> Judge(const api::Viewer& viewer) {
    checked_for = viewer;
    if (!takes_long) return text::Output{"{}\n", {}};
    is_checking = true;
    (void)WaitUntil([&] { return is_told_to_end.load(); });
    return Fail(ErrorCode::kUnavailable, "the daemon ends");
  }

  void Fill() {
    report::FleetRows fleet = report::FleetStatus();
    fleet.clusters[0].capabilities_json =
        R"({"jobKinds":["Job"],"missingRights":["nodes"],"declared":["example.com/nvlink"]})";
    fleet.clusters[1].note = "LocalQueue zebra/gpu is stopped";
    fleet.clusters[1].capacity_json = verify::ToJsonText(verify::QueuesOf(
        3, {{"LocalQueue ml/cpu", "shared", "is held"}, {"LocalQueue zebra/gpu", "shared", ""}}));
    // It has led before.
    store->Enqueue(store::SetHeartbeat{*fleet.daemon.heartbeat});
    REQUIRE(store->Flush());
    fleet.daemon.heartbeat->role = store::kStandbyRole;
    fleet.daemon.heartbeat->lead_problem = "the lists of 10.0.0.7 do not come";
    fleet.daemon.heartbeat->config_differs = "workers";
    replica = fleet.daemon.heartbeat;
    store->Enqueue(store::SetHeartbeat{*fleet.daemon.heartbeat});
    for (const auto& row : fleet.clusters) store->Enqueue(store::PutCluster{row});
    fleet.workloads[3].note = "behind zebra/stripes";
    fleet.workloads[3].reasons = report::CodesIn(TellingVerdicts(), "uid-sweep-3");
    for (const auto& row : fleet.workloads) store->Enqueue(store::PutWorkload{row});
    store::WorkloadRow stripes = report::Job("stripes", "Blocked", "gpu-east", 5min);
    stripes.job.ns = stripes.key.ns = "zebra";
    stripes.reasons = fleet.workloads[3].reasons;
    store->Enqueue(store::PutWorkload{stripes});
    // Deleted: one of each namespace.
    store::WorkloadRow mane = report::Job("mane", "Finished", "gpu-east", 5min);
    mane.job.ns = mane.key.ns = "zebra";
    store::WorkloadRow past = report::Job("past", "Finished", "gpu-east", 5min);
    past.note = "behind zebra/stripes";
    mane.removed_at = past.removed_at = kNow - 1min;
    for (const auto& row : {mane, past}) store->Enqueue(store::PutWorkload{row});
    store->Enqueue(store::PutVerdicts{"uid-sweep-3", TellingVerdicts()});
    store->Enqueue(store::PutVerdicts{stripes.uid, TellingVerdicts()});
    const auto event = [&](const store::WorkloadRow& row, std::string reason, std::string message) {
      store->Enqueue(store::AddEvent{{.uid = row.uid,
                                      .key = row.key,
                                      .at = kNow,
                                      .reason = std::move(reason),
                                      .cluster = ClusterName("gpu-east"),
                                      .message = std::move(message)}});
    };
    event(fleet.workloads[3], "PlacementRejected", "job zebra/stripes holds them");
    event(fleet.workloads[3], std::string(placement::notes::kPodLog.name), "secret of the pod");
    REQUIRE(store->Flush());
  }

  httpd::Answer Get(const std::string& user, const std::string& path,
                    std::map<std::string, std::string, std::less<>> headers = {}) const {
    if (!user.empty()) headers["authorization"] = "Bearer " + user + "-token";
    return server->Answer({std::string(api::kPrefix) + path, std::move(headers), "from 10.0.0.1"});
  }
  // Manifests of these namespaces.
  httpd::Answer Check(const std::string& user, const std::vector<std::string>& namespaces,
                      const std::string& parameters = "") const {
    std::vector<report::ManifestFile> files;
    for (const std::string& ns : namespaces) files.push_back({ns, "kind: Job"});
    return server->Answer({.target = std::string(api::kPrefix) + "check" + parameters,
                           .headers = {{"authorization", "Bearer " + user + "-token"},
                                       {"content-type", "application/json"}},
                           .peer = "from 10.0.0.1",
                           .is_post = true,
                           .body = api::CheckBody(files)});
  }
  int Status(const std::string& user, const std::string& path) const {
    return Get(user, path).status;
  }
  ordered_json Document(const std::string& user, const std::string& path) const {
    const httpd::Answer answer = Get(user, path);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    (void)testing::HeldDocument(answer.body);
    return ordered_json::parse(answer.body);
  }

  const TempFolder folder;
  const std::unique_ptr<store::Store> store;
  HandClock clock;
  api::ChangeFeed feed;
  std::optional<store::HeartbeatRow> replica;
  Guarded<access::Known> known;
  api::Viewer checked_for;  // the last check
  report::AsOf checked_as_of;
  int bodies_read = 0;
  std::atomic<bool> takes_long{false};  // a check does, until it is told to end
  std::atomic<bool> is_checking{false};
  std::atomic<bool> is_told_to_end{false};
  std::unique_ptr<api::SecureServer> server;
};

// With the parameters that it needs.
std::string TargetOf(const api::Route& route, const std::string& job) {
  std::string target = std::string(route.path) + "?";
  if (api::FindParameter(route, "job") != nullptr) target += "job=" + job;
  if (api::FindParameter(route, "group-by") != nullptr) target += "group-by=namespace";
  if (route.topic == api::Topic::kDeviceMap) target += "worker=gpu-east";
  return target;
}

std::string Everything(const httpd::Answer& answer) {
  std::string text = answer.body;
  for (const auto& [name, value] : answer.headers) text += "\n" + name + ": " + value;
  return text;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "each endpoint is for those who have its right") {
  struct Row {
    std::string user;
    // status, workers, jobs, counts, job, why, history, devices, device-map (of a worker that is
    // away), templates, reasons, watch
    std::vector<int> expected;
  };
  const Row rows[] = {
      {"", {401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401}},
      {"wrong", {401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 401}},
      {"nothing", {403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 200, 403}},
      {"ml", {200, 403, 200, 200, 200, 200, 200, 403, 403, 403, 200, 403}},
      {"ml-fleet", {200, 200, 200, 200, 200, 200, 200, 200, 403, 403, 200, 403}},
      {"ml-watch", {200, 403, 200, 200, 403, 403, 403, 403, 403, 403, 200, 200}},
      {"everywhere", {200, 403, 200, 200, 200, 200, 200, 403, 403, 403, 200, 403}},
      {"fleet", {200, 200, 403, 403, 403, 403, 403, 200, 403, 403, 200, 403}},
      {"admin", {200, 200, 200, 200, 200, 200, 200, 200, 503, 200, 200, 200}},
  };
  REQUIRE(api::Routes().size() == 13);  // check has its own test
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.expected.size(); ++i) {
      const std::string target = TargetOf(api::Routes()[i], "ml/sweep-3");
      INFO(row.user << ": " << target);
      const httpd::Answer answer = Get(row.user, target);
      CHECK(answer.status == row.expected[i]);
      if (answer.status == 200) continue;
      const ordered_json status = ordered_json::parse(answer.body);
      CHECK(status.at("kind") == "Status");
      CHECK(status.at("code") == answer.status);
      CHECK_FALSE(status.at("reason").get<std::string>().empty());
    }
  }
}

TEST_CASE_METHOD(Fixture, "no answer names what is in a namespace that its reader may not see") {
  for (const std::string user : {"", "wrong", "nothing", "ml", "ml-fleet", "fleet"}) {
    for (const api::Route& route : api::Routes()) {
      for (const std::string job : {"ml/sweep-3", "sweep-3", "stripes", "zebr", "nowhere"}) {
        for (const std::string output : {"json", "yaml", "table", "wide", "name"}) {
          for (const char* const filter : {"", "&state=Deleted"}) {
            if (*filter != '\0' && api::FindParameter(route, "state") == nullptr) continue;
            const std::string target = TargetOf(route, job) + "&output=" + output + filter;
            INFO(user << ": " << target);
            const std::string text = Everything(Get(user, target));
            CHECK_THAT(text, !ContainsSubstring("zebra"));
            CHECK_THAT(text, !ContainsSubstring("stripes"));
            CHECK_THAT(text, !ContainsSubstring("mane"));
            CHECK_THAT(text, !ContainsSubstring("secret of the pod"));
          }
        }
      }
    }
  }
  // They are there for those who may.
  CHECK_THAT(Get("admin", "why?job=ml/sweep-3").body, ContainsSubstring("zebra"));
  CHECK_THAT(Get("admin", "history?job=ml/sweep-3").body, ContainsSubstring("secret of the pod"));
  CHECK_THAT(Get("everywhere", "jobs").body, ContainsSubstring("zebra"));
  CHECK_THAT(Get("everywhere", "jobs?state=Deleted").body, ContainsSubstring("mane"));
}

TEST_CASE_METHOD(Fixture, "a worker has no number of jobs for a reader who sees none of them") {
  const auto east = [&](const std::string& user, const std::string& path) {
    return Document(user, path)["workers"][0];
  };
  CHECK_FALSE(east("fleet", "workers").contains("jobs"));
  CHECK_FALSE(east("ml-fleet", "workers").contains("jobs"));
  CHECK(east("ml-fleet", "status")["jobs"] == 1);
  CHECK(east("admin", "workers")["jobs"] == 2);
}

TEST_CASE_METHOD(Fixture,
                 "what a worker has room for, and why a replica does not lead, is the fleet's") {
  const auto verdicts = [&](const std::string& user) {
    return Document(user, "why?job=ml/sweep-3")["jobs"][0]["workers"].dump();
  };
  for (const char* const field : {"headroom", "podsFitting", "podsWanted", "alternatives"}) {
    INFO(field);
    CHECK_THAT(verdicts("ml-fleet"), ContainsSubstring(field));
    CHECK_THAT(verdicts("ml"), !ContainsSubstring(field));
  }
  CHECK(Check("ml-fleet", {"ml"}).status == 200);
  CHECK(checked_as_of.replica.value().lead_problem == replica->lead_problem);
  CHECK(Check("ml", {"ml"}).status == 200);
  CHECK(checked_as_of.replica.value().identity == replica->identity);
  CHECK(checked_as_of.replica.value().lead_problem.empty());
  CHECK(checked_as_of.replica.value().config_differs.empty());
}

TEST_CASE_METHOD(Fixture,
                 "of stopped queues those are named that the reader may see, and all are counted") {
  const auto queues = [&](const std::string& user) {
    return Document(user, "status")["workers"][1]["queues"];
  };
  CHECK(queues("admin")["stopped"].size() == 2);
  CHECK(queues("ml-fleet")["active"] == queues("admin")["active"]);
  REQUIRE(queues("ml-fleet")["stopped"].size() == 1);
  CHECK(queues("ml-fleet")["stopped"][0]["name"] == "LocalQueue ml/cpu");
}

TEST_CASE("a step that awaits a workload names it to those who see its namespace") {
  templates::TemplateSurvey survey = Fixture::Survey();
  const std::string named = survey.steps[0].plan.why;
  api::Withhold({.fleet = true, .namespaces = {"zebra"}}, survey);
  CHECK(survey.steps[0].plan.why == named);
  api::Withhold({.fleet = true, .namespaces = {"ml"}}, survey);
  CHECK(survey.steps[0].plan.why == "when a Workload is dispatched there");
}

TEST_CASE_METHOD(Fixture, "check takes the right to see each namespace of the manifests") {
  struct Row {
    std::string user;
    std::vector<std::string> namespaces;
    int expected;
  };
  const Row rows[] = {
      {"wrong", {"ml"}, 401},
      {"nothing", {"ml"}, 403},
      {"ml", {"ml"}, 200},
      {"ml", {"ml", "zebra"}, 403},
      {"ml", {"zebra"}, 403},
      {"ml", {"classes"}, 403},
      {"ml", {"broken"}, 400},
      {"fleet", {"ml"}, 403},
      {"everywhere", {"zebra"}, 200},
      {"everywhere", {"classes"}, 200},
      {"admin", {"ml", "zebra"}, 200},
  };
  for (const Row& row : rows) {
    INFO(row.user << ": " << row.namespaces.front());
    const httpd::Answer answer = Check(row.user, row.namespaces);
    CHECK(answer.status == row.expected);
    if (row.user != "admin" && row.user != "everywhere" && row.namespaces.size() == 1)
      CHECK_THAT(answer.body, !ContainsSubstring("stripes"));
  }
  CHECK(Check("ml-fleet", {"ml"}).status == 200);
  CHECK(checked_for.fleet);
  CHECK_FALSE(checked_for.everywhere);
  CHECK(checked_for.namespaces == std::set<std::string>{"ml"});
  CHECK(Check("ml", {"ml"}).status == 200);
  CHECK_FALSE(checked_for.fleet);
  // The method is refused before the token's rights are asked about, as everywhere.
  CHECK(Status("ml", "check") == 405);
}

TEST_CASE_METHOD(Fixture,
                 "check: what needs no manifest is asked before one is read, and that once") {
  for (const std::string user : {"nothing", "fleet", "scraper"}) {
    INFO(user);
    CHECK(Check(user, {"broken"}, "?namespace=ml").status == 403);
    CHECK(Check(user, {"ml"}, "?namespace=ml").status == 403);
  }
  CHECK(Check("ml", {"ml"}, "?namespace=zebra").status == 403);
  CHECK(bodies_read == 0);
  struct Row {
    std::string user;
    std::vector<std::string> namespaces;
    int expected;
  };
  const Row rows[] = {
      {"everywhere", {"zebra"}, 200},  {"ml", {"broken"}, 400},
      {"everywhere", {"broken"}, 400}, {"ml", {"ml"}, 200},
      {"ml", {"ml", "zebra"}, 403},
  };
  for (const std::string parameters : {"?namespace=ml", ""}) {
    for (const Row& row : rows) {
      INFO(row.user << ": " << row.namespaces.front() << parameters);
      bodies_read = 0;
      CHECK(Check(row.user, row.namespaces, parameters).status == row.expected);
      CHECK(bodies_read == 1);
    }
  }
}

TEST_CASE_METHOD(Fixture, "metrics do not wait for a check, and the end of the daemon ends it") {
  takes_long = true;
  int status = 0;
  std::thread asks([&] { status = Check("admin", {"ml"}).status; });
  CHECK(WaitUntil([&] { return is_checking.load(); }));
  CHECK(server
            ->Answer({.target = "/metrics",
                      .headers = {{"authorization", "Bearer scraper-token"}},
                      .peer = "from 10.0.0.1"})
            .status == 200);
  CHECK_FALSE(is_told_to_end);
  server->Stop();
  CHECK(is_told_to_end);
  asks.join();
  CHECK(status == 503);
  CHECK(Check("admin", {"ml"}).status == 503);
}

TEST_CASE("a verdict that is asked for keeps the names of other namespaces") {
  report::JobReport report = testing::FullJobReport();
  report::JobVerdict& item = report.verdicts.front();
  item.verdict.reasons = {
      {verdict::ReasonCode::kInLine, "",
       verdict::InLine{.ahead = 2, .first = ObjectKey{"zebra", "stripes"}, .priority = 7}},
      {verdict::ReasonCode::kTemplateMissing, "ResourceClaimTemplate ml/one",
       verdict::Sentence{"the template of zebra is missing"}}};
  item.notes.push_back({"Job ml/train", "it waits behind zebra/stripes", "wait"});
  item.pod_sets.front().requests.front().holders = {{true, {"zebra", "stripes"}}};
  const auto seen_by = [&](const api::Viewer& viewer) {
    report::JobReport shown = report;
    api::Withhold(viewer, {"zebra"}, shown);
    return report::ToJson(shown);
  };
  CHECK_THAT(seen_by(api::Viewer::OfEverything()).dump(), ContainsSubstring("zebra/stripes"));

  const ordered_json of_ml = seen_by({.fleet = true, .namespaces = {"ml"}});
  CHECK_THAT(of_ml.dump(), !ContainsSubstring("zebra") && !ContainsSubstring("stripes"));
  CHECK(of_ml["workers"][0]["reasons"][0]["code"] == "InLine");
  CHECK(of_ml["workers"][0]["notes"][0]["message"] == "a message");
  CHECK(of_ml["workers"][0]["podSets"].empty());

  // In words, with what gives the right.
  const auto told = [&](const api::Viewer& viewer) {
    report::JobReport shown = report;
    api::Withhold(viewer, {"zebra"}, shown);
    return text::RenderReport(shown, {});
  };
  CHECK_THAT(told({.everywhere = true}),
             ContainsSubstring("what workers say is withheld: that is a right in the ClusterRole "
                               "fedra-fleet-viewer\n"));
  CHECK_THAT(told({.fleet = true, .namespaces = {"ml"}}),
             ContainsSubstring("what names other namespaces is withheld") &&
                 ContainsSubstring("ClusterRole fedra-viewer there\n"));
  CHECK_THAT(told(api::Viewer::OfEverything()), !ContainsSubstring("ClusterRole"));

  const ordered_json of_jobs = seen_by({.everywhere = true});
  CHECK(of_jobs["workers"][0]["verdict"] == "Yes");
  CHECK(of_jobs["workers"][0]["reasons"][1]["code"] == "TemplateMissing");
  CHECK(of_jobs["workers"][0]["reasons"][1]["object"].get<std::string>().empty());
  CHECK_FALSE(of_jobs["workers"][0].contains("notes"));
  CHECK_FALSE(of_jobs["workers"][0].contains("podSets"));
}

TEST_CASE_METHOD(Fixture, "403 comes before it is looked whether there is such a job") {
  for (const std::string path : {"why?job=zebra/stripes", "why?job=zebra/nothing",
                                 "why?job=nowhere/nothing", "why?job=stripes&namespace=zebra"}) {
    INFO(path);
    CHECK(Status("ml", path) == 403);
  }
  // The same words for one that there is and one that there is not, but for its name.
  const auto refusal = [&](const std::string& ns) {
    std::string body = Get("ml", "why?job=" + ns + "/stripes").body;
    for (size_t at = body.find(ns); at != body.npos; at = body.find(ns))
      body.replace(at, ns.size(), "*");
    return body;
  };
  CHECK(refusal("zebra") == refusal("nowhere"));
  CHECK(Status("ml", "why?job=ml/nothing") == 404);
  // Of several jobs each has to be allowed, before any is looked up.
  for (const std::string path : {"why?job=ml/sweep-3,zebra/stripes", "why?job=ml/a,zebra/nothing",
                                 "why?job=ml/sweep-3&job=nowhere/nothing"})
    CHECK(Status("ml", path) == 403);
  const httpd::Answer several = Get("ml", "why?job=ml/sweep-3,ml/nothing,ml/new");
  CHECK(several.status == 200);
  CHECK_THAT(several.body, ContainsSubstring("sweep-3") && !ContainsSubstring("zebra"));
  CHECK(Status("admin", "why?job=ml/sweep-3,zebra/stripes") == 200);
  CHECK(Status("ml", "jobs?namespace=zebra") == 403);
  CHECK(Status("ml", "jobs?namespace=nowhere") == 403);
  CHECK(Status("ml", "jobs?namespace=ml") == 200);
  // Without a namespace a name may be anywhere.
  CHECK(Status("ml", "why?job=sweep-3") == 403);
  CHECK(Status("ml", "why?job=sweep-3&namespace=ml") == 200);
  CHECK(Status("ml", "why?job=job/ml/sweep-3") == 200);
  CHECK(Status("everywhere", "why?job=sweep-3") == 200);
}

TEST_CASE_METHOD(Fixture, "an answer says what is left out, whether there is any or not") {
  const auto omitted = [&](const std::string& user, const std::string& path) {
    return Document(user, path).value("omitted", std::vector<std::string>());
  };
  using Words = std::vector<std::string>;
  CHECK(omitted("ml", "status") == Words{"workers", "namespaces"});
  CHECK(omitted("ml-fleet", "status") == Words{"namespaces"});
  CHECK(omitted("everywhere", "jobs") == Words{"workers"});
  CHECK(omitted("admin", "status").empty());
  CHECK(omitted("fleet", "workers") == Words{"namespaces"});
  CHECK(omitted("admin", "workers").empty());
  CHECK(Document("fleet", "workers").at("workers") != Document("admin", "workers").at("workers"));
  CHECK(Document("ml", "status").at("workers").empty());
  CHECK(Document("ml-fleet", "status").at("workers").size() == 3);
  CHECK(Document("ml", "jobs?all").at("jobs").size() == 5);
  CHECK(Document("admin", "jobs?all").at("jobs").size() == 6);
  CHECK(Document("ml", "jobs?state=Deleted").at("jobs").size() == 1);
  CHECK(Document("admin", "jobs?state=Deleted").at("jobs").size() == 2);
  CHECK(Document("ml", "jobs?name=zebra/").at("jobs").empty());
  CHECK(Document("admin", "jobs?name=zebra/").at("jobs").size() == 1);
  CHECK(Document("ml", "counts?group-by=namespace").at("groups").size() == 1);
}

TEST_CASE_METHOD(Fixture, "only readers with the right to the fleet see what a worker can") {
  for (const std::string user : {"", "wrong", "nothing", "ml", "everywhere"}) {
    for (const api::Route& route : api::Routes()) {
      for (const std::string output : {"json", "wide"}) {
        const std::string target = TargetOf(route, "ml/sweep-3") + "&output=" + output;
        INFO(user << ": " << target);
        const std::string text = Everything(Get(user, target));
        CHECK_THAT(text, !ContainsSubstring("nvlink"));
        CHECK_THAT(text, !ContainsSubstring("missingRights"));
        CHECK_THAT(text, !ContainsSubstring("KINDS"));
      }
    }
  }
  for (const std::string user : {"ml-fleet", "fleet", "admin"}) {
    INFO(user);
    const ordered_json can = Document(user, "workers").at("workers").at(0).at("capabilities");
    CHECK(can.at("missingRights") == ordered_json{"nodes"});
    CHECK(can.at("declared") == ordered_json{"example.com/nvlink"});
    CHECK_THAT(Get(user, "workers?output=wide").body, ContainsSubstring("KINDS"));
  }
}

TEST_CASE_METHOD(Fixture, "details of workers take the fleet's right, and facts lose their names") {
  const auto reasons = [&](const std::string& user) {
    return Document(user, "why?job=ml/sweep-3")["jobs"][0]["workers"][0]["reasons"];
  };
  const ordered_json bare = reasons("ml");
  const ordered_json named = reasons("admin");
  const ordered_json without = reasons("ml-fleet");
  REQUIRE(bare.size() == 6);
  REQUIRE(without.size() == 6);
  for (size_t i = 0; i < 6; ++i) {
    CHECK(bare[i].at("code") == named[i].at("code"));
    CHECK(bare[i].at("message") == api::kWithheld);
  }
  const std::string counts = without[0].dump();
  CHECK_THAT(counts, ContainsSubstring("train-7b") && ContainsSubstring("and 1 more"));
  CHECK_THAT(without[2].at("message").get<std::string>(),
             ContainsSubstring("2 jobs") && !ContainsSubstring("priority"));
  CHECK_THAT(without[3].at("message").get<std::string>(), EndsWith("dispatched there"));
  CHECK(without[4].at("message") == api::kWithheld);
  CHECK(without[5].at("message") == api::kWithheld);
}

TEST_CASE_METHOD(Fixture, "why and history name once the ClusterRole that would show the rest") {
  const auto lines = [&](const std::string& user, const std::string& path) {
    std::istringstream text(Get(user, path + "?job=ml/sweep-3&output=table").body);
    std::vector<std::string> found;
    for (std::string line; std::getline(text, line);)
      if (line.find("ClusterRole") != line.npos) found.push_back(line);
    return found;
  };
  const auto says = [](const std::vector<std::string>& found, const std::string& role) {
    return std::ranges::count_if(found, [&](const std::string& line) {
      return line.find("ClusterRole " + role) != line.npos;
    });
  };
  for (const std::string path : {"why", "history"}) {
    INFO(path);
    CHECK(says(lines("ml", path), "fedra-fleet-viewer") == 1);
    CHECK(says(lines("ml-fleet", path), "fedra-fleet-viewer") == 0);
    CHECK(says(lines("ml-fleet", path), "fedra-viewer there") == 1);
    CHECK(lines("admin", path).empty());
  }
  CHECK(says(lines("ml", "history"), "fedra-viewer") == 1);  // to the pod's log
  CHECK(says(lines("ml", "why"), "fedra-viewer") == 0);
}

TEST_CASE_METHOD(Fixture, "that only some namespaces are shown is said of lists alone") {
  const auto warned = [&](const std::string& path) {
    return Everything(Get("ml", path)).find("only namespaces are shown") != std::string::npos;
  };
  for (const std::string path : {"status", "jobs", "counts?group-by=state"}) CHECK(warned(path));
  for (const std::string path : {"job", "why", "history"})
    CHECK_FALSE(warned(path + "?job=ml/sweep-3"));
}

TEST_CASE_METHOD(Fixture, "what a pod has printed takes the right to its log") {
  CHECK_THAT(Get("ml", "history?job=ml/sweep-3").body, !ContainsSubstring("secret of the pod"));
  known.With([](access::Known& all) { all.allowed.emplace("ml", kLogsMl); });
  clock.Advance(10s);
  CHECK_THAT(Get("ml", "history?job=ml/sweep-3").body, ContainsSubstring("secret of the pod"));
}

TEST_CASE_METHOD(Fixture, "/metrics takes the right to that path, and pages take none") {
  const auto get = [&](const std::string& user, const std::string& target, bool is_post = false) {
    std::map<std::string, std::string, std::less<>> headers;
    if (!user.empty()) headers["authorization"] = "Bearer " + user + "-token";
    return server->Answer(
        {.target = target, .headers = headers, .peer = "from 10.0.0.1", .is_post = is_post});
  };
  CHECK(get("", "/metrics").status == 401);
  CHECK(get("wrong", "/metrics").status == 401);
  for (const std::string user : {"nothing", "ml", "fleet", "everywhere"}) {
    const httpd::Answer refused = get(user, "/metrics");
    CHECK(refused.status == 403);
    CHECK_THAT(refused.body, ContainsSubstring("get the path /metrics"));
  }
  for (const std::string user : {"scraper", "admin"}) {
    const httpd::Answer answer = get(user, "/metrics?x");
    CHECK(answer.status == 200);
    CHECK(answer.body == "fedra_workloads 1\n");
    CHECK(answer.content_type == "text/plain; version=0.0.4; charset=utf-8");
  }
  CHECK(Status("scraper", "jobs") == 403);
  // They are the same for all who ask.
  for (const std::string user : {"", "wrong", "ml"})
    CHECK(get(user, "/app.js").body == "the page /app.js");
  CHECK(get("", "/api/v1alpha1/jobs").status == 401);
  CHECK(get("", "/api").status == 401);
  CHECK(get("", "/", /*is_post=*/true).status == 401);
  // A link from elsewhere opens them; what is asked there must be theirs, and the name ours.
  const auto from_elsewhere = [&](const std::string& target, const std::string& host) {
    return server
        ->Answer({.target = target,
                  .headers = {{"sec-fetch-site", "cross-site"}, {"host", host}},
                  .peer = "from 10.0.0.1"})
        .status;
  };
  CHECK(from_elsewhere("/", "localhost:8443") == 200);
  CHECK(from_elsewhere("/metrics", "localhost:8443") == 403);
  CHECK(from_elsewhere("/", "evil.example") == 421);
  server->Stop();
  CHECK(get("scraper", "/metrics").status == 503);
}

TEST_CASE_METHOD(Fixture, "an answer takes of its user's share, also one that refuses a right") {
  CHECK(Get("everywhere", "jobs").user == "everywhere");
  CHECK(Get("nothing", "jobs").user == "nothing");
  CHECK(Get("wrong", "jobs").user.empty());
  CHECK(Get("", "jobs").user.empty());
}

TEST_CASE_METHOD(Fixture, "every file of the pages is served without a token, /api.js too") {
  REQUIRE_FALSE(dashboard::Assets().empty());
  for (const dashboard::Asset& asset : dashboard::Assets()) {
    const std::string target = "/" + std::string(asset.name);
    INFO(target);
    const httpd::Answer answer = server->Answer({.target = target, .peer = "from 10.0.0.1"});
    CHECK(answer.status == 200);
    CHECK(answer.body == "the page " + target);
  }
  for (const std::string target : {"/api", "/api?x", "/api/", "/api/v1alpha1/status"}) {
    INFO(target);
    CHECK(server->Answer({.target = target, .peer = "from 10.0.0.1"}).status == 401);
  }
}

TEST_CASE_METHOD(Fixture, "pages of other sites and names of other servers are refused") {
  const auto status = [&](std::map<std::string, std::string, std::less<>> headers) {
    return Get("admin", "jobs", std::move(headers)).status;
  };
  CHECK(status({}) == 200);
  for (const std::string host : {"localhost:8443", "127.0.0.1:8443", "[::1]:8443",
                                 "fedra.fedra-system.svc:8443", "Fedra.Fedra-System.svc"}) {
    INFO(host);
    CHECK(status({{"host", host}}) == 200);
  }
  CHECK(status({{"host", "evil.example:8443"}}) == 421);
  CHECK(status({{"host", "fedra"}}) == 421);
  CHECK(status({{"sec-fetch-site", "cross-site"}}) == 403);
  CHECK(status({{"sec-fetch-site", "same-origin"}}) == 200);
}

TEST_CASE_METHOD(Fixture, "a manager that does not answer, and a token that was revoked") {
  CHECK(Status("ml", "jobs") == 200);
  known.With([](access::Known& all) { all.users.erase("ml-token"); });
  clock.Advance(61s);
  CHECK(Status("ml", "jobs") == 401);
  known.With([](access::Known& all) { all.answers = false; });
  const httpd::Answer answer = Get("admin", "jobs");
  CHECK(answer.status == 503);
  CHECK(ordered_json::parse(answer.body).at("reason") == "ServiceUnavailable");
  CHECK_THAT(Everything(answer), ContainsSubstring("Retry-After: 1"));
  CHECK_THAT(Everything(Get("", "jobs")), ContainsSubstring("WWW-Authenticate: Bearer"));
}

TEST_CASE("tokens are counted by who connects") {
  const Fixture f({.client = {3, 1}});
  const auto status = [&](const std::string& token, const std::string& peer) {
    return f.server
        ->Answer({.target = "/api/v1alpha1/reasons",
                  .headers = {{"authorization", "Bearer " + token}},
                  .peer = peer})
        .status;
  };
  for (int i = 0; i < 3; ++i) CHECK(status("wrong" + std::to_string(i), "from 2001:db8::") == 401);
  CHECK(status("ml-token", "from 2001:db8::") == 429);
  CHECK(status("ml-token", "from 2001:db8:0:1::") == 200);
}

TEST_CASE_METHOD(Fixture, "no answer has any part of the token") {
  for (const std::string user : {"wrong", "nothing", "ml", "admin"})
    for (const api::Route& route : api::Routes())
      CHECK_THAT(Everything(Get(user, TargetOf(route, "ml/none"))),
                 !ContainsSubstring(user + "-token"));
}

TEST_CASE_METHOD(Fixture, "more namespaces than are asked about have to be named") {
  for (size_t i = 0; i <= api::kMostNamespaces; ++i) {
    store::WorkloadRow row = report::Job("j" + std::to_string(i), "Running", "gpu-east", 1s);
    row.job.ns = row.key.ns = "team-" + std::to_string(i);
    store->Enqueue(store::PutWorkload{row});
  }
  REQUIRE(store->Flush());
  CHECK(Status("ml", "jobs") == 403);
  CHECK(Status("ml", "jobs?namespace=ml") == 200);
  CHECK(Status("everywhere", "jobs") == 200);
}

TEST_CASE_METHOD(Fixture, "what no rule is about is for nobody") {
  api::Route route = *api::FindRoute("jobs");
  route.topic = static_cast<api::Topic>(99);
  const auto asked = api::Parameters::Parse(route, "/api/v1alpha1/jobs").value();
  const auto viewer = api::ViewerOf(
      route, asked, [](const auto&, auto) { return true; },
      [] { return std::set<std::string>{"ml"}; });
  REQUIRE_FALSE(viewer);
  CHECK(viewer.error().status == 403);
}

}  // namespace fedra::secure_server_test
