#pragma once
//
// What `fedra check` is given: jobs to judge, manifests that belong to them, and the mistakes in
// both that can be seen without any cluster.

#include <iosfwd>
#include <string>
#include <vector>

#include "manager/cli/finding.h"
#include "manager/cli/judged_worker.h"
#include "manager/cli/manifest_check.h"
#include "manager/tracking/submitted.h"

namespace fedra::cli {

struct CheckInput {
  std::vector<tracking::SubmittedJob> jobs;
  std::vector<Manifest> dra;  // ResourceClaimTemplates, ResourceClaims and DeviceClasses
  DefinedClaims defined;
  std::vector<Finding> findings;
  std::vector<std::string> skipped;  // documents of other kinds, one line each
};

// Errors: a file cannot be read, or there is nothing in it that can be checked.
Result<CheckInput> ReadCheckInput(const std::vector<std::string>& files,
                                  const std::string& default_ns);

// What the workers have together, and the findings that come from it.
void CheckAgainstWorkers(const JudgedWorkers& workers, const std::string& default_ns,
                         CheckInput& input);

// Templates of the input that a worker lacks are judged as if they existed there.
class AssumedTemplates final {
 public:
  // `redacted`: the workers' names are pseudonyms.
  AssumedTemplates(const CheckInput& input, const std::string& default_ns, bool redacted,
                   const JudgedWorkers& workers);

  // Says so beside the verdicts that count on them.
  void Note(const tracking::SubmittedJob& job, JobVerdict& verdict) const;

 private:
  struct Assumed {
    ObjectKey key;
    ClusterName worker;
    std::string place;  // "job.yaml:2"
  };
  std::vector<Assumed> all_;
};

}  // namespace fedra::cli
