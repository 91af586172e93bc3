// Fields that no API knows: typos, and what a newer Kubernetes may have.

#include "manager/cli/manifests/manifest_fields.h"

#include <nlohmann/json.hpp>

#include "manager/cli/manifests/job_schema.h"
#include "tests/unit/manager/cli/manifests/manifest_text.h"

namespace fedra::cli::manifest_fields_test {
namespace {

std::vector<Finding> CheckPods(const std::string& pod_template) {
  const auto manifests = FromYaml(pod_template);
  std::vector<Finding> all;
  Findings findings(manifests[0], "Job ml/train", all);
  CheckTypes(*manifests[0].object, "spec.template", "PodTemplateSpec", findings);
  return all;
}

TEST_CASE("a typo of a field that decides where pods can run is an error, with what was meant") {
  const auto claims =
      CheckPods("{spec: {resorceClaims: [{name: g}], containers: [{name: c, image: i}]}}");
  CHECK(Only(claims) == "spec.template.spec: there is no field \"resorceClaims\"");
  CHECK(claims[0].severity == Severity::kError);
  CHECK(claims[0].hint == "did you mean \"resourceClaims\"?");
  const auto only = [](const std::string& spec) { return Only(CheckPods("{spec: " + spec + "}")); };
  CHECK(only("{containers: [{name: c, image: i, resources: {claim: [{name: g}]}}]}") ==
        "spec.template.spec.containers[0].resources: there is no field \"claim\"");
  CHECK(only("{initContainers: [{name: c, image: i, resources: {claims: [{name: g, requests: "
             "r}]}}]}") ==
        "spec.template.spec.initContainers[0].resources.claims[0]: there is no field \"requests\"");
  CHECK(only("{resourceClaims: [{name: g, resourceClaimTemplate: t}]}") ==
        "spec.template.spec.resourceClaims[0]: there is no field \"resourceClaimTemplate\"");
  CHECK(only("{tolerations: [{key: a, operator: Exists, efect: NoSchedule}]}") ==
        "spec.template.spec.tolerations[0]: there is no field \"efect\"");
  CHECK(only("{affinity: {nodeAffinty: {}}}") ==
        "spec.template.spec.affinity: there is no field \"nodeAffinty\"");
  CHECK(only("{schedulingGroup: {podGroupNme: x}}") ==
        "spec.template.spec.schedulingGroup: there is no field \"podGroupNme\"");
}

TEST_CASE("any other unknown field is a warning: a newer Kubernetes may know it") {
  const auto typo = CheckPods("{spec: {serviceAcountName: x}}");
  REQUIRE(typo.size() == 1);
  CHECK(typo[0].severity == Severity::kWarning);
  CHECK(typo[0].hint == "did you mean \"serviceAccountName\"?");
  const auto newer = CheckPods("{spec: {quantumEntanglement: true}}");
  REQUIRE(newer.size() == 1);
  CHECK(newer[0].severity == Severity::kWarning);
  CHECK_THAT(newer[0].hint, ContainsSubstring("Kubernetes newer than 1.36"));
}

TEST_CASE("pods with every kind of known field") {
  CHECK(CheckPods(
            "{metadata: {labels: {a: b}, annotations: {}}, spec: {restartPolicy: Never, "
            "nodeSelector: {anything: goes}, volumes: [{name: v, emptyDir: {}}], "
            "tolerations: [{key: a, operator: Equal, value: b, effect: NoExecute, "
            "tolerationSeconds: 5}], affinity: {nodeAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}, "
            "preferredDuringSchedulingIgnoredDuringExecution: []}, podAffinity: {}}, "
            "resources: {requests: {cpu: 1}}, schedulingGroup: {podGroupName: g}, "
            "resourceClaims: [{name: g, resourceClaimTemplateName: t}], containers: [{name: c, "
            "image: i, env: [], ports: [], securityContext: {}, resources: {requests: {x/y: 1}, "
            "limits: {x/y: 1}, claims: [{name: g, request: r}]}}]}}")
            .empty());
}

TEST_CASE("what nodes must be like is checked down to the expressions") {
  const auto only = [](const std::string& selector) {
    return Only(
        CheckPods("{spec: {affinity: {nodeAffinity: {"
                  "requiredDuringSchedulingIgnoredDuringExecution: " +
                  selector + "}}}}"));
  };
  const std::string here =
      "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
  CHECK(only("{nodeSelectorTerm: [], nodeSelectorTerms: [{}]}") ==
        here + ": there is no field \"nodeSelectorTerm\"");
  CHECK(only("{nodeSelectorTerms: [{matchExpresions: []}]}") ==
        here + ".nodeSelectorTerms[0]: there is no field \"matchExpresions\"");
  CHECK(only("{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists, operater: "
             "In}]}]}") ==
        here + ".nodeSelectorTerms[0].matchExpressions[0]: there is no field \"operater\"");
}

TEST_CASE("the fields of a job and of every object") {
  const auto manifests = FromYaml(
      "{apiVersion: batch/v1, kind: Job, metdata: {}, metadata: {name: x, lables: {}}, "
      "spec: {paralelism: 2, managedBy: x/y, suspend: true, template: {}}}");
  std::vector<Finding> all;
  Findings findings(manifests[0], "Job ml/train", all);
  CheckTypes(*manifests[0].object, "", "Job", findings);
  REQUIRE(all.size() == 3);
  CHECK(all[0].path == "metadata");
  CHECK(all[0].hint == "did you mean \"labels\"?");
  CHECK(all[1].hint == "did you mean \"metadata\"?");
  CHECK(all[2].path == "spec");
  CHECK(all[2].hint == "did you mean \"parallelism\"?");
}

TEST_CASE("the fields of resource.k8s.io, down to the last") {
  const auto only = [](const std::string& devices) { return Only(Check(Template(devices))); };
  const std::string request = "spec.spec.devices.requests[0].exactly";
  const auto exactly = [&](const std::string& fields) {
    return only("{requests: [{name: r, exactly: {deviceClassName: g, " + fields + "}}]}");
  };
  CHECK(exactly("selectors: [{cel: {expression: 'true', expresion: x}}]") ==
        request + ".selectors[0].cel: there is no field \"expresion\"");
  CHECK(exactly("capacity: {requests: {memory: 1Gi}, request: {}}") ==
        request + ".capacity: there is no field \"request\"");
  CHECK(exactly("tolerations: [{key: a, operator: Exists, efect: NoExecute}]") ==
        request + ".tolerations[0]: there is no field \"efect\"");
  const std::string good = "{requests: [{name: r, exactly: {deviceClassName: g}}], config: ";
  CHECK(only(good + "[{request: [r], opaque: {driver: d, parameters: {x: 1}}}]}") ==
        "spec.spec.devices.config[0]: there is no field \"request\"");
  CHECK(only(good + "[{opaque: {drvier: d}}]}") ==
        "spec.spec.devices.config[0].opaque: there is no field \"drvier\"");
  const auto newer = Check(Template(good + "[], resilience: {}}"));
  REQUIRE(newer.size() == 1);
  CHECK(newer[0].severity == Severity::kWarning);
  CHECK(Only(Check("apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu, "
                   "anotations: {}}\nspec: {}\n")) == "metadata: there is no field \"anotations\"");
}

}  // namespace
}  // namespace fedra::cli::manifest_fields_test
