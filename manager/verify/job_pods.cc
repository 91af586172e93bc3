#include "manager/verify/job_pods.h"

namespace fedra::verify {

PodCounts JobPods::Holding(const tracking::JobKey& job) const {
  return devices_.objects.With([&](DeviceObjects& objects) {
    return objects.pods.Holding(kinds_->PodsKeyOf(job), *objects.builder.Publish());
  });
}

uint64_t JobPods::version() const {
  return devices_.objects.With(
      [](const DeviceObjects& objects) { return objects.holding_version; });
}

std::string JobPods::Failures(const tracking::JobKey& job) const {
  return devices_.objects.With([&](const DeviceObjects& objects) {
    return objects.pods.FailuresOf(kinds_->PodsKeyOf(job));
  });
}

std::optional<FailedContainer> JobPods::FailedContainerOf(const tracking::JobKey& job) const {
  return devices_.objects.With([&](const DeviceObjects& objects) {
    return objects.pods.FailedContainerOf(kinds_->PodsKeyOf(job));
  });
}

std::shared_ptr<const dra::JobOfClaim> JobPods::OfClaims() const {
  return devices_.objects.With([](DeviceObjects& objects) { return objects.pods.CountUse().jobs; });
}

}  // namespace fedra::verify
