#pragma once
//
// The writes of a decision to the workers: clones and jobs, created and removed.
//
// Every call to a worker passes the limiter, so that workers that hang cannot take all threads.
//
// Thread rules: blocking calls; any thread, one workload by one thread at a time. Lifetime:
// everything given at construction must outlive it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manager/placement/action.h"
#include "manager/reconcile/bookkeeping.h"
#include "manager/reconcile/concurrency_limiter.h"
#include "manager/reconcile/execution.h"
#include "manager/reconcile/manager_identity.h"
#include "manager/reconcile/templates/template_reconciler.h"
#include "manager/tracking/job_members.h"

namespace fedra::reconcile {

class WorkerWrites final {
 public:
  // `us`: without the manager's UID.
  WorkerWrites(tracking::Identity us, const ManagerIdentity& manager, TemplateReconciler& templates,
               ConcurrencyLimiter& limiter, Bookkeeping& bookkeeping, Telemetry& telemetry,
               const Clock& clock);

  Result<void> Do(Execution& execution, const placement::CreateClone& action);
  // The same in two steps, of which the first one writes nothing down and may run beside what
  // changes the Execution that `seen` was copied from. Only where MaySend(): not where templates
  // come first, and not once a nomination of the workload has failed, until one succeeds, for a
  // copy without one is removed, and would be made and removed again and again.
  using Sent = Result<bool>;  // whether what is there now is ours
  bool MaySend(const Execution& execution) const;
  Sent Send(const Execution& seen, const placement::CreateClone& action);
  Result<void> Conclude(Execution& execution, const placement::CreateClone& action, Sent sent);
  Result<void> Do(Execution& execution, const placement::SetClonePriority& action);
  // Each object of it that is not there; the first one that fails ends that.
  Result<void> Do(Execution& execution, const placement::CreateJob& action);
  Result<void> Do(Execution& execution, const placement::AdoptClone& action);
  Result<void> Do(Execution& execution, const placement::UpdateClone& action);
  Result<void> Do(Execution& execution, const placement::UpdateCopy& action);
  Result<void> Do(Execution& execution, const placement::RemoveSurplus& action);
  Result<void> Do(Execution& execution, const placement::DeleteRemote& action);
  // Never an error: what the pod printed is no reason to hold up the clean-up.
  Result<void> Do(Execution& execution, const placement::KeepLog& action);

 private:
  // Takes the created object, and says whether it is ours.
  using Remember = std::function<Result<bool>(const std::string& object)>;

  tracking::Identity Us() const { return manager_.Complete(us_); }
  // Whether an object with these marks is this workload's copy.
  bool IsOf(const tracking::Workload& workload, const tracking::CopyMarks& marks) const {
    return tracking::OwnershipOf(marks, Us(), workload.uid, workload.key.name) ==
           tracking::Ownership::kOurs;
  }
  Result<void> ProvideTemplates(Execution& execution, Worker& worker);
  // Whether the object that is there now is ours.
  Result<bool> Create(Worker& worker, const kube::Resource& resource, const ObjectKey& key,
                      std::string body, const Remember& remember);
  // What came of Create(). `what`: the object, for people.
  Result<void> Conclude(Execution& execution, const Worker& worker, const kube::Resource& resource,
                        std::string_view what, Result<bool> created);
  Result<void> CreateObject(Execution& execution, Worker& worker, const tracking::Job& local);
  Result<void> GiveOwner(Worker& worker, const tracking::Workload& clone,
                         const tracking::Job& copy);
  Result<void> GiveQueue(Worker& worker, const tracking::Job& copy, const std::string& queue);
  // Nothing: the copy follows nothing.
  Result<std::optional<std::string>> PatchOfCopy(const Execution& execution, Worker& worker,
                                                 const tracking::Job& copy) const;
  // A worker will not take the workload: recorded, and with that another decision is due.
  Result<void> Refused(Execution& execution, const ClusterName& cluster, verdict::ReasonCode code,
                       std::string message);
  // What both delete is ours by the view's Ownership; of the rest, nothing. `as_seen`: only if it
  // has not changed since it was looked at. `copies`: objects of the view's job.
  Result<void> DeleteObjects(Worker& worker, const placement::ClusterView& view,
                             const std::vector<tracking::JobPtr>& copies, bool as_seen);
  Result<void> DeleteClone(Worker& worker, const placement::ClusterView& view, bool as_seen);

  const tracking::Identity us_;
  const ManagerIdentity& manager_;
  TemplateReconciler& templates_;
  ConcurrencyLimiter& limiter_;
  Bookkeeping& bookkeeping_;
  Telemetry& telemetry_;
  const Clock& clock_;
};

}  // namespace fedra::reconcile
