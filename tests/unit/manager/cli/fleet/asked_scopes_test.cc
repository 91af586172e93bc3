// Which workers the AdmissionCheck of a job's ClusterQueue allows, before the job is submitted.

#include "manager/cli/fleet/asked_scopes.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::cli::asked_scopes_test {
namespace {

using nlohmann::json;

const ClusterName kEast("east");
const ClusterName kWest("west");

json Named(const std::string& name, const json& spec, const std::string& ns = "") {
  static int version = 0;  // an object of a known version counts as unchanged
  json metadata = {
      {"name", name}, {"uid", name + "-uid"}, {"resourceVersion", std::to_string(++version)}};
  if (!ns.empty()) metadata["namespace"] = ns;
  return {{"metadata", metadata}, {"spec", spec}};
}

// In the order of Inputs().
struct Objects {
  json checks = json::array(
      {Named("fedra",
             {{"controllerName", "fedra.dev/federation"},
              {"parameters",
               {{"apiGroup", "kueue.x-k8s.io"}, {"kind", "MultiKueueConfig"}, {"name", "few"}}}})});
  json configs = json::array({Named("few", {{"clusters", {"east"}}})});
  json queues = json::array(
      {Named("gpu", {{"admissionChecksStrategy", {{"admissionChecks", {{{"name", "fedra"}}}}}}})});
  json local_queues = json::array({Named("train", {{"clusterQueue", "gpu"}}, "ml")});
};

struct Fixture {
  int changes = 0;
  AskedScopes scopes{"fedra.dev/federation", /*kueue_copies=*/false, [this] { ++changes; }};
  tracking::Requirement job;

  Fixture() {
    job.ns = "ml";
    job.queue = "train";
  }
  static void SetState(watch::CacheSink& sink, watch::CacheState state) {
    watch::CacheHealth health;
    health.state = state;
    health.complete = state == watch::CacheState::kSynced;
    sink.SetHealth(health);
  }
  void Fill(const Objects& objects) {
    const json all[] = {objects.checks, objects.configs, objects.queues, objects.local_queues};
    const std::vector<verify::Input> inputs = scopes.Inputs();
    REQUIRE(inputs.size() == 4);
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].sink->Reset();
      for (const json& object : all[i]) REQUIRE(inputs[i].sink->Upsert(object.dump()));
      inputs[i].sink->Synced();
      SetState(*inputs[i].sink, watch::CacheState::kSynced);
    }
  }
  // Whether any worker is known not to be allowed.
  bool Excludes() const {
    return scopes.WhyNotAllowed(job, kEast).has_value() ||
           scopes.WhyNotAllowed(job, kWest).has_value();
  }
};

TEST_CASE("a worker that the queue's check does not name is excluded") {
  Fixture f;
  CHECK(f.scopes.IsListing());
  f.Fill({});
  CHECK_FALSE(f.scopes.IsListing());
  CHECK(f.changes > 0);
  CHECK_FALSE(f.scopes.WhyNotAllowed(f.job, kEast));
  const auto why = f.scopes.WhyNotAllowed(f.job, kWest);
  REQUIRE(why);
  CHECK(why->code == verdict::ReasonCode::kExcluded);
  CHECK(why->object == "AdmissionCheck fedra");
  f.job.queue = "another";
  CHECK_FALSE(f.Excludes());
}

TEST_CASE("a worker that is out of service is excluded, whatever the queue") {
  Fixture f;
  Objects objects;
  objects.checks.front()["metadata"]["annotations"] = {{"cordon.fedra.dev/east", "disks"}};
  f.Fill(objects);
  f.job.queue = "another";
  const auto why = f.scopes.WhyNotAllowed(f.job, kEast);
  REQUIRE(why);
  CHECK(why->code == verdict::ReasonCode::kWorkerCordoned);
  CHECK_FALSE(f.scopes.WhyNotAllowed(f.job, kWest));
}

TEST_CASE("a worker that Kueue is not connected to is refused where that makes the copies") {
  Fixture f;
  f.job.queue = "unknown";
  AskedScopes nominating{"kueue.x-k8s.io/multikueue", /*kueue_copies=*/true, [] {}};
  CHECK_FALSE(nominating.WhyNotAllowed(f.job, kEast));  // nothing is known yet
  const std::vector<verify::Input> inputs = nominating.Inputs();
  REQUIRE(inputs.size() == 5);
  for (const verify::Input& input : inputs) input.sink->Reset();
  json east = Named("east", json::object());
  east["status"]["conditions"] = {{{"type", "Active"}, {"status", "True"}}};
  json west = Named("west", json::object());
  west["status"]["conditions"] = {
      {{"type", "Active"}, {"status", "False"}, {"message", "refused"}}};
  for (const json& object : {east, west}) REQUIRE(inputs.back().sink->Upsert(object.dump()));
  CHECK(nominating.IsListing());
  for (const verify::Input& input : inputs) {
    input.sink->Synced();
    Fixture::SetState(*input.sink, watch::CacheState::kSynced);
  }
  CHECK_FALSE(nominating.IsListing());
  CHECK_FALSE(nominating.WhyNotAllowed(f.job, kEast));
  for (const ClusterName& name : {kWest, ClusterName("north")}) {
    const auto why = nominating.WhyNotAllowed(f.job, name);
    REQUIRE(why);
    CHECK(why->code == verdict::ReasonCode::kKueueDisconnected);
  }
}

TEST_CASE("where it is not known which check decides, no worker is excluded") {
  Fixture f;
  CHECK_FALSE(f.Excludes());
  Objects objects;
  objects.local_queues = json::array();
  f.Fill(objects);
  CHECK_FALSE(f.Excludes());

  objects = {};
  objects.queues = json::array();
  f.Fill(objects);
  CHECK_FALSE(f.Excludes());

  objects = {};
  objects.checks[0]["spec"]["controllerName"] = "kueue.x-k8s.io/multikueue";
  f.Fill(objects);
  CHECK_FALSE(f.Excludes());

  objects = {};
  json& rules = objects.queues[0]["spec"]["admissionChecksStrategy"]["admissionChecks"];
  rules[0]["onFlavors"] = {"spot"};
  f.Fill(objects);
  CHECK_FALSE(f.Excludes());

  objects = {};
  json second = objects.checks[0];
  second["metadata"]["name"] = "fedra-2";
  objects.checks.push_back(second);
  objects.queues[0]["spec"]["admissionChecksStrategy"]["admissionChecks"].push_back(
      {{"name", "fedra-2"}});
  f.Fill(objects);
  CHECK_FALSE(f.Excludes());

  f.Fill({});
  CHECK(f.Excludes());
}

TEST_CASE("configurations that cannot be read exclude no worker; one that is not there does") {
  Fixture f;
  Objects objects;
  objects.configs = json::array();
  f.Fill(objects);
  CHECK(f.scopes.WhyNotAllowed(f.job, kEast));
  Fixture::SetState(*f.scopes.Inputs()[1].sink, watch::CacheState::kForbidden);
  CHECK_FALSE(f.Excludes());
}

}  // namespace
}  // namespace fedra::cli::asked_scopes_test
