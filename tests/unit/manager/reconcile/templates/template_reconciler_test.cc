// Copies of the manager's templates on a worker.

#include "manager/reconcile/templates/template_reconciler.h"

#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::template_reconciler_test {

using nlohmann::json;

namespace {

const ObjectKey kTwoGpus{"ml", "two-gpus"};
const ObjectKey kJob{"ml", "job-train"};

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
  ConcurrencyLimiter limiter{SystemClock(), {}};
  CopyFailures failures;
  std::set<ObjectKey> possible;  // that a worker which refused them would take now
  RunLoop<ObjectKey> loop{{.subject = "template"}, SystemClock(), [this](const ObjectKey& key) {
                            return templates.Reconcile(key);
                          }};
  TemplateReconciler templates;

  explicit Fixture(templates::SyncPolicy mode, const std::string& token = "admin-token")
      : fleet(OneWorker(token)),
        templates({.mode = mode, .us = {.origin = "fedra"}}, fleet.manager().templates(),
                  fleet.manager().identity(), fleet.workers(), limiter, failures, SystemClock(),
                  loop, [this](const ObjectKey& key) { possible.insert(key); }) {
    sim::User reader = sim::Administrator("no-templates", "no-templates-token");
    reader.groups = {"system:authenticated"};
    reader.allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}};
    reader.deny = {{.verbs = {"create", "patch"},
                    .groups = {"resource.k8s.io"},
                    .resources = {"resourceclaimtemplates"}}};
    fleet.server(0).SetUser(reader);
    REQUIRE(fleet.manager_server().objects().Create(Template("gpu.example.com")));
    fleet.Start();
    REQUIRE(fleet.WaitUntil(
        [&] { return fleet.manager().templates().cache().Find(kTwoGpus) != nullptr; }));
  }
  ~Fixture() {
    loop.Stop();
    fleet.worker(0).Stop();
    loop.Join();
  }

  // From now on a workload of the manager names the template; `here`: and is on the worker.
  void Name(bool here) {
    if (!fleet.manager().templates().IsNamed(kTwoGpus)) {
      AddWaitingWorkload(
          fleet.manager_server(), kJob,
          {{"resourceClaims",
            json::array({{{"name", "g"}, {"resourceClaimTemplateName", kTwoGpus.name}}})}});
    }
    json names = nullptr;
    if (here) names = {"east"};
    REQUIRE(fleet.manager_server().objects().Patch(
        "workloads", kJob, {{"status", {{"nominatedClusterNames", names}}}}, "status"));
    REQUIRE(fleet.WaitUntil([&] {
      return fleet.manager().templates().UseOf(kTwoGpus).named &&
             fleet.manager().templates().UseOf(kTwoGpus).workers.empty() != here;
    }));
  }
  // The manager's template goes, and another one of its name comes.
  void Replace(const std::string& device_class) {
    const std::string before = OriginalUid();
    REQUIRE(fleet.manager_server().objects().Delete("resourceclaimtemplates", kTwoGpus));
    REQUIRE(fleet.manager_server().objects().Create(Template(device_class)));
    REQUIRE(fleet.WaitUntil([&] { return !OriginalUid().empty() && OriginalUid() != before; }));
  }
  std::string OriginalUid() {
    const auto original = fleet.manager().templates().cache().Find(kTwoGpus);
    return original == nullptr ? "" : original->uid;
  }
  // "uid of the copy, uid of what it is a copy of"
  std::pair<std::string, std::string> Uids() {
    const json metadata = (*Copy())["metadata"];
    return {metadata["uid"], metadata["annotations"][tracking::kTemplateUidAnnotation]};
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
        f.fleet.manager().templates().cache().Find(kTwoGpus)->uid);
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

TEST_CASE("a copy follows the manager's template: new marks, or another copy") {
  Fixture f(templates::SyncPolicy::kReconcile);
  f.Name(/*here=*/false);
  REQUIRE(f.Provide());
  const auto before = f.Uids();
  SECTION("of the same content") {
    f.Replace("gpu.example.com");
    REQUIRE(f.templates.Reconcile(kTwoGpus));
    CHECK(f.Uids() == std::pair(before.first, f.OriginalUid()));
  }
  SECTION("of another content") {
    f.Replace("large.example.com");
    REQUIRE(f.templates.Reconcile(kTwoGpus));
    CHECK(f.Uids().first != before.first);
    CHECK(f.Uids().second == f.OriginalUid());
    CHECK((*f.Copy())["spec"] == Template("large.example.com")["spec"]);
  }
}

TEST_CASE("a copy that a workload uses there is replaced when the workload has moved") {
  Fixture f(templates::SyncPolicy::kReconcile);
  f.Name(/*here=*/true);
  REQUIRE(f.Provide());
  f.Replace("large.example.com");
  REQUIRE(f.templates.Reconcile(kTwoGpus));
  CHECK((*f.Copy())["spec"] == Template("gpu.example.com")["spec"]);

  f.Name(/*here=*/false);
  f.loop.Start();
  f.templates.UseChanged(kTwoGpus);
  CHECK(f.WaitForCopy([](const json& copy) {
    return !copy.is_null() && copy["spec"] == Template("large.example.com")["spec"];
  }));
}

TEST_CASE("copies leave a removed worker, but none that a workload uses there") {
  Fixture f(templates::SyncPolicy::kIfMissing);
  f.Name(/*here=*/true);
  REQUIRE(f.Provide());
  WorkerSet after;
  const auto configured = f.fleet.workers().Now();
  after.Publish(WorkerList(Workers(configured->begin(), configured->end()), {ClusterName("east")}));
  TemplateReconciler leaving({.mode = templates::SyncPolicy::kIfMissing, .us = {.origin = "fedra"}},
                             f.fleet.manager().templates(), f.fleet.manager().identity(), after,
                             f.limiter, f.failures, SystemClock(), f.loop, [](const ObjectKey&) {});
  REQUIRE(leaving.Reconcile(kTwoGpus));
  CHECK(f.Copy());
  f.Name(/*here=*/false);
  REQUIRE(leaving.Reconcile(kTwoGpus));
  CHECK_FALSE(f.Copy());
}

TEST_CASE("a copy that a worker refused is tried again, and its success is reported") {
  Fixture f(templates::SyncPolicy::kIfMissing, "no-templates-token");
  f.Name(/*here=*/false);
  REQUIRE_FALSE(f.Provide());
  // Not before it is time, and not with a no.
  f.fleet.server(0).SetUser(sim::Administrator("no-templates", "no-templates-token"));
  REQUIRE(f.templates.Reconcile(kTwoGpus));
  CHECK(f.failures.Find(ClusterName("east"), kTwoGpus));
  f.templates.LookAtAll(f.fleet.worker(0));  // everything about it may have changed
  REQUIRE(f.templates.Reconcile(kTwoGpus));
  CHECK_FALSE(f.failures.Find(ClusterName("east"), kTwoGpus));
  CHECK(f.possible == std::set{kTwoGpus});
  CHECK_FALSE(f.Copy());  // it was only asked
}

}  // namespace fedra::reconcile::template_reconciler_test
