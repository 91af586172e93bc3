#pragma once
//
// Templates of the input of `fedra check` that are judged as if they existed on the workers.
//
// Lifetime: nothing is kept of the input or of the workers.

#include <string>
#include <vector>

#include "manager/cli/judged/fleet_worker.h"
#include "manager/cli/manifests/check_input.h"
#include "manager/report/job_verdict.h"

namespace fedra::cli {

// How the workers' objects look: a snapshot has left out what only drivers read, and may have
// pseudonyms for names (snapshot_reduce.h, snapshot_names.h).
enum class ObjectForm { kWhole, kReduced, kRedacted };

// Templates of the input that a worker lacks are judged as if they existed there, but not those
// with errors: no worker would take them.
class AssumedTemplates final {
 public:
  AssumedTemplates(const CheckInput& input, const std::string& default_ns, ObjectForm form,
                   const FleetWorkers& workers);

  // Says so beside the verdicts that count on them.
  void Note(const tracking::SubmittedJob& job, report::JobVerdict& verdict) const;

 private:
  struct Assumed {
    ObjectKey key;
    ClusterName worker;
    std::string place;  // PlaceOf()
  };
  std::vector<Assumed> all_;
};

}  // namespace fedra::cli
