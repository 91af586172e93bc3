#pragma once
//
// Fields that no API knows. An API server that is not strict drops them without a word: of a pod
// with `resorceClaims` it makes one that needs no devices and fits everywhere. Pure.
//
// The lists hold what fedra reads, and beside it what its neighbours are called, so that a field is
// not taken for a mistake; below a field that decides nothing there is no list. Source: core/v1,
// batch/v1 and resource.k8s.io in v1, v1beta2 and v1beta1 of Kubernetes 1.36.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/finding.h"

namespace fedra::cli {

// The fields of one type.
struct FieldList {
  std::vector<std::string> decisive;  // that decide where a job can run
  std::vector<std::string> others = {};
};

// The members of `object`, which stands at `path`. A typo of a decisive field is an error: what is
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
// batch/v1 Job, below spec; not the pods.
void CheckJobFields(const nlohmann::json& job, Findings& findings);
// One pod template: its claims, its containers' resources, and what chooses its nodes.
void CheckPodFields(const nlohmann::json& pod_template, const std::string& path,
                    Findings& findings);

}  // namespace fedra::cli
