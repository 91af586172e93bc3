// The condition Active of AdmissionChecks: each reason with its message, and how it is written.

#include "manager/reconcile/admission_check_reconciler.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::admission_check_reconciler_test {

using nlohmann::json;
using verify::CheckScope;

namespace {

CheckScope Named(std::vector<std::string> names) {
  return {.all = false, .names = std::move(names), .problem = {}};
}

const CheckWorker kEast{"east", true};
const CheckWorker kWest{"west", true};
const CheckWorker kWestDown{"west", false};
const CheckWorker kEastDown{"east", false};

struct Fixture {
  Connected fleet;
  CopyFailures copy_failures;
  Gatherer gatherer{{.controller_name = "fedra.dev/federation", .us = {.origin = "fedra"}},
                    fleet.manager(),
                    fleet.workers(),
                    copy_failures};
  AdmissionCheckReconciler checks{fleet.manager().cluster(), fleet.manager().checks(),
                                  gatherer.scopes(), fleet.workers(), SystemClock()};

  Fixture() {
    fleet.Start();
    REQUIRE(fleet.WaitUntil([&] { return Seen() != nullptr; }));
  }

  std::shared_ptr<const tracking::AdmissionCheck> Seen() {
    return fleet.manager().checks().Find({"", "fedra"});
  }
  json Object() { return *fleet.manager_server().objects().Get("admissionchecks", {"", "fedra"}); }
  // Condition Active as it was written; null: there is none.
  json Active() {
    const json object = Object();
    for (const json& condition : object["status"]["conditions"])
      if (condition["type"] == "Active") return condition;
    return nullptr;
  }
  // Names this MultiKueueConfig in the check, and waits until that is seen.
  void UseConfig(const std::string& kind, const std::string& name) {
    REQUIRE(fleet.manager_server().objects().Patch(
        "admissionchecks", {"", "fedra"},
        {{"spec",
          {{"parameters", {{"apiGroup", "kueue.x-k8s.io"}, {"kind", kind}, {"name", name}}}}}}));
    REQUIRE(fleet.WaitUntil([&] { return Seen()->parameters_name == name; }));
  }
  std::string Written() {
    REQUIRE(checks.Reconcile("fedra"));
    const json active = Active();
    REQUIRE(active.is_object());
    return active["status"].get<std::string>() + " " + active["reason"].get<std::string>() + ": " +
           active["message"].get<std::string>();
  }
};

}  // namespace

TEST_CASE("an AdmissionCheck is Active by the workers that it may use") {
  struct Row {
    CheckScope scope;
    std::vector<CheckWorker> workers;
    bool is_active;
    std::string reason;
    std::string message;
  };
  const Row row = GENERATE(
      Row{{}, {kEast, kWest}, true, "Active", "The admission check is active"},
      Row{{}, {kEast, kWestDown}, true, "SomeActiveClusters", "Inactive clusters: [west]"},
      Row{{}, {kEastDown, kWestDown}, false, "NoUsableClusters", "Inactive clusters: [east west]"},
      Row{{}, {}, false, "NoUsableClusters", "No worker clusters are configured"},
      Row{Named({"east"}), {kEast, kWestDown}, true, "Active", "The admission check is active"},
      Row{Named({"west", "north"}),
          {kEast, kWest},
          true,
          "SomeActiveClusters",
          "Missing clusters: [north]"},
      Row{Named({"west", "north", "south"}),
          {kEast, kWestDown},
          false,
          "NoUsableClusters",
          "Missing clusters: [north south], Inactive clusters: [west]"},
      // In the order of the MultiKueueConfig.
      Row{Named({"west", "east"}),
          {kEastDown, kWestDown},
          false,
          "NoUsableClusters",
          "Inactive clusters: [west east]"},
      Row{Named({"north"}), {}, false, "NoUsableClusters", "Missing clusters: [north]"},
      Row{{.all = false, .names = {}, .problem = "MultiKueueConfig fleet does not exist"},
          {kEast},
          false,
          "BadConfig",
          "Cannot load the AdmissionChecks parameters: MultiKueueConfig fleet does not exist"});
  CAPTURE(row.reason, row.message);
  const tracking::ActiveCondition condition = ActiveOf(row.scope, row.workers);
  CHECK(condition.is_active == row.is_active);
  CHECK(condition.reason == row.reason);
  CHECK(condition.message == row.message);
}

TEST_CASE("an AdmissionCheck's condition is written once, for the generation that was looked at") {
  Fixture f;
  CHECK(f.Written() == "True Active: The admission check is active");
  const json object = f.Object();
  CHECK(f.Active()["observedGeneration"] == object["metadata"].value("generation", 0));
  REQUIRE(f.fleet.WaitUntil([&] { return f.Seen()->active.condition.has_value(); }));
  REQUIRE(f.checks.Reconcile("fedra"));
  CHECK(f.Object()["metadata"]["resourceVersion"] == object["metadata"]["resourceVersion"]);
}

TEST_CASE("an AdmissionCheck says what is wrong with its parameters") {
  Fixture f;
  f.UseConfig("MultiKueueConfig", "fleet");
  CHECK(f.Written() ==
        "False BadConfig: Cannot load the AdmissionChecks parameters: MultiKueueConfig fleet does "
        "not exist");
  REQUIRE(f.fleet.manager_server().objects().Create(
      {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
       {"kind", "MultiKueueConfig"},
       {"metadata", {{"name", "fleet"}}},
       {"spec", {{"clusters", json::array({"east", "north"})}}}}));
  REQUIRE(f.fleet.WaitUntil([&] {
    return f.Seen()->active.condition && f.fleet.manager().configs().Find({"", "fleet"}) != nullptr;
  }));
  CHECK(f.Written() == "True SomeActiveClusters: Missing clusters: [north]");
  f.UseConfig("ConfigMap", "other");
  CHECK(f.Written().starts_with(
      "False BadConfig: Cannot load the AdmissionChecks parameters: spec.parameters must name a "
      "MultiKueueConfig of kueue.x-k8s.io"));
}

TEST_CASE("an AdmissionCheck of another controller is left alone") {
  Fixture f;
  REQUIRE(f.fleet.manager_server().objects().Create(
      {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
       {"kind", "AdmissionCheck"},
       {"metadata", {{"name", "provisioning"}}},
       {"spec", {{"controllerName", "kueue.x-k8s.io/provisioning-request"}}}}));
  REQUIRE(f.fleet.WaitUntil(
      [&] { return f.fleet.manager().checks().Find({"", "provisioning"}) != nullptr; }));
  REQUIRE(f.checks.Reconcile("provisioning"));
  REQUIRE(f.checks.Reconcile("no-such-check"));
  CHECK((*f.fleet.manager_server().objects().Get("admissionchecks", {"", "provisioning"}))
            .value("status", json::object())
            .value("conditions", json::array())
            .empty());
}

}  // namespace fedra::reconcile::admission_check_reconciler_test
