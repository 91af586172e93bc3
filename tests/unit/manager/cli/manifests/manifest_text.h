#pragma once
//
// Manifests as text, and what is found in them.

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/yaml_json.h"
#include "manager/cli/manifests/check_input.h"
#include "manager/cli/manifests/manifest_check.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/raw_cluster.h"

namespace fedra::cli {

inline std::vector<Manifest> FromYaml(const std::string& text) {
  const auto documents = config::ReadYaml(text);
  REQUIRE(documents.has_value());
  std::vector<Manifest> manifests;
  for (const config::YamlDocument& document : *documents) {
    const int number = static_cast<int>(manifests.size()) + 1;
    manifests.push_back(
        {"job.yaml", number, std::make_shared<const json>(Parsed(document.json)), document.places});
  }
  return manifests;
}

inline std::vector<Finding> Check(const std::string& yaml) {
  std::vector<Finding> findings;
  for (const Manifest& manifest : FromYaml(yaml)) CheckDraManifest(manifest, "ml", findings);
  return findings;
}

// A template of v1 with these requests, as flow YAML.
inline std::string Template(const std::string& devices) {
  return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n"
         "metadata: {name: t}\nspec: {spec: {devices: " +
         devices + "}}\n";
}

inline std::string Only(const std::vector<Finding>& findings) {
  if (findings.size() != 1) return RenderFindings(findings, {});
  return findings[0].path + ": " + findings[0].message;
}

inline Result<CheckInput> Read(const std::string& yaml) {
  const TempFolder folder;
  return ReadCheckInput({folder.Write("job.yaml", yaml)}, *tracking::BuiltInKinds(), "");
}

inline const std::string kJob =
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: ml, labels: "
    "{kueue.x-k8s.io/queue-name: gpu}}\n"
    "spec: {template: {spec: {restartPolicy: Never, "
    "resourceClaims: [{name: g, resourceClaimTemplateName: mine}], "
    "containers: [{name: c, image: i, resources: {requests: {cpu: 1}, claims: [{name: "
    "g}]}}]}}}\n";
inline const std::string kMine =
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n"
    "metadata: {name: mine, namespace: ml}\n"
    "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}\n";

}  // namespace fedra::cli
