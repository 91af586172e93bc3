#pragma once
//
// What would become of one workload of the manager when its copies get another controller:
// MultiKueue, or fedra.
//
// Plain values and pure functions.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "manager/placement/view.h"

namespace fedra::cli {

enum class Outcome {
  kGoesOn,      // its remote job runs on as it is, and its end will be mirrored
  kEnds,        // it has ended on its worker; that is mirrored
  kWaits,       // no worker has it; copies that wait for admission stay
  kDispatched,  // nothing of it runs; a worker is looked for anew
  kRestarts,    // what runs is removed, and begins again
  kRejected,    // the new controller does not take it
  kLeftBehind,  // what runs, or waits, on a worker has no controller any more
  kRunsTwice,   // what runs on a worker goes on there, and the job begins elsewhere as well
  kNotKnown,    // a cluster that decides could not be read
};
// As a document has it: "GoesOn", ...
std::string_view ToString(Outcome outcome);
inline constexpr std::array kOutcomes = {
    Outcome::kRunsTwice, Outcome::kLeftBehind, Outcome::kRestarts,
    Outcome::kRejected,  Outcome::kNotKnown,   Outcome::kDispatched,
    Outcome::kWaits,     Outcome::kEnds,       Outcome::kGoesOn};
// Whether work, or the sight of it, would be lost, or done twice.
bool IsLoss(Outcome outcome);

// What one worker has under the workload's names, and whose that is for the new
// controller.
struct CopySeen {
  ClusterName worker;
  std::string clone_uid;  // of the Workload there; empty: there is none
  tracking::Ownership clone_is = tracking::Ownership::kForeign;
  bool admitted = false;
  std::string job_uid;  // likewise of the job
  tracking::Ownership job_is = tracking::Ownership::kForeign;
  bool removed = false;  // they would be taken away
};

struct Forecast {
  ObjectKey workload;
  std::string workload_uid;
  std::string kind;  // of its job: "Job"; empty: nothing owns it
  std::string job;   // its name; likewise
  Outcome outcome = Outcome::kNotKnown;
  ClusterName worker;  // that has it, or would get it; empty: none
  std::string why;     // one line; empty: nothing to add
  std::vector<CopySeen> copies;

  void Become(Outcome what, std::string because) {
    outcome = what;
    why = std::move(because);
  }
};

// Without an outcome.
Forecast BeginForecast(const placement::WorkloadView& view,
                       std::span<const placement::ClusterView> clusters);
// Null: the controller has no worker of this name.
const placement::ClusterView* FindCluster(std::span<const placement::ClusterView> clusters,
                                          std::string_view name);
// Why a copy of the worker belongs to no Workload that the new controller knows; empty: it has none
// such. `origin`: of the controller.
std::string WhyForeign(const placement::ClusterView& cluster, std::string_view origin);

// Whether the worker's copy of the workload's job has pods, as far as its objects say.
bool JobRuns(const placement::ClusterView& cluster, const tracking::Workload& workload);
// "delete Job ml/train on east first": what to do about a copy that the new controller leaves
// there.
std::string DeleteThere(const placement::ClusterView& cluster, const tracking::Workload& workload);

// What is lost first, then by name.
void Sort(std::vector<Forecast>& forecasts);

}  // namespace fedra::cli
