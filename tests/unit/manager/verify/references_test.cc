// Whether what a job itself names is on a worker, and is the manager's.

#include "manager/verify/references.h"

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "verdict/reason_text.h"

namespace fedra::verify::references_test {

using verdict::Outcome;
using verdict::ReasonCode;
using watch::CacheState;

namespace {

const kube::Resource kOfCluster{"trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes",
                                "ClusterTrainingRuntime", false};
const kube::Resource kOfNamespace{"trainer.kubeflow.org", "v1alpha1", "trainingruntimes",
                                  "TrainingRuntime", true};

std::string Runtime(const std::string& ns, const std::string& name, const std::string& spec) {
  static int version = 0;  // a cache takes an object of a known version for unchanged
  return fmt::format(
      R"({{"metadata": {{"namespace": "{}", "name": "{}", "uid": "u", "resourceVersion": "{}"}}, "spec": {}}})",
      ns, name, ++version, spec);
}

struct Side {
  std::vector<std::string> changes;
  ReferenceIndex index{{kOfCluster, kOfNamespace},
                       [this](const ObjectKey& key) { changes.push_back(key.ToString()); },
                       [] {}};

  Side() {
    for (const auto& input : index.Inputs()) {
      input.sink->Reset();
      input.sink->Synced();
      SetState(input.resource, CacheState::kSynced);
    }
  }
  watch::CacheSink& Sink(const kube::Resource& resource) {
    for (const auto& input : index.Inputs())
      if (input.resource == resource) return *input.sink;
    FAIL("not kept");
    std::abort();
  }
  void SetState(const kube::Resource& resource, CacheState state) {
    watch::CacheHealth health;
    health.state = state;
    health.complete = state == CacheState::kSynced;
    Sink(resource).SetHealth(health);
  }
  void Put(const kube::Resource& resource, const std::string& name, const std::string& spec) {
    REQUIRE(Sink(resource).Upsert(Runtime(resource.namespaced ? "ml" : "", name, spec)));
  }
};

struct Clusters {
  Side worker;
  Side manager;

  verdict::Verdict Verify(const kube::Resource& resource, Drift drift = Drift::kWarn,
                          bool manager_known = true) {
    tracking::Requirement requirement;
    requirement.references = {{resource, {resource.namespaced ? "ml" : "", "torch"}}};
    verdict::Verdict verdict;
    verdict.outcome = Outcome::kYes;
    std::vector<verdict::Reason> notes;
    VerifyReferences(requirement, worker.index, manager_known ? &manager.index : nullptr, drift,
                     verdict, notes);
    verdict.reasons.insert(verdict.reasons.end(), notes.begin(), notes.end());
    return verdict;
  }
};

constexpr const char* kTwo = R"({"mlPolicy": {"numNodes": 2}, "template": {}})";
constexpr const char* kTwoAgain = R"({"template": {}, "mlPolicy": {"numNodes": 2}})";
constexpr const char* kThree = R"({"mlPolicy": {"numNodes": 3}, "template": {}})";

}  // namespace

TEST_CASE("references: one that is not there is a No that names it, wherever it is looked for") {
  for (const kube::Resource& resource : {kOfCluster, kOfNamespace}) {
    Clusters clusters;
    clusters.manager.Put(resource, "torch", kTwo);
    clusters.worker.Put(resource, "jax", kTwo);
    const verdict::Verdict verdict = clusters.Verify(resource);
    CHECK(verdict.outcome == Outcome::kNo);
    REQUIRE(verdict.reasons.size() == 1);
    CHECK(verdict.reasons[0].code == ReasonCode::kDependencyMissing);
    CHECK(verdict.reasons[0].object ==
          resource.kind + (resource.namespaced ? " ml/torch" : " torch"));
    clusters.worker.Put(resource, "torch", kTwoAgain);
    CHECK(clusters.Verify(resource).outcome == Outcome::kYes);
    CHECK(clusters.Verify(resource).reasons.empty());
  }
}

TEST_CASE("references: silence proves nothing, an API that is not served does") {
  Clusters clusters;
  const auto [state, outcome] = GENERATE(table<CacheState, Outcome>({
      {CacheState::kForbidden, Outcome::kUnknown},
      {CacheState::kSyncing, Outcome::kUnknown},
      {CacheState::kNotServed, Outcome::kNo},
  }));
  clusters.worker.SetState(kOfCluster, state);
  const verdict::Verdict verdict = clusters.Verify(kOfCluster);
  CHECK(verdict.outcome == outcome);
  REQUIRE(verdict.reasons.size() == 1);
  CHECK(verdict.reasons[0].code != ReasonCode::kDependencyMissing);
  // The other one's silence does not matter.
  clusters.worker.Put(kOfNamespace, "torch", kTwo);
  CHECK(clusters.Verify(kOfNamespace).outcome == Outcome::kYes);
}

TEST_CASE(
    "references: a difference from the manager's is nothing, a note, or a No, as drift says") {
  Clusters clusters;
  clusters.manager.Put(kOfCluster, "torch", kTwo);
  clusters.worker.Put(kOfCluster, "torch", kThree);
  const Drift drift = GENERATE(Drift::kIgnore, Drift::kWarn, Drift::kRequire);
  const verdict::Verdict verdict = clusters.Verify(kOfCluster, drift);
  CHECK((verdict.outcome == Outcome::kNo) == (drift == Drift::kRequire));
  CHECK(verdict.reasons.empty() == (drift == Drift::kIgnore));
  if (drift != Drift::kIgnore) {
    CHECK(verdict.reasons[0].code == ReasonCode::kTemplateDrift);
    CHECK(verdict::MessageOf(verdict.reasons[0]) ==
          "ClusterTrainingRuntime torch differs from the manager's: spec.mlPolicy.numNodes: 3 "
          "there, 2 on the manager");
  }
  // A manager whose runtimes cannot be read has nothing to compare with.
  CHECK(clusters.Verify(kOfCluster, drift, /*manager_known=*/false).reasons.empty());
}

TEST_CASE("references: who waits hears of what appears, changes and goes, and of nothing else") {
  Side side;
  side.Put(kOfCluster, "torch", kTwo);
  side.Put(kOfCluster, "torch", kTwoAgain);  // labels, say
  CHECK(side.changes == std::vector<std::string>{"torch"});
  side.Put(kOfCluster, "torch", kThree);
  side.Put(kOfNamespace, "torch", kThree);
  REQUIRE(side.Sink(kOfCluster).Remove(Runtime("", "torch", "{}")));
  CHECK(side.changes == std::vector<std::string>{"torch", "torch", "ml/torch", "torch"});
}

TEST_CASE("references: of a resource that is not kept nothing is said") {
  Clusters clusters;
  CHECK(clusters.worker.index.Find({"", "v1", "configmaps", "ConfigMap", true}) == nullptr);
  CHECK(clusters.Verify({"", "v1", "configmaps", "ConfigMap", true}).outcome == Outcome::kYes);
}

}  // namespace fedra::verify::references_test
