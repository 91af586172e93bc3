// Every body by which fedra changes an object on a worker that it has looked at: it is bound to
// what was seen, so that a fedra that leads no more changes nothing that has been written since.
// What is deleted: tests/unit/manager/reconcile/execute_test.cc; templates:
// templates/copy_document_test.cc.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/tracking/adopt.h"
#include "manager/tracking/elastic.h"
#include "manager/tracking/finalizers.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/workload.h"
#include "tests/support/catch.h"

namespace fedra::tracking::worker_patches_test {

using nlohmann::json;

namespace {

const ResourceVersion kSeen("7");
const char* const kUid = "u1";

std::shared_ptr<const std::string> Text(const json& object) {
  return std::make_shared<const std::string>(object.dump());
}

Workload Clone() {
  Workload clone;
  clone.key = {"ml", "job-train"};
  clone.uid = kUid;
  clone.version = kSeen;
  clone.finalizers = {std::string(kResourceInUse)};
  return clone;
}

// On the manager.
Workload Original() {
  Workload workload = Clone();
  workload.uid = "w1";
  workload.version = ResourceVersion("99");
  workload.text = Text({{"spec", {{"podSets", json::array()}}}});
  Slice slice;
  slice.pod_counts = {1};
  workload.slice = std::make_shared<const Slice>(std::move(slice));
  return workload;
}

Job Copy(const JobAdapter& kind) {
  Job copy;
  copy.kind = &kind;
  copy.key = {"ml", "train"};
  copy.uid = kUid;
  copy.version = kSeen;
  return copy;
}

Job OnManager(const JobAdapter& kind) {
  Job job = Copy(kind);
  job.uid = "j1";
  job.version = ResourceVersion("99");
  job.text = Text({{"spec", json::object()}});
  return job;
}

struct Row {
  std::string what;
  std::string body;
};

std::vector<Row> AllPatches() {
  const JobAdapter& job = *BuiltInKinds()->all().front();
  const json there = {{"metadata", {{"uid", kUid}, {"resourceVersion", kSeen.value}}}};
  std::vector<Row> rows = {
      {"a clone's owner", OwnerPatch(Clone(), Copy(job))},
      {"a copy's queue", QueuePatch(Copy(job), "gpu")},
      {"a clone's priority", PriorityPatch(Original(), Clone())},
      {"a clone's counts", ClonePatch(Original(), Clone(), "").value()},
      {"an elastic copy's size", SlicePatch(there, OnManager(job), Original(), {}).value()},
      {"a clone's finalizers", FinalizersPatch(Clone())},
      {"a pod's finalizers", WithoutFinalizer(kUid, {std::string(kManaged)}, kManaged, kSeen)},
  };
  size_t following = 0;
  for (const JobAdapter* kind : BuiltInKindsAndPods()->all()) {
    if (!kind->copies_follow()) continue;
    ++following;
    const auto patch = kind->FollowPatch(Copy(*kind), OnManager(*kind));
    REQUIRE(patch);
    rows.push_back({"what follows of a " + std::string(kind->name()), *patch});
  }
  CHECK(following > 0);
  return rows;
}

}  // namespace

TEST_CASE("every patch of an object on a worker is bound to its UID and to the version seen") {
  for (const Row& row : AllPatches()) {
    INFO(row.what << ": " << row.body);
    const json metadata = json::parse(row.body).at("metadata");
    CHECK(metadata.at("uid") == kUid);
    REQUIRE(metadata.contains("resourceVersion"));
    CHECK(metadata.at("resourceVersion") == kSeen.value);
  }
}

}  // namespace fedra::tracking::worker_patches_test
