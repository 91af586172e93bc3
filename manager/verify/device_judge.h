#pragma once
//
// Would pods get their devices on this worker? Takes a snapshot of the worker's objects, lets
// dra::Judge place the pods on it, and remembers what it was asked. Of the objects it changes
// nothing: what a worker would get with a job is laid over the snapshot of one judgement.
//
// Pods are placed outside of every lock; judgements at the same time do not wait for each other.
//
// Thread rules: any thread; device_objects.h has the order of locks.
// Lifetime: `devices` must outlive it.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/types.h"
#include "dra/judge/device_set.h"
#include "dra/judge/judge.h"
#include "dra/judge/judge_memory.h"
#include "manager/tracking/pod_set.h"
#include "manager/verify/device_objects.h"
#include "manager/verify/objects.h"
#include "manager/verify/parsed_templates.h"
#include "manager/verify/verdict_memory.h"

namespace fedra::verify {

struct DeviceJudgeOptions {
  // Whether cpu, memory, pods and plugin resources must have room.
  bool node_resources = true;
  std::vector<dra::ScalablePool> scalable_pools;
};

class DeviceJudge final {
 public:
  DeviceJudge(DeviceJudgeOptions options, GuardedDevices& devices)
      : options_(std::move(options)), devices_(devices), templates_(devices.parsing) {}

  // Would these pods get their devices? What they and the assumed pods want of `to_come` counts as
  // if it were there.
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
  // What the assumed pods of one list name on one snapshot. Made once for all judgements on both.
  struct AssumedFacts {
    std::weak_ptr<const void> list;
    std::weak_ptr<const dra::Snapshot> snapshot;
    VerdictMemory::AssumedObjects named;  // templates and claims
    std::set<ObjectKey> groups;           // PodGroups
    std::set<ObjectKey> lacking;          // templates that the snapshot does not have
  };
  // What judgements are made from.
  struct Basis {
    std::shared_ptr<const dra::Snapshot> snapshot;  // with `to_come`
    PodTable::Use use;
    PodGroups pod_groups;  // of the pods that are judged or assumed
    std::shared_ptr<const AssumedFacts> assumed;
    std::vector<std::shared_ptr<const dra::ClaimTemplate>> to_come;
  };
  // Of one judgement at a time.
  struct Caches {
    dra::AllocatorFeatures features;  // of every snapshot that it was used for
    dra::SelectorCache selectors;
    dra::MatchCache matches = dra::MatchCache();
    dra::JudgeMemory memory;
  };

  void LayOver(const std::string& ns, const std::vector<dra::PodDemand>& demands,
               const TemplatesToCome& to_come, Basis& basis) const;
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

  const DeviceJudgeOptions options_;
  GuardedDevices& devices_;
  const ParsedTemplates templates_;

  mutable Guarded<std::vector<std::unique_ptr<Caches>>> idle_caches_;
  mutable Guarded<VerdictMemory> remembered_;
  mutable Guarded<std::vector<std::shared_ptr<const AssumedFacts>>> assumed_facts_;  // newest few
  mutable Guarded<dra::DeviceSets> device_sets_;
};

}  // namespace fedra::verify
