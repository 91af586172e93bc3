// Pseudonyms in the texts of a support bundle.

#include "manager/cli/bundle/known_names.h"

#include <nlohmann/json.hpp>

#include "manager/cli/snapshots/snapshot_names.h"
#include "tests/support/catch.h"

namespace fedra::cli::known_names_test {

using nlohmann::ordered_json;

TEST_CASE("a name is replaced as a word, the same everywhere") {
  KnownNames names;
  names.Add("ml");
  names.Add("train-7b");
  const std::string ml = Pseudonym("name", "ml"), train = Pseudonym("name", "train-7b");
  CHECK(ml.starts_with("name-"));
  CHECK(names.Redacted("ml/train-7b in ml, not in mlops or x-ml: \"ml\".") ==
        ml + "/" + train + " in " + ml + ", not in mlops or x-ml: \"" + ml + "\".");
  // The end of a sentence is no part of the name.
  CHECK(names.Redacted("waits for train-7b. ml.") == "waits for " + train + ". " + ml + ".");
  CHECK(names.Redacted("").empty());
  CHECK(names.Redacted("no name\n") == "no name\n");
}

TEST_CASE("workers keep their names, and numbers are no names") {
  KnownNames names;
  names.Add("gpu-east");
  names.Add("3");
  names.Add("");
  names.Keep("gpu-east");
  CHECK(names.Redacted("gpu-east: 3 pods") == "gpu-east: 3 pods");
}

TEST_CASE("a report names jobs, what they need, and what reasons are about") {
  KnownNames names;
  names.AddAll(ordered_json::parse(R"({"jobs": [{
    "namespace": "ml", "name": "train", "workload": "job-train-1", "queue": "gpu",
    "needs": {"templates": ["one-gpu"], "claims": ["shared"]},
    "workers": [{"name": "east", "reasons": [
      {"code": "DependencyMissing", "object": "ConfigMap ml/settings", "facts": {"parts": [{"holders": [
        {"isJob": true, "name": {"namespace": "web", "name": "serve"}}]}]}},
      {"code": "DeviceClassMissing", "object": "DeviceClass gpu.example.com"}]}]}]})"));
  std::string expected;
  for (const char* name :
       {"ml", "train", "job-train-1", "one-gpu", "shared", "settings", "web", "serve"})
    expected += (expected.empty() ? "" : " ") + Pseudonym("name", name);
  CHECK(names.Redacted("ml train job-train-1 one-gpu shared settings web serve") == expected);
  CHECK(names.Redacted("gpu east gpu.example.com DeviceClass") ==
        "gpu east gpu.example.com DeviceClass");
}

TEST_CASE("a snapshot names what its redaction renames") {
  SnapshotFile snapshot;
  RecordedResource pods, classes, slices;
  pods.name = "pods";
  classes.name = "deviceclasses.resource.k8s.io";
  slices.name = "resourceslices.resource.k8s.io";
  pods.items.push_back({{"metadata", {{"namespace", "ml"}, {"name", "train-x7k"}}}});
  classes.items.push_back({{"metadata", {{"name", "gpu.example.com"}}}});
  slices.items.push_back(
      {{"metadata", {{"name", "slice-a"}}}, {"spec", {{"pool", {{"name", "pool-a"}}}}}});
  RecordedWorker worker;
  worker.resources = {pods, classes, slices};
  snapshot.workers.push_back(worker);
  KnownNames names;
  names.AddAll(snapshot);
  std::string expected;
  for (const char* name : {"ml", "train-x7k", "slice-a", "pool-a"})
    expected += Pseudonym("name", name) + " ";
  CHECK(names.Redacted("ml train-x7k slice-a pool-a gpu.example.com") ==
        expected + "gpu.example.com");
}

}  // namespace fedra::cli::known_names_test
