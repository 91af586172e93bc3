#pragma once
//
// What a decision wants done: each action is one effect on the outside, or one durable record.
//
// Actions of a decision are carried out in order; the first that fails ends the decision (but see
// IsIndependent), and the workload is looked at again. Every action may be repeated.

#include <array>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "manager/placement/attempt_end.h"
#include "manager/placement/view.h"
#include "manager/tracking/workload.h"
#include "verdict/reason.h"

namespace fedra::placement {

// The check's state or message alone.
struct SetCheck {
  tracking::CheckState state = tracking::CheckState::kPending;
  std::string message;
  std::optional<CheckReport> reported = std::nullopt;  // to be recorded with it
};
// nominatedClusterNames together with the check's message; of WorkloadView::kueue_copies the names
// alone. A new round counts as a new attempt.
struct Nominate {
  std::vector<ClusterName> clusters;
  std::string message;
  bool new_round = false;
  CheckReport reported = {};  // to be recorded with it
};
// clusterName set, nominations cleared, check Ready: one atomic write.
struct Admit {
  ClusterName cluster;
  std::string message;
  bool holds_check = false;  // the check stays Pending (WorkloadView::holds_check)
};
// clusterName and nominations cleared, check Pending with an own message, of which nothing is
// remembered: the next one is written whatever it says.
struct ClearPlacement {
  std::string message;
};
// The copy of the Workload on a nominated worker.
struct CreateClone {
  ClusterName cluster;
};
// The workload's priority, which has changed, onto its clone.
struct SetClonePriority {
  ClusterName cluster;
};
// What is otherwise in an elastic job's Workload than in its clone, onto that: counts that Kueue
// has lowered; and the clone that it is to replace there (ClusterView::runs_by).
struct UpdateClone {
  ClusterName cluster;
};
// Our job, then our clone, on one worker.
struct DeleteRemote {
  ClusterName cluster;
  // How the attempt there ended. Nothing: it did not; what is removed is left from a previous
  // admission and in the way of the attempt.
  std::optional<AttemptEnd> end;
  std::string message = {};  // how it ended, in words; may be empty
};
// The job failed, and its copies stay on the worker for a while: the attempt there ends all the
// same, and nothing is reserved for it.
struct KeepRemote {
  ClusterName cluster;
  AttemptEnd end = AttemptEnd::kFailed;  // of the attempt
  std::string message;
};
// The attempt there has ended; what is left of it is Kueue's to remove (kueue.mode dispatcher).
struct EndAttempt {
  ClusterName cluster;
  AttemptEnd end = AttemptEnd::kWithdrawn;
  std::string message = {};  // how, in words; may be empty
};
// The last lines of a pod of the failed job go into the history, once.
struct KeepLog {
  ClusterName cluster;
  int lines = 0;  // at most
};
// The job on the worker that admitted the clone; of a job of several objects what is missing there
// (tracking::MissingOf).
struct CreateJob {
  ClusterName cluster;
};
// The clone gets the job there as its owner, and the job its queue, as far as they have not
// (tracking::Adoption::kOwner).
struct AdoptClone {
  ClusterName cluster;
};
// The copy gets what it follows of the job, as the job has it now (tracking::Job::parts, followed);
// of an elastic job it becomes this Workload's, too (tracking/elastic.h).
struct UpdateCopy {
  ClusterName cluster;
};
// The copies that stand for no object of the job any more (tracking::SurplusOf).
struct RemoveSurplus {
  ClusterName cluster;
};
// The remote job's status onto the manager's job.
struct MirrorStatus {
  ClusterName cluster;
};
// No activity in the manager's job status: its pods elsewhere are gone or going.
struct ClearActivity {};
// Kueue, which leaves it out, queues the workload again (Workload::is_left_unqueued).
struct Requeue {};
// The clone's end copied onto the manager's Workload: its job is gone and can no longer say it.
struct FinishWorkload {
  std::string reason;
  std::string message;
};
// Durable: this cluster did not keep the workload.
struct RecordFailure {
  Failure failure;                               // `times` is counted when it is recorded
  std::optional<AttemptEnd> end = std::nullopt;  // of the attempt there; nothing: by its reason
};
// Not durable: from now on the job is being created there.
struct RecordPlacing {
  ClusterName cluster;
};
// Not durable: the job's end is known from now on.
struct RecordEnd {};
// What the check says already, as far as it can be known. No write but to our store.
struct RecordReport {
  CheckReport reported;
};
// Durable: clean this cluster up when it comes back.
struct RecordResidue {
  ClusterName cluster;
};
// Durable: the workload has ended and nothing of it is left there, so that an outage finds nothing
// to clean up.
struct RecordRemoval {
  ClusterName cluster;
};
// The workload is gone and nothing of it is left anywhere.
struct Forget {};
// Tells people: an Event on the Workload and its job, and a line in the history.
struct Note {
  std::string_view reason;  // one of placement/note_reasons.h; a constant
  ClusterName cluster;      // empty: about no cluster in particular
  std::string message;
  // Of two notes of one workload, one after the other, with the same reason the second is no news,
  // whatever its message, when it is about nothing that the first is not: a worker that comes and
  // goes is none. Empty: always news.
  std::set<std::string> subjects = {};
};

// A type of its own, so that copying them is compiled once, in action.cc.
class Action final
    : public std::variant<SetCheck, Nominate, Admit, ClearPlacement, CreateClone, DeleteRemote,
                          CreateJob, MirrorStatus, ClearActivity, FinishWorkload, RecordFailure,
                          RecordPlacing, RecordEnd, RecordResidue, Forget, Note, SetClonePriority,
                          KeepRemote, KeepLog, RecordReport, RecordRemoval, EndAttempt,
                          RemoveSurplus, AdoptClone, UpdateCopy, UpdateClone, Requeue> {
 public:
  using Variant = variant;  // which has no virtual destructor: never deleted through it
  using variant::variant;
  Action(const Action& other);
  Action(Action&& other) noexcept;
  Action& operator=(const Action& other);
  Action& operator=(Action&& other) noexcept;
  ~Action();
};
// The moves above say noexcept.
static_assert(std::is_nothrow_move_constructible_v<Action::Variant> &&
              std::is_nothrow_move_assignable_v<Action::Variant>);

// Whether the actions behind this one may go on when it fails: one broken worker must not hold up
// what is to be done elsewhere.
bool IsIndependent(const Action& action);
// Whether this action may only be carried out when every one before it succeeded: a job is created,
// a winner recorded, and a re-admission begun, after the other copies are gone.
bool NeedsAllBefore(const Action& action);

// Whether `second`, which follows `first`, may be written while that one's answer is waited for:
// the copy on a worker that is being nominated. A copy that no nomination names, because that one
// failed or the daemon died, is nominated at the next look, or removed. It starts nothing: a job
// needs a worker that is recorded.
bool GoTogether(const Action& first, const Action& second);

// How a workload is doing, in one word, for status.
enum class Phase {
  kWaiting,      // the manager's Kueue has not reserved quota yet, or another check is pending
  kBlocked,      // no worker can run it
  kDispatching,  // to one or more workers, none has admitted it yet
  kRunning,      // a worker has it
  kRequeued,     // evicted, or taken back from a worker; Kueue will queue it again
  kFinished,
  kFailed,
  kSuspended,  // deactivated by a user
  kGone,       // does not exist on the manager, or is no business of ours
};
std::string_view ToString(Phase phase);
// nullopt: no phase is called that.
std::optional<Phase> ParsePhase(std::string_view text);
// All that a living workload of ours can be in.
inline constexpr std::array kPhases = {Phase::kWaiting, Phase::kBlocked,  Phase::kDispatching,
                                       Phase::kRunning, Phase::kRequeued, Phase::kFinished,
                                       Phase::kFailed,  Phase::kSuspended};

// What a workload in kWaiting waits for, before fedra looks for a worker.
enum class WaitsFor {
  kNothing,         // it does not wait, or for something else
  kQuota,           // of the manager's Kueue
  kKueue,           // that Kueue, which asks us nothing about it (WorkloadView::unasked)
  kAdmissionCheck,  // of another controller
  kJob,             // the job object
};
// "Quota", "Kueue", "AdmissionCheck", "Job"; empty for kNothing.
std::string_view ToString(WaitsFor waits_for);
// nullopt: nothing is called that.
std::optional<WaitsFor> ParseWaitsFor(std::string_view text);

struct Decision {
  std::vector<Action> actions;
  std::optional<WallTime> wake_at;  // look again then, even if nothing happens
  Phase phase = Phase::kGone;
  ClusterName worker;  // where it is or is dispatched to (the first of several)
  std::string why;     // one line for people: what it is waiting for
  WaitsFor waits_for = WaitsFor::kNothing;
};

// Whether what came of the workload's offer to the lines is known (Lines::Conclude). While
// something else comes first, such as the end of old copies, it is not, and the offer stands. A
// workload that has left the lines offers nothing: of its decision this says nothing.
bool ConcludesOffer(const Decision& decision);
// The workers that it newly nominates, and these with those where it creates a clone.
std::set<ClusterName> NominatedBy(const Decision& decision);
std::set<ClusterName> DispatchedBy(const Decision& decision);

}  // namespace fedra::placement
