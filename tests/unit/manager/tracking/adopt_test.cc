// The patches by which a copy that may not name its clone comes to own it.

#include "manager/tracking/adopt.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/kinds/job_kinds.h"
#include "tests/support/catch.h"

namespace fedra::tracking::adopt_test {

using nlohmann::json;

namespace {

Job Copy() {
  Job copy;
  copy.kind = BuiltInKinds()->FindName("JAXJob");
  copy.key = {"ml", "train"};
  copy.uid = "j1";
  copy.version = ResourceVersion("3");
  return copy;
}

}  // namespace

TEST_CASE("a clone gets its owner and the job-uid label in one write, if it is as it was seen") {
  Workload clone;
  clone.key = {"ml", "jaxjob-train-12345"};
  clone.uid = "c1";
  clone.version = ResourceVersion("7");
  CHECK(json::parse(OwnerPatch(clone, Copy())) == json::parse(R"({"metadata": {
    "uid": "c1", "resourceVersion": "7", "labels": {"kueue.x-k8s.io/job-uid": "j1"},
    "ownerReferences": [{"apiVersion": "kubeflow.org/v1", "kind": "JAXJob", "name": "train",
                         "uid": "j1", "controller": true}]}})"));
}

TEST_CASE("a copy gets its queue, if it is as it was seen") {
  CHECK(json::parse(QueuePatch(Copy(), "gpu")) == json::parse(R"({"metadata": {
    "uid": "j1", "resourceVersion": "3", "labels": {"kueue.x-k8s.io/queue-name": "gpu"}}})"));
}

TEST_CASE("that a copy has got its queue is no mere progress: it may be adopted now") {
  const Job before = Copy();
  Job after = Copy();
  CHECK(IsProgress(before, after));
  after.queued = true;
  CHECK_FALSE(IsProgress(before, after));
}

}  // namespace fedra::tracking::adopt_test
