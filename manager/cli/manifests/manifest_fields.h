#pragma once
//
// Fields of resource.k8s.io that no API knows, and what is in every object. An API server that
// is not strict drops such fields without a word: a request then asks for less than was meant.
// Pure.
//
// Source: resource.k8s.io in v1, v1beta2 and v1beta1 of Kubernetes 1.36. Jobs and their pods are
// job_schema.h's.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// The fields of one type.
struct FieldList {
  std::vector<std::string> decisive;  // that decide where a job can run
  std::vector<std::string> others = {};
};

// The members of `object`, at `path`. A typo of a decisive field is an error: what is
// judged would not be what was meant. Anything else is a warning, because a newer Kubernetes may
// know it.
void CheckFields(const nlohmann::json& object, const std::string& path, const FieldList& known,
                 Findings& findings);

// Kind, metadata and what else stands in every object; not what is below spec.
void CheckObjectFields(const nlohmann::json& object, Findings& findings);
void CheckMetadataFields(const nlohmann::json& metadata, const std::string& path,
                         Findings& findings);
// metadata.name, generateName and namespace, as an API server takes them.
void CheckObjectName(const nlohmann::json& object, Findings& findings);
}  // namespace fedra::cli
