#pragma once
//
// A small model of the outside for placement::Decide(): one workload on a manager whose Kueue
// behaves as seen on 0.19.2, and a few workers. Carries out decisions as the executor would, and
// checks the invariants of docs/architecture.md after every action.
//
// Times are simulated, and one thing happens after the other. So it does where two act: what a
// replica has decided that leads no more is carried out later (world_late.cc).

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "manager/placement/contender.h"
#include "manager/placement/decide.h"
#include "manager/tracking/job.h"

namespace fedra::placement::testing {

inline constexpr char kCheck[] = "fedra";
inline constexpr char kUid[] = "uid-1";
inline const ObjectKey kWorkload{"ml", "job-train-1a2b3"};
inline constexpr char kManager[] = "m1";              // whose fedra it is
inline constexpr char kKueueOrigin[] = "multikueue";  // in mode multikueue

// What of a job's kind its decisions depend on: a batch/v1 Job's.
struct JobTraits {
  bool holds_check = false;  // WorkloadView::holds_check
  tracking::Adoption adoption = tracking::Adoption::kPrebuilt;
  bool stays_evicted = false;  // Workload::is_left_unqueued, of each that was preempted here
  const tracking::JobAdapter* adapter = nullptr;  // that reads it; null: unknown
  std::string workload = kWorkload.name;          // how Kueue calls its Workload
  std::string uid = kUid;                         // of that
};

// A job of one object; a group of pods is group_world.h.
class World {
 public:
  // `mode`: kMultiKueue, or not.
  explicit World(const std::vector<std::string>& workers, Policy policy = {}, JobTraits kind = {},
                 tracking::Mode mode = tracking::Mode::kAdmissionCheck);
  World(World&&) = default;
  virtual ~World() = default;

  void ReserveQuota();
  // The worker's Kueue admits our clone, if there is one it can admit.
  bool Admit(const std::string& worker);
  virtual void EvictOn(const std::string& worker);
  // The remote job ends, and the worker's Kueue finishes the clone.
  virtual bool Finish(const std::string& worker);
  virtual void DeleteJobOn(const std::string& worker);
  // A user there deletes the clone: its Kueue stops the job.
  virtual void DeleteCloneOn(const std::string& worker);
  void Disconnect(const std::string& worker);
  void Reconnect(const std::string& worker);
  void SetContact(const std::string& worker, Contact contact);
  void SetVerdict(const std::string& worker, verdict::Verdict verdict);
  // What the lines say of that worker from now on, to a job that waits and to one that is to move.
  void SetLine(const std::string& worker, LineAnswer answer);
  // The worker refused a write: what the executor remembers then.
  void Fail(const std::string& worker) {
    Apply(RecordFailure{{ClusterName(worker), verdict::ReasonCode::kRecentlyFailed, now_,
                         worker + " refused it", true}});
  }
  // A user asks to try again, and the reconciler leaves out of the record what failed before.
  void Retry();
  void AskToMove(tracking::MoveRequest move);
  void PutForeignJob(const std::string& worker);
  // A clone of our origin and name that another manager's fedra made, where there is none yet.
  void PutCopyOfAnotherManager(const std::string& worker);
  bool HasCopyOfAnotherManager(const std::string& worker);
  void RemoveCopyOfAnotherManager(const std::string& worker);
  // Of mode multikueue: what Kueue's own MultiKueue does in fedra's place, which is started again
  // behind it. It nominates all workers that it can reach, and makes copies there.
  void NominateByMultiKueue();
  // The job goes where its copy is admitted.
  bool PlaceByMultiKueue(const std::string& worker);
  // Where its worker has it no more.
  bool TakeBackByMultiKueue();
  // A job that it made for an earlier Workload, where there is none.
  void PutLeftOverJob(const std::string& worker);
  void EvictOnManager(const std::string& previous);
  // Its class's value is another one now.
  void ChangePriority(int value) {
    if (workload_ != nullptr) workload_->priority.value = value;
  }
  void SetSecondCheck(std::string name) { second_check_ = std::move(name); }
  void Deactivate();
  void Activate();
  virtual void DeleteWorkload();
  // The manager's Kueue: evicts on Retry, requeues what shows no activity, admits, finishes from
  // the job's status.
  virtual void RunManagerKueue();
  void Advance(std::chrono::milliseconds time) { now_ += time; }
  WallTime now() const { return now_; }
  void LoseStore();
  void Restart();
  // Asked before every action whether it fails; null: none does.
  void SetFailures(std::function<bool(const Action&)> fails) { fails_ = std::move(fails); }

  Decision Look() const;
  // As a look sees it: the manager's objects, and the workers' with whose they are.
  WorkloadView View() const;
  std::vector<ClusterView> Seen() const;
  // Carries out at most `limit` actions of a decision that was made on what is there now.
  void CarryOut(const Decision& decision, size_t limit = SIZE_MAX);
  // Looks and carries out at most `limit` actions: a crash comes after them.
  Decision Step(size_t limit = SIZE_MAX);
  // What a replica had decided and not carried out when another one took over, and what it saw.
  struct Late {
    std::vector<Action> actions;
    std::vector<ClusterView> workers;
    std::string workload, job;  // their versions on the manager
    bool is_over = false;       // the Workload was gone, or had ended
    bool all_done = true;       // so far
  };
  // Looks and carries out at most `limit` actions; the rest arrives later.
  Late Interrupt(size_t limit);
  // It arrives. Each write is refused if what it changes is not as it was seen, as API servers do
  // by what tests/unit/manager/tracking/worker_patches_test.cc lists; unless `fenced` is false.
  void CarryOut(Late late, bool fenced);
  // What such writes have done to the work of the replica that leads, each once; empty: nothing.
  const std::vector<std::string>& harm() const { return harm_; }

  // Steps and lets the manager's Kueue run until nothing changes; fails the test when that does not
  // happen.
  void Settle();

  tracking::Workload& workload() { return *workload_; }
  bool WorkloadExists() const { return workload_ != nullptr; }
  ClusterView& worker(const std::string& name);
  const std::vector<ClusterView>& workers() const { return workers_; }
  // A clone, or job, that may be changed, replacing the shared one.
  std::shared_ptr<tracking::Workload> Edit(ClusterView& worker);
  std::shared_ptr<tracking::Job> EditJob(ClusterView& worker);
  const PlacementRecord& record() const { return record_; }
  std::vector<std::string> WorkersWithJob() const;
  std::vector<std::string> WorkersWithClone() const;
  // How often the check was written.
  int writes() const { return writes_; }
  const std::string& Message() const { return Check().message; }
  tracking::CheckState State() const { return Check().state; }
  // Whether the worker's Kueue looks after the job that is there.
  bool IsAdopted(const ClusterView& worker) const;
  bool JobFinished() const { return job_ != nullptr && job_->finished; }
  // How often it was dispatched while a move stood and a line held it back somewhere.
  int crossings() const { return crossings_; }
  // How often it was taken back from a worker that could have kept it.
  int moves() const { return moves_; }
  // Looks that saw it stay with its workers, whatever the others were.
  int stays() const { return stays_; }
  // How often a worker's clone was given to a copy that may not name it, and the Workload was
  // queued again by us.
  int adoptions() const { return adoptions_; }
  int requeues() const { return requeues_; }
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  // What a job is made of: one object here. The executor's part, and what the decision must mind.

  // The job on the worker, or what is missing of it. False: the worker refused it.
  virtual bool CreateCopies(ClusterView& at);
  virtual void Mirror(const ClusterView& at);
  virtual void ClearStatus() { job_->shows_activity = false; }
  // What of it is there, and whose; as it is in the worker's view, here.
  virtual void Find(ClusterView& at) const;
  virtual void RemoveStray(ClusterView&) {}  // of a job of one object there is none
  virtual void RemoveCopies(ClusterView& at) { at.job = nullptr; }
  // That the manager knows of every end that the copies have reached.
  virtual void CheckEndsAreKnown(const ClusterView& at) const;

  void Fail(const placement::RecordFailure& failure) { Apply(failure); }
  const tracking::Identity& us() const { return us_; }
  // The job's state as it is seen on the manager; null once it is gone.
  tracking::Job* job() { return job_.get(); }
  const tracking::Job* job() const { return job_.get(); }
  // Whether the worker shows copies that this manager's fedra made, of whichever incarnation.
  static bool HasOurJob(const ClusterView& worker);
  static bool HasOurClone(const ClusterView& worker);
  std::string Print() const;

 private:
  void CheckStay(const std::vector<ClusterView>& seen, const Decision& decision) const;
  // What the lines say where it bids.
  std::map<ClusterName, LineAnswer> AskLines(const std::vector<ClusterView>& seen) const;
  bool LooksForWorker() const;
  std::vector<Action> InOrderOfArrival(std::vector<Action> actions);
  void Carry(const Action& action);
  // `places`: beside a worker's name.
  void WriteCheck(tracking::CheckState state, const std::string& message, bool places = false);
  void Apply(const SetCheck& action);
  void Apply(const Nominate& action);
  void Apply(const placement::Admit& action);
  void Apply(const ClearPlacement& action);
  void Apply(const CreateClone& action);
  void Apply(const DeleteRemote& action);
  void Apply(const CreateJob& action);
  void Apply(const MirrorStatus& action);
  void Apply(const ClearActivity& action);
  void Apply(const FinishWorkload& action);
  void Apply(const RecordFailure& action);
  void Apply(const RecordReport& action);
  void Apply(const RecordPlacing& action);
  void Apply(const RecordEnd& action);
  void Apply(const RecordRemoval& action);
  void Apply(const RecordResidue& action);
  void Apply(const Forget& action);
  void Apply(const Note& action);
  void Apply(const SetClonePriority& action);
  void Apply(const KeepRemote& action);
  void Apply(const EndAttempt& action);
  void Apply(const KeepLog&) {}  // concerns the history alone
  void Apply(const RemoveSurplus& action) { RemoveStray(worker(action.cluster.value)); }
  void Apply(const AdoptClone& action);
  void Apply(const UpdateCopy&) {}   // of jobs of several Workloads: parts_test.cc
  void Apply(const UpdateClone&) {}  // of elastic jobs: slices_test.cc
  void Apply(const Requeue& action);

  // world_late.cc
  std::string WorkloadVersion() const;
  std::string JobVersion() const;
  // Whether it was carried out.
  bool CarryLate(const Action& action, Late& late, bool fenced);
  bool WriteLate(const Action& action, const Late& late);
  bool RemoveLate(const ClusterName& cluster, const Late& late, bool fenced);
  int RunningSomewhere() const;

  const tracking::AdmissionCheckState& Check() const { return workload_->checks.front(); }
  tracking::AdmissionCheckState& Check() { return workload_->checks.front(); }

  // world_checks.cc
  // Whether they are this workload's.
  bool HasItsJob(const ClusterView& worker) const;
  bool HasItsClone(const ClusterView& worker) const;
  void CheckInvariants() const;
  void CheckDispatch(const std::vector<ClusterName>& clusters) const;
  // That a move which stands does not forbid the worker.
  void CheckMoveLets(const ClusterName& cluster) const;
  // Whether the worker that has the job could keep it: it is there, stays, and has refused and
  // ended nothing. Then it is taken back to be moved only.
  bool RunsWell() const;
  // That a worker can take the job at once for which it is taken back.
  void CheckMoveHasTarget() const;
  const LineAnswer& LineOf(const ClusterView& worker) const;
  bool CouldTake(const ClusterView& worker) const;
  // Null: none was asked for, or so long ago that it counts no more.
  const tracking::MoveRequest* StandingMove() const;
  bool IsCrossing() const;
  // That what Kueue has nominated or placed is not begun anew, and no end is lost.
  void CheckRemoval(const DeleteRemote& action) const;
  tracking::CopyMarks Marks() const { return {us_.origin, us_.manager, kind_.uid, {}}; }
  ObjectKey Key() const { return {kWorkload.ns, kind_.workload}; }
  std::shared_ptr<tracking::Workload> MakeClone(const ClusterView& worker,
                                                tracking::CopyMarks marks) const;
  std::shared_ptr<tracking::Job> MakeJob(const ClusterView& worker,
                                         tracking::CopyMarks marks) const;
  bool IsTakenOver() const { return tracking::TakesOver(us_.mode); }

  const tracking::Identity us_;
  Policy policy_;
  const JobTraits kind_;
  std::string second_check_;
  WallTime now_{std::chrono::hours(1)};
  std::unique_ptr<tracking::Workload> workload_;
  std::unique_ptr<tracking::Job> job_;
  std::vector<ClusterView> workers_;
  PlacementRecord record_;
  std::map<ClusterName, LineAnswer> lines_;
  std::vector<std::string> notes_;
  int writes_ = 0;
  int crossings_ = 0;
  int moves_ = 0;
  mutable int stays_ = 0;
  int adoptions_ = 0;
  int requeues_ = 0;
  std::string placed_on_;                  // in this reservation; empty: nowhere
  std::map<ClusterName, WallTime> tried_;  // in this round: since when its job was being created
  std::vector<std::string> nominated_before_;  // when the decision was made
  bool copy_arrives_first_ = true;             // of the last two that were sent at once
  std::set<ClusterName> dispatched_before_;    // the same, of the reservation that it has
  std::optional<Action> last_;
  bool was_refused_ = false;  // the last one
  std::function<bool(const Action&)> fails_;
  std::vector<std::string> harm_;
};

}  // namespace fedra::placement::testing
