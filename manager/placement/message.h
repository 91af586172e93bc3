#pragma once
//
// The sentences that decisions put into the admission check, Events and `fedra status`. Pure.

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manager/placement/view.h"

namespace fedra::placement {

// What is written into a check.
struct Message {
  std::string text;
  // A hash of what the text says: names, codes and numbers, and what others have worded. It stays
  // the same when a release says that in other words.
  uint64_t facts = 0;
  bool waits = false;  // of NoWorkerEligible: on some worker for nothing but devices
};

// "no worker eligible: gpu-east, gpu-west: ResourceClaimTemplate ml/one-gpu does not exist there;
// gpu-lab: ..."; "waits for a worker: ..." where what is against one of them passes by itself. A
// worker is named with its first reason and how many more it has ("(and 2 more)"); of long fleets
// the first reasons are counted, and so are all others together.
// A worker that refused the workload and is not asked again yet is named with its refusal. One
// whose devices are in use, or promised to jobs ahead in line, is named without counts, which
// change with every device: "waiting in line for devices on gpu-east" when all of them are.
// Tenants of `ns` read it.
Message NoWorkerEligible(std::span<const ClusterView> clusters, const PlacementRecord& record,
                         WallTime now, std::string_view ns);
// "gpu-east=TemplateMissing" of each worker that is in contact: what makes one refusal differ from
// another. That a worker comes or goes is no news of each job.
std::set<std::string> ReasonsByWorker(std::span<const ClusterView> clusters);

// "dispatched to gpu-east, waiting for admission", with the worker's own words when it has some.
// `nominated`: who was nominated before; the others have only just been asked. Nothing of the other
// workers: they are not looked at while it stays (stay.h).
Message DispatchedMessage(std::span<const ClusterView> clusters,
                          const std::vector<ClusterName>& chosen,
                          const std::vector<ClusterName>& nominated);
// "2 of 3 workers eligible"
std::string EligibleCount(std::span<const ClusterView> clusters, const Policy& policy);

// Of two checks of fedra each would wait for the other, and both would dispatch the workload.
Message TwoChecks(const std::string& check, const std::string& second);

// A Workload that goes where the job's first one is has no worker before it. `why`: for people.
Message WaitsForFirstMessage(const std::string& why);

// Why a worker that was nominated has not admitted the workload yet: there is no clone there, or
// what its Kueue says about the clone. Empty: it says nothing.
std::string PendingMessage(const ClusterView& cluster);

// `The workload was admitted on "gpu-east"`, as Kueue's MultiKueue says it.
std::string AdmittedText(const ClusterName& worker);
// "evicted on gpu-east: preempted by a job of higher priority", of a clone that has lost its
// admission.
std::string EvictedText(const ClusterView& cluster);

// "gpu-east, gpu-west"
std::string Join(const std::vector<ClusterName>& names);

}  // namespace fedra::placement
