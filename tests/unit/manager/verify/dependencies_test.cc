// Whether the other objects are there that pods name.

#include "manager/verify/dependencies.h"

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "verdict/reason_text.h"

namespace fedra::verify::dependencies_test {

using verdict::Outcome;
using verdict::ReasonCode;
using watch::CacheHealth;
using watch::CacheState;
using Kind = tracking::Dependency::Kind;

namespace {

std::string Object(const std::string& ns, const std::string& name, int version = 1) {
  return fmt::format(
      R"({{"metadata": {{"namespace": "{}", "name": "{}", "uid": "u", "resourceVersion": "{}"}}}})",
      ns, name, version);
}

struct Fixture {
  std::vector<std::string> changes;
  DependencyIndex view;

  explicit Fixture(DependencyOptions options = {.enforce = true, .secrets = true})
      : view(options, [this](const ObjectKey& key) { changes.push_back(key.ToString()); }, [] {}) {
    for (const auto& input : view.Inputs()) Fill(*input.sink);
    Fill(view.pod_groups());
  }

  static void Fill(watch::CacheSink& sink) {
    sink.Reset();
    sink.Synced();
    SetState(sink, CacheState::kSynced);
  }

  static void SetState(watch::CacheSink& sink, CacheState state) {
    CacheHealth health;
    health.state = state;
    health.complete = state == CacheState::kSynced;
    sink.SetHealth(health);
  }
  watch::CacheSink& Sink(std::string_view plural) {
    for (const auto& input : view.Inputs())
      if (input.resource.plural == plural) return *input.sink;
    FAIL("not looked for: " << plural);
    std::abort();
  }
  verdict::Verdict Verify(Kind kind, const std::string& name) const {
    tracking::Requirement requirement;
    requirement.ns = "ml";
    requirement.dependencies = {{kind, name}};
    return view.Verify(requirement);
  }
};

}  // namespace

TEST_CASE("an object that is missing is named; one that is there is not") {
  Fixture f;
  REQUIRE(f.Sink("configmaps").Upsert(Object("ml", "settings")));
  REQUIRE(f.Sink("configmaps").Upsert(Object("other", "elsewhere")));
  CHECK(f.Verify(Kind::kConfigMap, "settings").outcome == Outcome::kYes);
  CHECK(f.Verify(Kind::kConfigMap, "settings").reasons.empty());
  const verdict::Verdict missing = f.Verify(Kind::kConfigMap, "elsewhere");
  CHECK(missing.outcome == Outcome::kNo);
  REQUIRE(missing.reasons.size() == 1);
  CHECK(missing.reasons[0].code == ReasonCode::kDependencyMissing);
  CHECK(missing.reasons[0].object == "ConfigMap ml/elsewhere");
  // A ConfigMap is no Secret of that name.
  CHECK(f.Verify(Kind::kSecret, "settings").outcome == Outcome::kNo);
}

TEST_CASE("what belongs to the cluster is looked for there") {
  Fixture f;
  REQUIRE(f.Sink("priorityclasses").Upsert(Object("", "high")));
  CHECK(f.Verify(Kind::kPriorityClass, "high").outcome == Outcome::kYes);
  CHECK(f.Verify(Kind::kRuntimeClass, "high").outcome == Outcome::kNo);
}

TEST_CASE("without enforcement the same is a warning") {
  Fixture f({.enforce = false, .secrets = true});
  const verdict::Verdict warned = f.Verify(Kind::kConfigMap, "a");
  CHECK(warned.outcome == Outcome::kYes);
  CHECK(warned.reasons.size() == 1);
}

TEST_CASE("secrets are neither read nor missed when they are not looked for") {
  Fixture f({.enforce = true, .secrets = false});
  for (const auto& input : f.view.Inputs()) CHECK(input.resource.plural != "secrets");
  CHECK(f.Verify(Kind::kSecret, "a").outcome == Outcome::kYes);
}

TEST_CASE("pods wait for a PodGroup that is missing, where PodGroups are served") {
  Fixture f;
  const verdict::Verdict missing = f.Verify(Kind::kPodGroup, "training");
  CHECK(missing.outcome == Outcome::kNo);
  CHECK(missing.reasons.at(0).code == ReasonCode::kDependencyMissing);
  CHECK(missing.reasons.at(0).object == "PodGroup ml/training");
  f.SetState(f.view.pod_groups(), CacheState::kNotServed);
  CHECK(f.Verify(Kind::kPodGroup, "training").outcome == Outcome::kYes);
  CHECK(f.Verify(Kind::kPodGroup, "training").reasons.empty());
  f.SetState(f.view.pod_groups(), CacheState::kForbidden);
  CHECK(f.Verify(Kind::kPodGroup, "training").outcome == Outcome::kUnknown);
  f.SetState(f.view.pod_groups(), CacheState::kSynced);
  REQUIRE(f.view.pod_groups().Upsert(Object("ml", "training")));
  CHECK(f.changes == std::vector<std::string>{"ml/training"});
  CHECK(f.Verify(Kind::kPodGroup, "training").outcome == Outcome::kYes);
}

TEST_CASE(
    "a scheduler that cannot be seen is a note, or Unknown where that is enforced, never No") {
  tracking::Requirement requirement;
  requirement.ns = "ml";
  for (const bool enforce : {false, true}) {
    const Fixture f({.enforce = enforce, .secrets = false});
    requirement.schedulers = {"kai", "volcano"};
    const verdict::Verdict verdict = f.view.VerifySchedulers(requirement);
    CHECK(verdict.outcome == (enforce ? Outcome::kUnknown : Outcome::kYes));
    REQUIRE(verdict.reasons.size() == 2);
    CHECK(verdict.reasons[0].code == ReasonCode::kSchedulerUnverified);
    CHECK(verdict.reasons[0].object == "schedulerName kai");
    CHECK(verdict::MessageOf(verdict.reasons[1]) ==
          "no API reveals whether the scheduler volcano runs there; the verdict assumes "
          "kube-scheduler");
    requirement.schedulers.clear();
    CHECK(f.view.VerifySchedulers(requirement).outcome == Outcome::kYes);
    CHECK(f.view.VerifySchedulers(requirement).reasons.empty());
  }
}

TEST_CASE("403 is not missing, and what was seen before still is there") {
  Fixture f;
  REQUIRE(f.Sink("serviceaccounts").Upsert(Object("ml", "trainer")));
  f.SetState(f.Sink("serviceaccounts"), CacheState::kForbidden);
  const verdict::Verdict forbidden = f.Verify(Kind::kServiceAccount, "other");
  CHECK(forbidden.outcome == Outcome::kUnknown);
  CHECK(forbidden.reasons.at(0).code == ReasonCode::kForbidden);
  CHECK(f.Verify(Kind::kServiceAccount, "trainer").outcome == Outcome::kYes);
}

TEST_CASE("only coming and going is told, not every change") {
  Fixture f;
  auto& sink = f.Sink("persistentvolumeclaims");
  REQUIRE(sink.Upsert(Object("ml", "data", 1)));
  REQUIRE(sink.Upsert(Object("ml", "data", 2)));
  CHECK(f.changes == std::vector<std::string>{"ml/data"});
  REQUIRE(sink.Remove(Object("ml", "data", 3)));
  CHECK(f.changes.size() == 2);
}

}  // namespace fedra::verify::dependencies_test
