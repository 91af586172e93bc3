#include "manager/report/states.h"

#include <algorithm>
#include <array>

#include "manager/placement/attempt_end.h"

namespace fedra::report {
namespace {

constexpr std::string_view kJob = "Job";
constexpr std::string_view kWorker = "Worker";
constexpr std::string_view kVerdict = "Verdict";
constexpr std::string_view kAttempt = "Attempt";

constexpr std::array kEntries = {
    StateEntry{
        "Waiting", kJob,
        "the manager's Kueue has not reserved quota for the job yet, or does not ask fedra about "
        "it, or another AdmissionCheck of its ClusterQueue is pending; fedra does nothing before "
        "that",
        "The note repeats Kueue's message. `kubectl describe workload` and `kubectl describe "
        "clusterqueue` on the manager show which quota is missing. Of claims that Kueue refuses, "
        "and of pods that ask for no resource, docs/kueue-setup.md says what to do (steps 1 and "
        "4)."},
    StateEntry{
        "Blocked", kJob,
        "the manager's Kueue has reserved quota, and no worker can run the job now",
        "`fedra why NAMESPACE/NAME` says for each worker why not. The job is dispatched as soon "
        "as a worker can run it, in its turn where others wait for the same devices."},
    StateEntry{"Dispatching", kJob,
               "the job is dispatched to one or more workers, and none has admitted it yet",
               "The worker's Kueue admits it, or after dispatch.admissionTimeout another "
               "worker is tried."},
    StateEntry{"Running", kJob, "a worker has admitted the job, and it runs there",
               "Its status on the manager follows that on the worker. While the worker is out of "
               "reach the note says so: the job's state is then the last one known."},
    StateEntry{"Requeued", kJob,
               "the job was evicted, or taken back from a worker, and Kueue queues it again",
               "`fedra history NAMESPACE/NAME` says why."},
    StateEntry{
        "Suspended", kJob,
        "a user or Kueue has deactivated the Workload (spec.active is false), or the job is not "
        "managed by Kueue",
        "Set spec.active of the Workload to true, and the job is queued again. A job whose "
        "managedBy names another controller must be deleted and created again: with "
        "kueue.x-k8s.io/multikueue, or without the field where a policy writes it."},
    StateEntry{"Finished", kJob, "the job has ended successfully; its copies are removed", ""},
    StateEntry{"Failed", kJob,
               "the job has ended with a failure; its copies are removed, at once or after "
               "dispatch.keepFailed",
               "`fedra why NAMESPACE/NAME` repeats what Kubernetes says of it; the Job on the "
               "manager has the conditions."},
    StateEntry{
        "Deleted", kJob, "the job was deleted on the manager; only its history is left",
        "`fedra status jobs --state Deleted` lists such jobs, the newest deletion first, each "
        "with the state that it was in last, for as long as their history is kept "
        "(store.historyRetention). `fedra history NAMESPACE/NAME` says what happened to one."},
    StateEntry{"Connected", kWorker,
               "the worker's API server answers, and everything that fedra reads there is listed",
               ""},
    StateEntry{"Connecting", kWorker, "the first answer of the worker's API server is awaited", ""},
    StateEntry{
        "Syncing", kWorker,
        "the worker's API server answers, and the lists of what is there are not complete: "
        "at the start, or after an outage",
        "No job is dispatched there before they are. If it lasts, the note names the list; a "
        "list that is forbidden needs the rights in deploy/worker-rbac.yaml."},
    StateEntry{
        "Unreachable", kWorker, "there is no contact with the worker's API server",
        "fedra reconnects by itself; `fedra status workers` has the error, and since when. "
        "Jobs of a worker that stays unreachable longer than workerLostTimeout are queued "
        "again; docs/operations.md, \"When a worker dies\", has what more can be done. `fedra "
        "explain ClusterUnreachable` has the causes."},
    StateEntry{"Rejected", kWorker,
               "the worker's API server does not accept fedra's credentials (401, 403), or its "
               "certificate does not verify; the note says which",
               "Renew what is wrong in the worker's kubeconfig; it is read again without a "
               "restart. See `fedra explain CredentialsRejected` and CertificateUntrusted."},
    StateEntry{"Misconfigured", kWorker, "the worker's kubeconfig cannot be used",
               "Run `fedra config validate`. See `fedra explain ClusterMisconfigured`."},
    StateEntry{"Yes", kVerdict, "everything that was checked is there: the worker can run the job",
               "Its Kueue decides when: beside QueueFull the job would wait there for quota, and "
               "workers whose queue has room come first."},
    StateEntry{"MayScale", kVerdict,
               "not now, but a pool that is declared scalable could bring the nodes",
               "The job is dispatched there when no worker says Yes."},
    StateEntry{"Unknown", kVerdict, "it could not be found out; the reasons say why",
               "With verification.unknown: TryLast such a worker is tried after all others."},
    StateEntry{"No", kVerdict, "the job would not run there; the reasons say why", ""},
    StateEntry{"Finished", kAttempt, "the job has ended there, successfully", ""},
    StateEntry{"Failed", kAttempt, "the job has ended there with a failure",
               "`fedra why NAMESPACE/NAME` repeats what Kubernetes says of it."},
    StateEntry{"Deleted", kAttempt, "the job was deleted on the manager", ""},
    StateEntry{"LostRace", kAttempt, "another worker admitted the job first; the copy was removed",
               ""},
    StateEntry{"TimedOut", kAttempt,
               "the worker did not admit the job within dispatch.admissionTimeout, or admitted it "
               "and could not be given the job for as long",
               "Another worker is tried. The worker's Workload says what its Kueue waited for."},
    StateEntry{"Withdrawn", kAttempt,
               "the job was taken back before the worker ran it: the worker could not run it any "
               "more, or may not be used for it",
               "`fedra history NAMESPACE/NAME` says what happened at that time."},
    StateEntry{"Evicted", kAttempt, "the job lost its quota, on the manager or on the worker",
               "`fedra history NAMESPACE/NAME` says by whom; Kueue queues it again."},
    StateEntry{"Refused", kAttempt, "the worker's API server or an admission webhook refused it",
               "The message has the worker's words. It is asked again after a pause."},
    StateEntry{"Requeued", kAttempt,
               "a later attempt began, and nothing else was seen of this one's end",
               "`fedra history NAMESPACE/NAME` says what happened at that time."},
};

static_assert(std::all_of(placement::kAttemptEnds.begin(), placement::kAttemptEnds.end(),
                          [](placement::AttemptEnd end) {
                            return std::count_if(kEntries.begin(), kEntries.end(),
                                                 [&](const StateEntry& entry) {
                                                   return entry.group == kAttempt &&
                                                          entry.name == ToString(end);
                                                 }) == 1;
                          }),
              "each end of an attempt is explained once");

}  // namespace

std::span<const StateEntry> StateEntries() { return kEntries; }

}  // namespace fedra::report
