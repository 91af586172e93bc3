// PlacementRecords: what is written is read back, within the bounds of
// deploy/placement-records.yaml, whichever user has written it.

#include "manager/tracking/record_object.h"

#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "config/yaml_json.h"
#include "tests/support/catch.h"

namespace fedra::tracking::record_object_test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const std::string kNoon = "2026-11-27T12:00:00.250000Z";

WallTime Noon() { return ParseRfc3339(kNoon).value(); }

Workload Train() {
  Workload workload;
  workload.key = {"ml", "job-train"};
  workload.uid = "uid-1";
  return workload;
}

RecordedFailure FailureOn(const std::string& worker) {
  return {.worker = ClusterName(worker),
          .reason = "RecentlyFailed",
          .message = worker + " refused the copy: no",
          .at = Noon(),
          .refused = true,
          .times = 3};
}

json Entry(const std::string& worker) {
  return {{"worker", worker}, {"reason", "RecentlyFailed"}, {"time", kNoon}};
}

RecordObject Read(const json& object) {
  const auto record = ParseRecordObject(object);
  REQUIRE(record);
  return *record;
}

// One whose status says this.
Recorded ReadStatus(const json& status) {
  return Read({{"metadata", {{"namespace", "ml"}, {"name", "job-train"}}}, {"status", status}})
      .recorded;
}

// Of one whose one failure says this, beside the worker, the reason and the time.
RecordedFailure ReadFailure(const json& more) {
  json entry = Entry("east");
  entry.update(more);
  const Recorded recorded = ReadStatus({{"attempt", 1}, {"failures", json::array({entry})}});
  REQUIRE(recorded.failures.size() == 1);
  return recorded.failures.front();
}

std::vector<std::string> WorkersIn(const json& failures) {
  std::vector<std::string> workers;
  for (const auto& failure : ReadStatus({{"attempt", 1}, {"failures", failures}}).failures)
    workers.push_back(failure.worker.value);
  return workers;
}

json SchemaInDeploy() {
  std::ifstream stream(std::string(FEDRA_TEST_DATA) + "/../../deploy/placement-records.yaml");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto documents = config::YamlToJson(text);
  REQUIRE(documents);
  return json::parse(documents->front());
}

TEST_CASE("what is written into a PlacementRecord is read back, and belongs to the Workload") {
  const Recorded recorded{.attempt = 2,
                          .attempt_time = Noon() + 1ms,
                          .failures = {FailureOn("west"), FailureOn("east")}};
  json object = json::parse(RecordBody(Train(), recorded));
  CHECK(object["apiVersion"] == "fedra.dev/v1alpha1");
  CHECK(object["metadata"]["ownerReferences"] ==
        json::array({{{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                      {"kind", "Workload"},
                      {"name", "job-train"},
                      {"uid", "uid-1"}}}));
  const RecordObject record = Read(object);
  CHECK(record.key == Train().key);
  CHECK(record.workload_uid == "uid-1");
  CHECK(record.recorded.attempt == 2);
  CHECK(record.recorded.attempt_time == Noon() + 1ms);
  REQUIRE(record.recorded.failures.size() == 2);
  const RecordedFailure& last = record.recorded.failures.back();
  CHECK(last.worker == ClusterName("east"));
  CHECK(last.at == Noon());
  CHECK(last.refused);
  CHECK(last.times == 3);
  CHECK(last.message == "east refused the copy: no");
  CHECK(IsSameRecord(record.recorded, recorded));
}

TEST_CASE("records are alike when they would be written alike") {
  struct Case {
    const char* what;
    std::function<void(Recorded&)> change;
    bool is_same;
  };
  const std::vector<Case> cases = {
      {"nothing", [](Recorded&) {}, true},
      {"bytes that are no text", [](Recorded& r) { r.failures[0].message = "no\xff"; }, false},
      {"more of them than may be written",
       [](Recorded& r) { r.failures[0].message = std::string(kMaxRecordedMessage, '\xff'); },
       false},
      {"another attempt", [](Recorded& r) { ++r.attempt; }, false},
      {"the attempt has ended", [](Recorded& r) { r.attempt_time.reset(); }, false},
      {"it failed later", [](Recorded& r) { r.failures[0].at += 1ms; }, false},
      {"it failed again", [](Recorded& r) { ++r.failures[0].times; }, false},
      {"all is forgotten", [](Recorded& r) { r.failures.clear(); }, false},
  };
  for (const Case& each : cases) {
    CAPTURE(each.what);
    const Recorded before{.attempt = 1, .attempt_time = Noon(), .failures = {FailureOn("east")}};
    Recorded after = before;
    each.change(after);
    CHECK(IsSameRecord(before, after) == each.is_same);
    // Written and read it is the same again: it is not written twice.
    CHECK(IsSameRecord(Read(json::parse(RecordBody(Train(), after))).recorded, after));
  }
}

TEST_CASE("of a list that is too long the oldest go, of a text the end") {
  Recorded recorded{.attempt = kMaxRecordedAttempt + 1};
  for (size_t i = 0; i < kMaxRecordedFailures + 5; ++i) {
    recorded.failures.push_back(FailureOn("worker-" + std::to_string(i)));
    recorded.failures.back().message = std::string(5'000, 'x');
    recorded.failures.back().reason = std::string(500, 'x');
    recorded.failures.back().times = 1'000;
  }
  const json status = json::parse(RecordBody(Train(), recorded))["status"];
  CHECK(status["attempt"] == kMaxRecordedAttempt);
  REQUIRE(status["failures"].size() == kMaxRecordedFailures);
  CHECK(status["failures"].front()["worker"] == "worker-5");
  CHECK(status["failures"].back()["worker"] == "worker-24");
  CHECK(status["failures"][0]["message"].get<std::string>().size() == kMaxRecordedMessage);
  CHECK(status["failures"][0]["reason"].get<std::string>().size() == kMaxRecordedReason);
  CHECK(status["failures"][0]["times"] == kMaxRecordedTimes);
}

TEST_CASE("a patch is bound to what was seen, takes the record over, and can end an attempt") {
  RecordObject before;
  before.uid = "uid-of-record";
  before.version = ResourceVersion("17");
  const json patch =
      json::parse(RecordPatch(before, Train(), {.attempt = 1, .failures = {FailureOn("east")}}));
  CHECK(patch["metadata"]["uid"] == "uid-of-record");
  CHECK(patch["metadata"]["resourceVersion"] == "17");
  CHECK(patch["metadata"]["ownerReferences"][0]["uid"] == "uid-1");
  CHECK(patch["status"].contains("attemptTime"));
  CHECK(patch["status"]["attemptTime"].is_null());
}

TEST_CASE("a record that anybody may have written says little, and nothing without bounds") {
  CHECK_FALSE(ParseRecordObject(json{{"metadata", {{"namespace", "ml"}}}}));
  CHECK_FALSE(ParseRecordObject(nullptr));
  for (const json& status :
       {json(nullptr), json("text"), json::array(), json{{"attempt", "many"}, {"failures", "none"}},
        json{{"attempt", -5}, {"attemptTime", "soon"}, {"failures", 7}}}) {
    CAPTURE(status.dump());
    const Recorded recorded = ReadStatus(status);
    CHECK(recorded.attempt == 0);
    CHECK_FALSE(recorded.attempt_time);
    CHECK(recorded.failures.empty());
  }
  CHECK(ReadStatus({{"attempt", 2'000'000'000}}).attempt == kMaxRecordedAttempt);
  CHECK(ReadFailure({{"times", -1}}).times == 1);
  CHECK(ReadFailure({{"times", 1'000'000'000'000}}).times == kMaxRecordedTimes);
  CHECK(ReadFailure({{"refused", "yes"}}).refused == false);
  CHECK(ReadFailure({{"message", std::string(100'000, 'x')}}).message.size() ==
        kMaxRecordedMessage);
  CHECK(ReadFailure({{"reason", std::string(100'000, 'x')}}).reason.size() == kMaxRecordedReason);
}

TEST_CASE("failures of a record that are about no worker, or of no time, are left out") {
  json untimed = Entry("east");
  untimed.erase("time");
  CHECK(WorkersIn({Entry("east"), Entry("west")}) == std::vector<std::string>{"east", "west"});
  CHECK(WorkersIn({Entry(""), Entry("a/b"), Entry(std::string(300, 'a')), untimed, json("text"),
                   json(nullptr)})
            .empty());
  // Of two about one worker the later one counts.
  CHECK(WorkersIn({Entry("east"), Entry("west"), Entry("east")}) ==
        std::vector<std::string>{"west", "east"});
  json many = json::array();
  for (int i = 0; i < 1'000; ++i) many.push_back(Entry("worker-" + std::to_string(i)));
  const auto workers = WorkersIn(many);
  REQUIRE(workers.size() == kMaxRecordedFailures);
  CHECK(workers.back() == "worker-999");
}

TEST_CASE("a record is its Workload's alone") {
  const auto uid_with = [](const json& owners) {
    return Read({{"metadata", {{"name", "job-train"}, {"ownerReferences", owners}}}}).workload_uid;
  };
  const auto owner = [](const char* api_version, const char* kind) {
    return json{{"apiVersion", api_version}, {"kind", kind}, {"name", "x"}, {"uid", "uid-1"}};
  };
  CHECK(uid_with(json::array({owner("v1", "Pod"), owner("kueue.x-k8s.io/v1beta2", "Workload")})) ==
        "uid-1");
  CHECK(uid_with(json::array({owner("kueue.x-k8s.io/v1", "Workload")})) == "uid-1");
  CHECK(uid_with(json::array({owner("example.com/v1", "Workload")})).empty());
  CHECK(uid_with(json::array({owner("batch/v1", "Job")})).empty());
  CHECK(uid_with("text").empty());
  CHECK(uid_with(nullptr).empty());
}

TEST_CASE("the schema in deploy/ has these bounds, and the resource that is read") {
  const json spec = SchemaInDeploy()["spec"];
  CHECK(spec["group"] == "fedra.dev");
  CHECK(spec["names"]["plural"] == "placementrecords");
  const json& version = spec["versions"][0];
  CHECK(version["name"] == "v1alpha1");
  CHECK_FALSE(version.contains("subresources"));  // a record is one write
  const json& status = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"];
  CHECK(status["attempt"]["maximum"] == kMaxRecordedAttempt);
  CHECK(status["failures"]["maxItems"] == kMaxRecordedFailures);
  const json& failure = status["failures"]["items"]["properties"];
  CHECK(failure["message"]["maxLength"] == kMaxRecordedMessage);
  CHECK(failure["reason"]["maxLength"] == kMaxRecordedReason);
  CHECK(failure["times"]["maximum"] == kMaxRecordedTimes);
  // All that is written has a place in it: what has none the API server drops without a word.
  const json written = json::parse(RecordBody(
      Train(), {.attempt = 1, .attempt_time = Noon(), .failures = {FailureOn("east")}}))["status"];
  for (const auto& [name, value] : written.items()) CHECK(status.contains(name));
  for (const auto& [name, value] : written["failures"][0].items()) CHECK(failure.contains(name));
}

}  // namespace
}  // namespace fedra::tracking::record_object_test
