#pragma once
//
// A small model of the outside for one elastic job: Kueue 0.19.2 on a manager and on two workers,
// each of its writes a step of its own; the user; the job's end. And fedra: the real FindCopies(),
// Decide(), and OwnerIndex, which says who wakes whom, and what the actions do, where every cache
// may be behind, things happen between two reads of one look and between two writes of one
// decision, and several slices are worked on at the same time.
//
// Times are simulated. Thread rules: one thread.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manager/placement/decide.h"
#include "manager/reconcile/copy_source.h"
#include "manager/reconcile/gather.h"
#include "manager/reconcile/owner_index.h"
#include "manager/reconcile/worker_copies.h"
#include "manager/tracking/job.h"
#include "manager/tracking/workload.h"
#include "tests/unit/manager/reconcile/elastic_shelf.h"

namespace fedra::reconcile::testing {

// What happened lately that may take a running job from its worker.
enum class Cause {
  kEnd,
  kDeletion,
  kEviction,
  kMove,
  kDrain,
  // Kueue gave the next slice the quota before the clusterName of this one was written: the next
  // one has no place then.
  kPlaceLost,
};

class ElasticWorld {
 public:
  // `between` runs between two reads of a look, and between two writes of one action. `tell` gets a
  // sentence for each step; it may be null.
  struct Hooks {
    std::function<void()> between = [] {};
    std::function<void(const std::string& step)> tell = nullptr;
  };
  // Not kDispatcher.
  ElasticWorld(Hooks hooks, tracking::Mode mode);
  ~ElasticWorld();
  ElasticWorld(const ElasticWorld&) = delete;
  ElasticWorld& operator=(const ElasticWorld&) = delete;

  static const std::vector<std::string>& WorkerNames();

  // The user.
  void Scale(int pods);
  void DeleteJob();
  void Move();
  void Drain(const std::string& worker, bool drained);

  // The manager's Kueue, one write each. False: there is nothing to do.
  bool ReconcileJob();
  // Its scheduler gives quota to the slice, and after that finishes the one that it replaces.
  bool Reserve(const std::string& slice);
  bool FinishReplaced();
  bool SyncAdmission();
  void Preempt();
  // Slices that wait for quota.
  std::vector<std::string> Waiting() const;

  // A worker's Kueue and Job controller, likewise.
  bool Admit(const std::string& worker, const std::string& clone);
  bool FinishReplacedOn(const std::string& worker);
  bool ReconcileJobOn(const std::string& worker);
  bool RunJobOn(const std::string& worker);
  void EvictOn(const std::string& worker);
  void EndJobOn(const std::string& worker);
  std::vector<std::string> WaitingOn(const std::string& worker) const;

  // Fedra hears of one event of a stream: of the manager's Workloads or jobs, of a worker's clones
  // or jobs. False: there is none.
  static constexpr int kStreams = 6;
  bool Deliver(int stream);
  // Slices that it was woken for and does not work on; that it works on.
  std::vector<std::string> Dirty() const;
  std::vector<std::string> InFlight() const;
  void Look(const std::string& slice);
  // Carries out the next action that was decided.
  void CarryOne(const std::string& slice);

  void Advance(std::chrono::milliseconds time);
  // To the time for which fedra asked to be woken, within the hour. False: for none.
  bool AdvanceToWake();

  // What must not be; empty: nothing so far.
  const std::string& violation() const { return violation_; }
  void GiveUp(const std::string& why) { Break(why); }
  // All is quiet: what is there must be of one piece. `has_quota`: the manager has
  // given quota to every slice that waited for it.
  void CheckQuiet(bool has_quota);
  // What happened before counts no more.
  void ForgetCauses() { causes_.clear(); }
  std::string Print() const;

  // How often it was dispatched, grew and was handed over, and was given back.
  int dispatched() const { return dispatched_; }
  int handed_over() const { return handed_over_; }
  int given_back() const { return given_back_; }
  bool HasEnded() const;
  bool IsGone() const { return jobs_.Find(kJobName) == nullptr; }

 private:
  static constexpr char kJobName[] = "train";
  static constexpr char kCheck[] = "fedra";
  using WorkloadPtr = std::shared_ptr<const tracking::Workload>;

  struct WorkerModel {
    WorkerModel(std::string its_name, int& writes, WorkerCopiesListener listener)
        : name(std::move(its_name)), clones(writes), jobs(writes), copies(std::move(listener)) {}
    const std::string name;
    Shelf<tracking::Workload> clones;
    Shelf<tracking::Job> jobs;
    WorkerCopies copies;
    std::vector<std::string> to_finish;  // which its scheduler has replaced
    bool drained = false;
  };
  struct Flight {
    Gathered gathered;
    placement::Decision decision;
    size_t next = 0;
    bool all_done = true;
    // As its own writes left them.
    WorkloadPtr workload;
    tracking::JobPtr job;
  };
  class Source;

  // elastic_world.cc
  WorkerModel& At(const std::string& worker) { return *workers_.at(worker); }
  const WorkerModel& At(const std::string& worker) const { return *workers_.at(worker); }
  void Tell(const std::string& step) const {
    if (hooks_.tell) hooks_.tell(step);
  }
  void Break(const std::string& what);
  template <class T, class Change>
  static std::shared_ptr<const T> Edit(Shelf<T>& shelf, const std::string& name,
                                       const Change& change, bool ours = false);
  void Finish(Shelf<tracking::Workload>& shelf, const std::string& name, std::string_view reason);
  void Wake(const std::string& slice) { dirty_.insert(slice); }
  void OnWorkload(const std::string& slice);
  tracking::Condition True(std::string_view reason) const;
  bool AnyCauseToLeave() const;
  bool IsRunning(const WorkerModel& worker) const;
  void CheckRuns();

  // elastic_world_manager.cc
  static bool MayGetQuota(const tracking::Workload& workload);
  // Whether what a slice replaces counts: it has quota (ReplacedWorkloadSlice). Null: there is
  // none.
  static bool IsReplaceable(const tracking::Workload* replaced);
  static std::vector<std::string> WaitingOf(const Shelf<tracking::Workload>& shelf);
  std::vector<WorkloadPtr> Living() const;
  WorkloadPtr SelectSlice(const std::vector<WorkloadPtr>& living, bool& wrote);
  bool CollectOrphans();
  void CreateSlice(const tracking::Job& job, const std::vector<WorkloadPtr>& living);
  bool FollowWorkload(const tracking::Workload& selected);
  void EvictSlice(const std::string& slice, std::string_view reason);

  // elastic_world_workers.cc
  bool CollectClones(WorkerModel& at);

  // elastic_world_look.cc
  void Begin(const std::string& slice, Gathered& gathered);
  void SeeWorker(const std::string& worker, Gathered& gathered);
  // False: it failed, and the slice is looked at again.
  bool Carry(Flight& flight, const placement::Action& action);

  // elastic_world_actions.cc
  bool WriteWorkload(Flight& flight, const std::function<void(tracking::Workload&)>& change);
  bool WriteJob(Flight& flight, const std::function<void(tracking::Job&)>& change);
  void WriteCheck(tracking::Workload& workload, tracking::CheckState state,
                  const std::string& message) const;
  bool Do(Flight& flight, const placement::SetCheck& action);
  bool Do(Flight& flight, const placement::Nominate& action);
  bool Do(Flight& flight, const placement::Admit& action);
  bool Do(Flight& flight, const placement::ClearPlacement& action);
  bool Do(Flight& flight, const placement::FinishWorkload& action);
  bool Do(Flight& flight, const placement::MirrorStatus& action);
  bool Do(Flight& flight, const placement::ClearActivity& action);
  bool Do(Flight& flight, const placement::CreateClone& action);
  bool Do(Flight& flight, const placement::CreateJob& action);
  bool Do(Flight& flight, const placement::UpdateClone& action);
  bool Do(Flight& flight, const placement::UpdateCopy& action);
  bool Do(Flight& flight, const placement::DeleteRemote& action);
  bool Do(Flight& flight, const placement::RecordFailure& action);
  bool Do(Flight& flight, const placement::RecordPlacing& action);
  bool Do(Flight& flight, const placement::RecordReport& action);
  bool Do(Flight& flight, const placement::RecordRemoval& action);
  bool Do(Flight& flight, const placement::Forget& action);
  bool Do(Flight&, const auto&) { return true; }  // of other jobs, or for people
  tracking::Identity Us() const { return {"fedra", "m1", mode_}; }
  tracking::CopyMarks Marks(const tracking::Workload& workload) const;
  static const placement::ClusterView& ViewOf(const Flight& flight, const ClusterName& worker);
  placement::PlacementRecord& RecordOf(const Flight& flight);

  const Hooks hooks_;
  const tracking::Mode mode_;
  int writes_ = 0;
  WallTime now_{std::chrono::hours(1)};
  // The manager.
  Shelf<tracking::Workload> workloads_{writes_};
  Shelf<tracking::Job> jobs_{writes_};
  std::vector<std::string> to_finish_;   // which its scheduler has replaced
  std::set<std::string> kueues_places_;  // of which slices it has written clusterName, and no other
  int generation_ = 1;                   // of the job
  std::map<std::string, std::unique_ptr<WorkerModel>> workers_;
  // Fedra.
  OwnerIndex owners_;
  std::set<std::string> dirty_;
  std::map<std::string, Flight> flights_;
  std::map<std::string, WallTime> wakes_;
  std::map<std::string, std::set<std::string>> places_;  // CopyPlaces
  std::map<std::string, placement::PlacementRecord> records_;

  std::set<Cause> causes_;
  std::string violation_;
  int dispatched_ = 0;
  int handed_over_ = 0;
  int given_back_ = 0;
};

template <class T, class Change>
std::shared_ptr<const T> ElasticWorld::Edit(Shelf<T>& shelf, const std::string& name,
                                            const Change& change, bool ours) {
  T changed = *shelf.Find(name);
  change(changed);
  return shelf.Put(std::move(changed), ours);
}

}  // namespace fedra::reconcile::testing
