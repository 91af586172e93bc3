#pragma once
//
// Why nothing certain can be said about devices of one worker: lists that may not be read or are
// not complete, PodGroups that are not as pods need them, rules that are not evaluated.
//
// Thread rules: any thread. Lifetime: what it is made of must outlive it.

#include <optional>
#include <span>
#include <string>

#include "dra/model/pod_demand.h"
#include "manager/verify/device_feeds.h"
#include "manager/verify/device_objects.h"
#include "verdict/reason.h"

namespace fedra::verify {

class DeviceObstacles final {
 public:
  DeviceObstacles(GuardedDevices& devices, const DeviceFeeds& feeds)
      : devices_(devices), feeds_(feeds) {}

  // Why nothing can be said about devices here: a list that may not be read or is not complete.
  std::optional<verdict::Reason> Lists() const;
  // Why nothing can be said about these pods, as members of a PodGroup: groups that may not be
  // read, kDependencyMissing for one that is not there, or kGangIncomplete. Its pods get no claims
  // without it, or wait for it at once (see dependencies.h).
  std::optional<verdict::Reason> Groups(const std::string& ns,
                                        std::span<const dra::PodDemand> demands) const;
  // Why a Yes for these pods may be wrong: their PodGroup demands what is not looked at. Nothing:
  // none does.
  std::optional<verdict::Reason> UnreadTerms(const std::string& ns,
                                             std::span<const dra::PodDemand> demands) const;
  // Why each verdict may be wrong: what the scheduler does about DeviceTaintRules depends on when
  // it last started (AllocatorFeatures::panics_on_rules). Nothing: it does not.
  std::optional<verdict::Reason> RuleDoubt() const;
  // Why a No may be wrong: the names of DeviceTaintRules that taint fewer devices than they are
  // taken to (dra::TaintRule::taints_fewer). Nothing: there are none.
  std::optional<verdict::Reason> Uncertainty() const;

 private:
  GuardedDevices& devices_;
  const DeviceFeeds& feeds_;
};

}  // namespace fedra::verify
