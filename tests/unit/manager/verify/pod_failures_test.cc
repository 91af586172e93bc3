// How the pods of a job that failed ended, from what the API shows of them.

#include <nlohmann/json.hpp>

#include "manager/verify/pod_table.h"
#include "tests/support/catch.h"

namespace fedra::verify::pod_failures_test {
namespace {

using nlohmann::json;

const tracking::JobKey kTrain{"Job.batch", {"ml", "train"}};

void AddPod(PodTable& table, const std::string& name, const json& status) {
  const json object{{"metadata",
                     {{"namespace", "ml"},
                      {"name", name},
                      {"labels", {{"batch.kubernetes.io/job-name", "train"}}}}},
                    {"spec", {{"containers", json::array({{{"name", "c"}}})}}},
                    {"status", status}};
  dra::ParseContext context;
  auto pod = ParsePodFacts(object, *tracking::BuiltInKinds(), context);
  REQUIRE(pod);
  table.Set({"ml", name}, *std::move(pod));
}

json Exited(int code, const std::string& reason) {
  return {{"phase", "Failed"},
          {"containerStatuses",
           json::array({{{"name", "sidecar"}, {"state", {{"terminated", {{"exitCode", 0}}}}}},
                        {{"name", "c"},
                         {"state", {{"terminated", {{"exitCode", code}, {"reason", reason}}}}}}})}};
}

TEST_CASE("failed pods say how they ended, the most frequent first") {
  PodTable table;
  AddPod(table, "a", Exited(1, "Error"));
  AddPod(table, "b", Exited(137, "OOMKilled"));
  AddPod(table, "c", Exited(137, "OOMKilled"));
  AddPod(table, "d", {{"phase", "Running"}});
  CHECK(table.FailuresOf(kTrain) == "exit code 137 (OOMKilled) (2 pods), exit code 1");
  CHECK(table.FailuresOf({"Job.batch", {"ml", "other"}}).empty());
  const auto failed = table.FailedContainerOf(kTrain);
  REQUIRE(failed);
  CHECK(failed->pod == ObjectKey{"ml", "a"});
  CHECK(failed->name == "c");
  CHECK_FALSE(table.FailedContainerOf({"Job.batch", {"ml", "other"}}));
}

TEST_CASE("a pod whose init container failed says so: the others never ran") {
  PodTable table;
  const json init = Exited(3, "Error")["containerStatuses"];
  const json waiting = {{"name", "main"},
                        {"state", {{"waiting", {{"reason", "PodInitializing"}}}}}};
  AddPod(table, "a",
         {{"phase", "Failed"},
          {"initContainerStatuses", init},
          {"containerStatuses", json::array({waiting})}});
  CHECK(table.FailuresOf(kTrain) == "exit code 3");
  CHECK(table.FailedContainerOf(kTrain)->name == "c");
}

TEST_CASE("a pod that its node gave up, and statuses that no API server writes") {
  PodTable table;
  AddPod(table, "a", {{"phase", "Failed"}, {"reason", "Evicted"}});
  AddPod(table, "b", {{"phase", "Failed"}, {"containerStatuses", "none"}});
  AddPod(table, "c",
         {{"phase", "Failed"}, {"containerStatuses", json::array({7, {{"state", 3}}})}});
  CHECK(table.FailuresOf(kTrain) == "Evicted");
  CHECK_FALSE(table.FailedContainerOf(kTrain));
}

}  // namespace
}  // namespace fedra::verify::pod_failures_test
