#pragma once
//
// What `fedra check` is given: jobs to judge, manifests that belong to them, and the mistakes in
// both that can be seen without any cluster.

#include <functional>
#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manager/cli/manifests/finding.h"
#include "manager/cli/manifests/manifest_check.h"
#include "manager/tracking/kinds/submitted.h"

namespace fedra::cli {

// One job of the input, once, however often it is there; the pods of a group are one.
struct InputJob {
  std::string kind;
  ObjectKey key;
  bool is_generated = false;  // the API server makes the name; that of `key` is its beginning
  std::string file;
  int document = 1;
  bool has_priority = false;  // it names a priority class: jobs in line may stand behind it
  // Nothing when the job has an error: a verdict beside it would be worth nothing.
  std::optional<tracking::SubmittedJob> submitted;
  std::vector<std::string> objects = {};  // of a group of pods, as findings name them: "Pod ml/a"
};

struct CheckInput {
  std::vector<InputJob> jobs;
  std::vector<Manifest> dra;  // ResourceClaimTemplates, ResourceClaims and DeviceClasses
  DefinedClaims defined;
  std::vector<Finding> findings;
  std::vector<std::string> skipped;  // documents of other kinds, one line each
};

// kInvalidArgument: it is no YAML, or there is nothing in it that can be checked. `kinds`: of jobs,
// must outlive the result.
Result<CheckInput> ParseCheckInput(const std::vector<ManifestFile>& files,
                                   const tracking::JobKinds& kinds, const std::string& default_ns,
                                   const std::optional<ManifestBounds>& bounds = {});
// The same of `manifests`, which ParseManifests() has made of the files.
Result<CheckInput> CheckInputOf(const std::vector<Manifest>& manifests,
                                const std::vector<ManifestFile>& files,
                                const tracking::JobKinds& kinds, const std::string& default_ns);
// The same of what ReadFiles() finds at the paths; its errors, too.
Result<CheckInput> ReadCheckInput(const std::vector<std::string>& paths,
                                  const tracking::JobKinds& kinds, const std::string& default_ns);

// The namespaces of the jobs and claims among them, by their metadata alone: nothing else is
// looked at.
std::set<std::string> NamespacesIn(const std::vector<Manifest>& manifests,
                                   const tracking::JobKinds& kinds, const std::string& default_ns);

// The findings that come from what the workers have together. Where a job is judged its verdict
// says whether it can run: then they are warnings. `goes_on`: asked before each claim; false: the
// others are left out. Null: none is.
void CheckAgainstWorkers(const FleetFacts& fleet, const std::string& default_ns, CheckInput& input,
                         const std::function<bool()>& goes_on = {});

// Whether where a claim is allocated matters to one of its jobs.
bool NameClaims(const CheckInput& input);
// Of its jobs that can be judged.
std::vector<const tracking::JobAdapter*> KindsOf(const CheckInput& input);

// What has an error: "ResourceClaimTemplate ml/one-gpu".
std::set<std::string> ObjectsWithErrors(const CheckInput& input);

}  // namespace fedra::cli
