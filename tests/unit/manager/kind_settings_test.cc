// An entry of the configuration's `kinds` becomes a row, and the row a kind that can be run.

#include "manager/kind_settings.h"

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/load.h"
#include "manager/tracking/kinds/submitted.h"
#include "manager/wiring.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/example_kinds.h"

namespace fedra::kind_settings_test {

using nlohmann::json;

namespace {

config::Configuration Read(const std::string& kinds) {
  auto parsed = config::Parse(
      "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\nmanager: {kubeconfig: m}\nkinds:\n" +
          kinds,
      "f.yaml");
  REQUIRE(parsed);
  return *std::move(parsed);
}

constexpr const char* kTrainingRun = R"(- apiVersion: example.com/v1
  kind: TrainingRun
  plural: trainingruns
  managedBy: spec.policy.managedBy
  suspend: spec.policy.paused
  podSets: [{at: 'spec.roles[*]', template: template, nameFrom: name, count: 'pods x hosts?0'}]
  succeeded: ["status.phase=Done and status.code=0"]
  active: ["status.running>0"]
  cleared: {running: 0}
  stripped: [spec.ttlSeconds]
)";

json Pipeline(const char* spec, const char* status) {
  return {{"apiVersion", "tekton.dev/v1"},
          {"kind", "PipelineRun"},
          {"metadata", {{"namespace", "ml"}, {"name", "train"}, {"uid", "u1"}}},
          {"spec", json::parse(spec)},
          {"status", json::parse(status)}};
}

}  // namespace

TEST_CASE("a configured kind that is held by a text: copied pending, its end is read") {
  const auto kinds = ToKinds(Read(testing::kPipelineRunEntry));
  const tracking::JobAdapter* adapter = kinds->Find("tekton.dev/v1", "PipelineRun");
  REQUIRE(adapter != nullptr);
  const auto job = adapter->Parse(Pipeline(
      R"({"pipelineRef": {"name": "p"}, "managedBy": "kueue.x-k8s.io/multikueue", "status": ""})",
      "{}"));
  REQUIRE(job);
  CHECK_FALSE(job->suspended);
  CHECK_FALSE(job->finished);
  CHECK(job->managed_by == "kueue.x-k8s.io/multikueue");
  tracking::Workload workload;
  workload.key = {"ml", "w"};
  const auto body = adapter->RemoteBody(*job, workload, {"fedra", "m1"});
  REQUIRE(body);
  CHECK(json::parse(*body)["spec"] ==
        json{{"pipelineRef", {{"name", "p"}}}, {"status", "PipelineRunPending"}});
  // Its controller there is built with a Kueue that reads no annotation. A label is no longer
  // than 63.
  const auto label = [&] {
    const json copy = json::parse(adapter->RemoteBody(*job, workload, {"fedra", "m1"}).value());
    return copy["metadata"]["labels"].value("kueue.x-k8s.io/prebuilt-workload-name", "");
  };
  CHECK(label() == "w");
  workload.key.name = std::string(64, 'w');
  CHECK(label().empty());
  const auto failed = adapter->Parse(
      Pipeline("{}", R"({"conditions": [{"type": "Succeeded", "status": "False"}]})"));
  REQUIRE(failed);
  CHECK(failed->failed);
  // Of a copy that its worker's Kueue has stopped it is no end, and nothing of it is mirrored.
  json stopped = Pipeline(R"({"status": "StoppedRunFinally"})",
                          R"({"conditions": [{"type": "Succeeded", "status": "False"}]})");
  CHECK(adapter->Parse(stopped)->failed);
  stopped["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "fedra";
  const auto copy = adapter->Parse(stopped);
  REQUIRE(copy);
  CHECK(copy->stopped);
  CHECK_FALSE(copy->failed);
  CHECK_FALSE(copy->finished);
  CHECK_FALSE(adapter->MirrorPatch(*job, *copy));
  CHECK(kinds->JobOfPod({{"namespace", "ml"}, {"labels", {{"tekton.dev/pipelineRun", "train"}}}}));
}

TEST_CASE("a PipelineRun that has started keeps its quota until its start is taken out") {
  // As IsActive of tekton-kueue's PipelineRun reads it.
  const auto kinds = ToKinds(Read(testing::kPipelineRunEntry));
  const tracking::JobAdapter* adapter = kinds->Find("tekton.dev/v1", "PipelineRun");
  const char* spec = R"({"managedBy": "kueue.x-k8s.io/multikueue"})";
  const auto waiting = adapter->Parse(Pipeline(spec, "{}"));
  CHECK_FALSE(waiting->shows_activity);
  CHECK_FALSE(adapter->ClearActivityPatch(*waiting));
  json status = {{"startTime", "2026-11-21T16:00:00Z"},
                 {"conditions", {{{"type", "Succeeded"}, {"status", "Unknown"}}}},
                 {"childReferences", {{{"name", "train-task"}}}}};
  const auto running = adapter->Parse(Pipeline(spec, status.dump().c_str()));
  CHECK(running->shows_activity);
  const auto patch = adapter->ClearActivityPatch(*running);
  REQUIRE(patch);
  status.merge_patch(json::parse(*patch)["status"]);
  CHECK_FALSE(adapter->Parse(Pipeline(spec, status.dump().c_str()))->shows_activity);
}

TEST_CASE("a configured kind's columns become those of its row") {
  const tracking::KindRow row = ToRow(Read(kTrainingRun).kinds[0]);
  CHECK(row.resource.ApiVersion() == "example.com/v1");
  CHECK(row.resource.plural == "trainingruns");
  CHECK(row.managed_by.text() == "spec.policy.managedBy");
  CHECK(row.suspend.suspended == "true");
  REQUIRE(row.pod_sets.size() == 1);
  CHECK(ToString(row.pod_sets[0].count) == "pods x hosts?0");
  REQUIRE(row.succeeded.size() == 1);
  CHECK(row.succeeded[0].size() == 2);
  CHECK(row.active == std::vector<FieldTest>{{.path = "status.running", .above = 0}});
  CHECK(json::parse(row.cleared_status) == json{{"running", 0}});
  CHECK(row.stripped == std::vector<FieldPath>{"spec.ttlSeconds"});
}

TEST_CASE("one configuration, one set of kinds: adapters are known by their address") {
  const config::Configuration configuration =
      Read(std::string(testing::kPipelineRunEntry) + kTrainingRun);
  const auto kinds = ToKinds(configuration);
  CHECK(kinds == ToKinds(config::Configuration(configuration)));
  CHECK(kinds != ToKinds(Read(kTrainingRun)));
  CHECK(kinds->all().size() == tracking::BuiltInKinds()->all().size() + 2);
  CHECK(ToKinds(config::Configuration()) == tracking::BuiltInKinds());
}

TEST_CASE("a configured kind takes the place of a built-in one") {
  const auto kinds = ToKinds(Read(
      "- {apiVersion: jobset.x-k8s.io/v1, kind: JobSet, plural: jobsets, stripped: [spec.ttl]}\n"));
  CHECK(kinds->all().size() == tracking::BuiltInKinds()->all().size());
  CHECK(kinds->Find("jobset.x-k8s.io/v1alpha2", "JobSet") == nullptr);
  CHECK(kinds->Find("jobset.x-k8s.io/v1", "JobSet") != nullptr);
}

// Its rules would be lost without a word.
TEST_CASE("the configuration refuses every built-in kind that an entry cannot describe") {
  std::set<std::string> with_rules{"Job.batch"};  // code
  std::vector<tracking::KindRow> rows = tracking::BuiltInRows();
  rows.push_back(tracking::StatefulSetRow());
  rows.push_back(tracking::LeaderWorkerSetRow());
  for (tracking::KindRow& row : rows) {
    tracking::KindRow described{.resource = row.resource,
                                .managed_by = row.managed_by,
                                .own_controller = row.own_controller,
                                .suspend = row.suspend,
                                .pod_sets = row.pod_sets,
                                .succeeded = row.succeeded,
                                .failed = row.failed,
                                .stopped = row.stopped,
                                .active = row.active,
                                .cleared_status = row.cleared_status,
                                .cleared_conditions = row.cleared_conditions,
                                .stripped = row.stripped,
                                .pod_label = {row.pod_label.key},
                                .honoured_since = row.honoured_since};
    // Which of several kinds with one label it is the job of that name tells, too.
    row.pod_label.also_key = row.pod_label.also_value = {};
    if (row == described) continue;
    with_rules.insert(tracking::KindName(row.resource.kind, row.resource.group));
  }
  CHECK(with_rules ==
        std::set<std::string>(config::kKindsWithRules.begin(), config::kKindsWithRules.end()));
}

}  // namespace fedra::kind_settings_test
