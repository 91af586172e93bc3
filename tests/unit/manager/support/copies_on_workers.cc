#include "tests/unit/manager/support/copies_on_workers.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"

namespace fedra::reconcile {
namespace {

constexpr const char* kTheirs = "of-another-manager";

bool HasLabel(const sim::Json& object, std::string_view label) {
  const sim::Json labels = object["metadata"].value("labels", sim::Json::object());
  return labels.contains(std::string(label));
}

// Of ours: theirs has its own name.
bool IsCopyOfOurs(const sim::Json& object) {
  return object["metadata"]["name"] != kTheirs && HasLabel(object, tracking::kOriginLabel);
}

}  // namespace

CopiesOnWorkers::CopiesOnWorkers(sim::Fleet& fleet, std::vector<std::string> workers,
                                 std::string origin)
    : fleet_(fleet), workers_(std::move(workers)), origin_(std::move(origin)) {
  REQUIRE(workers_.size() == 2);
  for (const std::string& worker : workers_) {
    AddTheirs(worker);
    theirs_[worker] = StateOfTheirs(worker);
  }
}

sim::Objects CopiesOnWorkers::ObjectsOf(const std::string& worker) const {
  return fleet_.Find(worker)->server.objects();
}

void CopiesOnWorkers::AddTheirs(const std::string& worker) const {
  sim::Json job = sim::MakeJob(kTheirs, "");
  job["metadata"]["labels"] = {{std::string(tracking::kOriginLabel), origin_}};
  job["metadata"]["annotations"] = {{std::string(tracking::kManagerUidAnnotation), "another"},
                                    {std::string(tracking::kWorkloadUidAnnotation), "theirs"},
                                    {std::string(tracking::kPrebuiltWorkload), "theirs"}};
  job["spec"].erase("managedBy");
  REQUIRE(ObjectsOf(worker).Create(job));
}

std::string CopiesOnWorkers::StateOfTheirs(const std::string& worker) const {
  const auto job = ObjectsOf(worker).Get("jobs", {"ml", kTheirs});
  REQUIRE(job);
  sim::Json metadata = (*job)["metadata"];
  for (const char* field : {"resourceVersion", "managedFields"}) metadata.erase(field);
  return metadata.dump() + (*job)["spec"].dump();
}

CopiesOnWorkers::Uids CopiesOnWorkers::Running(const std::string& worker) const {
  Uids uids;
  for (const char* resource : {"jobs", "pods"}) {
    const bool are_pods = std::string_view(resource) == "pods";
    for (const sim::Json& object : ObjectsOf(worker).List(resource, "ml")) {
      const bool counts = !are_pods || HasLabel(object, "kueue.x-k8s.io/pod-group-name");
      if (counts && IsCopyOfOurs(object) && !object["metadata"].contains("deletionTimestamp"))
        uids[object["metadata"]["name"]] = object["metadata"]["uid"];
    }
  }
  return uids;
}

// The first worker is read twice: what left it before the second was read has not been on both.
void CopiesOnWorkers::Check() const {
  const Uids before = Running(workers_[0]);
  const Uids others = Running(workers_[1]);
  const Uids after = Running(workers_[0]);
  for (const auto& [name, uid] : before) {
    const auto still = after.find(name);
    INFO(name);
    REQUIRE_FALSE((others.contains(name) && still != after.end() && still->second == uid));
  }
  for (const auto& [worker, state] : theirs_) REQUIRE(StateOfTheirs(worker) == state);
}

int CopiesOnWorkers::Count() const {
  int count = 0;
  for (const std::string& worker : workers_) {
    for (const char* resource : {"workloads", "jobs", "pods"}) {
      for (const sim::Json& object : ObjectsOf(worker).List(resource, "ml"))
        count += IsCopyOfOurs(object) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace fedra::reconcile
