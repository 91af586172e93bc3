// Workloads as Kueue 0.19.2 writes them, clones and status patches as it accepts them.

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/tracking/kinds/submitted.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/workload.h"
#include "tests/support/catch.h"

namespace fedra::tracking::workload_test {

using nlohmann::json;

namespace {

json Waiting() {
  return json::parse(R"({
    "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
    "metadata": {"namespace": "ml", "name": "job-train-1a2b3", "uid": "u1", "resourceVersion": "7",
      "creationTimestamp": "2026-11-21T16:00:00Z", "managedFields": [{"manager": "kueue"}],
      "finalizers": ["kueue.x-k8s.io/resource-in-use"],
      "labels": {"kueue.x-k8s.io/job-uid": "j1", "team": "x"}, "annotations": {"note": "kept"},
      "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "j1", "controller": true}]},
    "spec": {"queueName": "gpu", "active": true, "podSets": [{"name": "main", "count": 2, "template": {"spec": {
      "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}, {"name": "s", "resourceClaimName": "shared"}],
      "futureField": {"kept": true}}}}]},
    "status": {"admission": {"clusterQueue": "cq"},
      "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "m",
                      "lastTransitionTime": "2026-11-21T16:00:01Z"}],
      "admissionChecks": [{"name": "other", "state": "Ready", "message": "x", "retryCount": 3, "lastTransitionTime": "2026-11-21T16:00:01Z"},
                          {"name": "fedra", "state": "Pending", "message": "", "lastTransitionTime": "2026-11-21T16:00:01Z"}]}})");
}

Workload Parsed(const json& object) {
  auto workload = ParseWorkload(object);
  REQUIRE(workload.has_value());
  return *std::move(workload);
}

}  // namespace

TEST_CASE("a waiting workload is read with what it needs") {
  const Workload workload = Parsed(Waiting());
  CHECK(workload.key.ToString() == "ml/job-train-1a2b3");
  CHECK(workload.owner.name == "train");
  CHECK(workload.QuotaReserved());
  CHECK_FALSE(workload.Admitted());
  CHECK(workload.requirement.kind == "Job.batch");
  CHECK(workload.requirement.queue == "gpu");
  CHECK(workload.requirement.Pods() == 2);
  CHECK(workload.requirement.TemplateNames() == std::vector<std::string>{"one-gpu"});
  CHECK(workload.requirement.ClaimNames() == std::vector<std::string>{"shared"});
  REQUIRE(workload.Check("fedra") != nullptr);
  CHECK(workload.Check("fedra")->state == CheckState::kPending);
  CHECK(workload.Check("absent") == nullptr);
  CHECK(workload.text != nullptr);
}

TEST_CASE(
    "whether Kueue has decided about quota without any check follows from checks and flavors") {
  const json reserved = Waiting()["status"]["conditions"];
  json refused = reserved;
  refused[0]["status"] = "False";
  const auto admission = [](const char* flavors) {
    json assignments = json::array({{{"name", "first"}}, {{"name", "second"}}});
    assignments[1]["flavors"] = json::parse(flavors);
    return json{{"clusterQueue", "cq"}, {"podSetAssignments", assignments}};
  };
  const json check = Waiting()["status"]["admissionChecks"];
  struct Row {
    const char* what;
    json status;
    bool unchecked;
  };
  const Row rows[] = {
      {"nothing yet", json::object(), false},
      {"refused", {{"conditions", refused}}, true},
      {"refused, with checks", {{"conditions", refused}, {"admissionChecks", check}}, false},
      {"reserved, of no flavor", {{"conditions", reserved}, {"admission", admission("{}")}}, true},
      {"likewise, with checks",
       {{"conditions", reserved}, {"admission", admission("{}")}, {"admissionChecks", check}},
       false},
      {"of one",
       {{"conditions", reserved}, {"admission", admission(R"({"cpu": "default"})")}},
       false},
      {"of what is no flavor", {{"conditions", reserved}, {"admission", admission("[1]")}}, true},
      {"no list of them",
       {{"conditions", reserved}, {"admission", {{"podSetAssignments", "odd"}}}},
       true}};
  for (const Row& row : rows) {
    INFO(row.what);
    json object = Waiting();
    object["status"] = row.status;
    CHECK(Parsed(object).IsDecidedUnchecked() == row.unchecked);
  }
}

TEST_CASE("what people ask of fedra is read from annotations, and left out where it is no time") {
  struct Row {
    json value;
    const char* time;  // empty: nothing is asked for
  };
  const std::vector<Row> rows = {
      {"2026-11-21T16:11:19Z", "2026-11-21T16:11:19.000000Z"},
      {"2026-11-21T17:11:19.5+01:00", "2026-11-21T16:11:19.500000Z"},
      {"now", ""},
      {"", ""},
      {nullptr, ""},
      {5, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    json object = Waiting();
    object["metadata"]["annotations"]["retry.fedra.dev/at"] = row.value;
    const auto at = Parsed(object).RetryAt();
    CHECK((at ? FormatRfc3339Micro(*at) : "") == row.time);
  }
  CHECK_FALSE(Parsed(Waiting()).RetryAt());
  const WallTime at = ParseRfc3339("2026-11-21T16:11:19.250Z").value();
  json asked = Waiting();
  asked.merge_patch(json::parse(RetryPatch("u1", at)));
  CHECK(Parsed(asked).RetryAt() == at);
  CHECK(asked["metadata"]["annotations"]["note"] == "kept");
  const json clone = json::parse(CloneBody(Parsed(asked), {"fedra", "m1"}).value());
  CHECK(clone["metadata"]["annotations"]["note"] == "kept");
  CHECK_FALSE(clone["metadata"]["annotations"].contains("retry.fedra.dev/at"));
}

TEST_CASE("a wish to move a job is read whole, or not at all") {
  struct Row {
    const char* annotations;
    std::optional<MoveRequest> move;
  };
  const WallTime at = ParseRfc3339("2026-11-21T16:11:19Z").value();
  const std::vector<Row> rows = {
      {R"({"at": "2026-11-21T16:11:19Z"})", MoveRequest{at}},
      {R"({"at": "2026-11-21T16:11:19Z", "from": "east"})", MoveRequest{at, "east"}},
      {R"({"at": "2026-11-21T16:11:19Z", "from": "east", "to": "west.eu"})",
       MoveRequest{at, "east", "west.eu"}},
      {R"({"at": "2026-11-21T16:11:19Z", "to": "a b"})", std::nullopt},
      {R"({"at": "2026-11-21T16:11:19Z", "from": "../x"})", std::nullopt},
      {R"({"at": "soon", "to": "west"})", std::nullopt},
      {R"({"to": "west"})", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.annotations);
    json object = Waiting();
    const json annotations = json::parse(row.annotations);
    for (const auto& [name, value] : annotations.items())
      object["metadata"]["annotations"]["move.fedra.dev/" + name] = value;
    const Workload workload = Parsed(object);
    REQUIRE((workload.Move() != nullptr) == row.move.has_value());
    if (row.move) CHECK(*workload.Move() == *row.move);
  }
  json asked = Waiting();
  asked.merge_patch(json::parse(MovePatch("u1", {at, "east", "west"})));
  CHECK(*Parsed(asked).Move() == MoveRequest{at, "east", "west"});
  asked.merge_patch(json::parse(MovePatch("u1", {at, "west"})));
  CHECK(*Parsed(asked).Move() == MoveRequest{at, "west"});
  const json clone = json::parse(CloneBody(Parsed(asked), {"fedra", "m1"}).value());
  CHECK(clone["metadata"]["annotations"].size() == 3);  // the note, and our marks
}

TEST_CASE("what cannot be a workload is refused, what is merely odd is read as empty") {
  CHECK_FALSE(ParseWorkload(json::parse("[]")).has_value());
  CHECK_FALSE(ParseWorkload(json::parse(R"({"metadata": {"name": "x"}})")).has_value());
  const auto odd = ParseWorkload(json::parse(
      R"({"metadata": {"name": "x", "uid": "u", "labels": 3}, "spec": {"podSets": {"a": 1}}, "status": [1]})"));
  REQUIRE(odd.has_value());
  CHECK(odd->checks.empty());
  CHECK(odd->requirement.pod_sets.empty());
  CHECK(odd->requirement.unreadable == "podSets must be a list");
}

TEST_CASE("a clone has spec, labels and annotations, our marks, and nothing else") {
  const json clone = json::parse(*CloneBody(Parsed(Waiting()), {"fedra", "m1"}));
  CHECK(clone["spec"] == Waiting()["spec"]);
  CHECK(clone["metadata"]["labels"] ==
        json{{"team", "x"}, {"kueue.x-k8s.io/multikueue-origin", "fedra"}});
  CHECK(clone["metadata"]["annotations"] ==
        json{{"note", "kept"}, {"fedra.dev/workload-uid", "u1"}, {"fedra.dev/manager-uid", "m1"}});
  CHECK_FALSE(clone["metadata"].contains("ownerReferences"));
  CHECK_FALSE(clone["metadata"].contains("finalizers"));
  CHECK_FALSE(clone.contains("status"));
}

TEST_CASE("a clone has no mark of the workload's own, whether we know who we are or not") {
  const auto clone = [](const json& workload, const char* manager) {
    return json::parse(*CloneBody(Parsed(workload), {"fedra", manager}));
  };
  const std::pair<const char*, const char*> marks[] = {
      {"labels", "kueue.x-k8s.io/multikueue-origin"}, {"labels", "fedra.dev/origin"},
      {"annotations", "fedra.dev/workload-uid"},      {"annotations", "fedra.dev/manager-uid"},
      {"annotations", "fedra.dev/member-uid"},        {"annotations", "fedra.dev/template-uid"},
  };
  for (const auto& [where, mark] : marks) {
    CAPTURE(mark);
    json forged = Waiting();
    forged["metadata"][where][mark] = "of-another";
    for (const char* manager : {"", "m1"})
      CHECK(clone(forged, manager) == clone(Waiting(), manager));
  }
  CHECK_FALSE(clone(Waiting(), "")["metadata"]["annotations"].contains("fedra.dev/manager-uid"));
}

TEST_CASE("a status patch is bound to what was looked at and leaves other checks as they are") {
  const StatusChange admit{.check = "fedra",
                           .state = CheckState::kReady,
                           .message = "here",
                           .nominated = std::vector<std::string>{},
                           .cluster_name = "gpu-east"};
  const json patch =
      json::parse(*StatusPatch(Parsed(Waiting()), admit, WallTime(std::chrono::seconds(0))));
  CHECK(patch["metadata"]["resourceVersion"] == "7");
  const json& status = patch["status"];
  CHECK(status["clusterName"] == "gpu-east");
  CHECK(status["nominatedClusterNames"].is_null());
  CHECK(status["admissionChecks"][0] == Waiting()["status"]["admissionChecks"][0]);
  CHECK(status["admissionChecks"][1]["state"] == "Ready");
  CHECK(status["admissionChecks"][1]["message"] == "here");
  CHECK(status["admissionChecks"][1]["lastTransitionTime"] == "1970-01-01T00:00:00Z");
}

TEST_CASE("a message alone moves no transition time and touches no placement") {
  const StatusChange note{.check = "fedra", .state = CheckState::kPending, .message = "waiting"};
  const json patch =
      json::parse(*StatusPatch(Parsed(Waiting()), note, WallTime(std::chrono::seconds(0))));
  CHECK(patch["status"]["admissionChecks"][1]["lastTransitionTime"] == "2026-11-21T16:00:01Z");
  CHECK_FALSE(patch["status"].contains("clusterName"));
  CHECK_FALSE(patch["status"].contains("nominatedClusterNames"));
}

TEST_CASE("a Pending check is not dated before the quota was reserved, and after it if held") {
  json waiting = Waiting();
  const auto patched = [&](CheckState state, std::optional<std::string> cluster = {}) {
    const auto patch = StatusPatch(
        Parsed(waiting),
        {.check = "fedra", .state = state, .message = "x", .cluster_name = std::move(cluster)},
        WallTime{});
    REQUIRE(patch);
    return json::parse(*patch)["status"]["admissionChecks"][1]["lastTransitionTime"];
  };
  json& reserved = waiting["status"]["conditions"][0];
  reserved = {{"type", "QuotaReserved"},
              {"status", "True"},
              {"reason", "QuotaReserved"},
              {"message", ""},
              {"lastTransitionTime", "2026-11-21T17:00:00Z"}};
  CHECK(Parsed(waiting).Check("fedra")->since == *ParseRfc3339("2026-11-21T16:00:01Z"));
  CHECK(patched(CheckState::kPending) == "2026-11-21T17:00:00Z");
  CHECK(patched(CheckState::kPending, "") == "2026-11-21T17:00:00Z");
  CHECK(patched(CheckState::kPending, "gpu-east") == "2026-11-21T17:00:01Z");
  CHECK(patched(CheckState::kReady) == "1970-01-01T00:00:00Z");
  CHECK(patched(CheckState::kReady, "gpu-east") == "1970-01-01T00:00:00Z");
  reserved["lastTransitionTime"] = "2026-11-21T15:00:00Z";
  CHECK(patched(CheckState::kPending) == "2026-11-21T16:00:01Z");
  reserved["lastTransitionTime"] = "2026-11-21T17:00:00Z";
  reserved["status"] = "False";
  waiting["status"]["nominatedClusterNames"] = {"gpu-east"};
  CHECK(patched(CheckState::kPending) == "2026-11-21T16:00:01Z");
}

TEST_CASE("nominations are applied with the whole status as it is, bound to what was looked at") {
  json waiting = Waiting();
  waiting["status"]["schedulingStats"] = {{"evictions", json::array()}};
  waiting["status"]["fieldOfALaterKueue"] = {{"a", 1}};
  waiting["status"]["nominatedClusterNames"] = {"gpu-west"};
  const json body = json::parse(*NominationsApply(Parsed(waiting), {"gpu-east", "gpu-north"}));
  json expected = waiting["status"];
  expected["nominatedClusterNames"] = {"gpu-east", "gpu-north"};
  CHECK(body["status"] == expected);
  CHECK(body["metadata"]["resourceVersion"] == "7");
  CHECK(body["metadata"]["uid"] == "u1");
  CHECK(body["metadata"].size() == 4);
  CHECK(body["apiVersion"] == "kueue.x-k8s.io/v1beta2");
  CHECK_FALSE(body.contains("spec"));
  // Written empty, not left out, so that they go whichever manager owns them.
  const json none = json::parse(*NominationsApply(Parsed(waiting), {}));
  CHECK(none["status"]["nominatedClusterNames"] == json::array());
}

TEST_CASE("a status is applied whole, with what a patch of it changes") {
  json waiting = Waiting();
  waiting["status"]["nominatedClusterNames"] = {"gpu-east"};
  const Workload workload = Parsed(waiting);
  const WallTime now = workload.quota_reserved->since + std::chrono::hours(1);
  const std::string admits = *StatusPatch(workload,
                                          {.check = workload.checks.front().name,
                                           .state = CheckState::kReady,
                                           .message = "admitted",
                                           .nominated = std::vector<std::string>(),
                                           .cluster_name = "gpu-east"},
                                          now);
  const json admitted = json::parse(*StatusApply(workload, admits))["status"];
  CHECK(admitted["clusterName"] == "gpu-east");
  CHECK(admitted["nominatedClusterNames"] == json::array());
  CHECK(admitted["admissionChecks"] == json::parse(admits)["status"]["admissionChecks"]);
  CHECK(admitted["conditions"] == waiting["status"]["conditions"]);
  waiting["status"].erase("nominatedClusterNames");
  waiting["status"]["clusterName"] = "gpu-east";
  const json cleared =
      json::parse(*StatusApply(Parsed(waiting), R"({"status": {"clusterName": null}})"))["status"];
  CHECK_FALSE(cleared.contains("clusterName"));
  CHECK_FALSE(cleared.contains("nominatedClusterNames"));
}

TEST_CASE("of several Workloads of one job all but the first follow") {
  json workload = Waiting();
  CHECK_FALSE(Parsed(workload).follows);
  auto& index = workload["metadata"]["annotations"]["kueue.x-k8s.io/component-workload-index"];
  index = "0";
  CHECK_FALSE(Parsed(workload).follows);
  index = "3";
  CHECK(Parsed(workload).follows);
}

TEST_CASE("the Workload of a group of pods is owned by the group, and names its pods") {
  json object = Waiting();
  json& metadata = object["metadata"];
  metadata["ownerReferences"] = json::parse(R"([
      {"apiVersion": "v1", "kind": "Pod", "name": "b", "uid": "p2"},
      {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "p1"}])");
  CHECK_FALSE(Parsed(object).is_pod_group);
  metadata["annotations"]["kueue.x-k8s.io/is-group-workload"] = "true";
  const Workload workload = Parsed(object);
  CHECK(workload.is_pod_group);
  CHECK(workload.owner.api_version == "v1");
  CHECK(workload.owner.kind == "Pod group");
  CHECK(workload.owner.name == workload.key.name);
  CHECK(workload.owner.uid.empty());
  CHECK(workload.requirement.kind == "Pod group");
  CHECK(workload.member_uids == std::vector<std::string>{"p1", "p2"});
  SECTION("without pods it has no owner") {
    metadata.erase("ownerReferences");
    CHECK_FALSE(Parsed(object).is_pod_group);
    CHECK(Parsed(object).owner.name.empty());
  }
  SECTION("a StatefulSet's is the StatefulSet's, whose pods own it, too") {
    metadata["annotations"]["kueue.x-k8s.io/job-owner-gvk"] = "apps/v1, Kind=StatefulSet";
    metadata["ownerReferences"].push_back(
        {{"apiVersion", "apps/v1"}, {"kind", "StatefulSet"}, {"name", "serve"}, {"uid", "s1"}});
    CHECK_FALSE(Parsed(object).is_pod_group);
    CHECK(Parsed(object).owner.kind == "StatefulSet");
    CHECK(Parsed(object).owner.name == "serve");
    CHECK(Parsed(object).owner.uid == "s1");
    metadata["ownerReferences"].erase(2);  // scaled to nothing
    metadata["annotations"]["kueue.x-k8s.io/job-owner-name"] = "serve";
    CHECK_FALSE(Parsed(object).is_pod_group);
    CHECK(Parsed(object).owner.api_version == "apps/v1");
    CHECK(Parsed(object).owner.name == "serve");
  }
}

TEST_CASE("a check that is gone is a conflict, not a new entry") {
  const auto patch = StatusPatch(Parsed(Waiting()), {.check = "gone"}, {});
  REQUIRE_FALSE(patch.has_value());
  CHECK(patch.error().code == ErrorCode::kConflict);
}

TEST_CASE("only Kueue's own finalizer is taken off a clone") {
  Workload clone = Parsed(Waiting());
  clone.finalizers.push_back("example.com/keep");
  const json patch = json::parse(FinalizersPatch(clone));
  CHECK(patch["metadata"]["finalizers"] == json{"example.com/keep"});
  CHECK(patch["metadata"]["uid"] == "u1");
  CHECK(patch["metadata"]["resourceVersion"] == clone.version.value);
  CHECK_FALSE(clone.version.empty());
}

TEST_CASE("a clone is given the priority that its workload has now") {
  json object = Waiting();
  object["spec"]["priorityClassRef"] = {
      {"group", "kueue.x-k8s.io"}, {"kind", "WorkloadPriorityClass"}, {"name", "low"}};
  object["spec"]["priority"] = 10;
  const Workload clone = Parsed(object);
  CHECK_FALSE(PriorityDiffers(Parsed(object), clone));
  object["spec"]["priorityClassRef"]["name"] = "high";
  object["spec"]["priority"] = 1000;
  CHECK(PriorityDiffers(Parsed(object), clone));
  const json patch = json::parse(PriorityPatch(Parsed(object), clone));
  CHECK(patch["spec"] ==
        json{{"priorityClassRef", object["spec"]["priorityClassRef"]}, {"priority", 1000}});
  CHECK(patch["metadata"] == json{{"uid", "u1"}, {"resourceVersion", clone.version.value}});
  // Kueue refuses these while quota is reserved.
  CHECK_FALSE(PriorityDiffers(Parsed(object), Parsed(Waiting())));
  CHECK_FALSE(PriorityDiffers(Parsed(Waiting()), clone));
}

TEST_CASE("a value of the wrong type is never guessed: the workload says that it cannot be read") {
  CHECK(Parsed(Waiting()).requirement.unreadable.empty());
  const auto unreadable = [](const char* pointer, const json& value) {
    json object = Waiting();
    object[json::json_pointer(pointer)] = value;
    const Workload workload = Parsed(object);
    CHECK(workload.requirement.demands == nullptr);
    return workload.requirement.unreadable;
  };
  CHECK(unreadable("/spec/podSets/0/count", "3") == "count must be a whole number, not \"3\"");
  CHECK(unreadable("/spec/podSets/0/count", 2.5) == "count must be a whole number, not 2.5");
  CHECK(unreadable("/spec/podSets/0/count", 99999999999) ==
        "count must be a number of 32 bits, not 99999999999");
  CHECK(unreadable("/spec/podSets/0/count", -1) == "a count of pods is below 0");
  CHECK(unreadable("/spec/podSets", {{"a", 1}}) == "podSets must be a list");
  CHECK(unreadable("/spec/queueName", 5) == "queueName must be a string");
  CHECK(unreadable("/spec/active", "no") == "active must be true or false, not \"no\"");
  CHECK(unreadable("/spec/priority", "high") == "priority must be a whole number, not \"high\"");
  CHECK_FALSE(unreadable("/spec/podSets/0/template/spec/resourceClaims", {{"a", 1}}).empty());
}

TEST_CASE("a manifest whose count of pods is no number is not read as one pod") {
  const auto parallelism = [](const json& value) {
    return ParseSubmitted(json{{"apiVersion", "batch/v1"},
                               {"kind", "Job"},
                               {"metadata", {{"name", "train"}}},
                               {"spec", {{"parallelism", value}, {"template", json::object()}}}},
                          *BuiltInKinds(), "ml");
  };
  CHECK(parallelism(3)->requirement.Pods() == 3);
  CHECK(parallelism(3.0)->requirement.Pods() == 3);
  CHECK(parallelism(nullptr)->requirement.Pods() == 1);
  for (const json& wrong : {json("3"), json(2.5), json(1e20), json(-1), json(true)}) {
    INFO(wrong.dump());
    CHECK_FALSE(parallelism(wrong).has_value());
  }
}

TEST_CASE("a finished workload keeps no text") {
  json object = Waiting();
  object["status"]["conditions"].push_back(
      {{"type", "Finished"}, {"status", "True"}, {"reason", "Succeeded"}});
  CHECK(Parsed(object).text == nullptr);
}

TEST_CASE("a job from a manifest needs what its Workload will need") {
  const json manifest = json::parse(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": "train", "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
    "spec": {"parallelism": 4, "completions": 2, "template": {"spec": {
      "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]}}}})");
  const auto job = ParseSubmitted(manifest, *BuiltInKinds(), "ml");
  REQUIRE(job.has_value());
  CHECK(job->key.ToString() == "ml/train");
  CHECK(job->requirement.Pods() == 2);
  CHECK(job->requirement.queue == "gpu");
  CHECK(job->requirement.TemplateNames() == std::vector<std::string>{"one-gpu"});
  CHECK_FALSE(
      ParseSubmitted(json::parse(R"({"apiVersion": "v1", "kind": "Pod"})"), *BuiltInKinds(), "")
          .has_value());
}

TEST_CASE("a workload is placed on the worker that has it and on those that are nominated") {
  json object = Waiting();
  CHECK(Parsed(object).PlacedOn().empty());
  object["status"]["nominatedClusterNames"] = {"east", "west"};
  object["status"]["clusterName"] = "west";
  const ClusterName east("east"), west("west");
  CHECK(Parsed(object).PlacedOn() == std::set{east, west});
  CHECK(Parsed(object).IsPlacedOn(east));
  object["status"].erase("nominatedClusterNames");
  CHECK(Parsed(object).PlacedOn() == std::set{west});
  CHECK(Parsed(object).IsPlacedOn(west));
  CHECK_FALSE(Parsed(object).IsPlacedOn(east));
}

}  // namespace fedra::tracking::workload_test
