// What makes pods of which each is a job, as `fedra check` is given it.

#include <string>

#include "manager/cli/manifests/check_input.h"
#include "tests/support/catch.h"

namespace fedra::cli::pod_maker_test {
namespace {

std::string Maker(const std::string& kind, const std::string& label, const std::string& pod_label) {
  return "apiVersion: apps/v1\nkind: " + kind + R"(
metadata: {name: serve, namespace: ml)" +
         label + R"(}
spec:
  replicas: 3
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve)" +
         pod_label + R"(}}
    spec:
      containers:
      - {name: main, image: i, resources: {requests: {cpu: 1}, claims: [{name: gpu}]}}
      resourceClaims:
      - {name: gpu, resourceClaimTemplateName: one-gpu}
)";
}

constexpr const char* kOwn = ", labels: {kueue.x-k8s.io/queue-name: gpu}";
constexpr const char* kPods = ", kueue.x-k8s.io/queue-name: gpu";

CheckInput Parsed(const std::string& yaml) {
  auto input = ParseCheckInput({{"serve.yaml", yaml}}, *tracking::BuiltInKindsAndPods(), "");
  REQUIRE(input);
  return *std::move(input);
}

TEST_CASE("a Deployment and a ReplicaSet: one of their pods is judged") {
  const char* kind = GENERATE("Deployment", "ReplicaSet");
  const CheckInput input = Parsed(Maker(kind, "", kPods));
  CHECK(input.skipped.empty());
  CHECK(input.findings.empty());
  REQUIRE(input.jobs.size() == 1);
  CHECK(input.jobs[0].kind == kind);
  REQUIRE(input.jobs[0].submitted);
  const tracking::SubmittedJob& job = *input.jobs[0].submitted;
  CHECK(job.adapter->name() == "Pod");
  CHECK(job.key == ObjectKey{"ml", "serve"});
  CHECK(job.requirement.kind == "Pod");
  CHECK(job.requirement.queue == "gpu");
  REQUIRE(job.requirement.pod_sets.size() == 1);
  CHECK(job.requirement.pod_sets[0].count == 1);
  CHECK(job.requirement.TemplateNames() == std::vector<std::string>{"one-gpu"});
}

TEST_CASE("the pods of a Deployment get its queue, those of a ReplicaSet do not") {
  const CheckInput deployment = Parsed(Maker("Deployment", kOwn, ""));
  CHECK(deployment.findings.empty());
  CHECK(deployment.jobs[0].submitted->requirement.queue == "gpu");
  const CheckInput set = Parsed(Maker("ReplicaSet", kOwn, ""));
  REQUIRE(set.findings.size() == 1);
  CHECK(set.findings[0].path == "spec.template.metadata.labels");
  CHECK(set.jobs[0].submitted->requirement.queue.empty());
}

TEST_CASE("a mistake in the template is found where it stands") {
  std::string yaml = Maker("Deployment", kOwn, "");
  yaml.replace(yaml.find("claims: [{name: gpu}]"), 21, "claims: [{name: tpu}]");
  const CheckInput input = Parsed(yaml);
  REQUIRE_FALSE(input.findings.empty());
  CHECK(input.findings[0].path.starts_with("spec.template.spec."));
  CHECK(input.findings[0].object == "Deployment ml/serve");
}

TEST_CASE("where no pods are run it is said what would run them") {
  for (const char* kind : {"Deployment", "ReplicaSet", "StatefulSet"}) {
    const auto input =
        ParseCheckInput({{"serve.yaml", Maker(kind, kOwn, "")}}, *tracking::BuiltInKinds(), "");
    REQUIRE_FALSE(input);
    CHECK_THAT(input.error().message, ContainsSubstring("kueue.pods: true"));
  }
}

}  // namespace
}  // namespace fedra::cli::pod_maker_test
