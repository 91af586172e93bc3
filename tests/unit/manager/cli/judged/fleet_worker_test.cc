// One worker's whole verdict on a job, and what check says about it.

#include "manager/cli/judged/fleet_worker.h"

#include <nlohmann/json.hpp>

#include "manager/cli/fleet/fleet_facts.h"
#include "manager/report/job_report.h"
#include "manager/text/verdict_view.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "verdict/reason_text.h"

namespace fedra::cli::fleet_worker_test {
namespace {

using verdict::Outcome;
using verdict::ReasonCode;

report::JobVerdict SubRequest(const RawCluster& cluster, const tracking::SubmittedJob& job) {
  return MakeWorker(cluster, WorkerNamed("east"))->Judge(job);
}

std::vector<ReasonCode> Codes(const report::JobVerdict& verdict) {
  std::vector<ReasonCode> codes;
  for (const verdict::Reason& reason : verdict.verdict.reasons) codes.push_back(reason.code);
  return codes;
}

std::string Report(std::vector<report::JobVerdict> verdicts, size_t width = 0) {
  text::Style style;
  style.width = width;
  return text::RenderReport({"Job", {"ml", "train"}, std::move(verdicts)}, style);
}

TEST_CASE("a worker with a free device says Yes, and how many are to spare") {
  const report::JobVerdict verdict = SubRequest(MakeCluster(), MakeJob("train", "one-gpu"));
  CHECK(verdict.verdict.outcome == Outcome::kYes);
  CHECK(verdict.devices_judged);
  CHECK(verdict.verdict.pods_fitting == 1);
  CHECK(Report({verdict}) ==
        "Job ml/train: 1 of 1 worker can run it; it would go to east\n"
        "WORKER  VERDICT  PODS  REASON  DETAIL\n"
        "east    Yes      1/1   -       1 device to spare\n");
}

TEST_CASE("the headline tells what can run it from what might") {
  const auto headline = [](const std::vector<Outcome>& outcomes) {
    std::vector<report::JobVerdict> verdicts;
    for (const Outcome outcome : outcomes) {
      report::JobVerdict verdict;
      verdict.worker = ClusterName("east");
      verdict.verdict.outcome = outcome;
      verdicts.push_back(std::move(verdict));
    }
    const std::string report = Report(std::move(verdicts));
    return report.substr(0, report.find('\n'));
  };
  CHECK(headline({Outcome::kMayScale, Outcome::kNo, Outcome::kNo}) ==
        "Job ml/train: 1 of 3 workers can run it after scaling; it would go to east");
  CHECK(headline({Outcome::kYes, Outcome::kMayScale, Outcome::kNo}) ==
        "Job ml/train: 1 of 3 workers can run it, 1 after scaling; it would go to east, then "
        "east");
  CHECK(headline({Outcome::kNo, Outcome::kUnknown, Outcome::kNo}) ==
        "Job ml/train: 0 of 3 workers can run it, 1 unknown");
}

TEST_CASE("the workers that can run it are named in the order in which they would be tried") {
  const auto worker = [](const char* name, Outcome outcome, int headroom) {
    report::JobVerdict verdict;
    verdict.worker = ClusterName(name);
    verdict.verdict.outcome = outcome;
    verdict.verdict.headroom = headroom;
    return verdict;
  };
  const report::JobReport report{
      "Job",
      {"ml", "train"},
      {worker("grows", Outcome::kMayScale, 9), worker("small", Outcome::kYes, 1),
       worker("none", Outcome::kNo, 9), worker("large", Outcome::kYes, 4)}};
  CHECK(report::PreferredWorkers(report) ==
        std::vector<ClusterName>{ClusterName("large"), ClusterName("small"), ClusterName("grows")});
  CHECK_THAT(text::RenderReport(report, {}),
             ContainsSubstring("Job ml/train: 2 of 4 workers can run it, 1 after scaling; it would "
                               "go to large, then small, grows\n"));
  CHECK(ToJson(report)["preferredWorkers"] == json{"large", "small", "grows"});
}

TEST_CASE("a job with mistakes is not judged") {
  const report::JobReport report{"Job", {"ml", "train"}, {}, /*judged=*/false};
  CHECK(text::RenderReport(report, {}) == "Job ml/train: not judged: fix the errors first\n");
  CHECK(ToJson(report)["result"] == "NotJudged");
}

TEST_CASE("the alternative that the pods would get is named") {
  const report::JobVerdict verdict = SubRequest(MakeCluster(), MakeJob("train", "huge-or-any"));
  REQUIRE(verdict.alternatives.size() == 1);
  CHECK(verdict.alternatives[0].request == "gpu");
  CHECK(verdict.alternatives[0].name == "any");
  CHECK(verdict.alternatives[0].index == 1);
  CHECK_THAT(
      Report({verdict}),
      ContainsSubstring("request gpu gets any, the second of 2 alternatives; 1 device to spare"));
}

TEST_CASE("of several pod sets the alternatives say whose they are") {
  report::JobVerdict verdict;
  verdict.worker = ClusterName("east");
  verdict.verdict.outcome = Outcome::kYes;
  verdict.devices_judged = true;
  for (const char* pod_set : {"driver", "trainer"})
    verdict.alternatives.push_back(
        {.pod_set = pod_set, .claim = "gpu", .request = "gpu", .name = "any", .index = 1, .of = 2});
  CHECK_THAT(
      Report({verdict}),
      ContainsSubstring("request gpu of driver gets any, the second of 2 alternatives; request "
                        "gpu of trainer gets any, the second of 2 alternatives; 0 devices"));
}

TEST_CASE("a refusal is explained with every count, below the table") {
  const report::JobVerdict verdict = SubRequest(MakeCluster(), MakeJob("train", "two-large"));
  CHECK(verdict.verdict.outcome == Outcome::kNo);
  CHECK(Report({verdict}) ==
        R"(Job ml/train: 0 of 1 worker can run it
WORKER  VERDICT  PODS  REASON            DETAIL
east    No       0/1   NotEnoughDevices  request gpu of claim g (template two-large) wants 2 devices of class gpu on one node

east
  pod set main: node node-a comes closest to one more
    request gpu of claim g (template two-large): at most 1 free on one node
      3 devices
      2 fail request selector device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0
      1 free

what would help
  NotEnoughDevices: Ask for fewer devices or pods, or use a worker with more devices or larger nodes.
  more: fedra explain NotEnoughDevices
)");
}

TEST_CASE("what is the same about several workers is told once") {
  const report::JobVerdict east = SubRequest(MakeCluster(), MakeJob("train", "two-large"));
  report::JobVerdict west = east;
  west.worker = ClusterName("west");
  const std::string report = Report({east, west});
  CHECK_THAT(report, ContainsSubstring("\neast, west  No       0/1   NotEnoughDevices"));
  CHECK_THAT(report, ContainsSubstring("\neast, west\n  pod set main: node node-a comes closest"));
  CHECK(report.find("NotEnoughDevices  request") == report.rfind("NotEnoughDevices  request"));
  CHECK(report.find("\n      3 devices") == report.rfind("\n      3 devices"));
}

TEST_CASE("workers that differ in their counts alone share a row, and are counted apart") {
  const report::JobVerdict east = SubRequest(MakeCluster(), MakeJob("train", "two-large"));
  RawCluster larger = MakeCluster();
  AddNode(larger, "node-c", {40});
  report::JobVerdict west = SubRequest(larger, MakeJob("train", "two-large"));
  west.worker = ClusterName("west");
  REQUIRE(west.verdict.reasons != east.verdict.reasons);
  const std::string report = Report({east, west});
  CHECK_THAT(report, ContainsSubstring("\neast, west  No       0/1   NotEnoughDevices"));
  CHECK_THAT(report, ContainsSubstring("\neast\n  pod set main"));
  CHECK_THAT(report, ContainsSubstring("\n      3 devices\n"));
  CHECK_THAT(report, ContainsSubstring("\nwest\n  pod set main"));
  CHECK_THAT(report, ContainsSubstring("\n      4 devices\n"));
}

TEST_CASE("of alternatives the table has the reason for each, and each is counted below it") {
  const report::JobVerdict verdict = SubRequest(MakeCluster(), MakeJob("train", "huge-or-any", 3));
  REQUIRE(verdict.verdict.outcome == Outcome::kNo);
  const std::string report = Report({verdict});
  const size_t table_end = report.find("\n\n");
  REQUIRE(table_end != std::string::npos);
  const std::string table = report.substr(0, table_end);
  CHECK_THAT(table, ContainsSubstring("fits in none of 2 alternatives: three (DevicesAllocated), "
                                      "any (DevicesAllocated)"));
  CHECK(table.find("allocated (ml/other)") == std::string::npos);
  const std::string below = report.substr(table_end);
  CHECK_THAT(below, ContainsSubstring("    request gpu/three of claim g (template huge-or-any): 3 "
                                      "devices of class gpu per pod, none free on any node\n"
                                      "      3 devices\n"));
  CHECK_THAT(below, ContainsSubstring("      1 allocated (ml/other)\n"));
}

TEST_CASE("of several pod sets each says how many of its pods fit") {
  report::JobVerdict verdict;
  verdict.worker = ClusterName("east");
  verdict.verdict.outcome = Outcome::kNo;
  verdict.devices_judged = true;
  verdict.pod_sets.resize(3);
  verdict.pod_sets[0] = {.name = "leader", .wanted = 1, .fitting = 1, .nodes = {"node-a"}};
  verdict.pod_sets[1] = {.name = "workers", .wanted = 2, .fitting = 1, .nodes = {"node-b"}};
  verdict.pod_sets[2] = {.name = "loaders", .wanted = 4, .nearest = "node-a"};
  CHECK_THAT(Report({verdict}),
             ContainsSubstring("\neast\n"
                               "  pod set workers: 1 of 2 pods fit, on node-b\n"
                               "  pod set loaders: 0 of 4 pods fit; node node-a comes closest to "
                               "one more\n"));
}

TEST_CASE("some pods fit: how many, and where") {
  const report::JobVerdict verdict = SubRequest(MakeCluster(), MakeJob("train", "one-gpu", 3));
  CHECK(Codes(verdict) == std::vector{ReasonCode::kDevicesAllocated, ReasonCode::kPodsDoNotFit});
  const std::string report = Report({verdict});
  CHECK_THAT(report, ContainsSubstring("east    No       2/3   DevicesAllocated"));
  // What rules out the devices is counted once, below the table.
  CHECK(report.substr(0, report.find("\n\n")).find("allocated (ml/other)") == std::string::npos);
  CHECK_THAT(report, ContainsSubstring("  pod set main: 2 of 3 pods fit, on node-a;"));
  CHECK_THAT(report,
             ContainsSubstring("    request gpu of claim g (template one-gpu): none free on "
                               "any node\n      3 devices\n"));
  CHECK_THAT(report, ContainsSubstring("      1 allocated (ml/other)\n"));
}

TEST_CASE("long lines are wrapped below themselves") {
  const report::JobVerdict verdict = SubRequest(MakeCluster(), MakeJob("train", "two-large"));
  CHECK_THAT(Report({verdict}, 70),
             ContainsSubstring("      2 fail request selector\n"
                               "        device.capacity['gpu.example.com'].memory.compareTo"));
}

TEST_CASE("what else is missing is told together with the devices") {
  RawCluster cluster = MakeCluster();
  cluster.objects.erase("localqueues.kueue.x-k8s.io");
  const report::JobVerdict verdict = SubRequest(cluster, MakeJob("train", "two-large"));
  CHECK(Codes(verdict) == std::vector{ReasonCode::kQueueMissing, ReasonCode::kNotEnoughDevices});
}

TEST_CASE("the devices are judged although the pods name a scheduler that cannot be seen") {
  const auto ask = [](std::optional<verify::DependencyOptions> dependencies, const char* wanted) {
    tracking::SubmittedJob job = MakeJob("train", wanted);
    job.requirement.schedulers = {"volcano"};
    FleetWorkerSettings settings = WorkerNamed("east");
    settings.verified.dependencies = dependencies;
    return MakeWorker(MakeCluster(), settings)->Judge(job);
  };
  const verify::DependencyOptions warn{.enforce = false, .secrets = false};
  const verify::DependencyOptions enforce{.enforce = true, .secrets = false};
  CHECK(ask(std::nullopt, "one-gpu").verdict.reasons.empty());
  const report::JobVerdict warned = ask(warn, "one-gpu");
  CHECK(warned.verdict.outcome == Outcome::kYes);
  CHECK(Codes(warned) == std::vector{ReasonCode::kSchedulerUnverified});
  const report::JobVerdict enforced = ask(enforce, "one-gpu");
  CHECK(enforced.verdict.outcome == Outcome::kUnknown);
  CHECK(enforced.devices_judged);
  CHECK(Codes(enforced) == std::vector{ReasonCode::kSchedulerUnverified});
  const report::JobVerdict refused = ask(enforce, "two-large");
  CHECK(refused.verdict.outcome == Outcome::kNo);
  CHECK(Codes(refused) ==
        std::vector{ReasonCode::kNotEnoughDevices, ReasonCode::kSchedulerUnverified});
}

TEST_CASE("without the template there is nothing to count") {
  const report::JobVerdict verdict = SubRequest(MakeCluster(), MakeJob("train", "nonexistent"));
  CHECK(Codes(verdict) == std::vector{ReasonCode::kTemplateMissing});
  CHECK_FALSE(verdict.devices_judged);
  const std::string report = Report({verdict});
  CHECK_THAT(report,
             ContainsSubstring("Job ml/train: 0 of 1 worker can run it\n"
                               "WORKER  VERDICT  PODS  REASON           DETAIL\n"
                               "east    No       -     TemplateMissing  ResourceClaimTemplate "
                               "ml/nonexistent does not exist there\n"
                               "\nwhat would help\n  TemplateMissing: Create the template "));
  CHECK_THAT(report, ContainsSubstring("\n  more: fedra explain TemplateMissing\n"));
  const auto document = ToJson(report::JobReport{"Job", {"ml", "train"}, {verdict}});
  for (const char* count : {"podsWanted", "podsFitting", "headroom", "podSets"})
    CHECK_FALSE(document["workers"][0].contains(count));
}

TEST_CASE("a worker that this command could not reach: for how long it tried, and why") {
  ConnectionState lost;
  lost.phase = ConnectionPhase::kUnreachable;
  lost.since = WallTime(std::chrono::hours(1));
  lost.why = Error{ErrorCode::kConnection, "connection refused", {}, {}};
  const auto worker = MakeWorker(MakeCluster(), WorkerNamed("east"));
  const auto said = [&] {
    const report::JobVerdict verdict = worker->Judge(MakeJob("train", "one-gpu"));
    CHECK(verdict.verdict.outcome == Outcome::kUnknown);
    REQUIRE(verdict.verdict.reasons.size() == 1);
    return verdict::MessageOf(verdict.verdict.reasons[0]);
  };
  worker->SetConnection(lost, std::chrono::milliseconds(5'200));
  CHECK(said() == "not reached (tried for 5s): connection refused");
  worker->SetConnection(lost, std::chrono::milliseconds(12));
  CHECK(said() == "not reached: connection refused");
  worker->SetConnection(lost);
  CHECK(said() == "not reached when the snapshot was taken: connection refused");
  worker->SetConnection({}, std::chrono::seconds(15));
  CHECK(said() == "no answer (tried for 15s); --timeout waits longer");
}

TEST_CASE("a template that is assumed is judged") {
  RawCluster cluster = MakeCluster();
  const json assumed = cluster.objects["resourceclaimtemplates.resource.k8s.io"].front();
  cluster.objects.erase("resourceclaimtemplates.resource.k8s.io");
  const auto worker = MakeWorker(cluster, WorkerNamed("east"));
  CHECK(worker->Judge(MakeJob("train", "one-gpu")).verdict.outcome == Outcome::kNo);
  CHECK(worker->Template({"ml", "one-gpu"}) == nullptr);
  REQUIRE(worker->AssumeTemplate(assumed.dump()));
  CHECK(worker->Template({"ml", "one-gpu"}) != nullptr);
  CHECK(worker->Judge(MakeJob("train", "one-gpu")).verdict.outcome == Outcome::kYes);
}

TEST_CASE("with the manager's templates check tells drift, and counts what is copied") {
  RawCluster cluster = MakeCluster();
  json original = cluster.objects["resourceclaimtemplates.resource.k8s.io"].front();
  REQUIRE(original["metadata"]["name"] == "one-gpu");
  original["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] = 2;
  verify::Cache<verify::ClaimSummary> manager(
      &verify::ParseTemplate, [](const ObjectKey&, const auto&, const auto&) {},
      [](const watch::CacheHealth&) {});
  manager.Reset();
  REQUIRE(manager.Upsert(original.dump()));
  manager.Synced();
  FleetWorkerSettings settings = WorkerNamed("east");
  settings.rules.drift = verify::Drift::kWarn;
  settings.rules.copies_templates = true;
  const auto differs = MakeWorker(cluster, settings);
  CHECK(differs->Judge(MakeJob("train", "one-gpu")).verdict.reasons.empty());
  differs->SetManager({&manager, ""});
  const report::JobVerdict drift = differs->Judge(MakeJob("train", "one-gpu"));
  CHECK(Codes(drift) == std::vector{ReasonCode::kTemplateDrift});
  CHECK_THAT(verdict::MessageOf(drift.verdict.reasons[0]),
             ContainsSubstring("exactly.count: 1 there, 2 on the manager"));
  cluster.objects.erase("resourceclaimtemplates.resource.k8s.io");
  const auto lacks = MakeWorker(cluster, settings);
  CHECK(lacks->Judge(MakeJob("train", "one-gpu")).verdict.outcome == Outcome::kNo);
  lacks->SetManager({&manager, ""});
  const report::JobVerdict to_come = lacks->Judge(MakeJob("train", "one-gpu"));
  CHECK(to_come.devices_judged);
  CHECK(Codes(to_come).back() == ReasonCode::kTemplateMissing);

  const tracking::SubmittedJob mistyped = MakeJob("train", "one-gpus");
  report::JobVerdict verdict = lacks->Judge(mistyped);
  NoteNameTypos(mistyped, *lacks, verdict);
  REQUIRE(verdict.notes.size() == 1);
  CHECK(verdict.notes[0].message == "there is a ResourceClaimTemplate ml/one-gpu on the manager");
  CHECK(verdict.notes[0].remedy == "ResourceClaimTemplate ml/one-gpus: did you mean ml/one-gpu?");
  lacks->SetManager({nullptr, ""});
  verdict = lacks->Judge(mistyped);
  NoteNameTypos(mistyped, *lacks, verdict);
  CHECK(verdict.notes.empty());
}

TEST_CASE("a list that may not be read is Unknown, a job of the same name a conflict") {
  RawCluster cluster = MakeCluster();
  cluster.states["resourceslices.resource.k8s.io"] = watch::CacheState::kForbidden;
  const report::JobVerdict blind = SubRequest(cluster, MakeJob("train", "one-gpu"));
  CHECK(blind.verdict.outcome == Outcome::kUnknown);
  CHECK(Codes(blind) == std::vector{ReasonCode::kForbidden});
  CHECK_FALSE(MakeWorker(cluster, WorkerNamed("east"))->IsKnown());
  CHECK(Codes(SubRequest(MakeCluster(), MakeJob("taken", "one-gpu"))) ==
        std::vector{ReasonCode::kNameConflict});
  CHECK(SubRequest(MakeCluster(), MakeJob("our-job", "one-gpu")).verdict.outcome == Outcome::kYes);
}

TEST_CASE("a copy that names its manager is ours only where this is known to be that one") {
  RawCluster cluster = MakeCluster();
  for (json& job : cluster.objects["jobs.batch"]) {
    if (job["metadata"]["name"] == "our-job")
      job["metadata"]["annotations"]["fedra.dev/manager-uid"] = "this-manager";
  }
  const auto worker = MakeWorker(cluster, WorkerNamed("east"));
  const auto codes = [&] { return Codes(worker->Judge(MakeJob("our-job", "one-gpu"))); };
  const std::vector conflict{ReasonCode::kNameConflict};
  CHECK(codes() == conflict);  // it has not answered
  worker->SetManager({nullptr, ""});
  CHECK(codes() == conflict);
  worker->SetManager({nullptr, "another-manager"});
  CHECK(codes() == conflict);
  worker->SetManager({nullptr, "this-manager"});
  CHECK(codes().empty());
}

TEST_CASE("a worker that the AdmissionCheck does not allow is a No, also out of reach") {
  const auto worker = MakeWorker(MakeCluster(), WorkerNamed("east"));
  const tracking::SubmittedJob job = MakeJob("train", "one-gpu");
  CHECK(worker->IsUsable(job));
  std::string asked;
  worker->SetManager(
      {.uid = "",
       .why_not_allowed = [&](const tracking::Requirement& requirement, const ClusterName& name) {
         asked = requirement.queue + " " + name.value;
         return std::optional(verify::ExcludedBy("few"));
       }});
  const auto is_excluded = [&] {
    const report::JobVerdict verdict = worker->Judge(job);
    CHECK(verdict.verdict.outcome == Outcome::kNo);
    CHECK_FALSE(verdict.devices_judged);
    return Codes(verdict) == std::vector{ReasonCode::kExcluded};
  };
  CHECK(is_excluded());
  CHECK(asked == job.requirement.queue + " east");
  CHECK_FALSE(worker->IsUsable(job));
  ConnectionState lost;
  lost.phase = ConnectionPhase::kUnreachable;
  worker->SetConnection(lost);
  CHECK(is_excluded());
}

TEST_CASE("a worker out of reach is Unknown, whatever was read before") {
  const auto worker = MakeWorker(MakeCluster(), WorkerNamed("east"));
  ConnectionState lost;
  lost.phase = ConnectionPhase::kUnreachable;
  worker->SetConnection(lost);
  const report::JobVerdict verdict = worker->Judge(MakeJob("train", "one-gpu"));
  CHECK(verdict.verdict.outcome == Outcome::kUnknown);
  CHECK(Codes(verdict) == std::vector{ReasonCode::kClusterUnreachable});
}

TEST_CASE("a claim that is allocated on one worker keeps the job from the others") {
  json object = Parsed(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"namespace": "ml", "name": "train"},
    "spec": {"template": {"spec": {"resourceClaims": [
      {"name": "g", "resourceClaimName": "other"}]}}}})");
  const auto job = tracking::ParseSubmitted(object, *tracking::BuiltInKinds(), "");
  REQUIRE(job.has_value());
  RawCluster free = MakeCluster();
  free.objects["resourceclaims.resource.k8s.io"][0].erase("status");
  const auto named = [](const char* name) {
    FleetWorkerSettings settings = WorkerNamed(name);
    settings.rules.shared_claims = verify::SharedClaims::kRequireTogether;
    return settings;
  };
  FleetWorkers workers;
  workers.push_back(MakeWorker(free, named("east")));
  workers.push_back(MakeWorker(MakeCluster(), named("west")));
  const std::vector<report::JobVerdict> verdicts = JudgeEverywhere(*job, workers);
  CHECK(Codes(verdicts[0]).front() == ReasonCode::kClaimElsewhere);
  CHECK(verdicts[0].verdict.outcome == Outcome::kNo);
  CHECK_FALSE(verdicts[1].verdict.outcome == Outcome::kNo);
  // `check --worker east` reads no more than the claims of the others, and says the same.
  FleetWorkerSettings settings = named("west");
  settings.claims_only = true;
  FleetWorkers east, others;
  east.push_back(MakeWorker(free, named("east")));
  others.push_back(MakeWorker(MakeCluster(), settings));
  CHECK_FALSE(others[0]->IsListing());
  CHECK(others[0]->Inputs(nullptr).size() == 1);
  const std::vector<report::JobVerdict> alone = JudgeEverywhere(*job, east, others);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].verdict == verdicts[0].verdict);
  CHECK_FALSE(JudgeEverywhere(*job, east)[0].verdict.outcome == Outcome::kNo);
  // Where users need not be together, another worker's claim of that name is as good.
  FleetWorkers apart;
  apart.push_back(MakeWorker(free, WorkerNamed("east")));
  apart.push_back(MakeWorker(MakeCluster(), WorkerNamed("west")));
  CHECK(JudgeEverywhere(*job, apart)[0].verdict.outcome == Outcome::kYes);
}

TEST_CASE("a report for programs has the counts") {
  const report::JobReport report{
      "Job", {"ml", "train"}, {SubRequest(MakeCluster(), MakeJob("train", "two-large"))}};
  const auto document = ToJson(report);
  CHECK(document["result"] == "Nowhere");
  const auto& worker = document["workers"][0];
  CHECK(worker["podsFitting"] == 0);
  CHECK(worker["reasons"][0]["code"] == "NotEnoughDevices");
  const auto& request = worker["podSets"][0]["requests"][0];
  CHECK(request["count"] == 2);
  CHECK(request["devices"] == 3);
  CHECK(request["counts"][1]["devices"] == 1);
  CHECK(request["counts"][1]["what"] == "free");
}

}  // namespace
}  // namespace fedra::cli::fleet_worker_test
