#pragma once
//
// The reasons of Events and history lines: a closed list, in UpperCamelCase. docs/events.md is
// generated from it.

#include <array>
#include <string_view>

namespace fedra::placement::notes {

struct NoteReason {
  std::string_view name;
  bool is_warning;
  std::string_view meaning;
  // Whether its message is made of fedra's words and the names of the job and of workers alone, so
  // that no worker has worded any of it.
  bool has_own_words = false;
};

inline constexpr NoteReason kDispatched{
    "Dispatched", false, "the job is dispatched to one or more workers: they are asked to admit it",
    true};
inline constexpr NoteReason kPlaced{"Placed", false,
                                    "a worker admitted the job, which runs there now", true};
inline constexpr NoteReason kWaitingForDevices{
    "WaitingForDevices", false,
    "the devices that could serve the job are in use, or go to jobs ahead of it in line"};
inline constexpr NoteReason kPlacementRejected{
    "PlacementRejected", true, "no worker can run the job now; the message says why"};
inline constexpr NoteReason kNotDispatchable{
    "NotDispatchable", true,
    "the job cannot be dispatched at all; the message says what to change"};
inline constexpr NoteReason kAdmissionTimedOut{"AdmissionTimedOut", true,
                                               "a worker did not admit the job, or the job could "
                                               "not be created there, in time; another worker is "
                                               "tried"};
inline constexpr NoteReason kEvictedOnWorker{
    "EvictedOnWorker", true, "the worker's Kueue evicted the job; it is queued again"};
inline constexpr NoteReason kWorkerLost{
    "WorkerLost", true,
    "the worker was unreachable longer than workerLostTimeout; the job is queued again"};
inline constexpr NoteReason kRequeued{
    "Requeued", true, "the copy on the worker is deleted or unusable; the job is queued again"};
inline constexpr NoteReason kMoveRequested{
    "MoveRequested", false,
    "a user wants the running job on another worker (fedra move), and none can take it yet"};
inline constexpr NoteReason kNotStarted{
    "NotStarted", true,
    "the worker admitted the job minutes ago, and nothing there has taken it up: its Kueue has not "
    "started it, or no controller of its kind has written a status",
    true};
inline constexpr NoteReason kNameConflict{
    "NameConflict", true,
    "an object of the same name that fedra did not create exists on the worker"};
inline constexpr NoteReason kTemplateDrift{
    "TemplateDrift", true,
    "the worker's ResourceClaimTemplate, or a TrainJob's runtime, differs from the manager's"};
inline constexpr NoteReason kDispatchFailed{
    "DispatchFailed", true,
    "a worker refused the copy, or ended it without running it; the message is the worker's"};
inline constexpr NoteReason kNominatedByOthers{
    "NominatedByOthers", true,
    "something else writes status.nominatedClusterNames beside fedra (kueue.mode dispatcher): "
    "multiKueue.dispatcherName in Kueue's configuration must be a name of your own"};
inline constexpr NoteReason kCompleted{
    "Completed", false, "the job ended on the worker and its copies are being removed"};
inline constexpr NoteReason kJobFailed{
    "JobFailed", true,
    "the job failed on the worker; the message says how its pods ended, where that is known, and "
    "until when they stay there, if they do (dispatch.keepFailed)"};
inline constexpr NoteReason kPodLog{"PodLog", false,
                                    "the last lines that a pod of the failed job printed "
                                    "(dispatch.failureLogLines); in the history "
                                    "only, never an Event"};
inline constexpr NoteReason kStoppedOnWorker{
    "StoppedOnWorker", false,
    "a job that had not ended was deleted on a worker, because it runs elsewhere, was taken back "
    "or does not exist on the manager any more",
    true};
inline constexpr NoteReason kDeleted{
    "Deleted", false, "the job was deleted on the manager, and its copies are being removed"};
inline constexpr NoteReason kReplaced{"Replaced", false,
                                      "an elastic job was made larger: another Workload of it has "
                                      "taken this one's place, and the job "
                                      "runs on"};

inline constexpr std::array kNoteReasons = {
    kDispatched,        kPlaced,          kWaitingForDevices,
    kPlacementRejected, kNotDispatchable, kAdmissionTimedOut,
    kEvictedOnWorker,   kWorkerLost,      kRequeued,
    kMoveRequested,     kNotStarted,      kNameConflict,
    kTemplateDrift,     kDispatchFailed,  kNominatedByOthers,
    kCompleted,         kJobFailed,       kPodLog,
    kStoppedOnWorker,   kDeleted,         kReplaced};

// Of kDeleted: the Workload has gone without an end.
inline constexpr const char* kDeletionNoticed =
    "its Workload was deleted on the manager; noticed now";

constexpr bool HasOwnWords(std::string_view name) {
  for (const NoteReason& reason : kNoteReasons) {
    if (reason.name == name) return reason.has_own_words;
  }
  return false;
}

// Unknown names are no warnings.
constexpr bool IsWarning(std::string_view name) {
  for (const NoteReason& reason : kNoteReasons) {
    if (reason.name == name) return reason.is_warning;
  }
  return false;
}

// Whether the daemon's log warns of it, too: that a job has to wait is everyday business there.
constexpr bool IsLogWarning(std::string_view name) {
  return IsWarning(name) && name != kPlacementRejected.name;
}

}  // namespace fedra::placement::notes
