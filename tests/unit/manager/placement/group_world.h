#pragma once
//
// The world of a group of pods: what its user does on the manager, what the Kueue of each cluster
// does to its pods, and, pod by pod, what the executor may do to a copy.
//
// Kueue's part is as in pkg/controller/jobs/pod/pod_controller.go of 0.19.2; a pod is as a kubelet
// has it.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "manager/tracking/job_members.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {

class GroupWorld final : public World {
 public:
  enum class PodPhase { kPending, kRunning, kSucceeded, kFailed };
  struct Pod {
    std::string uid;
    std::string copy_of = {};  // of a copy: the UID of the manager's pod that it stands for
    bool is_ours = true;       // else a user of the worker has made it
    bool gated = true;         // always, on the manager
    PodPhase phase = PodPhase::kPending;
    bool stopped = false;  // by Kueue: how it ended is no end of its own
    bool deleting = false;
    bool held = true;  // by Kueue's finalizer
  };
  using Pods = std::map<std::string, Pod>;  // by name

  // `total`: pods that must succeed. `retriable`: one that fails may be replaced.
  GroupWorld(const std::vector<std::string>& workers, Policy policy, int total, bool retriable,
             tracking::Mode mode = tracking::Mode::kAdmissionCheck);

  // The user's: a pod in the place of one that has failed or was deleted, with a name that was used
  // before, where one is free. Nothing is done where none is missing.
  void Replace(bool reuse_name);
  void DeletePod(const std::string& name);
  // The worker's: one pass of its Kueue, which starts, stops and lets go of pods.
  void RunKueueOn(const std::string& worker);
  void EndPodOn(const std::string& worker, const std::string& name, bool success);
  void DeletePodOn(const std::string& worker, const std::string& name);
  // Of another user there, under a name that the group wants.
  void PutForeignPod(const std::string& worker, const std::string& name);
  void RemoveForeignPods(const std::string& worker);

  void EvictOn(const std::string& worker) override;
  // All of its pods that run succeed.
  bool Finish(const std::string& worker) override;
  void DeleteJobOn(const std::string& worker) override;
  void DeleteCloneOn(const std::string& worker) override;
  void DeleteWorkload() override;
  void RunManagerKueue() override;

  // The world, pod by pod.
  std::string PrintAll() const;
  const Pods& here() const { return here_; }
  const Pods& on(const std::string& worker) const { return there_.at(worker); }
  // UIDs of the pods that PutForeignPod() has made and that must be there.
  const std::set<std::string>& foreign() const { return foreign_; }

 private:
  bool CreateCopies(ClusterView& at) override;
  void Mirror(const ClusterView& at) override;
  void ClearStatus() override;
  void RemoveStray(ClusterView& at) override;
  void RemoveCopies(ClusterView& at) override;
  void CheckEndsAreKnown(const ClusterView& at) const override;

  // Into what World has: the group as one job, here and on the workers. After every change.
  void Show();
  tracking::JobPtr Read(const std::string& name, const Pod& pod, bool is_copy) const;
  tracking::JobPtr Join(const Pods& pods, bool are_copies) const;
  tracking::JobPtr Local() const { return std::make_shared<tracking::Job>(*job()); }
  // The Workload goes with the last of its owners, the pods.
  void CollectGarbage();
  // Kueue on the manager lets those pods go that were replaced.
  void LetGoReplaced();
  int Missing() const;  // how many pods the user must still make
  bool StandsForOne(const std::string& name, const Pod& copy) const;
  // Whether Kueue takes the group to have ended.
  bool HasEnded(const Pods& pods) const;
  std::string NewUid() { return "pod-" + std::to_string(++made_); }

  const int total_;
  const bool retriable_;
  Pods here_;
  std::map<std::string, Pods> there_;
  std::set<std::string> foreign_;
  int made_ = 0;
};

}  // namespace fedra::placement::testing
