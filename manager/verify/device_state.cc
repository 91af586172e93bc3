#include "manager/verify/device_state.h"

#include <utility>

#include "dra/model/features.h"
#include "manager/verify/dra_api.h"

namespace fedra::verify {

DeviceState::DeviceState(DeviceStateOptions options, std::function<void(DeviceChange)> on_change,
                         std::function<void()> on_health)
    : on_change_(std::move(on_change)),
      feeds_(options.kinds, devices_, on_change_, std::move(on_health)),
      obstacles_(devices_, feeds_),
      judge_({options.node_resources, std::move(options.scalable_pools)}, devices_),
      pods_(devices_, std::move(options.kinds)) {}

DeviceState::~DeviceState() = default;

void DeviceState::SetRelease(const DraApi& api) {
  const dra::AllocatorFeatures features = FeaturesOf(api);
  const bool changed = devices_.objects.With(
      [&](DeviceObjects& objects) { return objects.builder.SetFeatures(features); });
  if (changed) on_change_(DeviceChange::kOffer);
}

std::shared_ptr<const dra::Snapshot> DeviceState::snapshot() const {
  return devices_.objects.With([](DeviceObjects& objects) { return objects.builder.Publish(); });
}

std::map<std::string, DeviceStock> DeviceState::Stock() const {
  const std::shared_ptr<const dra::Snapshot> now = snapshot();
  return stock_.With([&](CountedStock& counted) {
    if (counted.serial != now->use_serial())
      counted = {.serial = now->use_serial(), .by_driver = StockOf(*now)};
    return counted.by_driver;
  });
}

}  // namespace fedra::verify
