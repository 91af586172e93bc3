#pragma once
//
// The devices of one worker as its kube-scheduler sees them, put together: what its watches bring
// (device_feeds.h) is frozen into dra::Snapshots and judged (device_judge.h).
//
// Thread rules: any thread; the listeners as in device_feeds.h.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "dra/model/snapshot.h"
#include "manager/verify/device_feeds.h"
#include "manager/verify/device_judge.h"
#include "manager/verify/device_objects.h"
#include "manager/verify/device_obstacles.h"
#include "manager/verify/device_stock.h"
#include "manager/verify/dra_api.h"
#include "manager/verify/job_pods.h"

namespace fedra::verify {

struct DeviceStateOptions {
  // Whose labels say which job a pod is of.
  tracking::JobKindsPtr kinds = tracking::BuiltInKinds();
  // As of DeviceJudgeOptions.
  bool node_resources = true;
  std::vector<dra::ScalablePool> scalable_pools;

  bool operator==(const DeviceStateOptions&) const = default;
};

class DeviceState final {
 public:
  DeviceState(DeviceStateOptions options, std::function<void(DeviceChange)> on_change,
              std::function<void()> on_health);
  ~DeviceState();

  // Which scheduler decides there, and what it looks at; again when that has changed. A release
  // that cannot be read counts as the default one. DeviceTaintRules are served only where their
  // gates are on. PodGroups are served without DRAWorkloadResourceClaims too, but then the API
  // server keeps no claims in them.
  void SetRelease(const DraApi& api);

  DeviceSinks sinks() { return feeds_.sinks(); }
  const DeviceObstacles& obstacles() const { return obstacles_; }
  const DeviceJudge& judge() const { return judge_; }
  const JobPods& pods() const { return pods_; }
  // Everything so far.
  std::shared_ptr<const dra::Snapshot> snapshot() const;
  // By driver; counted when slices or what is allocated of them have changed since the last call.
  std::map<std::string, DeviceStock> Stock() const;

 private:
  struct CountedStock {
    uint64_t serial = 0;  // Snapshot::use_serial()
    std::map<std::string, DeviceStock> by_driver;
  };

  const std::function<void(DeviceChange)> on_change_;
  mutable GuardedDevices devices_;
  DeviceFeeds feeds_;
  const DeviceObstacles obstacles_;
  const DeviceJudge judge_;
  const JobPods pods_;
  mutable Guarded<CountedStock> stock_;
};

}  // namespace fedra::verify
