// What keeps a valid job from coming to fedra, as `fedra check` is given it: more pod sets than
// Kueue takes.

#include "manager/cli/manifests/kueue_rules.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "manager/cli/manifests/check_input.h"
#include "tests/support/catch.h"

namespace fedra::cli::kueue_rules_test {
namespace {

constexpr const char* kQueue = ", labels: {kueue.x-k8s.io/queue-name: gpu}";
const std::string kPod =
    "{spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}";

std::string Begun(const std::string& type, const std::string& labels = kQueue) {
  return type + "\nmetadata: {name: x, namespace: ml" + labels + "}\nspec:\n";
}

std::string JobSetOf(int parts, const std::string& labels = kQueue) {
  std::string text = Begun("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet", labels);
  text += "  replicatedJobs:\n";
  for (int i = 0; i < parts; ++i)
    text += fmt::format("  - {{name: p{}, template: {{spec: {{template: {}}}}}}}\n", i, kPod);
  return text;
}

// `more`: lines below spec.
std::string RayJobOf(int groups, const std::string& more = "") {
  std::string text = Begun("apiVersion: ray.io/v1\nkind: RayJob") + more +
                     "  rayClusterSpec:\n    headGroupSpec: {template: " + kPod +
                     "}\n    workerGroupSpecs:\n";
  for (int i = 0; i < groups; ++i)
    text += fmt::format("    - {{groupName: g{}, replicas: 1, template: {}}}\n", i, kPod);
  return text;
}

// Each pod of another size.
std::string GroupOf(int pods) {
  std::string text;
  for (int i = 1; i <= pods; ++i) {
    text += fmt::format(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: x-{0}, namespace: ml, labels: "
        "{{kueue.x-k8s.io/queue-name: gpu, kueue.x-k8s.io/pod-group-name: x}}, annotations: "
        "{{kueue.x-k8s.io/pod-group-total-count: '{1}'}}}}\nspec: {{containers: [{{name: c, "
        "image: i, resources: {{requests: {{cpu: {0}}}}}}}]}}\n",
        i, pods);
  }
  return text;
}

CheckInput Parsed(const std::string& yaml) {
  auto input = ParseCheckInput({{"job.yaml", yaml}}, *tracking::BuiltInKindsAndPods(), "");
  REQUIRE(input);
  return *std::move(input);
}

}  // namespace

TEST_CASE("a job with more pod sets than Kueue takes is judged, with a warning") {
  struct Row {
    const char* what;
    std::string text;
    std::string path;  // of the warning; empty: there is none
  };
  const std::string submitter = "  submitterPodTemplate: " + kPod + "\n";
  const std::vector<Row> rows = {
      {"as many as it takes", JobSetOf(18), ""},
      {"one more", JobSetOf(19), "spec.replicatedJobs[18].template.spec.template"},
      {"many more, and the first of these is pointed at", JobSetOf(40),
       "spec.replicatedJobs[18].template.spec.template"},
      {"Kueue never sees it", JobSetOf(19, ""), ""},
      {"a head, 16 groups, and the submitter that KubeRay starts by default", RayJobOf(16), ""},
      {"and 17 groups", RayJobOf(17), "spec"},
      {"a head and 18 groups", RayJobOf(18), "spec.rayClusterSpec.workerGroupSpecs[17].template"},
      {"a submitter with a template", RayJobOf(17, submitter), "spec.submitterPodTemplate"},
      {"a submitter that is not started", RayJobOf(17, submitter + "  submissionMode: HTTPMode\n"),
       ""},
      {"a group of as many kinds of pods", GroupOf(18), ""},
      {"a group of one more", GroupOf(19), "metadata.annotations"}};
  for (const Row& row : rows) {
    INFO(row.what);
    const CheckInput input = Parsed(row.text);
    std::vector<Finding> warnings;
    for (const Finding& finding : input.findings)
      if (finding.message.find("Kueue 0.19 takes 18") != std::string::npos)
        warnings.push_back(finding);
    REQUIRE(warnings.size() == (row.path.empty() ? 0 : 1));
    REQUIRE(input.jobs.size() == 1);
    CHECK(input.jobs[0].submitted.has_value());
    if (row.path.empty()) continue;
    CHECK(warnings[0].severity == Severity::kWarning);
    CHECK(warnings[0].path == row.path);
    CHECK_FALSE(warnings[0].hint.empty());
  }
}

}  // namespace fedra::cli::kueue_rules_test
