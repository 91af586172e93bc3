// Mistakes in manifests, each with what to write instead.

#include "manager/cli/manifests/manifest_check.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/yaml_json.h"
#include "manager/cli/manifests/check_input.h"
#include "manager/cli/manifests/manifest_v1.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/manifests/manifest_text.h"
#include "tests/unit/manager/cli/raw_cluster.h"

namespace fedra::cli::manifest_check_test {
namespace {

const std::string kRequest = "spec.spec.devices.requests[0]";

TEST_CASE("a good template has no findings") {
  CHECK(Check(Template("{requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 2, "
                       "selectors: [{cel: {expression: 'true'}}]}}], "
                       "constraints: [{requests: [gpu], matchAttribute: x.example.com/numa}]}"))
            .empty());
  CHECK(Check(Template("{requests: [{name: gpu, firstAvailable: [{name: a, deviceClassName: x}, "
                       "{name: b, deviceClassName: z, allocationMode: All}]}], "
                       "constraints: [{requests: [gpu/a], distinctAttribute: d.com/x}]}"))
            .empty());
}

TEST_CASE("selectors are compiled, with what to write instead") {
  const auto findings =
      Check(Template("{requests: [{name: gpu, exactly: {deviceClassName: gpu, selectors: [{cel: "
                     "{expression: 'device.model == \"h100\"'}}]}}]}"));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kError);
  CHECK(findings[0].path == kRequest + ".exactly.selectors[0].cel.expression");
  CHECK_THAT(findings[0].message, ContainsSubstring("undefined field 'model'"));
  CHECK_FALSE(findings[0].hint.empty());
  CHECK(Only(Check(Template("{requests: [{name: gpu, exactly: {deviceClassName: g, "
                            "selectors: [{expression: 'true'}]}}]}"))) ==
        kRequest + ".exactly.selectors[0]: has no cel.expression");
}

TEST_CASE("derived attributes are compiled, and need a gate") {
  const auto check = [](const std::string& derived) {
    return Check(
        Template("{requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 2, "
                 "derivedAttributes: [" +
                 derived + "]}}], constraints: [{matchAttribute: derived/numa}]}"));
  };
  const std::string path = kRequest + ".exactly.derivedAttributes";
  auto findings = check("{name: derived/numa, expression: 'device.driver'}");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kWarning);
  CHECK(findings[0].path == path);
  CHECK_THAT(findings[0].message, ContainsSubstring("DRADerivedAttributes"));
  findings = check("{name: numa, expression: '1u', more: 1}");
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].path == path + "[0]");
  CHECK(findings[1].path == path + "[0].name");
  CHECK(findings[2].path == path + "[0].expression");
  CHECK_THAT(findings[2].message, ContainsSubstring("must evaluate to a primitive scalar"));
}

TEST_CASE("DeviceClasses are looked at, too") {
  const auto findings = Check(
      "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
      "spec: {selectors: [{cel: {expression: 'device.driver = 1'}}], selector: 1}\n");
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].object == "DeviceClass gpu");
  CHECK(findings[0].hint == "did you mean \"selectors\"?");
  CHECK_THAT(findings[1].message, ContainsSubstring("Syntax error"));
}

TEST_CASE("older shapes come with their v1 form") {
  const auto beta = Check(
      "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
      "spec: {spec: {devices: {requests: [{name: gpu, deviceClassName: g, count: 2}]}}}\n");
  REQUIRE(beta.size() == 1);
  CHECK(beta[0].severity == Severity::kWarning);
  CHECK(beta[0].hint ==
        R"(write
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: t
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          count: 2
          deviceClassName: g
)");
  const auto flat = Check(Template("{requests: [{name: gpu, deviceClassName: g}]}"));
  REQUIRE(flat.size() == 1);
  CHECK(flat[0].severity == Severity::kError);
  CHECK(flat[0].hint == "write\n- name: gpu\n  exactly:\n    deviceClassName: g\n");
  const auto alpha = Check(
      "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourceClaim\nmetadata: {name: c}\n"
      "spec: {devices: {requests: [{name: gpu, deviceClassName: g}]}}\n");
  REQUIRE(alpha.size() == 1);
  CHECK(alpha[0].severity == Severity::kError);
  CHECK_THAT(alpha[0].hint, ContainsSubstring("apiVersion: resource.k8s.io/v1\n"));
  CHECK_THAT(Only(Check("apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\n"
                        "metadata: {name: c}\nspec: {resourceClassName: x}\n")),
             ContainsSubstring("v1alpha2 is not served by any Kubernetes that is still maintained; "
                               "it is of Kubernetes 1.27 to 1.30"));
}

TEST_CASE("kinds that resource.k8s.io has no more are told with their age and what to write") {
  const TempFolder folder;
  const auto finding = [&](const std::string& text) {
    const auto input =
        ReadCheckInput({folder.Write("old.yaml", text)}, *tracking::BuiltInKinds(), "");
    REQUIRE(input.has_value());
    CHECK(input->skipped.empty());
    REQUIRE(input->findings.size() == 1);
    CHECK(input->findings[0].severity == Severity::kError);
    return input->findings[0];
  };
  const Finding classic = finding(
      "{apiVersion: resource.k8s.io/v1alpha2, kind: ResourceClass, metadata: {name: gpus}, "
      "driverName: gpu.example.com}\n");
  CHECK(classic.object == "ResourceClass gpus");
  CHECK(classic.message ==
        "ResourceClass is served by no Kubernetes that is still maintained; "
        "resource.k8s.io/v1alpha2 is of Kubernetes 1.27 to 1.30");
  CHECK_THAT(classic.hint, ContainsSubstring("kind: DeviceClass\nmetadata:\n  name: gpus\n"));
  CHECK_THAT(classic.hint, ContainsSubstring("device.driver == \\\"gpu.example.com\\\""));
  CHECK_THAT(
      finding("{apiVersion: resource.k8s.io/v1alpha2, kind: ResourceClass, metadata: {name: "
              "gpu.example.com}, structuredParameters: {generatedFrom: {driverName: a.b}}}\n")
          .hint,
      ContainsSubstring("device.driver == \\\"a.b\\\""));
  CHECK_THAT(finding("{apiVersion: resource.k8s.io/v1alpha2, kind: PodSchedulingContext, metadata: "
                     "{name: p}}\n")
                 .hint,
             ContainsSubstring("leave it out"));
}

TEST_CASE("requests, counts and constraints that an API server would refuse") {
  const auto only = [](const std::string& devices) { return Only(Check(Template(devices))); };
  const auto exactly = [&](const std::string& fields) {
    return only("{requests: [{name: r, exactly: {deviceClassName: g, " + fields + "}}]}");
  };
  CHECK(only("{requests: [{name: r}]}") == kRequest + ": asks for nothing");
  CHECK(only("{requests: [{exactly: {deviceClassName: g}}]}") == kRequest + ".name: is missing");
  CHECK(only("{requests: [{name: r, exactly: {count: 1}}]}") ==
        kRequest + ".exactly.deviceClassName: is missing");
  CHECK(exactly("count: 0") == kRequest + ".exactly.count: must be a whole number above 0, not 0");
  CHECK(exactly("count: \"2\"") ==
        kRequest + ".exactly.count: must be a whole number above 0, not \"2\"");
  CHECK(exactly("count: 33") == kRequest + ".exactly.count: one claim can hold at most 32 devices");
  CHECK(exactly("allocationMode: All, count: 1") ==
        kRequest + ".exactly.count: cannot be set with allocationMode All");
  CHECK(exactly("allocationMode: Some") ==
        kRequest + ".exactly.allocationMode: \"Some\" is not known");
  CHECK(exactly("deviceClas: x") == kRequest + ".exactly: there is no field \"deviceClas\"");
  CHECK(only("{requests: [{name: r, exactly: {deviceClassName: g}, firstAvailable: "
             "[{name: a, deviceClassName: g}]}]}") ==
        kRequest + ": has both exactly and firstAvailable");
  CHECK(only("{requests: [{name: r, exactly: {deviceClassName: g}}, "
             "{name: r, exactly: {deviceClassName: g}}]}") ==
        "spec.spec.devices.requests[1].name: \"r\" is there twice");
  CHECK(only("{requests: [{name: r, exactly: {deviceClassName: g}}], "
             "constraints: [{requests: [q], matchAttribute: a/b}]}") ==
        "spec.spec.devices.constraints[0].requests[0]: there is no request \"q\"");
  CHECK(only("{requests: [{name: r, exactly: {deviceClassName: g}}], "
             "constraints: [{matchAttribute: numa}]}") ==
        "spec.spec.devices.constraints[0].matchAttribute: \"numa\" lacks the domain of the "
        "attribute");
  CHECK(only("{requests: [{name: r, exactly: {deviceClassName: g}}], constraints: [{}]}") ==
        "spec.spec.devices.constraints[0]: has no matchAttribute");
  CHECK(only("{requests: 5}") == "spec.spec.devices.requests: must be a list");
}

std::vector<Finding> CheckPods(const std::string& pod_spec, const std::string& more = "") {
  const auto manifests = FromYaml("{spec: " + pod_spec + "}\n" + more);
  std::vector<Finding> all;
  Findings findings(manifests[0], "Job ml/train", all);
  CheckPodClaims(*manifests[0].object, "spec.template", "ml", Define(manifests, "ml"), findings);
  return all;
}

TEST_CASE("how pods name their claims") {
  CHECK(CheckPods("{resourceClaims: [{name: g, resourceClaimTemplateName: t}], "
                  "containers: [{resources: {claims: [{name: g}]}}]}")
            .empty());
  const std::string uses = ", containers: [{resources: {claims: [{name: g}]}}]}";
  CHECK(Only(CheckPods("{resourceClaims: [{name: g, resourceClaimTemplateName: t, "
                       "resourceClaimName: c}]" +
                       uses)) ==
        "spec.template.spec.resourceClaims[0]: has both resourceClaimTemplateName and "
        "resourceClaimName");
  CHECK(Only(CheckPods("{resourceClaims: [{name: g}]" + uses)) ==
        "spec.template.spec.resourceClaims[0]: names no claim");
  // What has a misspelt field is an error of its fields, and no second one.
  for (const char* const field : {"resourceClaimTemplatename", "resourceClaimNam"}) {
    CAPTURE(field);
    CHECK(CheckPods(fmt::format("{{resourceClaims: [{{name: g, {}: t}}]", field) + uses).empty());
  }
  CHECK(CheckPods("{resourceClaims: [{name: g, template: t}]" + uses).size() == 1);
  const auto source =
      CheckPods("{resourceClaims: [{name: g, source: {resourceClaimTemplateName: t}}]" + uses);
  CHECK(Only(source) ==
        "spec.template.spec.resourceClaims[0].source: is of the alpha API and ignored since "
        "Kubernetes 1.31");
  CHECK(source[0].hint == "write resourceClaimTemplateName: t");
  const auto typo = CheckPods(
      "{resourceClaims: [{name: gpus, resourceClaimTemplateName: t}], initContainers: "
      "[{resources: {claims: [{name: gpus}, {name: gpu}]}}]}");
  CHECK(Only(typo) ==
        "spec.template.spec.initContainers[0].resources.claims[1].name: the pod has no claim "
        "\"gpu\"");
  CHECK(typo[0].hint == "did you mean \"gpus\"?");
  const auto unused = CheckPods(
      "{resourceClaims: [{name: g, resourceClaimTemplateName: t}], "
      "containers: [{name: c}]}");
  REQUIRE(unused.size() == 1);
  CHECK(unused[0].severity == Severity::kWarning);
  CHECK_THAT(unused[0].message, ContainsSubstring("no container uses the claim \"g\""));
}

TEST_CASE("a container's request must be one of the claim's, when that is known") {
  const std::string pods =
      "{resourceClaims: [{name: g, resourceClaimTemplateName: t}], "
      "containers: [{resources: {claims: [{name: g, request: gpus}]}}]}";
  CHECK(CheckPods(pods).empty());
  CHECK(Only(CheckPods(pods, "---\n" + Template("{requests: [{name: gpu, exactly: "
                                                "{deviceClassName: g}}]}"))) ==
        "spec.template.spec.containers[0].resources.claims[0].request: the claim \"g\" has no "
        "request \"gpus\"");
}

TEST_CASE("what no worker has") {
  const auto manifests =
      FromYaml(Template("{requests: [{name: r, exactly: {deviceClassName: gpuu}}], "
                        "constraints: [{matchAttribute: gpu.example.com/numa}, "
                        "{matchAttribute: gpu.example.com/model}]}"));
  const FleetFacts facts{2, {"gpu"}, {"gpu.example.com/model"}, {}, 12};
  std::vector<Finding> findings;
  CheckAgainstFleet(manifests[0], "ml", facts, {}, findings);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == Severity::kNowhere);
  CHECK(findings[0].message == "DeviceClass gpuu does not exist on any of 2 workers");
  CHECK(findings[0].hint == "did you mean \"gpu\"?");
  CHECK(findings[1].message ==
        "none of 12 devices on any of 2 workers publishes gpu.example.com/numa: the constraint "
        "cannot hold");
  findings.clear();
  DefinedClaims defined;
  defined.classes.insert("gpuu");
  CheckAgainstFleet(manifests[0], "ml", facts, defined, findings);
  CHECK(findings.size() == 1);
  findings.clear();
  CheckAgainstFleet(manifests[0], "ml", {}, {}, findings);
  CHECK(findings.empty());
}

TEST_CASE("a constraint on one alternative needs its attribute only for that one") {
  const auto attributes = [](const std::string& requests) {
    const auto manifests = FromYaml(Template(
        "{requests: [{name: gpu, firstAvailable: [{name: pair, deviceClassName: g, count: 2}, "
        "{name: one, deviceClassName: g}]}, {name: nic, exactly: {deviceClassName: g}}], "
        "constraints: [{requests: " +
        requests + ", matchAttribute: gpu.example.com/link}]}"));
    return NeedsOf(*manifests[0].object).attributes.size();
  };
  CHECK(attributes("[gpu/pair]") == 0);
  CHECK(attributes("[gpu/pair, nic]") == 1);
  CHECK(attributes("[gpu]") == 1);
  CHECK(attributes("[]") == 1);
}

TEST_CASE("what may be somewhere else, or may come, is no reason to give up") {
  const auto manifests =
      FromYaml(Template("{requests: [{name: r, exactly: {deviceClassName: gpuu}}], "
                        "constraints: [{matchAttribute: gpu.example.com/numa}]}"));
  const auto severities = [&](bool unread, bool may_grow) {
    FleetFacts facts{2, {"gpu"}, {"gpu.example.com/model"}, {}, 12};
    facts.unread = unread;
    facts.may_grow = may_grow;
    std::vector<Finding> findings;
    CheckAgainstFleet(manifests[0], "ml", facts, {}, findings);
    std::vector<Severity> all;
    for (const Finding& finding : findings) all.push_back(finding.severity);
    return all;
  };
  using enum Severity;
  CHECK(severities(false, false) == std::vector{kNowhere, kNowhere});
  CHECK(severities(true, false) == std::vector{kWarning, kWarning});
  // New nodes bring devices, not classes.
  CHECK(severities(false, true) == std::vector{kNowhere, kWarning});
}

TEST_CASE("findings say where, what and what to write") {
  const std::vector<Finding> findings = {{Severity::kError, "job.yaml", 2,
                                          "ResourceClaimTemplate ml/t", "spec.x",
                                          "is wrong\n | x\n", "write\ny: 1\n"}};
  CHECK(RenderFindings(findings, {}) ==
        "job.yaml (document 2): error: ResourceClaimTemplate ml/t: spec.x: is wrong\n"
        "     | x\n"
        "    write\n"
        "    y: 1\n");
  CHECK(ToJson(findings)[0]["severity"] == "error");
}

TEST_CASE("the documents of a file: jobs, what belongs to them, and the rest") {
  const auto input = Read(kJob + kMine + "---\nkind: ConfigMap\napiVersion: v1\n");
  REQUIRE(input.has_value());
  CHECK(input->jobs.size() == 1);
  CHECK(input->dra.size() == 1);
  CHECK(input->findings.empty());
  REQUIRE(input->skipped.size() == 1);
  CHECK_THAT(input->skipped[0],
             ContainsSubstring(" (document 3): \"v1, Kind=ConfigMap\" is not a kind of job"));
  CHECK_FALSE(Read("kind: ConfigMap\napiVersion: v1\n").has_value());
  CHECK_FALSE(ReadCheckInput({"/nonexistent/x"}, *tracking::BuiltInKinds(), "").has_value());
}

TEST_CASE("a job without a queue is judged, with a warning") {
  const auto input = Read(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: ml}\n"
      "spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: i}]}}}\n");
  REQUIRE(input.has_value());
  CHECK(input->jobs.size() == 1);
  REQUIRE(input->findings.size() == 1);
  CHECK(input->findings[0].severity == Severity::kWarning);
  CHECK_THAT(RenderFindings(input->findings, {}),
             ContainsSubstring("metadata.labels: fedra never sees it: Kueue manages only jobs with "
                               "the label kueue.x-k8s.io/queue-name"));
}

TEST_CASE("a job that another controller manages is judged, with a warning") {
  const auto findings = [](const std::string& head, const std::string& managed_by) {
    const auto input = Read(head +
                            "metadata: {name: train, namespace: ml, labels: "
                            "{kueue.x-k8s.io/queue-name: q}}\nspec: " +
                            managed_by);
    REQUIRE(input.has_value());
    CHECK(input->jobs.size() == 1);
    return RenderFindings(input->findings, {});
  };
  const std::string job = "apiVersion: batch/v1\nkind: Job\n";
  const std::string pods =
      "template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: i, "
      "resources: {requests: {cpu: 1}}}]}}}\n";
  CHECK_THAT(
      findings(job, "{managedBy: example.com/other, " + pods),
      ContainsSubstring("managedBy: is \"example.com/other\": fedra dispatches only jobs that "
                        "kueue.x-k8s.io/multikueue manages"));
  CHECK(findings(job, "{managedBy: kueue.x-k8s.io/multikueue, " + pods).empty());
  CHECK(findings(job, "{" + pods).empty());
  CHECK_THAT(
      findings("apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\n",
               "{runPolicy: {managedBy: kubeflow.org/mpi-operator}, mpiReplicaSpecs: {Worker: "
               "{replicas: 1, " +
                   pods.substr(0, pods.size() - 1) + "}}\n"),
      ContainsSubstring("spec.runPolicy.managedBy: is \"kubeflow.org/mpi-operator\": fedra "
                        "dispatches only jobs that kueue.x-k8s.io/multikueue manages"));
  CHECK_THAT(findings("apiVersion: ray.io/v1\nkind: RayJob\n",
                      "{rayClusterSpec: {enableInTreeAutoscaling: true, headGroupSpec: {" +
                          pods.substr(0, pods.size() - 1) + "}}\n"),
             ContainsSubstring("fedra does not dispatch it: "
                               "spec.rayClusterSpec.enableInTreeAutoscaling is true"));
  // The head's pod gets a container there, and is what the user has written all the same.
  CHECK_THAT(findings("apiVersion: ray.io/v1\nkind: RayJob\n",
                      "{submissionMode: SidecarMode, rayClusterSpec: {headGroupSpec: {template: "
                      "{spec: {containers: [{name: c, imagine: i}]}}}}}\n"),
             ContainsSubstring("spec.rayClusterSpec.headGroupSpec.template.spec.containers[0]"));
}

// Kueue admits it without an AdmissionCheck.
TEST_CASE("a job in a queue that asks for no resource is judged, with a warning") {
  const std::string job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x, namespace: ml, ";
  const std::string in_queue = "labels: {kueue.x-k8s.io/queue-name: q}}\nspec: ";
  const auto pod = [](const std::string& spec, const std::string& resources) {
    return "{template: {spec: {restartPolicy: Never" + spec +
           ", containers: [{name: c, image: i, resources: " + resources + "}]}}}";
  };
  const std::string claims = ", resourceClaims: [{name: g, resourceClaimTemplateName: one-gpu}]";
  struct Row {
    const char* what;
    std::string text;
    std::string path;  // of the warning; empty: there is none
  };
  const std::string containers = "spec.template.spec.containers";
  const Row rows[] = {
      {"nothing", job + in_queue + pod("", "{}"), containers},
      {"claims alone", job + in_queue + pod(claims, "{claims: [{name: g}]}"), containers},
      {"a request", job + in_queue + pod("", "{requests: {cpu: 1}}"), ""},
      {"a limit, which is the request, too", job + in_queue + pod("", "{limits: {cpu: 1}}"), ""},
      {"of the pod as a whole", job + in_queue + pod(", resources: {requests: {cpu: 1}}", "{}"),
       ""},
      {"an init container's",
       job + in_queue +
           pod(", initContainers: [{name: b, image: i, resources: {requests: {cpu: 1}}}]", "{}"),
       ""},
      {"overhead", job + in_queue + pod(", overhead: {cpu: 10m}", "{}"), ""},
      {"with a mistake, which comes first",
       job + in_queue + pod(claims, "{claims: [{name: other}]}"), ""},
      {"another set of pods of the same job asks",
       "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: x, namespace: ml, " +
           in_queue + "{mpiReplicaSpecs: {Launcher: " + pod("", "{}") +
           ", Worker: " + pod("", "{requests: {cpu: 1}}") + "}}",
       ""},
      {"none of them does",
       "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: x, namespace: ml, " +
           in_queue + "{mpiReplicaSpecs: {Launcher: " + pod("", "{}") +
           ", Worker: " + pod("", "{}") + "}}",
       "spec.mpiReplicaSpecs.Launcher.template.spec.containers"},
      {"its pods are in a runtime",
       "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: x, "
       "namespace: ml, " +
           in_queue + "{runtimeRef: {name: torch}}",
       ""}};
  for (const Row& row : rows) {
    INFO(row.what);
    const auto input = Read(row.text + "\n");
    REQUIRE(input.has_value());
    std::vector<Finding> warnings;
    for (const Finding& finding : input->findings)
      if (finding.message.starts_with("no container asks")) warnings.push_back(finding);
    REQUIRE(warnings.size() == (row.path.empty() ? 0 : 1));
    if (row.path.empty()) continue;
    CHECK(warnings[0].severity == Severity::kWarning);
    CHECK(warnings[0].path == row.path);
    CHECK(warnings[0].mark.line > 0);
    CHECK_THAT(warnings[0].hint, ContainsSubstring("LimitRange"));
    CHECK(input->jobs[0].submitted.has_value());
  }
}

// It has no managedBy, so nothing but the check would keep it from running on the manager.
TEST_CASE("SparkApplication: one of which Kueue counts nothing is judged, with a warning") {
  struct Row {
    const char* driver;
    const char* executor;
    bool warns;
  };
  const Row row = GENERATE(values<Row>({
      {"{}", "{instances: 2}", true},
      {"{cores: 2, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}",
       "{instances: 2, cores: 4}", true},
      {"{memory: 1g}", "{instances: 2}", false},
      {"{}", "{instances: 2, coreRequest: 500m}", false},
      {"{coreLimit: '2'}", "{instances: 2}", false},
      {"{}", "{instances: 2, gpu: {name: example.com/gpu, quantity: 1}}", false},
      {"{sidecars: [{name: s, image: i, resources: {requests: {cpu: 1}}}]}", "{}", false},
  }));
  INFO(row.driver << " " << row.executor);
  const auto input = Read(
      std::string("apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata: "
                  "{name: x, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}\nspec: "
                  "{type: Python, mode: cluster, image: i, driver: ") +
      row.driver + ", executor: " + row.executor + "}\n");
  REQUIRE(input.has_value());
  REQUIRE(input->jobs.size() == 1);
  CHECK(input->jobs[0].submitted.has_value());
  std::vector<Finding> warnings;
  for (const Finding& finding : input->findings)
    if (finding.message.starts_with("no field asks")) warnings.push_back(finding);
  REQUIRE(warnings.size() == (row.warns ? 1 : 0));
  if (!row.warns) return;
  CHECK(warnings[0].severity == Severity::kWarning);
  CHECK(warnings[0].path == "spec.driver");
  CHECK_THAT(warnings[0].message, ContainsSubstring("starts on the manager"));
  CHECK_THAT(warnings[0].hint, ContainsSubstring("coreRequest"));
}

TEST_CASE("a job whose pods have no container is a mistake, and not judged") {
  for (const char* spec : {"{template: {spec: {restartPolicy: Never}}}",
                           "{template: {spec: {restartPolicy: Never, containers: []}}}"}) {
    const auto input = Read(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: ml, labels: "
        "{kueue.x-k8s.io/queue-name: q}}\nspec: " +
        std::string(spec));
    REQUIRE(input.has_value());
    INFO(spec);
    REQUIRE(input->findings.size() == 1);
    CHECK(input->findings[0].severity == Severity::kError);
    CHECK(Only(input->findings) ==
          "spec.template.spec.containers: a pod needs at least one container");
    REQUIRE(input->jobs.size() == 1);
    CHECK_FALSE(input->jobs[0].submitted.has_value());
  }
}

TEST_CASE("the pods of a job never restart, or on failure") {
  const auto findings = [](const std::string& policy) {
    return Read(
               "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: ml, labels: "
               "{kueue.x-k8s.io/queue-name: q}}\nspec: {template: {spec: {" +
               policy + "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}}")
        ->findings;
  };
  CHECK(findings("restartPolicy: Never, ").empty());
  CHECK(findings("restartPolicy: OnFailure, ").empty());
  CHECK(Only(findings("")) ==
        "spec.template.spec.restartPolicy: is missing: the pods of a job need one");
  CHECK(Only(findings("restartPolicy: Always, ")) ==
        "spec.template.spec.restartPolicy: \"Always\" is not allowed for the pods of a job");
  for (const char* spec : {"none", "{}"}) {
    const auto input = Read(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x, namespace: ml, labels: "
        "{kueue.x-k8s.io/queue-name: q}}\nspec: " +
        std::string(spec));
    REQUIRE(input.has_value());
    CHECK(input->findings.size() == 1);  // all that is below it is missing, too
  }
}

TEST_CASE("what is there twice is a mistake, and neither of the two counts") {
  const auto input = Read(kJob + kMine + kMine + "---\n" + kJob);
  REQUIRE(input.has_value());
  REQUIRE(input->findings.size() == 2);
  CHECK(input->findings[0].object == "ResourceClaimTemplate ml/mine");
  CHECK(input->findings[0].document == 3);
  CHECK_THAT(input->findings[0].message, ContainsSubstring("is defined twice (also in "));
  CHECK_THAT(input->findings[0].message, ContainsSubstring("job.yaml (document 2))"));
  CHECK(input->findings[1].object == "Job ml/train");
  REQUIRE(input->jobs.size() == 1);
  CHECK_FALSE(input->jobs[0].submitted.has_value());
  CHECK(ObjectsWithErrors(*input).contains("ResourceClaimTemplate ml/mine"));
}

std::string PodOfGroup(const std::string& name, const std::string& group, int total) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: ml, labels: {kueue.x-k8s.io/queue-name: gpu, "
         "kueue.x-k8s.io/pod-group-name: " +
         group + "}, annotations: {kueue.x-k8s.io/pod-group-total-count: \"" +
         std::to_string(total) +
         "\"}}\nspec: {restartPolicy: Never, containers: [{name: c, image: i, resources: "
         "{requests: "
         "{cpu: 1}}}]}\n";
}

TEST_CASE("the pods of a group are one job of the input, and one that is incomplete is none") {
  const TempFolder folder;
  const auto read = [&](const std::string& yaml) {
    auto input =
        ReadCheckInput({folder.Write("pods.yaml", yaml)}, *tracking::BuiltInKindsAndPods(), "");
    REQUIRE(input.has_value());
    return *std::move(input);
  };
  const std::string first = PodOfGroup("a", "train", 2);
  const CheckInput whole =
      read(first + PodOfGroup("x", "other", 1) + PodOfGroup("b", "train", 2) + "---\n" + kJob);
  CHECK(whole.findings.empty());
  REQUIRE(whole.jobs.size() == 3);
  CHECK(whole.jobs[0].kind == "Pod group");
  CHECK(whole.jobs[0].key == ObjectKey{"ml", "train"});
  CHECK(whole.jobs[0].objects == std::vector<std::string>{"Pod ml/a", "Pod ml/b"});
  REQUIRE(whole.jobs[0].submitted.has_value());
  CHECK(whole.jobs[0].submitted->requirement.Pods() == 2);
  CHECK(whole.jobs[1].key.name == "other");
  CHECK(whole.jobs[2].kind == "Job");
  const CheckInput half = read(first);
  REQUIRE(half.findings.size() == 1);
  CHECK(half.findings[0].object == "Pod group ml/train");
  CHECK_THAT(half.findings[0].message,
             ContainsSubstring("1 of the 2 pods of the group are in the input"));
  REQUIRE(half.jobs.size() == 1);
  CHECK_FALSE(half.jobs[0].submitted.has_value());
  // A mistake in one of its pods is the group's.
  const CheckInput twice = read(first + PodOfGroup("b", "train", 2) + first);
  REQUIRE(twice.findings.size() == 1);
  CHECK(twice.findings[0].object == "Pod ml/a");
  CHECK_FALSE(twice.jobs[0].submitted.has_value());
}

TEST_CASE("what cannot be read of a job names it once") {
  const auto input = Read(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: good, namespace: ml, labels: "
      "{kueue.x-k8s.io/queue-name: q}}\n"
      "spec: {template: {spec: {restartPolicy: Never, "
      "containers: [{name: c, image: i, resources: {requests: {cpu: zz}}}]}}}\n");
  REQUIRE(input.has_value());
  REQUIRE(input->findings.size() == 1);
  CHECK(input->findings[0].object == "Job ml/good");
  CHECK_FALSE(input->findings[0].message.starts_with("ml/good"));
}

TEST_CASE("a folder is its manifests, as for kubectl") {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "deeper.yaml");
  CHECK_THAT(
      ReadCheckInput({folder.path().string()}, *tracking::BuiltInKinds(), "").error().message,
      ContainsSubstring("no *.yaml, *.yml or *.json is in this directory"));
  folder.Write("b.yml", kMine);
  folder.Write("a.yaml", kJob);
  folder.Write("notes.txt", "not: [yaml");
  const auto input = ReadCheckInput({folder.path().string()}, *tracking::BuiltInKinds(), "");
  REQUIRE(input.has_value());
  CHECK(input->jobs.size() == 1);
  CHECK(input->dra.size() == 1);
}

TEST_CASE("every pod template of a job of another kind is looked at, with its place") {
  const TempFolder folder;
  const std::string path = folder.Write("set.yaml", R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: set, namespace: ml, labels: {kueue.x-k8s.io/queue-name: gpu}}
spec:
  replicatedJobs:
  - name: one
    template: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}
  - name: two
    template: {spec: {template: {spec: {containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]}}}}
)");
  const auto input = ReadCheckInput({path}, *tracking::BuiltInKinds(), "");
  REQUIRE(input.has_value());
  REQUIRE(input->findings.size() == 1);
  CHECK(input->findings[0].object == "JobSet ml/set");
  CHECK_THAT(input->findings[0].path,
             ContainsSubstring("spec.replicatedJobs[1].template.spec.template"));
}

TEST_CASE("of a kind that is not known, what may be a job is told how to be added") {
  const TempFolder folder;
  const auto skipped = [&](const std::string& text) {
    const auto input = ReadCheckInput({folder.Write("x.yaml", std::string(kJob) + "---\n" + text)},
                                      *tracking::BuiltInKinds(), "");
    REQUIRE(input.has_value());
    REQUIRE(input->skipped.size() == 1);
    return input->skipped[0];
  };
  CHECK_THAT(skipped("{apiVersion: tekton.dev/v1, kind: PipelineRun, metadata: {name: a}}\n"),
             ContainsSubstring("an entry of `kinds` in fedra's configuration adds it"));
  CHECK_THAT(skipped("{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}}\n"),
             !ContainsSubstring("kinds"));
  CHECK_THAT(skipped("{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, labels: "
                     "{kueue.x-k8s.io/queue-name: gpu}}}\n"),
             ContainsSubstring("kinds"));
  for (const char* group : {"scheduling.x-k8s.io/v1alpha1", "scheduling.run.ai/v2alpha2",
                            "scheduling.volcano.sh/v1beta1"})
    CHECK_THAT(
        skipped(fmt::format("{{apiVersion: {}, kind: PodGroup, metadata: {{name: a}}}}\n", group)),
        ContainsSubstring("kueue.x-k8s.io/pod-group-name"));
}

}  // namespace
}  // namespace fedra::cli::manifest_check_test
