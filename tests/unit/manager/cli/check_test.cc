// The whole of `fedra check`: manifests and a snapshot in, text and exit code out.

#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/cli/commands.h"
#include "manager/cli/manifests/manifest_selectors.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "tests/unit/manager/support/contract.h"

namespace fedra::cli::check_test {
namespace {

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran Check(const std::string& manifests, const std::string& format = "table",
          const RawCluster& cluster = MakeCluster(), bool assume_templates = false,
          const std::string& ns = "ml") {
  const TempFolder folder;
  CheckOptions options;
  options.files = {folder.Write("job.yaml", manifests)};
  options.snapshot = folder.Write("fleet.json", ToText(Record(cluster)));
  options.ns = ns;
  options.format = format;
  options.assume_templates = assume_templates;
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal{.out = out, .err = err};
  const int code = Check(options, terminal);
  std::string text = out.str();
  // The first line says when the snapshot was taken (command_line_test.cc).
  if (text.starts_with("SNAPSHOT ")) text.erase(0, text.find('\n') + 1);
  return {code, text, err.str()};
}

// As flow YAML; `devices` are those of a claim.
std::string ClaimTemplate(const std::string& name, const std::string& devices) {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: " +
         name + "}\nspec: {spec: {devices: " + devices + "}}\n";
}

const std::string kOneGpu = "{requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}";

TEST_CASE("check: a kind that is written in lower case is told the right one") {
  const Ran ran = Check("apiVersion: batch/v1\nkind: job\nmetadata: {name: a}\n");
  CHECK_THAT(ran.err + ran.out,
             ContainsSubstring("\"batch/v1, Kind=job\" is not a kind of job that "
                               "fedra runs (did you mean batch/v1, Kind=Job?); skipped"));
}

TEST_CASE("check without a job: manifests are checked, and nobody can take it for a verdict") {
  const Ran good = Check(ClaimTemplate("mine", kOneGpu));
  CHECK(good.code == 0);
  CHECK(good.out ==
        "no job in the input, so nothing to judge; 1 manifest checked, no mistake found\n");
  const Ran wrong = Check(ClaimTemplate("mine", "{requests: [{name: gpu}]}"));
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out,
             ContainsSubstring("\nno job in the input, so nothing to judge; 1 manifest checked, "
                               "mistakes found\n"));
  const json report = Parsed(Check(ClaimTemplate("mine", kOneGpu), "json").out);
  CHECK(report["items"].empty());
  CHECK_THAT(report["note"].get<std::string>(), ContainsSubstring("nothing to judge"));
}

TEST_CASE("check: the document is what openapi.json says") {
  const std::string manifests = ClaimTemplate("mine", "{requests: [{name: gpu}]}") +
                                "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n";
  for (const std::string& each : {manifests, ClaimTemplate("mine", kOneGpu)})
    CHECK(testing::HeldDocument(Check(each, "json").out)["kind"] == "CheckReport");
}

TEST_CASE("check of nothing is an error") {
  for (const char* nothing : {"", "# nothing yet\n", "---\n"}) {
    const Ran ran = Check(nothing);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, ContainsSubstring("job.yaml: is empty: there is nothing to check\n"));
  }
  const Ran other = Check("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n");
  CHECK(other.code == 1);
  CHECK_THAT(other.err, ContainsSubstring("job.yaml: has nothing that can be checked\n"));
  CHECK_THAT(other.err, ContainsSubstring("\"v1, Kind=ConfigMap\" is not a kind of job"));
}

std::string Job(const std::string& claim_template) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, labels: "
         "{kueue.x-k8s.io/queue-name: gpu}}\n"
         "spec: {template: {spec: {restartPolicy: Never, resourceClaims: [{name: g, "
         "resourceClaimTemplateName: " +
         claim_template +
         "}], containers: [{name: c, image: i, "
         "resources: {requests: {cpu: 1}, claims: [{name: g}]}}]}}}\n";
}

TEST_CASE("check: a document that is no object is told what it is instead") {
  const std::pair<const char*, const char*> rows[] = {{"\"hello there\"\n", "is a text"},
                                                      {"just some words\n", "is a text"},
                                                      {"- a\n- b\n", "is a list"},
                                                      {"7\n", "is a single value"}};
  for (const auto& [text, what] : rows) {
    const Ran ran = Check(text);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring(std::string("job.yaml (document 1): ") + what +
                                          ", not a Kubernetes object with apiVersion and kind\n"));
  }
}

TEST_CASE("check: names that no API server takes, and a namespace that nobody named") {
  const auto with = [](const std::string& metadata) {
    std::string job = Job("one-gpu");
    job.replace(job.find("name: train"), std::string("name: train").size(), metadata);
    return Check(job);
  };
  CHECK(with("name: train").code == 0);
  CHECK(with("generateName: train-").code == 0);
  CHECK_THAT(with("generateName: train-").out, ContainsSubstring("ml/train-"));
  const std::string longest(63, 'x');
  CHECK(with("name: " + longest).code == 0);
  for (const std::string& wrong :
       {std::string("name: Bad_Name"), std::string("generateName: Bad-"),
        std::string("generateName: bad."), std::string("namespace: a.b, name: train"),
        std::string("labels2: {}"), "name: x" + longest}) {
    const Ran ran = with(wrong);
    INFO(wrong << "\n" << ran.out);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.out, ContainsSubstring("error: Job"));
  }
  CHECK_THAT(with("name: Bad_Name").out,
             ContainsSubstring("metadata.name: \"Bad_Name\" is not a valid name"));
  CHECK_THAT(with("labels2: {}").out, ContainsSubstring("metadata.name: is missing"));

  const std::string nobody = "is not given: looked for in \"default\"";
  CHECK_THAT(Check(Job("one-gpu"), "table", MakeCluster(), false, "").out,
             ContainsSubstring("warning: Job default/train: metadata.namespace: " + nobody));
  CHECK_THAT(with("name: train").out, !ContainsSubstring(nobody));
}

TEST_CASE("check: two jobs whose names are generated are two jobs") {
  std::string job = Job("one-gpu");
  job.replace(job.find("name: train"), std::string("name: train").size(), "generateName: train-");
  const json report = Parsed(Check(job + "---\n" + job, "json").out);
  CHECK(report["items"].size() == 2);
  CHECK(report["findings"].empty());
  // The mistakes of one are not the other's.
  std::string wrong = job;
  wrong.replace(wrong.find("Never"), 5, "Always");
  const Ran ran = Check(job + "---\n" + wrong);
  CHECK(ran.code == 1);
  const size_t not_judged = ran.out.find("Job ml/train-: not judged");
  REQUIRE(not_judged != std::string::npos);
  CHECK(ran.out.find("Job ml/train-: not judged", not_judged + 1) == std::string::npos);
}

TEST_CASE("check: many jobs are counted together, those with mistakes are not") {
  // With the separator in front; generated names are never the same.
  const auto document = [](const char* claim_template) {
    std::string job = Job(claim_template);
    const std::string name = "name: train";
    return "---\n" + job.replace(job.find(name), name.size(), "generateName: train-");
  };
  const std::string good = document("one-gpu");
  const std::string bad = document("no-such-template");
  std::string wrong = good;
  wrong.replace(wrong.find("Never"), 5, "Always");
  const std::string mixed = "1 of 2 jobs can run, each judged as if it were alone";
  CHECK(
      Check(good + bad + wrong)
          .out.ends_with("\n1 of 2 judged jobs can run, each judged as if it were alone; 1 was not "
                         "judged\n"));
  CHECK(Check(good + wrong + wrong)
            .out.ends_with("\n1 of 1 judged jobs can run; 2 were not judged\n"));
  CHECK(Parsed(Check(good + bad, "json").out)["note"] == mixed);
  CHECK(Parsed(Check(good + good, "json").out)["note"] ==
        "2 of 2 jobs can run, each judged as if it were alone: together they may need more devices "
        "than are free, and then wait for each other");
  CHECK_FALSE(Parsed(Check(good, "json").out).contains("note"));
}

// What MakeCluster() has as `gpu`, written by a person.
const std::string kClass =
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
    "spec: {selectors: [{cel: {expression: \"device.driver == 'gpu.example.com'\"}}]}\n";

// The worker's one-gpu, with `more` behind the class.
std::string OneGpu(const std::string& more) {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: "
         "one-gpu}\nspec: {metadata: {annotations: {a: SECRET}}, spec: {devices: {requests: "
         "[{name: gpu, exactly: {deviceClassName: gpu" +
         more +
         "}}], config: [{opaque: {driver: gpu.example.com, parameters: {key: SECRET}}}]}}}\n";
}

TEST_CASE("check: a template whose name is generated defines none") {
  std::string named = OneGpu("");
  named.replace(named.find("name: one-gpu"), 13, "generateName: mine");
  const Ran ran = Check(Job("mine") + named);
  CHECK_THAT(ran.out, ContainsSubstring("TemplateMissing"));
  CHECK_THAT(ran.err, !ContainsSubstring("--assume-templates"));
}

TEST_CASE(
    "check: what a worker has under a name of the file, but different, is said to be judged") {
  const Ran same = Check(Job("one-gpu") + OneGpu("") + kClass);
  CHECK(same.code == 0);
  CHECK_THAT(same.out, !ContainsSubstring("note"));
  // The file's would fit nowhere: the verdict is about the other one.
  const std::string other = Job("one-gpu") + OneGpu(", count: 9");
  const Ran drifted = Check(other);
  CHECK(drifted.code == 0);
  CHECK_THAT(drifted.out, ContainsSubstring("1 of 1 worker can run it"));
  CHECK_THAT(drifted.out,
             ContainsSubstring("job.yaml (document 2) differs from the worker's, which is "
                               "the one used: spec.spec.devices.requests[0]."
                               "exactly.count: 1 there, 9 in the file\n"));
  CHECK_THAT(drifted.out, ContainsSubstring("\nwhat to do about the notes\n"));
  CHECK_THAT(drifted.out, ContainsSubstring("replace the worker's by "));
  CHECK_THAT(drifted.out, !ContainsSubstring(" -f "));  // the file holds the job, too
  const json worker = Parsed(Check(other, "json").out)["items"][0]["workers"][0];
  REQUIRE(worker["notes"].size() == 1);
  CHECK(worker["notes"][0]["object"] == "ResourceClaimTemplate ml/one-gpu");
  CHECK_THAT(worker["notes"][0]["remedy"].get<std::string>(),
             ContainsSubstring("fedra templates diff"));
}

TEST_CASE(
    "check: a DeviceClass of the file that differs from the worker's, and one that does not") {
  std::string other = kClass;
  other.replace(other.find("gpu.example.com"), 3, "tpu");
  const Ran ran = Check(Job("one-gpu") + other);
  CHECK_THAT(ran.out, ContainsSubstring("note    DeviceClass gpu in "));
  CHECK_THAT(ran.out, ContainsSubstring("spec.selectors[0]: \"device.driver == 'gpu.example.com'\" "
                                        "there, \"device.driver == 'tpu.example.com'\" in the "
                                        "file\n"));
  CHECK_THAT(ran.out, ContainsSubstring("kubectl apply "));
  // A class that no template of the job names is no matter of it.
  RawCluster cluster = MakeCluster();
  cluster.Add("deviceclasses.resource.k8s.io",
              json::parse(R"({"metadata": {"name": "big"}, "spec": {}})"));
  std::string unused = other;
  unused.replace(unused.find("{name: gpu}"), 11, "{name: big}");
  CHECK_THAT(Check(Job("one-gpu") + unused, "table", cluster).out, !ContainsSubstring("note"));
  // Another template of the file is no matter of this job.
  CHECK_THAT(Check(Job("two-large") + OneGpu(", count: 9")).out, !ContainsSubstring("note"));
}

TEST_CASE("check: a job whose template in the file has a mistake is not judged") {
  for (const bool assume : {false, true}) {
    const Ran ran =
        Check(Job("one-gpu") + OneGpu(", count: \"2\""), "table", MakeCluster(), assume);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.out, ContainsSubstring("write 2 without quotes"));
    CHECK_THAT(ran.out, ContainsSubstring(": not judged: fix the errors first\n"));
    CHECK_THAT(ran.out, !ContainsSubstring("TemplateMissing"));
  }
}

TEST_CASE("check: a template or queue that is named nearly so on the worker") {
  const Ran ran = Check(Job("one-gpus"));
  CHECK(ran.code == 3);
  CHECK_THAT(ran.out, ContainsSubstring("there is a ResourceClaimTemplate ml/one-gpu there\n"));
  CHECK_THAT(ran.out,
             ContainsSubstring("ResourceClaimTemplate ml/one-gpus: did you mean ml/one-gpu?\n"));
  CHECK_THAT(Check(Job("zzzzzzzzz")).out, !ContainsSubstring("did you mean"));
}

TEST_CASE("check: a template that is assumed is the file's") {
  RawCluster cluster = MakeCluster();
  cluster.objects.erase("resourceclaimtemplates.resource.k8s.io");
  const Ran ran = Check(Job("one-gpu") + OneGpu(""), "table", cluster, /*assume_templates=*/true);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, ContainsSubstring("judged as if"));
  CHECK_THAT(ran.out, !ContainsSubstring("note"));
  // It need not be created for what is lacking beside it.
  const Ran nowhere = Check(Job("one-gpu") + OneGpu(", count: 9"), "table", cluster, true);
  CHECK(nowhere.code == 3);
  CHECK_THAT(nowhere.out, ContainsSubstring("\nwhat would help\n  NotEnoughDevices: ") &&
                              !ContainsSubstring("Create the template"));
}

const std::string kTypo =
    "device.attributes['gpu.example.com'].modell == 'h100' && has(device.attributes['nic.com'].x)";

TEST_CASE("check: a selector that reads what no device has, though one is named nearly so") {
  const Ran ran = Check(
      ClaimTemplate("mine",
                    "{requests: [{name: gpu, exactly: {deviceClassName: gpu, selectors: [{cel: "
                    "{expression: \"" +
                        kTypo + "\"}}]}}]}"));
  CHECK(ran.code == 0);  // it may test for what is not there
  CHECK_THAT(ran.out, ContainsSubstring("warning: ResourceClaimTemplate ml/mine: spec.spec.devices."
                                        "requests[0].exactly.selectors[0].cel.expression: none of "
                                        "3 devices on the worker has device.attributes["
                                        "\"gpu.example.com\"].modell\n"
                                        "    did you mean device.attributes[\"gpu.example.com\"]."
                                        "model?\n"));
  CHECK_THAT(ran.out, !ContainsSubstring("nic.com"));
}

TEST_CASE("check: such a selector of a template on the worker is a note beside the refusal") {
  RawCluster cluster = MakeCluster();
  json devices = Parsed(R"({"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu",
      "allocationMode": "ExactCount", "count": 1, "selectors": [{"cel": {}}]}}]})");
  devices["requests"][0]["exactly"]["selectors"][0]["cel"]["expression"] =
      "device.capacity['gpu.exmple.com'].memory.compareTo(quantity('1Gi')) > 0";
  AddTemplate(cluster, "typo", devices.dump());
  const Ran ran = Check(Job("typo"), "table", cluster);
  CHECK(ran.code == 3);
  CHECK_THAT(ran.out,
             ContainsSubstring("did you mean device.capacity[\"gpu.example.com\"].memory?"));
  // Where the job can run it is not needed.
  CHECK_THAT(Check(Job("one-gpu"), "table", cluster).out, !ContainsSubstring("did you mean"));
}

TEST_CASE("check: the caret below a selector that does not compile stands where the mistake is") {
  RawCluster cluster = MakeCluster();
  json devices = Parsed(R"({"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu",
      "allocationMode": "ExactCount", "count": 1, "selectors": [{"cel": {}}]}}]})");
  devices["requests"][0]["exactly"]["selectors"][0]["cel"]["expression"] =
      "device.capacity['gpu.example.com'].memory >= '1Gi'";
  AddTemplate(cluster, "mistake", devices.dump());
  const Ran ran = Check(Job("mistake"), "table", cluster);
  CHECK(ran.code == 3);
  std::istringstream lines(ran.out);
  std::string above;
  bool found = false;
  for (std::string line; std::getline(lines, line) && !found; above = line)
    found = line.ends_with(".^") && above.find(">=") == line.size() - 1;
  INFO(ran.out);
  CHECK(found);
  CHECK_THAT(ran.out, ContainsSubstring("immutable: delete the template"));
}

TEST_CASE("the closest name: in its domain, or in a domain nearly the same") {
  const std::set<std::string> known = {"gpu.example.com/model", "gpu.example.com/numa",
                                       "nic.example.com/model"};
  CHECK(ClosestQualified("gpu.example.com/modell", known) == "gpu.example.com/model");
  CHECK(ClosestQualified("gpu.exmple.com/numa", known) == "gpu.example.com/numa");
  CHECK(ClosestQualified("gpu.example.com/model", known).empty());
  CHECK(ClosestQualified("gpu.example.com/memory", known).empty());
  CHECK(ClosestQualified("tpu.other.org/model", known).empty());
}

}  // namespace
}  // namespace fedra::cli::check_test
