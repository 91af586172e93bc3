#pragma once
//
// Do the other objects that a job's pods name exist on one worker? Without them the pods would be
// created and hang, or not be created at all.
//
// PodGroups are looked for where they are served; elsewhere a pod's schedulingGroup has no effect.
// Pods whose group does not exist wait for it, with DRAWorkloadResourceClaims for their claims
// (Kubernetes v1.36.3: syncPod of pkg/controller/resourceclaim/controller.go, getPodGroup of
// pkg/scheduler/framework/plugins/dynamicresources), with GangScheduling before all else
// (PreEnqueue of plugins/gangscheduling). They do not only where both gates are off,
// and no API reveals gates.
//
// No API reveals whether the scheduler named in spec.schedulerName runs there: no object stands for
// it. A Lease in its namespace or an Event of it are hints that would need more permissions, and
// their absence proves nothing. So it is a note, and Unknown where dependencies are enforced; never
// No.
//
// Secrets are looked for only when that is switched on: listing them is a strong permission.
//
// Thread rules: any thread.

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "cluster-clients/kube/resource.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/tracking/requirement.h"
#include "manager/verify/input.h"
#include "manager/verify/objects.h"
#include "verdict/verdict.h"

namespace fedra::verify {

struct DependencyOptions {
  bool enforce = false;  // else a missing object is a warning
  bool secrets = false;

  bool operator==(const DependencyOptions&) const = default;
};

class DependencyIndex final {
 public:
  // `on_change` with the object that appeared or went away.
  DependencyIndex(DependencyOptions options,
                  const std::function<void(const ObjectKey& object)>& on_change,
                  const std::function<void()>& on_health);
  ~DependencyIndex();

  // What must be read, metadata only, and where it goes. PodGroups are not among it: their version
  // is the worker's (DraApi), and the devices want them whole.
  std::vector<Input> Inputs();
  watch::ObjectSink& pod_groups();

  // Outcome kYes with warnings, or stricter.
  verdict::Verdict Verify(const tracking::Requirement& requirement) const;
  // About other schedulers. To be combined last: what kube-scheduler would say of the devices is
  // asked nevertheless.
  verdict::Verdict VerifySchedulers(const tracking::Requirement& requirement) const;

 private:
  using Objects = watch::ObjectCache<NamedObject>;

  const DependencyOptions options_;
  std::vector<std::unique_ptr<Objects>> caches_;  // by Dependency::Kind; null: not looked for
};

}  // namespace fedra::verify
