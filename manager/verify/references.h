#pragma once
//
// Objects that a job itself names and whose specs decide what its operator runs (a TrainJob its
// runtime): are they on the worker, and are they there what they are on the manager?
//
// The Workload's pod sets are what the manager's Kueue made of the manager's object. A worker's
// Kueue makes its own of its own, and finishes a clone whose containers or counts differ as
// OutOfSync; what it does not compare, as claims, is silently the worker's
// (EquivalentToWorkload of pkg/controller/jobframework/reconciler.go, Kueue 0.19.2).
//
// Thread rules: any thread.

#include <functional>
#include <memory>
#include <vector>

#include "cluster-clients/watch/object_cache.h"
#include "manager/tracking/requirement.h"
#include "manager/verify/input.h"
#include "manager/verify/objects.h"
#include "manager/verify/rules.h"
#include "verdict/verdict.h"

namespace fedra::verify {

// The objects of one cluster that jobs of one kind may name.
class ReferenceIndex final {
 public:
  // `on_change` with the object that appeared, went away or has another spec.
  ReferenceIndex(const std::vector<kube::Resource>& resources,
                 const std::function<void(const ObjectKey& object)>& on_change,
                 const std::function<void()>& on_health);
  ~ReferenceIndex();

  std::vector<Input> Inputs() const;
  // Null: nothing of this resource is kept.
  const watch::ObjectCache<NamedSpec>* Find(const kube::Resource& resource) const;

 private:
  struct Entry {
    kube::Resource resource;
    std::unique_ptr<watch::ObjectCache<NamedSpec>> cache;
  };
  std::vector<Entry> entries_;
};

// What rules out the worker is added to the verdict, and to the notes what does not.
// `manager`: null where it is not known.
void VerifyReferences(const tracking::Requirement& requirement, const ReferenceIndex& there,
                      const ReferenceIndex* manager, Drift drift, verdict::Verdict& verdict,
                      std::vector<verdict::Reason>& notes);

}  // namespace fedra::verify
