#pragma once
//
// Where a worker's watches bring the objects that decide about devices: parsed, they become
// DeviceObjects.
//
// `on_change` gets what may decide about any pods. Templates, and claims without devices, decide
// only about pods that name them, and are watched for them elsewhere.
//
// Thread rules: each sink is fed by one reflector at a time, the rest is for any thread.
// `on_change` and `on_health` run on the reflectors' threads, outside of every lock.
// Lifetime: `devices` must outlive it.
//
// Sources: resource.k8s.io/v1 of Kubernetes 1.36; for PodGroups,
// pkg/registry/scheduling/podgroup/strategy.go of Kubernetes v1.36.3.

#include <functional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/verify/cache_status.h"
#include "manager/verify/device_objects.h"
#include "manager/verify/object_feed.h"

namespace fedra::verify {

// What has changed that may decide about any pods; the later says more.
enum class DeviceChange {
  kNone,
  kTaken,  // devices, or room on nodes, are in use that were free
  kFreed,  // some may be free that were in use
  kOffer,  // which devices there are, where, and for whom: slices, nodes, classes, taints, a
           // release
};

// Those that another cache wants as well are ObjectSinks.
struct DeviceSinks {
  watch::CacheSink& slices;
  watch::ObjectSink& classes;
  watch::ObjectSink& claims;
  watch::ObjectSink& templates;
  watch::CacheSink& taint_rules;
  watch::ObjectSink& pod_groups;
  watch::CacheSink& nodes;
  watch::CacheSink& pods;
};

class DeviceFeeds final {
 public:
  // `kinds`: whose labels say which job a pod is of.
  DeviceFeeds(tracking::JobKindsPtr kinds, GuardedDevices& devices,
              std::function<void(DeviceChange)> on_change, std::function<void()> on_health);

  DeviceSinks sinks();
  // Of every list without which nothing can be said about devices.
  std::vector<NamedHealth> Healths() const;
  // PodGroups decide only about pods that name one.
  watch::CacheHealth pod_groups_health() const { return pod_groups_.health(); }

 private:
  template <class T>
  using Parser = std::function<Result<T>(const nlohmann::json& object, dra::ParseContext& context)>;
  template <class T, class Set, class Drop>
  ObjectFeed<T> Feed(Parser<T> parse, Set set, Drop drop);
  ObjectFeed<dra::Claim> ClaimFeed();
  ObjectFeed<dra::ClaimTemplate> TemplateFeed();
  ObjectFeed<dra::TaintRule> TaintRuleFeed();
  ObjectFeed<PodFacts> PodFeed();
  ObjectFeed<dra::PodGroup> PodGroupFeed();

  const tracking::JobKindsPtr kinds_;
  GuardedDevices& devices_;
  const std::function<void(DeviceChange)> on_change_;
  const std::function<void()> on_health_;

  ObjectFeed<dra::Slice> slices_;
  ObjectFeed<dra::DeviceClass> classes_;
  ObjectFeed<dra::Claim> claims_;
  ObjectFeed<dra::ClaimTemplate> templates_;
  ObjectFeed<dra::TaintRule> taint_rules_;
  ObjectFeed<dra::PodGroup> pod_groups_;
  ObjectFeed<dra::Node> nodes_;
  ObjectFeed<PodFacts> pods_;
};

}  // namespace fedra::verify
