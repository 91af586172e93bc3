#pragma once
//
// The pods of one worker by their jobs: how many hold their devices, and how some have failed.
//
// Thread rules: any thread. Lifetime: `devices` must outlive it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/types.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/verify/device_objects.h"

namespace fedra::verify {

class JobPods final {
 public:
  JobPods(GuardedDevices& devices, tracking::JobKindsPtr kinds)
      : devices_(devices), kinds_(std::move(kinds)) {}

  // Of this job (pod_table.h).
  PodCounts Holding(const tracking::JobKey& job) const;
  // Grows with every change that Holding() of some job may follow.
  uint64_t version() const;
  // How this job's failed pods ended (pod_table.h); empty: none has, or none is watched.
  std::string Failures(const tracking::JobKey& job) const;
  std::optional<FailedContainer> FailedContainerOf(const tracking::JobKey& job) const;
  // Of the claims that running pods use (pod_table.h). Never null; empty: no pods are watched.
  std::shared_ptr<const dra::JobOfClaim> OfClaims() const;

 private:
  GuardedDevices& devices_;
  const tracking::JobKindsPtr kinds_;
};

}  // namespace fedra::verify
