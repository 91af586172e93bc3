// What no API server takes of a job and its pods, with its place; and that nothing valid is
// refused. The rows were compared with a dry run of kube-apiserver v1.36.3.

#include "manager/cli/manifests/job_schema.h"

#include <nlohmann/json.hpp>

#include "manager/cli/manifests/check_input.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/manifests/manifest_text.h"

namespace fedra::cli::job_schema_test {
namespace {

std::vector<Finding> Read(const std::string& text) {
  const TempFolder folder;
  const auto input =
      ReadCheckInput({folder.Write("job.yaml", text)}, *tracking::BuiltInKinds(), "ml");
  REQUIRE(input.has_value());
  std::vector<Finding> errors;
  for (const Finding& finding : input->findings)
    if (finding.severity == Severity::kError) errors.push_back(finding);
  return errors;
}

// A job with these fields of spec, of the pod and of its container, in flow style.
std::string Job(const std::string& spec, const std::string& pod = "",
                const std::string& container = "") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, labels: "
         "{kueue.x-k8s.io/queue-name: gpu}}\nspec:\n  {" +
         spec + (spec.empty() ? "" : ", ") + "template: {spec: {" + pod +
         (pod.empty() ? "" : ", ") + "containers: [{name: c, image: i" +
         (container.empty() ? "" : ", ") + container + "}], restartPolicy: Never}}}\n";
}

// The only error, "path: message".
std::string OfSpec(const std::string& spec) { return Only(Read(Job(spec))); }
std::string OfPod(const std::string& pod) { return Only(Read(Job("", pod))); }
std::string OfContainer(const std::string& container) { return Only(Read(Job("", "", container))); }

TEST_CASE("every type that the table names is in it, and none is there twice") {
  std::set<std::string> names;
  for (const ObjectType& type : JobSchema()) CHECK(names.insert(type.name).second);
  for (const ObjectType& type : JobSchema()) {
    CHECK_FALSE(type.fields.empty());
    for (const FieldType& field : type.fields) {
      INFO(type.name << "." << field.name);
      if (field.value.kind == ValueType::Kind::kObject && !field.value.name.empty())
        CHECK(FindType(field.value.name) != nullptr);
    }
  }
}

TEST_CASE("numbers of a job: type and range") {
  CHECK(OfSpec("parallelism: '3'") ==
        "spec.parallelism: must be a whole number, not the string \"3\"");
  CHECK(OfSpec("parallelism: 2.5") ==
        "spec.parallelism: must be a whole number, not the number 2.5");
  CHECK_THAT(OfSpec("parallelism: 99999999999999999999"),
             ContainsSubstring("spec.parallelism: must be at most 2147483647, not "));
  CHECK(OfSpec("parallelism: 2147483648") ==
        "spec.parallelism: must be at most 2147483647, not 2147483648");
  CHECK(OfSpec("parallelism: -1") == "spec.parallelism: must be at least 0, not -1");
  CHECK(OfSpec("completions: x") ==
        "spec.completions: must be a whole number, not the string \"x\"");
  CHECK(OfSpec("backoffLimit: many") ==
        "spec.backoffLimit: must be a whole number, not the string \"many\"");
  CHECK(OfSpec("activeDeadlineSeconds: -5") ==
        "spec.activeDeadlineSeconds: must be at least 0, not -5");
  CHECK(OfSpec("ttlSecondsAfterFinished: -1") ==
        "spec.ttlSecondsAfterFinished: must be at least 0, not -1");
  CHECK(OfSpec("parallelism: [1]") == "spec.parallelism: must be a whole number, not a list");
  CHECK(OfSpec("parallelism: true") == "spec.parallelism: must be a whole number, not true");
}

TEST_CASE("other types of a job's fields") {
  CHECK(OfSpec("suspend: 'yes'") == "spec.suspend: must be true or false, not the string \"yes\"");
  CHECK(OfSpec("completionMode: Indexedd, completions: 1") ==
        "spec.completionMode: \"Indexedd\" is not known");
  CHECK(OfSpec("podFailurePolicy: []") == "spec.podFailurePolicy: must be a map, not a list");
  CHECK(OfSpec("selector: {matchLabels: {a: 5}}") ==
        "spec.selector.matchLabels[\"a\"]: must be a string, not the number 5");
}

TEST_CASE("types of a pod's fields") {
  CHECK(OfPod("initContainers: {}") ==
        "spec.template.spec.initContainers: must be a list, not a map");
  CHECK(OfPod("nodeSelector: {zone: 1}") ==
        "spec.template.spec.nodeSelector[\"zone\"]: must be a string, not the number 1");
  CHECK(OfPod("hostNetwork: 1") ==
        "spec.template.spec.hostNetwork: must be true or false, not the number 1");
  CHECK(OfPod("dnsPolicy: ClusterFrist") ==
        "spec.template.spec.dnsPolicy: \"ClusterFrist\" is not known");
  CHECK(OfPod("volumes: [{name: V, emptyDir: {}}]") ==
        "spec.template.spec.volumes[0].name: \"V\" is not a valid name");
  CHECK(OfPod("activeDeadlineSeconds: 0") ==
        "spec.template.spec.activeDeadlineSeconds: must be at least 1, not 0");
  const std::string here = "spec.template.spec.containers[0]";
  CHECK(OfContainer("command: train.py") ==
        here + ".command: must be a list, not the string \"train.py\"");
  CHECK(OfContainer("args: [1]") == here + ".args[0]: must be a string, not the number 1");
  CHECK(OfContainer("env: [{name: A, value: 1}]") ==
        here + ".env[0].value: must be a string, not the number 1");
  CHECK(OfContainer("imagePullPolicy: Sometimes") ==
        here + ".imagePullPolicy: \"Sometimes\" is not known");
  CHECK(OfContainer("ports: [{containerPort: 70000}]") ==
        here + ".ports[0].containerPort: must be at most 65535, not 70000");
  CHECK(OfContainer("resources: {limits: {memory: lots}}") ==
        here + ".resources.limits[\"memory\"]: \"lots\" is not a quantity");
  CHECK(Only(Read("apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, labels: {a: 1}}\nspec: "
                  "{template: {spec: {restartPolicy: Never, containers: [{name: c, image: "
                  "i}]}}}\n")) == "metadata.labels[\"a\"]: must be a string, not the number 1");
}

TEST_CASE("what is required") {
  const auto containers = [](const std::string& list) {
    return Only(
        Read("apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec: {template: "
             "{spec: {restartPolicy: Never, containers: " +
             list + "}}}\n"));
  };
  const std::string here = "spec.template.spec.containers";
  CHECK(containers("[{image: i}]") == here + "[0].name: is missing");
  CHECK(containers("[{name: c}]") == here + "[0].image: is missing");
  CHECK(containers("[{name: C_1, image: i}]") == here + "[0].name: \"C_1\" is not a valid name");
  CHECK(containers("{}") == here + ": must be a list, not a map");
  CHECK(containers("[]") == here + ": a pod needs at least one container");
  CHECK(containers("[{name: c, image: i}, {name: c, image: i}]") ==
        here + "[1].name: \"c\" is there twice");
}

TEST_CASE("rules between the fields of a job") {
  CHECK(OfSpec("completionMode: Indexed, parallelism: 2") == "spec.completions: is missing");
  CHECK(OfSpec("backoffLimitPerIndex: 1") ==
        "spec.backoffLimitPerIndex: needs completionMode: Indexed");
  CHECK(OfSpec("successPolicy: {rules: [{succeededCount: 1}]}") ==
        "spec.successPolicy: needs completionMode: Indexed");
  const std::string indexed = "completionMode: Indexed, completions: 2, ";
  CHECK(OfSpec(indexed + "successPolicy: {rules: []}") == "spec.successPolicy.rules: is missing");
  CHECK(OfSpec(indexed + "successPolicy: {rules: [{}]}") ==
        "spec.successPolicy.rules[0]: needs succeededCount or succeededIndexes");
  CHECK(OfSpec(indexed + "successPolicy: {rules: [{succeededCount: 3}]}") ==
        "spec.successPolicy.rules[0].succeededCount: must not be above completions");
  CHECK(OfSpec(indexed + "maxFailedIndexes: 1") ==
        "spec.maxFailedIndexes: needs backoffLimitPerIndex");
  const auto rule = [](const std::string& text) {
    return OfSpec("podFailurePolicy: {rules: [{action: " + text + "}]}");
  };
  const std::string here = "spec.podFailurePolicy.rules[0]";
  CHECK(rule("Ignore") == here + ": must have either onExitCodes or onPodConditions");
  CHECK(rule("Stop, onPodConditions: [{type: X, status: 'True'}]") ==
        here + ".action: \"Stop\" is not known");
  CHECK(rule("Ignore, onExitCodes: {operator: In, values: [2, 1]}") ==
        here +
            ".onExitCodes.values[1]: must be above the one before it: values are in order, each "
            "once");
  CHECK(rule("Ignore, onExitCodes: {operator: In, values: [0]}") ==
        here + ".onExitCodes.values[0]: must not be 0 with operator In: 0 is success");
  CHECK(rule("FailIndex, onExitCodes: {operator: In, values: [1]}") ==
        here + ".action: FailIndex needs backoffLimitPerIndex");
  CHECK(rule("Ignore, onExitCodes: {operator: In, values: [1], containerName: d}") ==
        here + ".onExitCodes.containerName: the pod has no container \"d\"");
}

TEST_CASE("rules between the fields of a pod") {
  const std::string here = "spec.template.spec";
  const std::string container = here + ".containers[0]";
  CHECK(OfContainer("resources: {requests: {cpu: 4}, limits: {cpu: 2}}") ==
        container + ".resources.requests[\"cpu\"]: 4 is above the limit of 2");
  CHECK(OfContainer("resources: {requests: {x.com/gpu: 1}}") ==
        container + ".resources.requests[\"x.com/gpu\"]: needs a limit of the same amount");
  CHECK(OfContainer("resources: {limits: {x.com/gpu: 500m}}") ==
        container + ".resources.limits[\"x.com/gpu\"]: must be a whole number, not 500m");
  CHECK(OfContainer("resources: {limits: {cpu: -1}}") ==
        container + ".resources.limits[\"cpu\"]: -1 is below 0");
  CHECK(OfContainer("resources: {limits: {gpu: 1}}") ==
        container + ".resources.limits[\"gpu\"]: there is no resource \"gpu\"");
  CHECK(OfContainer("ports: [{name: p, containerPort: 1}, {name: p, containerPort: 2}]") ==
        container + ".ports[1].name: \"p\" is there twice");
  CHECK(OfContainer("volumeMounts: [{name: v, mountPath: /v}]") ==
        container + ".volumeMounts[0].name: the pod has no volume \"v\"");
  CHECK(OfPod("volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]") ==
        here + ".volumes[1].name: \"v\" is there twice");
  CHECK(OfPod("volumes: [{name: v, emptyDir: {}, hostPath: {path: /v}}]") ==
        here + ".volumes[0]: has more than one source");
  CHECK(OfPod("tolerations: [{operator: Equal, value: a}]") ==
        here + ".tolerations[0]: has no key");
  CHECK(OfPod("tolerations: [{key: a, operator: Exists, value: b}]") ==
        here + ".tolerations[0].value: cannot be set with operator Exists");
  CHECK(OfPod("tolerations: [{key: a, operator: Exists, tolerationSeconds: 5}]") ==
        here + ".tolerations[0].tolerationSeconds: needs effect: NoExecute");
  CHECK(OfPod("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
              "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In}]}]}}}") ==
        here +
            ".affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
            "nodeSelectorTerms[0].matchExpressions[0].values: is missing: operator In needs them");
}

TEST_CASE("a mistake has its place: file, line and column") {
  const auto errors = Read(
      "# a job\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\nspec:\n"
      "  parallelism: \"3\"\n  template:\n    spec:\n      restartPolicy: Never\n      "
      "containers:\n"
      "      - name: c\n        image: i\n        env:\n        - name: A\n          value: 1\n");
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].mark == config::Mark{7, 16});
  CHECK(errors[1].mark == config::Mark{16, 18});
  CHECK_THAT(RenderFindings(errors, {}),
             ContainsSubstring("job.yaml:7:16: error: Job ml/train: spec.parallelism: must be a "
                               "whole number, not the string \"3\"\n"
                               "    write 3 without quotes\n"));
  CHECK(ToJson(errors)[0]["line"] == 7);
  CHECK(ToJson(errors)[0]["column"] == 16);
  const auto second = Read("apiVersion: v1\nkind: List\nitems:\n- " + [] {
    std::string item = Job("parallelism: x");
    for (size_t at = 0; (at = item.find('\n', at)) != std::string::npos; at += 3)
      item.insert(at + 1, "  ");
    return item;
  }());
  REQUIRE(second.size() == 1);
  CHECK(second[0].mark == config::Mark{8, 19});
}

TEST_CASE("valid jobs have no error") {
  CHECK(Read(Job("parallelism: 3.0")).empty());
  CHECK(Read(Job("completionMode: Indexed")).empty());
  CHECK(Read(Job("parallelism: null, suspend: null")).empty());
  CHECK(Read(Job("parallelism: 0, completions: 0, backoffLimit: 0, ttlSecondsAfterFinished: 0"))
            .empty());
  CHECK(
      Read(Job("completionMode: Indexed, completions: 4, parallelism: 2, backoffLimitPerIndex: 1, "
               "maxFailedIndexes: 2, backoffLimit: 6, podReplacementPolicy: Failed, "
               "successPolicy: {rules: [{succeededIndexes: 0-2, succeededCount: 1}]}, "
               "podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {containerName: c, "
               "operator: In, values: [1, 42]}}, {action: Ignore, onPodConditions: [{type: "
               "DisruptionTarget}]}]}"))
          .empty());
  CHECK(Read(Job("",
                 "initContainers: [{name: s, image: i, restartPolicy: Always}], volumes: [{name: "
                 "v}, {name: w, projected: {sources: [{configMap: {name: x}}]}}], "
                 "tolerations: [{operator: Exists}, {key: a, value: b}], "
                 "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                 "whenUnsatisfiable: DoNotSchedule}], terminationGracePeriodSeconds: 0, "
                 "securityContext: {runAsUser: 1000, fsGroup: 1}"))
            .empty());
  CHECK(Read(Job("", "volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]",
                 "command: [a], args: ['1'], env: [{name: A.b-c, value: '1'}, {name: A.b-c, value: "
                 "'2'}, {name: SELF, valueFrom: {fieldRef: {fieldPath: metadata.name}}}], "
                 "ports: [{containerPort: 80}, {containerPort: 80}], "
                 "volumeMounts: [{name: v, mountPath: /v}, {name: v, mountPath: /w, subPath: a}], "
                 "livenessProbe: {httpGet: {path: /, port: http}, periodSeconds: 5}, "
                 "readinessProbe: {tcpSocket: {port: 80}}, "
                 "resources: {requests: {cpu: 0.5, memory: 1e3}, limits: {cpu: 1, x.com/gpu: '2', "
                 "deviceclass.resource.kubernetes.io/gpu: 1}}"))
            .empty());
}

}  // namespace
}  // namespace fedra::cli::job_schema_test
