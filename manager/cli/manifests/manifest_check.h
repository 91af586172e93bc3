#pragma once
//
// Finds mistakes in jobs, ResourceClaimTemplates, ResourceClaims and DeviceClasses. Pure.
//
// Source: validation of resource.k8s.io/v1 and of core/v1 pods in Kubernetes 1.36. Not everything
// that an API server checks, but what people get wrong, with what to write instead.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/types.h"
#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// What the documents of one run define, for references among them.
struct DefinedClaims {
  // The request names of each template and claim, "req" and "req/sub".
  std::map<ObjectKey, std::set<std::string>> templates;
  std::map<ObjectKey, std::set<std::string>> claims;
  std::set<std::string> classes;
};

// The API server's kinds that are looked at beside jobs: ResourceClaimTemplate, ResourceClaim,
// DeviceClass.
bool IsDraManifest(const nlohmann::json& object);
// "ml/one-gpu" of a manifest; `default_ns` for one that names none, empty for "default".
ObjectKey KeyOf(const nlohmann::json& object, const std::string& default_ns);

DefinedClaims Define(const std::vector<Manifest>& manifests, const std::string& default_ns);

// A ResourceClaimTemplate, ResourceClaim or DeviceClass.
void CheckDraManifest(const Manifest& manifest, const std::string& default_ns,
                      std::vector<Finding>& findings);

// The claims that one pod template of a job names. `path` is where it is: "spec.template".
void CheckPodClaims(const nlohmann::json& pod_template, const std::string& path,
                    const std::string& ns, const DefinedClaims& defined, Findings& findings);

// What the claims need and where, for the comparison with what workers have.
struct ClaimNeeds {
  struct Need {
    std::string name;  // a class, a capacity, or an attribute with its domain
    std::string path;
  };
  std::vector<Need> classes;
  std::vector<Need> attributes;  // of constraints, those that only bind alternatives left out
  std::vector<Need> capacities;  // of requests, as written; those of alternatives left out
};
ClaimNeeds NeedsOf(const nlohmann::json& object);

// What the workers that could be read have together.
struct FleetFacts {
  size_t workers = 0;
  std::set<std::string> classes;
  std::set<std::string> attributes;  // "domain/name" of every device
  std::set<std::string> capacities;  // as published
  int devices = 0;
  bool unread = false;    // another worker could not be read: it may have what these lack
  bool may_grow = false;  // new nodes of a scalable pool may bring what the devices lack
  std::set<std::string> qualified_capacities = {};  // "domain/name", as selectors read them
};

// "any of 3 workers that could be read".
std::string WhereAmong(const FleetFacts& fleet);

// Classes that are on no worker (and not among `defined`), attributes and capacities that no device
// has. Says nothing when no worker could be read.
void CheckAgainstFleet(const Manifest& manifest, const std::string& default_ns,
                       const FleetFacts& fleet, const DefinedClaims& defined,
                       std::vector<Finding>& findings);

}  // namespace fedra::cli
