#pragma once
//
// Internal to placement/: pieces of a decision that several stages take. Pure: each adds to the
// Decision it is given.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/placement/action.h"
#include "manager/placement/context.h"
#include "manager/placement/message.h"
#include "manager/placement/note_reasons.h"
#include "manager/placement/select_workers.h"

namespace fedra::placement {

// The earlier of the two: `time`, and what is there already.
void WakeBy(WallTime time, std::optional<WallTime>& wake_at);

// How a workload ended that the manager says is finished.
struct WorkloadEnd {
  Phase phase = Phase::kFinished;              // or kFailed, or kGone: its job was deleted, or
                                               // runs by another Workload
  AttemptEnd attempt = AttemptEnd::kFinished;  // of the attempt on its worker
  notes::NoteReason note = notes::kCompleted;
};
WorkloadEnd EndOf(const tracking::Condition& finished);

enum class FailureKind {
  kPassing,  // it may be asked again in the next round
  kLate,     // the same: it did not admit the workload, or could not be given its job, in time
  kEvicted,  // the same: its Kueue evicted the workload
};
// A worker that would do the same again at once has refused: refusal.h.
void RememberFailure(const Context& context, const ClusterView& cluster, verdict::ReasonCode reason,
                     std::string message, Decision& decision,
                     FailureKind kind = FailureKind::kPassing);

// Since when a worker has been out of reach, and why.
struct Outage {
  WallTime since{};
  std::string why;  // "connection refused"
};
// Of a worker that has the job, or may have it, and is out of reach: sets why, and when to look
// again. An outage: it counts as lost, and the job may run elsewhere.
std::optional<Outage> WaitForContact(const Context& context, const ClusterView& worker,
                                     Decision& decision);

// The attempt on the worker is over.
void EndOn(const ClusterName& worker, AttemptEnd end, Decision& decision, std::string message = {});

inline constexpr std::string_view kWaitingForQuota = "waiting for quota on the manager";
// Why Kueue holds a workload back, or asks us nothing about it: phase and words.
void ReportHeldBack(const Context& context, Decision& decision);

// Shows the end of the job there on the manager, which ends the workload.
void MirrorEnd(const ClusterView& cluster, Decision& decision);

// Takes our copies back from the cluster: at once where it is in reach; where not, remembers to, if
// there may be some. False when there is something to be deleted now.
bool TakeBackFrom(const Context& context, const ClusterView& cluster, AttemptEnd end,
                  const std::string& message, Decision& decision);

// TakeBackFrom() every cluster but `keep` (null: none). True when nothing had to be done on any
// cluster with contact.
// `message`: how the attempt there ended, in words.
bool CleanUp(const Context& context, const ClusterView* keep, AttemptEnd end, Decision& decision,
             const std::string& message = {});

// What follows from a choice of workers, in every mode. `nominated`: what was
// nominated before.

// Whether what is chosen begins a new round: for a worker that is new, or is asked again.
bool BeginsRound(const Context& context, const std::vector<ClusterName>& nominated,
                 const Choice& choice);
// Notes the workers that are new, in the history.
void NoteDispatched(const Context& context, const std::vector<ClusterName>& nominated,
                    const Choice& choice, Decision& decision);
// Notes that no worker is chosen, and why.
void NoteBlocked(const Context& context, const Message& message, Decision& decision);
// What a worker whose time has passed is remembered for.
std::string TooLate(const Context& context, const ClusterView& cluster);
// The worker's Kueue, or one of its users, ended the copy without running it: a refusal.
void RememberSpent(const Context& context, const ClusterView& cluster, Decision& decision);
// Records that the worker has the workload.
void AdmitOn(const Context& context, const ClusterView& winner, Decision& decision);

}  // namespace fedra::placement
