// A snapshot: what gets in, what does not, and that it answers as the workers themselves do.

#include "manager/cli/snapshots/snapshot_file.h"

#include <set>

#include <nlohmann/json.hpp>

#include "manager/cli/snapshots/snapshot_missing.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/cli/snapshots/snapshot_reduce.h"
#include "manager/report/job_report.h"
#include "manager/text/verdict_view.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "verdict/reason_text.h"

namespace fedra::cli::snapshot_test {
namespace {

FleetWorkers Replay(const SnapshotFile& file) {
  FleetWorkers workers;
  for (const RecordedWorker& recorded : file.workers) {
    workers.push_back(std::make_unique<FleetWorker>(recorded.settings, [] {}));
    CHECK(FeedRecorded(recorded, *workers.back()).empty());
  }
  return workers;
}

SnapshotFile Reread(const SnapshotFile& file) {
  auto reread = ParseSnapshot(ToText(file));
  REQUIRE(reread.has_value());
  return *std::move(reread);
}

// Everything that a verdict says, as text.
std::string Answer(const std::vector<report::JobVerdict>& verdicts) {
  return ToJson(report::JobReport{"Job", {"ml", "train"}, verdicts}).dump(2);
}

std::vector<tracking::SubmittedJob> Jobs() {
  return {MakeJob("a", "one-gpu"),         MakeJob("b", "one-gpu", 3),
          MakeJob("c", "two-large"),       MakeJob("d", "huge-or-any"),
          MakeJob("e", "nonexistent"),     MakeJob("taken", "one-gpu"),
          MakeJob("our-job", "one-gpu"),   MakeJob("f", "one-gpu", 1, "6"),
          MakeJob("g", "one-gpu", 1, "64")};
}

TEST_CASE("a snapshot answers as the worker itself") {
  FleetWorkers online;
  online.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  const FleetWorkers offline = Replay(Reread(Record(MakeCluster())));
  for (const tracking::SubmittedJob& job : Jobs()) {
    INFO(job.key.ToString());
    CHECK(Answer(JudgeEverywhere(job, offline)) == Answer(JudgeEverywhere(job, online)));
  }
}

constexpr tracking::Mode kAllModes[] = {tracking::Mode::kAdmissionCheck,
                                        tracking::Mode::kMultiKueue, tracking::Mode::kDispatcher};

TEST_CASE("a file says whose copies are ours; one without a mode is of mode admissionCheck") {
  SnapshotFile file = Record(MakeCluster());
  for (const tracking::Mode mode : kAllModes) {
    file.us = {.origin = "multikueue", .mode = mode};
    const SnapshotFile reread = Reread(file);
    CHECK(reread.us == file.us);
    CHECK(reread.workers[0].settings.us == file.us);
    json older = json::parse(ToText(file));
    CHECK(older["mode"] == tracking::ToString(mode));
    older.erase("mode");
    const auto read = ParseSnapshot(older.dump());
    REQUIRE(read);
    CHECK(read->us.mode == tracking::Mode::kAdmissionCheck);
    CHECK(read->us.origin == "multikueue");
  }
}

TEST_CASE("whether a copy of Kueue's MultiKueue is in the way, the snapshot knows as well") {
  RawCluster cluster = MakeCluster();
  cluster.Add("jobs.batch", Parsed(R"({"metadata": {"namespace": "ml", "name": "kueues", "labels": {
      "kueue.x-k8s.io/multikueue-origin": "multikueue",
      "kueue.x-k8s.io/prebuilt-workload-name": "SECRET"}}})"));
  const tracking::SubmittedJob job = MakeJob("kueues", "one-gpu");
  const kube::ServerInfo server = Server();
  for (const tracking::Mode mode : kAllModes) {
    INFO(tracking::ToString(mode));
    FleetWorkerSettings settings = WorkerNamed("east");
    settings.us = {.origin = "multikueue", .mode = mode};
    WorkerRecorder recorder(settings, [] {});
    FeedAll(recorder.Inputs(&server), cluster);
    SnapshotFile file;
    file.us = settings.us;
    file.workers.push_back(recorder.Recorded(Connected(), &server));
    CHECK_THAT(ToText(file), !ContainsSubstring("SECRET"));
    FleetWorkers online;
    online.push_back(MakeWorker(cluster, settings));
    const FleetWorkers offline = Replay(Reread(file));
    CHECK(Answer(JudgeEverywhere(job, offline)) == Answer(JudgeEverywhere(job, online)));
    const bool in_the_way = mode == tracking::Mode::kAdmissionCheck;
    CHECK((offline[0]->Judge(job).verdict.outcome == verdict::Outcome::kNo) == in_the_way);
    RedactNames(file);
    const auto redacted = Replay(Reread(file))[0]->Judge(WithPseudonyms(job)).verdict;
    CHECK((redacted.outcome == verdict::Outcome::kNo) == in_the_way);
  }
}

TEST_CASE("taint rules count where they are served, in the snapshot as well") {
  RawCluster cluster = MakeCluster();
  cluster.Add("devicetaintrules.resource.k8s.io",
              Parsed(R"({"metadata": {"name": "repair"}, "spec": {"deviceSelector": {
                  "pool": "node-a"}, "taint": {"key": "repair", "effect": "NoSchedule"}}})"));
  const tracking::SubmittedJob job = MakeJob("a", "one-gpu");
  for (const bool served : {false, true}) {
    kube::ServerInfo server = Server();
    if (served) server.resources.insert("resource.k8s.io/v1beta2/devicetaintrules");
    WorkerRecorder recorder(WorkerNamed("east"), [] {});
    FeedAll(recorder.Inputs(&server), cluster);
    SnapshotFile file;
    file.us.origin = "fedra";
    file.workers.push_back(recorder.Recorded(Connected(), &server));
    const report::JobVerdict verdict = Replay(Reread(file))[0]->Judge(job);
    CHECK((verdict.verdict.outcome == verdict::Outcome::kYes) == !served);
  }
}

tracking::SubmittedJob GroupedJob(int pods) {
  tracking::SubmittedJob job = MakeJob("grouped", "one-gpu", pods);
  auto demands = *job.requirement.demands;
  demands[0].pod_group = "training";
  job.requirement.demands = std::make_shared<const std::vector<dra::PodDemand>>(std::move(demands));
  job.requirement.dependencies = {{tracking::Dependency::Kind::kPodGroup, "training"}};
  return job;
}

TEST_CASE("PodGroups count where they are served, in the snapshot as well") {
  RawCluster cluster = MakeCluster();
  cluster.Add("podgroups.scheduling.k8s.io",
              Parsed(R"({"metadata": {"namespace": "ml", "name": "training",
                  "labels": {"a": "SECRET"}},
                "spec": {"schedulingPolicy": {"gang": {"minCount": 4}}, "priorityClassName":
                  "SECRET", "resourceClaims": [
                    {"name": "g", "resourceClaimTemplateName": "one-gpu"}]},
                "status": {"conditions": [{"message": "SECRET"}], "resourceClaimStatuses": [
                    {"name": "g", "resourceClaimName": "training-g-x"}]}})"));
  for (const bool served : {false, true}) {
    kube::ServerInfo server = Server();
    if (served) server.resources.insert("scheduling.k8s.io/v1alpha2/podgroups");
    FleetWorkerSettings settings = WorkerNamed("east");
    settings.verified.dependencies.emplace();
    settings.verified.dependencies->enforce = true;
    WorkerRecorder recorder(settings, [] {});
    FeedAll(recorder.Inputs(&server), cluster);
    SnapshotFile file;
    file.us.origin = "fedra";
    file.workers.push_back(recorder.Recorded(Connected(), &server));
    CHECK_THAT(ToText(file), !ContainsSubstring("SECRET"));
    const FleetWorkers plain = Replay(Reread(file));
    CHECK((plain[0]->Judge(GroupedJob(4)).verdict.outcome == verdict::Outcome::kYes) == served);
    RedactNames(file);
    CHECK_THAT(ToText(file), !ContainsSubstring("training"));
    const FleetWorkers redacted = Replay(Reread(file));
    const auto verdict = redacted[0]->Judge(WithPseudonyms(GroupedJob(4))).verdict;
    CHECK((verdict.outcome == verdict::Outcome::kYes) == served);
  }
}

TEST_CASE("a claim that could not be bound is known as such in the snapshot as well") {
  RawCluster cluster = MakeCluster();
  cluster.Add("resourceclaims.resource.k8s.io",
              Parsed(R"({"metadata": {"namespace": "ml", "name": "shared"},
                "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {
                    "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}]}},
                "status": {
                  "reservedFor": [{"uid": "u"}],
                  "allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
                    "devices": {"results": [
                      {"request": "gpu", "driver": "gpu.example.com", "pool": "node-a",
                       "device": "gpu-0", "bindingConditions": ["Attached"],
                       "bindingFailureConditions": ["AttachFailed"]}]}},
                  "devices": [
                    {"driver": "gpu.example.com", "pool": "node-a", "device": "gpu-0",
                     "data": {"key": "SECRET"}, "conditions": [
                       {"type": "AttachFailed", "status": "True", "message": "SECRET"}]}]}})"));
  WorkerRecorder recorder(WorkerNamed("east"), [] {});
  const kube::ServerInfo server = Server();
  FeedAll(recorder.Inputs(&server), cluster);
  SnapshotFile file;
  file.us.origin = "fedra";
  file.workers.push_back(recorder.Recorded(Connected(), &server));
  for (const bool redacted : {false, true}) {
    if (redacted) RedactNames(file);
    const std::string text = ToText(file);
    CHECK_THAT(text, !ContainsSubstring("SECRET"));
    int failed = 0;
    Replay(Reread(file))[0]->devices()->snapshot()->claims().ForEach(
        [&](const ObjectKey&, const auto& claim) {
          failed += claim->allocation && !claim->allocation->binding_failure.empty();
        });
    CHECK(failed == 1);
  }
}

TEST_CASE("what cannot be read is as unknown in the snapshot as it was") {
  RawCluster cluster = MakeCluster();
  SECTION("a resource that is forbidden") {
    cluster.states["pods"] = watch::CacheState::kForbidden;
  }
  SECTION("devices that are not served") {
    cluster.states["resourceslices.resource.k8s.io"] = watch::CacheState::kNotServed;
  }
  SECTION("a list that fails") {
    cluster.states["resourceclaimtemplates.resource.k8s.io"] = watch::CacheState::kFailing;
  }
  FleetWorkers online;
  online.push_back(MakeWorker(cluster, WorkerNamed("east")));
  const FleetWorkers offline = Replay(Reread(Record(cluster)));
  const tracking::SubmittedJob job = MakeJob("a", "one-gpu");
  CHECK(Answer(JudgeEverywhere(job, offline)) == Answer(JudgeEverywhere(job, online)));
  CHECK(JudgeEverywhere(job, offline)[0].verdict.outcome != verdict::Outcome::kYes);
}

TEST_CASE("what a snapshot lacks is said, and nothing where it has all") {
  RawCluster cluster = MakeCluster();
  CHECK(WhatIsMissing(Reread(Record(cluster))).empty());
  cluster.states["resourceslices.resource.k8s.io"] = watch::CacheState::kNotServed;
  CHECK(WhatIsMissing(Reread(Record(cluster))).empty());
  cluster.states["pods"] = watch::CacheState::kForbidden;
  SnapshotFile file = Reread(Record(cluster));
  const auto missing = WhatIsMissing(file);
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].find(": pods could not be read completely: ") != std::string::npos);
  file.workers[0].resources.clear();
  file.workers[0].connection.phase = ConnectionPhase::kUnreachable;
  CHECK(WhatIsMissing(file).size() == 1);
}

TEST_CASE("a snapshot knows which namespaces may have admin access, and no other label of them") {
  for (const bool labelled : {false, true}) {
    RawCluster cluster = MakeCluster();
    json& labels = cluster.objects["namespaces"][0]["metadata"]["labels"];
    labels["team"] = "SECRET team";
    if (labelled) labels["resource.kubernetes.io/admin-access"] = "true";
    AddTemplate(cluster, "admin", R"({"requests": [{"name": "r", "exactly": {
        "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
        "adminAccess": true}}]})");
    const SnapshotFile file = Record(cluster);
    CHECK_THAT(ToText(file), !ContainsSubstring("SECRET"));
    const report::JobVerdict verdict = Replay(Reread(file))[0]->Judge(MakeJob("a", "admin"));
    CHECK(verdict.verdict.outcome == (labelled ? verdict::Outcome::kYes : verdict::Outcome::kNo));
    CHECK(verdict.devices_judged);
  }
}

TEST_CASE("no secret gets into a snapshot") {
  const std::string text = ToText(Record(MakeCluster()));
  CHECK_THAT(text, !ContainsSubstring("SECRET"));
  for (const char* member : {"managedFields", "env", "image", "command"})
    CHECK_THAT(text, !ContainsSubstring("\"" + std::string(member) + "\""));
  // Pods that have ended have no say.
  CHECK_THAT(text, !ContainsSubstring("\"over\""));
  // Of the annotations only the marks of copies are there.
  CHECK_THAT(text, ContainsSubstring(R"("annotations":{"fedra.dev/workload-uid":"u"})"));
  CHECK_THAT(text, ContainsSubstring("\"busy\""));
}

TEST_CASE("capabilities survive, the configuration that needs them does not") {
  RawCluster cluster = MakeCluster();
  json& claim_template = cluster.objects["resourceclaimtemplates.resource.k8s.io"][0];
  claim_template["metadata"]["annotations"]["fedra.dev/capabilities"] = "a.example.com/x";
  claim_template["spec"]["spec"]["devices"]["config"] = Parsed(R"([{"opaque": {
      "driver": "gpu.nvidia.com", "parameters": {"sharing": {"strategy": "MPS"}}}}])");
  const SnapshotFile file = Record(cluster);
  CHECK_THAT(ToText(file), ContainsSubstring("a.example.com/x,gpu.nvidia.com/MPSSupport"));
  const auto verdict = Replay(file)[0]->Judge(MakeJob("a", "one-gpu"));
  REQUIRE(verdict.verdict.reasons.size() == 2);
  CHECK(verdict.verdict.reasons[0].code == verdict::ReasonCode::kCapabilityUndeclared);
}

TEST_CASE("a snapshot knows which templates differ from the manager's") {
  const RawCluster cluster = MakeCluster();
  json original = cluster.objects.at("resourceclaimtemplates.resource.k8s.io").front();
  bool differs = true;
  SECTION("in what decides an allocation") {
    original["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] = 2;
  }
  SECTION("in what only the driver reads, and what no snapshot holds") {
    original["spec"]["spec"]["devices"]["config"][0]["opaque"]["parameters"]["key"] = "other";
  }
  SECTION("nowhere") { differs = false; }
  const auto read = verify::ParseTemplate(original);
  REQUIRE(read.has_value());
  SnapshotFile file = Record(cluster);
  file.workers[0].settings.rules.drift = verify::Drift::kRequire;
  RecordedResource& templates = file.manager_templates.emplace();
  templates.name = "resourceclaimtemplates.resource.k8s.io";
  templates.health = {.state = watch::CacheState::kSynced, .complete = true};
  templates.items.push_back(ReducedTemplate(*read));
  CHECK_THAT(ToText(file), !ContainsSubstring("SECRET"));
  for (const bool redact : {false, true}) {
    if (redact) RedactNames(file);
    const SnapshotFile reread = Reread(file);
    const auto manager = ManagerTemplatesOf(reread);
    REQUIRE(manager != nullptr);
    const FleetWorkers workers = Replay(reread);
    workers[0]->SetManager({manager.get(), ""});
    const tracking::SubmittedJob job = MakeJob("a", "one-gpu");
    const auto verdict = workers[0]->Judge(redact ? WithPseudonyms(job) : job).verdict;
    CHECK((verdict.outcome == verdict::Outcome::kNo) == differs);
    if (differs) CHECK(verdict.reasons[0].code == verdict::ReasonCode::kTemplateDrift);
  }
}

TEST_CASE("with pseudonyms no name is left, and the verdicts stay") {
  SnapshotFile file = Record(MakeCluster());
  RedactNames(file);
  const std::string text = ToText(file);
  for (const char* name : {"\"ml\"", "one-gpu", "node-a", "node-b", "busy", "their-job",
                           "\"taken\"", "\"other\"", "-x7"})
    CHECK_THAT(text, !ContainsSubstring(name));
  CHECK_THAT(text, ContainsSubstring("\"gpu.example.com\""));
  FleetWorkers online;
  online.push_back(MakeWorker(MakeCluster(), WorkerNamed("east")));
  const FleetWorkers offline = Replay(Reread(file));
  for (const tracking::SubmittedJob& job : Jobs()) {
    INFO(job.key.ToString());
    const auto there = JudgeEverywhere(job, online)[0].verdict;
    const auto here = JudgeEverywhere(WithPseudonyms(job), offline)[0].verdict;
    CHECK(here.outcome == there.outcome);
    CHECK(here.pods_fitting == there.pods_fitting);
    CHECK(here.headroom == there.headroom);
    CHECK(here.alternatives == there.alternatives);
    REQUIRE(here.reasons.size() == there.reasons.size());
    for (size_t i = 0; i < here.reasons.size(); ++i)
      CHECK(here.reasons[i].code == there.reasons[i].code);
  }
}

// A cluster with a pod of this fedra's, which has ended, and its node.
SnapshotFile RecordWithPods() {
  FleetWorkerSettings settings = WorkerNamed("east");
  settings.verified.kinds = tracking::BuiltInKindsAndPods();
  WorkerRecorder recorder(settings, [] {});
  kube::ServerInfo server = Server();
  server.resources.insert("v1/pods");
  RawCluster cluster = MakeCluster();
  cluster.objects["pods"] = {Parsed(R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {"namespace": "ml", "name": "copied-0", "uid": "p",
                   "labels": {"kueue.x-k8s.io/multikueue-origin": "another"}},
      "spec": {"nodeName": "node-a", "containers": [{"name": "c"}]},
      "status": {"phase": "Succeeded"}})")};
  FeedAll(recorder.Inputs(&server), cluster);
  SnapshotFile file;
  file.fedra_version = "0.1.0";
  file.us.origin = "fedra";
  file.workers.push_back(recorder.Recorded(Connected(), &server));
  return file;
}

tracking::SubmittedJob PodNamed(const std::string& name) {
  json object = Parsed(R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {"namespace": "ml", "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
      "spec": {"containers": [{"name": "c", "image": "i"}]}})");
  object["metadata"]["name"] = name;
  auto job = tracking::ParseSubmitted(object, *tracking::BuiltInKindsAndPods(), "");
  REQUIRE(job.has_value());
  return *std::move(job);
}

TEST_CASE("a copy of a pod is in the way in the snapshot as well, under a pseudonym, too") {
  const auto judge = [](const SnapshotFile& file, const tracking::SubmittedJob& job) {
    const RecordedWorker& recorded = file.workers[0];
    FleetWorker worker(recorded.settings, [] {});
    worker.UseKinds(std::vector{job.adapter});
    CHECK(FeedRecorded(recorded, worker).empty());
    std::set<verdict::ReasonCode> codes;
    for (const verdict::Reason& reason : worker.Judge(job).verdict.reasons)
      codes.insert(reason.code);
    return codes.contains(verdict::ReasonCode::kNameConflict);
  };
  SnapshotFile file = RecordWithPods();
  CHECK(judge(Reread(file), PodNamed("copied-0")));
  CHECK_FALSE(judge(Reread(file), PodNamed("new-0")));
  RedactNames(file);
  const SnapshotFile redacted = Reread(file);
  CHECK(judge(redacted, WithPseudonyms(PodNamed("copied-0"))));
  CHECK_FALSE(judge(redacted, WithPseudonyms(PodNamed("new-0"))));
  // Where pods are jobs, what else is said of them has pseudonyms nevertheless.
  for (const char* name : {"copied-0", "node-a", "\"ml\""})
    CHECK_THAT(ToText(file), !ContainsSubstring(name));
}

TEST_CASE("pseudonyms of nodes keep their order; equal names stay equal") {
  SnapshotFile file = Record(MakeCluster());
  RedactNames(file);
  const auto& resources = file.workers[0].resources;
  const auto items = [&](const std::string& name) -> const std::vector<json>& {
    for (const RecordedResource& resource : resources)
      if (resource.name == name) return resource.items;
    FAIL(name);
    return resources[0].items;
  };
  const json& node = items("nodes")[0];
  CHECK(node["metadata"]["name"] == "node-1");
  CHECK(node["metadata"]["labels"]["kubernetes.io/hostname"] == "node-1");
  const json& slice = items("resourceslices.resource.k8s.io")[1];
  CHECK(slice["spec"]["nodeName"] == "node-2");
  CHECK(slice["spec"]["pool"]["name"] == "pool-2");
  CHECK(slice["spec"]["devices"][0]["attributes"]["host"]["string"] == "node-2");
  const json& claim = items("resourceclaims.resource.k8s.io")[0];
  CHECK(claim["status"]["allocation"]["devices"]["results"][0]["pool"] == "pool-2");
  CHECK(claim["metadata"]["namespace"] == Pseudonym("ns", "ml"));
}

std::string ErrorOf(const std::string& text) {
  const auto parsed = ParseSnapshot(text);
  return parsed ? "none" : parsed.error().message;
}

TEST_CASE("a file that is no snapshot is refused with the place") {
  CHECK_THAT(ErrorOf(""), ContainsSubstring("not a JSON object"));
  CHECK_THAT(ErrorOf(R"({"kind": "Job", "apiVersion": "batch/v1"})"),
             ContainsSubstring("kind: is \"Job\", not Snapshot; make one with"));
  CHECK_THAT(ErrorOf(R"({"kind": "Snapshot", "apiVersion": "fedra.dev/v2"})"),
             ContainsSubstring("apiVersion: is \"fedra.dev/v2\"; this fedra reads"));
  nlohmann::json good = nlohmann::json::parse(ToText(Record(MakeCluster())));
  CHECK(ErrorOf(good.dump()) == "none");
  const auto broken = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    return ErrorOf(bad.dump());
  };
  CHECK(broken("/takenAt", "soon") == "takenAt: must be a time such as 2026-11-21T16:11:19Z");
  CHECK(broken("/workers", nlohmann::json::array()) == "workers: there are none");
  CHECK(broken("/mode", "Dispatcher") == "mode: must be admissionCheck, multikueue or dispatcher");
  CHECK(broken("/mode", 5) == "mode: must be a text");
  CHECK(broken("/workers/0", 5) == "workers[0]: must be an object");
  CHECK(broken("/workers/0/connection/phase", "Fine") ==
        "workers[0].connection.phase: is none of the phases of a connection");
  CHECK_THAT(
      broken("/workers/0/kubernetes", ""),
      ContainsSubstring("workers[0].kubernetes: is empty: it says by which release's rules"));
  CHECK(broken("/workers/0/resources/1/state", 1) ==
        "workers[0].resources[1].state: must be a text");
  CHECK(broken("/workers/0/resources/1/items/0", "x") ==
        "workers[0].resources[1].items[0]: must be an object");
  CHECK(broken("/workers/0/verification/devices/nodeResources", nullptr) ==
        "workers[0].verification.devices.nodeResources: is missing");
}

TEST_CASE("objects that make no sense are left out, as they would be online") {
  SnapshotFile file = Record(MakeCluster());
  for (RecordedResource& resource : file.workers[0].resources) {
    if (resource.name != "resourceslices.resource.k8s.io") continue;
    resource.items[1]["spec"]["devices"] = "none";
    resource.items.push_back(json::object());
  }
  FleetWorker worker(file.workers[0].settings, [] {});
  const std::vector<std::string> complaints = FeedRecorded(file.workers[0], worker);
  REQUIRE(complaints.size() == 2);
  CHECK_THAT(complaints[0], ContainsSubstring("east: resourceslices.resource.k8s.io: "));
  CHECK(worker.Judge(MakeJob("a", "one-gpu")).verdict.outcome == verdict::Outcome::kYes);
}

TEST_CASE("a resource that the snapshot does not hold is unknown, not empty") {
  SnapshotFile file = Record(MakeCluster());
  std::erase_if(file.workers[0].resources,
                [](const RecordedResource& resource) { return resource.name == "pods"; });
  const auto verdict = Replay(file)[0]->Judge(MakeJob("a", "one-gpu"));
  CHECK(verdict.verdict.outcome == verdict::Outcome::kUnknown);
  CHECK_THAT(verdict::MessageOf(verdict.verdict.reasons[0]),
             ContainsSubstring("the snapshot does not hold them"));
}

}  // namespace
}  // namespace fedra::cli::snapshot_test
