#pragma once
//
// Keeps the copies of the manager's ResourceClaimTemplates on the workers
// (verification.templates.sync): makes one when a workload is dispatched to a worker that lacks it,
// lets it follow the manager's, and removes it when no workload names it any more.
//
// What is to be done is decided by templates::Decide; this carries it out, each write bound to what
// was looked at, so that no object is touched that is not ours at that very moment.
//
// Reconcile() is run by a loop with two threads; Provide() is called by the threads that look at
// workloads.
//
// Thread rules: any thread; one template is reconciled by one thread at a time. Lifetime:
// everything given at construction must outlive it.

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "manager/reconcile/concurrency_limiter.h"
#include "manager/reconcile/manager_identity.h"
#include "manager/reconcile/manager_templates.h"
#include "manager/reconcile/run_loop.h"
#include "manager/reconcile/templates/copy_failures.h"
#include "manager/reconcile/templates/template_view.h"
#include "manager/reconcile/worker_set.h"

namespace fedra::reconcile {

struct TemplateSettings {
  templates::SyncPolicy mode = templates::SyncPolicy::kNever;  // kNever: nothing is ever done
  tracking::Identity us;  // of copies of templates; without the manager's UID
};

class TemplateReconciler final {
 public:
  // `loop` runs Reconcile(). `on_possible`: a worker that refused copies of this template would
  // take one now.
  TemplateReconciler(TemplateSettings settings, const ManagerTemplates& originals,
                     const ManagerIdentity& manager, const WorkerSet& workers,
                     ConcurrencyLimiter& limiter, CopyFailures& failures, const Clock& clock,
                     RunLoop<ObjectKey>& loop,
                     std::function<void(const ObjectKey& key)> on_possible);

  // One template on every worker. Not before the manager's workloads are known.
  Result<void> Reconcile(const ObjectKey& key);

  // The template has changed, on the manager or on a worker.
  void Changed(const ObjectKey& key);
  // A workload that names the template has come, moved or gone.
  void UseChanged(const ObjectKey& key);
  // Where the loop does not run: forgets the keys of templates that no cluster has and no workload
  // names.
  void ForgetGone();
  // Looks at every copy there: it was away, or its lists or the manager's have become complete.
  void LookAtAll(const Worker& worker);

  // Before a clone of the workload is created there: the worker gets what it lacks of its
  // templates. A refusal (kForbidden, kInvalid, ...) is remembered for verdicts. kConflict: there
  // is a template now that was not there when the workload was judged.
  Result<void> Provide(Worker& worker, const tracking::Workload& workload);
  // Whether Provide() can have anything to do.
  bool Copies() const { return settings_.mode != templates::SyncPolicy::kNever; }

 private:
  tracking::Identity Us() const;
  // One template on one worker. False: it is to be looked at again when its use changes.
  // `leaving`: the worker was removed from the configuration.
  Result<bool> Keep(Worker& worker, const ObjectKey& key, const TemplateUse& use, bool leaving);
  Result<void> Carry(Worker& worker, const TemplateView& look, const templates::Plan& plan);
  Result<void> Create(Worker& worker, const verify::ClaimSummary& original);
  Result<void> Apply(Worker& worker, const verify::ClaimSummary& original,
                     std::string_view expected, bool dry_run);
  Result<void> Delete(Worker& worker, const verify::ClaimSummary& copy);
  // Asks a worker that refused a copy whether it still would, when it is time. True: no longer.
  bool AskAgain(Worker& worker, const ObjectKey& key, const TemplateView& look,
                const CopyFailure& failure);
  Result<void> TryOut(Worker& worker, const verify::ClaimSummary& original);
  void RememberRefusal(const Worker& worker, const verify::ClaimSummary& original,
                       const Error& error);

  // Constant after construction.
  const TemplateSettings settings_;
  const ManagerTemplates& originals_;
  const ManagerIdentity& manager_;
  const WorkerSet& workers_;
  ConcurrencyLimiter& limiter_;
  CopyFailures& failures_;
  const Clock& clock_;
  RunLoop<ObjectKey>& loop_;
  const std::function<void(const ObjectKey& key)> on_possible_;

  // Templates that are to be looked at when a workload moves: something waits for that.
  Guarded<std::unordered_set<ObjectKey>> restless_;
};

}  // namespace fedra::reconcile
