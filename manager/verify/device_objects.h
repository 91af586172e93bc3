#pragma once
//
// What decides about devices on one worker, in the shape of dra/: written by the feeds
// (device_feeds.h), read by what judges (device_judge.h), finds why a verdict is not certain
// (device_obstacles.h) or asks for a job's pods (job_pods.h).
//
// Lock order, for all of them:
//   1. GuardedDevices::objects. Held while objects are stored and snapshots taken, never while a
//      slice is parsed or pods are placed.
//   2. GuardedDevices::parsing, or DeviceJudge's facts about assumed pods: alone, or inside of 1.
// Every other lock of these classes is held alone. No listener is called with a lock held.
//
// Thread rules: plain values behind their locks.

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "base/types.h"
#include "dra/model/parse.h"
#include "dra/model/pod_demand.h"
#include "dra/model/snapshot.h"
#include "manager/verify/pod_table.h"

namespace fedra::verify {

struct DeviceObjects {
  DeviceObjects() : builder({}) {}

  dra::SnapshotBuilder builder;
  PodTable pods;
  uint64_t holding_version = 0;       // of `pods` and the claims in `builder`
  std::set<std::string> broad_rules;  // that taint fewer devices than they are taken to
  std::unordered_map<ObjectKey, dra::PodGroup> pod_groups;
};

struct GuardedDevices {
  Guarded<DeviceObjects> objects;
  // What parsed objects share. Has a lock of its own: no judgement waits until a large slice is
  // read.
  Guarded<dra::ParseContext> parsing;
};

}  // namespace fedra::verify
