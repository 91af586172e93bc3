#pragma once
//
// What a worker has under a name of the input, with other content. The worker's is what counts for
// the job, so the verdict is not about what is in the file. Pure.
//
// Lifetime: nothing is kept of the input.

#include <string>
#include <vector>

#include "manager/cli/fleet/assumed_templates.h"
#include "manager/cli/judged/fleet_worker.h"
#include "manager/cli/manifests/check_input.h"
#include "manager/report/job_verdict.h"

namespace fedra::cli {

class InputDrift final {
 public:
  // Looks at ResourceClaimTemplates and DeviceClasses without mistakes.
  InputDrift(const CheckInput& input, const std::string& default_ns, ObjectForm form);

  // Says so beside the verdict of a job (in the worker's names) that could have used them.
  void Note(const tracking::SubmittedJob& job, const FleetWorker& worker,
            report::JobVerdict& verdict) const;

 private:
  struct Item {
    ObjectKey key;       // as the worker knows it; no namespace: a DeviceClass
    std::string object;  // "ResourceClaimTemplate ml/one-gpu", as in the input
    std::string file;    // where it is
    int document = 1;
    std::string spec;  // as canonical JSON: equal texts are equal specs
  };
  void Compare(const Item& item, const std::string& there, report::JobVerdict& verdict) const;

  std::vector<Item> templates_;
  std::vector<Item> classes_;
};

}  // namespace fedra::cli
