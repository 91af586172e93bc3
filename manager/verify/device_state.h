#pragma once
//
// The devices of one worker as its kube-scheduler sees them: fed by the worker's watches, frozen
// into dra::Snapshots, judged by dra::Judge.
//
// `on_change`: something has changed that may decide about any pods. Templates, and claims without
// devices, decide only about pods that name them, and are watched for them elsewhere.
//
// Thread rules: any thread. Each sink is fed by one reflector at a time. `on_change` and
// `on_health` run on the reflectors' threads, outside of every lock.
//
// Sources: resource.k8s.io/v1 of Kubernetes 1.36; for PodGroups,
// pkg/registry/scheduling/podgroup/strategy.go of Kubernetes v1.36.3.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/types.h"
#include "dra/judge/device_set.h"
#include "dra/judge/judge.h"
#include "dra/judge/judge_memory.h"
#include "dra/model/parse.h"
#include "dra/model/snapshot.h"
#include "manager/tracking/pod_set.h"
#include "manager/verify/cache_words.h"
#include "manager/verify/device_stock.h"
#include "manager/verify/dra_api.h"
#include "manager/verify/object_feed.h"
#include "manager/verify/objects.h"
#include "manager/verify/pod_table.h"
#include "manager/verify/verdict_memory.h"

namespace fedra::verify {

struct DeviceStateOptions {
  // By whose labels it is told which job a pod is of.
  tracking::JobKindsPtr kinds = tracking::BuiltInKinds();
  // Whether cpu, memory, pods and plugin resources must have room.
  bool node_resources = true;
  std::vector<dra::ScalablePool> scalable_pools;

  bool operator==(const DeviceStateOptions&) const = default;
};

// What has changed that may decide about any pods; the later says more.
enum class DeviceChange {
  kNone,
  kTaken,  // devices, or room on nodes, are in use that were free
  kFreed,  // some may be free that were in use
  kOffer,  // which devices there are, where, and for whom: slices, nodes, classes, taints, a
           // release
};

class DeviceState final {
 public:
  DeviceState(DeviceStateOptions options, std::function<void(DeviceChange)> on_change,
              std::function<void()> on_health);

  // Which scheduler decides there, and what it looks at; again when that has changed. A release
  // that cannot be read counts as the default one. DeviceTaintRules are served only where their
  // gates are on. PodGroups are served without DRAWorkloadResourceClaims too, but then the API
  // server keeps no claims in them.
  void SetRelease(const DraApi& api);

  watch::CacheSink& slices() { return slices_; }
  watch::ObjectSink& classes() { return classes_; }
  watch::ObjectSink& claims() { return claims_; }
  watch::ObjectSink& templates() { return templates_; }
  watch::CacheSink& taint_rules() { return taint_rules_; }
  watch::ObjectSink& pod_groups() { return pod_groups_; }
  watch::CacheSink& nodes() { return nodes_; }
  watch::CacheSink& pods() { return pods_; }

  // Why nothing can be said about devices here: a list that may not be read or is not complete.
  std::optional<verdict::Reason> Obstacle() const;
  // Of every list that Obstacle() looks at.
  std::vector<NamedHealth> Healths() const;
  // Why nothing can be said about these pods, as members of a PodGroup: groups that may not be
  // read, kDependencyMissing for one that is not there, or kGangIncomplete. Its pods get no claims
  // without it, or wait for it at once (see dependencies.h).
  std::optional<verdict::Reason> GroupObstacle(const std::string& ns,
                                               std::span<const dra::PodDemand> demands) const;

  // Why a No may be wrong: the names of DeviceTaintRules that taint fewer devices than they are
  // taken to (dra::TaintRule::taints_fewer). Nothing: there are none.
  std::optional<verdict::Reason> Uncertainty() const;

  // Everything so far.
  std::shared_ptr<const dra::Snapshot> snapshot() const;

  // By driver; counted when slices or what is allocated of them have changed since the last call.
  std::map<std::string, DeviceStock> Stock() const;

  // Of this job (pod_table.h).
  PodCounts HoldingPods(const tracking::JobKey& job) const;
  // Grows with every change that HoldingPods() of some job may follow.
  uint64_t holding_version() const;
  // How this job's failed pods ended (pod_table.h); empty: none has, or none is watched.
  std::string PodFailures(const tracking::JobKey& job) const;
  std::optional<FailedContainer> FailedContainerOf(const tracking::JobKey& job) const;

  // Would these pods get their devices? `to_come` count as if they were there.
  dra::Judgement Judge(const std::string& ns, const std::vector<dra::PodDemand>& demands,
                       const dra::AssumedList& assumed, const TemplatesToCome& to_come = {}) const;
  // The verdict alone. Asked again about the demands of the same reading of a workload while
  // nothing has changed, it is answered from memory.
  verdict::Verdict Verdict(const std::string& ns, const tracking::Demands& demands,
                           const dra::AssumedList& assumed,
                           const TemplatesToCome& to_come = {}) const;

  // The devices that could serve these pods, free or not (device_set.h); null: they want none.
  std::shared_ptr<const dra::DeviceSet> Serving(const std::string& ns,
                                                const std::vector<dra::PodDemand>& demands,
                                                const TemplatesToCome& to_come) const;

 private:
  struct State {
    State() : builder({}) {}
    dra::SnapshotBuilder builder;
    PodTable pods;
    uint64_t holding_version = 0;
    // Templates that the builder has although the worker does not: their UIDs on the manager. They
    // stay until the worker has its own; nobody asks about them without assuming them.
    std::unordered_map<ObjectKey, std::string> to_come;
    std::set<std::string> broad_rules;  // that taint fewer devices than they are taken to
    std::unordered_map<ObjectKey, dra::PodGroup> pod_groups;
  };
  // What the assumed pods of one list name on one snapshot. Made once for all judgements on both.
  struct AssumedFacts {
    std::weak_ptr<const void> list;
    std::weak_ptr<const dra::Snapshot> snapshot;
    VerdictMemory::AssumedObjects named;  // templates and claims
    std::set<ObjectKey> groups;           // PodGroups
  };
  // What judgements are made from.
  struct Basis {
    std::shared_ptr<const dra::Snapshot> snapshot;
    PodTable::Use use;
    PodGroups pod_groups;  // of the pods that are judged or assumed
    std::shared_ptr<const AssumedFacts> assumed;
  };
  // Of one judgement at a time.
  struct Caches {
    dra::AllocatorFeatures features;  // of every snapshot that it was used for
    dra::SelectorCache selectors;
    dra::MatchCache matches = dra::MatchCache();
    dra::JudgeMemory memory;
  };

  static std::optional<verdict::Reason> GangObstacle(const State& state, const std::string& ns,
                                                     std::span<const dra::PodDemand> demands);

  template <class T>
  using Parser = std::function<Result<T>(const nlohmann::json& object, dra::ParseContext& context)>;
  template <class T, class Set, class Drop>
  ObjectFeed<T> Feed(Parser<T> parse, Set set, Drop drop);
  // Whether pods or claims changed, passed through.
  static bool CountPodChange(State& state, bool changed);
  ObjectFeed<PodFacts> PodFeed();
  ObjectFeed<dra::PodGroup> PodGroupFeed();
  void AddTemplate(State& state, const ClaimSummary& to_come) const;
  Basis TakeBasis(const std::string& ns, const std::vector<dra::PodDemand>& demands,
                  const dra::AssumedList& assumed, const TemplatesToCome& to_come) const;
  std::shared_ptr<const AssumedFacts> FactsOf(
      const dra::AssumedList& assumed, const std::shared_ptr<const dra::Snapshot>& snapshot) const;
  dra::Judgement JudgeOn(const Basis& basis, const std::string& ns,
                         const std::vector<dra::PodDemand>& demands,
                         const dra::AssumedList& assumed) const;
  static VerdictMemory::Basis BasisOf(const Basis& basis, const std::string& ns,
                                      const std::vector<dra::PodDemand>& demands,
                                      const dra::AssumedList& assumed);
  std::unique_ptr<Caches> TakeCaches(const dra::AllocatorFeatures& features) const;
  void ReturnCaches(std::unique_ptr<Caches> caches) const;

  const DeviceStateOptions options_;
  const std::function<void(DeviceChange)> on_change_;
  const std::function<void()> on_health_;
  // Has a lock of its own: no judgement waits until a large slice is read. Taken last.
  mutable Guarded<dra::ParseContext> parsing_;
  mutable Guarded<State> state_;
  mutable Guarded<std::vector<std::unique_ptr<Caches>>> idle_caches_;
  mutable Guarded<VerdictMemory> remembered_;
  // The newest few; under the lock of state_.
  mutable Guarded<std::vector<std::shared_ptr<const AssumedFacts>>> assumed_facts_;
  mutable Guarded<dra::DeviceSets> device_sets_;
  struct CountedStock {
    uint64_t serial = 0;  // Snapshot::use_serial()
    std::map<std::string, DeviceStock> by_driver;
  };
  mutable Guarded<CountedStock> stock_;

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
