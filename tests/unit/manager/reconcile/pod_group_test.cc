// A group of pods against a simulated manager and workers: what is seen of it, and what is written.

#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "manager/reconcile/execute.h"
#include "manager/reconcile/remove_copy.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected_executor.h"

namespace fedra::reconcile::pod_group_test {

using namespace fedra::placement;
using nlohmann::json;
using Names = std::set<std::string>;

namespace {

const ClusterName kEast("east");
const ObjectKey kGroup{"ml", "train"};
constexpr const char* kFinalizer = "kueue.x-k8s.io/managed";
constexpr const char* kOfOthers = "example.com/backup";  // a finalizer, too

ConnectedOptions WithPods() {
  ConnectedOptions options;
  options.workers = {kEast.value};
  options.kinds =
      std::make_shared<const tracking::JobKinds>(std::vector<tracking::KindRow>(), /*pods=*/true);
  return options;
}

// Of the group, managed by Kueue and gated.
json PodOf(const std::string& name) {
  const json container = {{"name", "c"}, {"image", "i"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", kGroup.ns},
            {"labels", {{kFinalizer, "true"}, {"kueue.x-k8s.io/pod-group-name", kGroup.name}}},
            {"annotations", {{"kueue.x-k8s.io/pod-group-total-count", "2"}}}}},
          {"spec",
           {{"schedulingGates", json::array({{{"name", "kueue.x-k8s.io/admission"}}})},
            {"containers", json::array({container})}}}};
}

json OwnerOf(const json& pod) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"name", pod["metadata"]["name"]},
          {"uid", pod["metadata"]["uid"]}};
}

struct Fixture : ConnectedExecutor {
  // With the pods a and b. A third one of the group, c, is not the Workload's.
  Fixture() : ConnectedExecutor(WithPods()) {
    AddWaitingWorkload(manager(), kGroup);
    json owners = json::array();
    for (const char* name : {"a", "b"}) owners.push_back(OwnerOf(Submit(name)));
    Submit("c");
    REQUIRE(manager().objects().Patch(
        "workloads", kGroup,
        {{"metadata",
          {{"ownerReferences", owners},
           {"annotations", {{"kueue.x-k8s.io/is-group-workload", "true"}}}}}}));
    fleet.Start();
    Await([&] { return MembersHere() == Names{"a", "b"}; });
  }

  json Submit(const std::string& name) {
    const auto pod = manager().objects().Create(PodOf(name));
    REQUIRE(pod);
    return *pod;
  }
  Gathered Gather() { return gatherer.Gather(kGroup, {std::nullopt, {kEast}}); }
  ClusterView East() { return Gather().clusters.at(0); }
  static Names NamesOf(const std::shared_ptr<const tracking::Job>& job) {
    Names names;
    for (const auto& object : tracking::ObjectsOf(job)) names.insert(object->key.name);
    return names;
  }
  Names MembersHere() { return NamesOf(Gather().view.job); }
  Names MembersThere() { return NamesOf(East().job); }
  Result<void> Execute(Action action) { return Carry(Gather(), {std::move(action)}); }
  std::optional<json> PodThere(const std::string& name) {
    auto pod = east().objects().Get("pods", {kGroup.ns, name});
    return pod ? std::optional<json>(*pod) : std::nullopt;
  }
  std::string PhaseHere(const std::string& name) {
    return (*manager().objects().Get("pods", {kGroup.ns, name}))["status"].value("phase", "");
  }
  void SetPhaseThere(const std::string& name, const std::string& phase) {
    REQUIRE(east().objects().Patch("pods", {kGroup.ns, name}, {{"status", {{"phase", phase}}}},
                                   "status"));
  }
  void PatchThere(const std::string& name, const char* field, const json& value) {
    REQUIRE(east().objects().Patch("pods", {kGroup.ns, name}, {{"metadata", {{field, value}}}}));
  }
  // As the worker's Kueue does.
  void HoldThere(const std::string& name) {
    PatchThere(name, "finalizers", json::array({kFinalizer}));
  }
  json FinalizersThere(const std::string& name) {
    return (*PodThere(name))["metadata"]["finalizers"];
  }
};

}  // namespace

TEST_CASE("a group is the pods that its Workload names, and goes to a worker as such") {
  Fixture f;
  const Gathered gathered = f.Gather();
  CHECK(gathered.view.holds_check);
  CHECK(gathered.job == kGroup);
  REQUIRE(gathered.view.job != nullptr);
  CHECK(tracking::KeyOf(*gathered.view.job) == tracking::JobKey{"Pod group", kGroup});
  CHECK(f.fleet.manager().jobs().WorkloadOf({"Pod", {"ml", "b"}}) == kGroup);
  CHECK(f.fleet.manager().jobs().WorkloadOf({"Pod group", kGroup}) == kGroup);
  CHECK_FALSE(f.fleet.manager().jobs().WorkloadOf({"Pod", kGroup}));
  REQUIRE(f.Execute(CreateJob{kEast}));
  CHECK(f.PodThere("a").has_value());
  CHECK(f.PodThere("b").has_value());
  CHECK_FALSE(f.PodThere("c").has_value());
  CHECK(f.MembersThere() == Names{"a", "b"});  // our own writes, at once
  CHECK(f.East().job_is == tracking::Ownership::kOurs);
  // Once the Workload names the third one, that is all that is missing.
  const auto third = f.manager().objects().Get("pods", {"ml", "c"});
  json owners = (*f.manager().objects().Get("workloads", kGroup))["metadata"]["ownerReferences"];
  owners.push_back(OwnerOf(*third));
  REQUIRE(f.manager().objects().Patch("workloads", kGroup,
                                      {{"metadata", {{"ownerReferences", owners}}}}));
  f.Await([&] { return f.MembersHere() == Names{"a", "b", "c"}; });
  const json before = (*f.PodThere("a"))["metadata"]["uid"];
  REQUIRE(f.Execute(CreateJob{kEast}));
  CHECK(f.PodThere("c").has_value());
  CHECK((*f.PodThere("a"))["metadata"]["uid"] == before);
}

TEST_CASE(
    "each pod of a group has its own status here, and loses it when the group is taken back") {
  Fixture f;
  REQUIRE(f.Execute(CreateJob{kEast}));
  f.SetPhaseThere("a", "Running");
  f.SetPhaseThere("b", "Succeeded");
  f.Await([&] { return f.East().job->members[1]->finished && f.East().job->active_pods == 1; });
  REQUIRE(f.Execute(MirrorStatus{kEast}));
  CHECK(f.PhaseHere("a") == "Running");
  CHECK(f.PhaseHere("b") == "Succeeded");
  CHECK(f.PhaseHere("c") == "Pending");
  REQUIRE(f.Execute(ClearActivity{}));
  CHECK(f.PhaseHere("a") == "Pending");
  CHECK(f.PhaseHere("b") == "Succeeded");
}

TEST_CASE("all copies of a group are removed, with the finalizer that its Kueue would keep") {
  Fixture f;
  REQUIRE(f.Execute(CreateJob{kEast}));
  f.HoldThere("a");
  REQUIRE(f.east().objects().Create(PodOf("d")));  // of a user there
  f.Await([&] {
    const auto job = f.East().job;
    return job != nullptr && !job->members.front()->member->finalizers.empty();
  });
  REQUIRE(f.Execute(DeleteRemote{kEast, AttemptEnd::kEvicted}));
  CHECK_FALSE(f.PodThere("a").has_value());
  CHECK_FALSE(f.PodThere("b").has_value());
  CHECK(f.PodThere("d").has_value());
}

TEST_CASE("what others have done to a pod since it was looked at is not undone with its removal") {
  Fixture f;
  REQUIRE(f.Execute(CreateJob{kEast}));
  f.HoldThere("a");
  tracking::JobPtr seen;
  const auto look = [&](bool deleting) {
    f.Await([&] {
      const auto group = f.East().job;
      seen = group == nullptr ? nullptr : group->members.front();
      return seen != nullptr && !seen->member->finalizers.empty() && seen->deleting == deleting;
    });
  };
  const auto remove = [&](const ResourceVersion& only_if) {
    return RemoveJob(f.fleet.worker(0).cluster(), *seen, only_if);
  };
  SECTION("another finalizer stays") {
    look(/*deleting=*/false);
    f.PatchThere("a", "finalizers", json::array({kFinalizer, kOfOthers}));
    CHECK(remove(seen->version).error().code == ErrorCode::kConflict);
    CHECK(f.FinalizersThere("a") == json::array({kFinalizer, kOfOthers}));
    REQUIRE(remove({}));
    CHECK(f.FinalizersThere("a") == json::array({kOfOthers}));
    CHECK((*f.PodThere("a"))["metadata"].contains("deletionTimestamp"));
  }
  SECTION("one that is being deleted keeps Kueue's until it is looked at again") {
    REQUIRE(f.east().objects().Delete("pods", {kGroup.ns, "a"}));
    look(/*deleting=*/true);
    f.PatchThere("a", "annotations", {{"example.com/changed", "meanwhile"}});
    CHECK(remove(seen->version).error().code == ErrorCode::kConflict);
    CHECK(f.FinalizersThere("a") == json::array({kFinalizer}));
    REQUIRE(remove({}));
    CHECK_FALSE(f.PodThere("a").has_value());
  }
}

TEST_CASE("copies that are not known to be ours are not removed") {
  Fixture f;
  REQUIRE(f.Execute(CreateJob{kEast}));
  REQUIRE(f.manager().objects().Delete("pods", {"ml", "a"}));
  f.Await([&] { return f.MembersHere() == Names{"b"} && f.MembersThere() == Names{"a", "b"}; });
  Gathered seen = f.Gather();
  for (const auto whose : {tracking::Ownership::kForeign, tracking::Ownership::kOtherManager}) {
    seen.clusters.at(0).job_is = whose;
    for (const Action& action : {Action(RemoveSurplus{kEast}), Action(DeleteRemote{kEast, {}})}) {
      Decision decision;
      decision.actions.push_back(action);
      REQUIRE(f.executor.Execute(seen, decision));
      CHECK(f.PodThere("a").has_value());
      CHECK(f.PodThere("b").has_value());
    }
  }
  REQUIRE(f.Execute(RemoveSurplus{kEast}));
  CHECK_FALSE(f.PodThere("a").has_value());
  CHECK(f.PodThere("b").has_value());
}

TEST_CASE("the copies of a group whose Workload is gone are known by what they say") {
  Fixture f;
  REQUIRE(f.Execute(CreateJob{kEast}));
  f.Await([&] { return f.fleet.worker(0).copies().JobsOf(kGroup).size() == 2; });
  REQUIRE(f.manager().objects().Delete("workloads", kGroup));
  f.Await([&] { return f.Gather().view.workload == nullptr; });
  CHECK(f.MembersThere() == Names{"a", "b"});
  CHECK(f.East().job_is == tracking::Ownership::kOursEarlier);
  REQUIRE(f.Execute(DeleteRemote{kEast, AttemptEnd::kDeleted}));
  CHECK_FALSE(f.PodThere("a").has_value());
}

TEST_CASE("a pod that takes the name of a failed one gets a copy of its own") {
  Fixture f;
  REQUIRE(f.Execute(CreateJob{kEast}));
  f.SetPhaseThere("a", "Failed");
  REQUIRE(f.manager().objects().Delete("pods", {"ml", "a"}));
  json owners = (*f.manager().objects().Get("workloads", kGroup))["metadata"]["ownerReferences"];
  const json successor = f.Submit("a");
  owners.push_back(OwnerOf(successor));
  REQUIRE(f.manager().objects().Patch("workloads", kGroup,
                                      {{"metadata", {{"ownerReferences", owners}}}}));
  f.Await([&] {
    const Gathered seen = f.Gather();
    return seen.view.job != nullptr &&
           successor["metadata"]["uid"] == seen.view.job->members[0]->uid &&
           seen.clusters.at(0).job->members[0]->failed;
  });
  const json before = (*f.PodThere("a"))["metadata"]["uid"];
  REQUIRE(f.Execute(MirrorStatus{kEast}));
  CHECK(f.PhaseHere("a") == "Pending");
  REQUIRE(f.Execute(RemoveSurplus{kEast}));
  CHECK_FALSE(f.PodThere("a").has_value());
  REQUIRE(f.Execute(CreateJob{kEast}));
  REQUIRE(f.PodThere("a").has_value());
  CHECK((*f.PodThere("a"))["metadata"]["uid"] != before);
}

TEST_CASE("somebody's pod of a member's name is in the group's way, and is not touched") {
  Fixture f;
  json foreign = PodOf("a");
  foreign["metadata"].erase("labels");
  foreign["metadata"]["labels"]["kueue.x-k8s.io/multikueue-origin"] = "another";
  REQUIRE(f.east().objects().Create(foreign));
  f.Await([&] { return f.East().in_the_way != nullptr; });
  CHECK(f.East().job == nullptr);
  CHECK(f.East().in_the_way->key.name == "a");
  CHECK_FALSE(tracking::IsOurs(f.East().in_the_way_is));
  const Result<void> done = f.Execute(CreateJob{kEast});
  REQUIRE_FALSE(done);
  REQUIRE(f.placements.Find(kGroup).failures.size() == 1);
  CHECK(f.placements.Find(kGroup).failures[0].reason ==
        verdict::ToString(verdict::ReasonCode::kNameConflict));
  REQUIRE(f.Execute(DeleteRemote{kEast, AttemptEnd::kRefused}));
  CHECK(f.PodThere("a").has_value());
}

}  // namespace fedra::reconcile::pod_group_test
