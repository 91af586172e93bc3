// Copies of the manager's templates on a worker.

#include "manager/reconcile/template_reconciler.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

using namespace fedra;
using namespace fedra::reconcile;
using nlohmann::json;

namespace {

const ObjectKey kTwoGpus{"ml", "two-gpus"};

json Template(const std::string& device_class) {
  const json request = {
      {"name", "gpu"},
      {"exactly",
       {{"deviceClassName", device_class}, {"allocationMode", "ExactCount"}, {"count", 2}}}};
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", kTwoGpus.name}, {"namespace", kTwoGpus.ns}}},
          {"spec", {{"spec", {{"devices", {{"requests", json::array({request})}}}}}}}};
}

tracking::Workload NeedsTwoGpus() {
  tracking::Workload workload;
  workload.key = {"ml", "job-train"};
  workload.requirement.ns = "ml";
  workload.requirement.pod_sets = {{"main", 1, {{"g", kTwoGpus.name, ""}}}};
  return workload;
}

ConnectedOptions OneWorker(const std::string& token) {
  ConnectedOptions options;
  options.workers = {"east"};
  options.token = token;
  options.devices = false;
  return options;
}

struct Fixture {
  Connected fleet;
  CallGates gates{SystemClock(), {}};
  CopyFailures failures;
  RunLoop<ObjectKey> loop{{.subject = "template"}, SystemClock(), [this](const ObjectKey& key) {
                            return templates.Reconcile(key);
                          }};
  TemplateReconciler templates;

  explicit Fixture(templates::SyncPolicy mode, const std::string& token = "admin-token")
      : fleet(OneWorker(token)),
        templates({.mode = mode, .origin = "fedra"}, fleet.manager(), fleet.workers(), gates,
                  failures, SystemClock(), loop, [](const ObjectKey&) {}) {
    sim::User reader = sim::Administrator("no-templates", "no-templates-token");
    reader.groups = {"system:authenticated"};
    reader.allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}};
    reader.deny = {{.verbs = {"create", "patch"},
                    .groups = {"resource.k8s.io"},
                    .resources = {"resourceclaimtemplates"}}};
    fleet.server(0).SetUser(reader);
    REQUIRE(fleet.manager_server().objects().Create(Template("gpu.example.com")));
    fleet.Start();
    REQUIRE(fleet.WaitUntil([&] { return fleet.manager().templates().Find(kTwoGpus) != nullptr; }));
  }
  ~Fixture() {
    loop.Stop();
    fleet.worker(0).Stop();
    loop.Join();
  }

  Result<void> Provide() { return templates.Provide(fleet.worker(0), NeedsTwoGpus()); }
  Result<json> Copy() { return fleet.server(0).objects().Get("resourceclaimtemplates", kTwoGpus); }
  size_t Writes() { return fleet.server(0).RequestCounts()["patch resourceclaimtemplates"]; }
  bool WaitForCopy(const std::function<bool(const json&)>& holds) {
    return fleet.server(0).objects().WaitFor("resourceclaimtemplates", kTwoGpus, holds);
  }
};

}  // namespace

TEST_CASE("a worker gets the template that it lacks, once, with our marks") {
  Fixture f(templates::SyncPolicy::kIfMissing);
  REQUIRE(f.Provide());
  const auto copy = f.Copy();
  REQUIRE(copy);
  CHECK((*copy)["metadata"]["labels"][tracking::kCopyOriginLabel] == "fedra");
  CHECK((*copy)["metadata"]["annotations"][tracking::kTemplateUidAnnotation] ==
        f.fleet.manager().templates().Find(kTwoGpus)->uid);
  CHECK((*copy)["spec"] == Template("gpu.example.com")["spec"]);
  REQUIRE(f.Provide());
  CHECK(f.Writes() == 1);
}

TEST_CASE("nothing is ever written when copies are not wanted") {
  Fixture f(templates::SyncPolicy::kNever);
  REQUIRE(f.Provide());
  CHECK(f.Writes() == 0);
}

TEST_CASE("a worker's own template of the name is left alone") {
  Fixture f(templates::SyncPolicy::kReconcile);
  REQUIRE(f.fleet.server(0).objects().Create(Template("theirs")));
  // Whether or not the watch has shown it already, it is not overwritten.
  (void)f.Provide();
  REQUIRE(f.fleet.WaitUntil(
      [&] { return f.fleet.worker(0).objects().templates().Find(kTwoGpus) != nullptr; }));
  CHECK(f.Provide());
  CHECK((*f.Copy())["spec"] == Template("theirs")["spec"]);
}

TEST_CASE("a refusal is told, and remembered for verdicts") {
  Fixture f(templates::SyncPolicy::kIfMissing, "no-templates-token");
  const auto refused = f.Provide();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kForbidden);
  const auto failure = f.failures.Find(ClusterName("east"), kTwoGpus);
  REQUIRE(failure);
  CHECK(failure->reason.code == verdict::ReasonCode::kForbidden);
  CHECK_FALSE(f.Copy());
}

TEST_CASE("a copy that no workload names is removed") {
  Fixture f(templates::SyncPolicy::kIfMissing);
  REQUIRE(f.Provide());
  f.loop.Start();
  f.templates.Changed(kTwoGpus);
  CHECK(f.WaitForCopy([](const json& copy) { return copy.is_null(); }));
}
