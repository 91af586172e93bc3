#include "manager/reconcile/templates/template_reconciler.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/text.h"
#include "manager/templates/copy_document.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"
#include "manager/verify/cache_status.h"
#include "manager/verify/dra_api.h"

namespace fedra::reconcile {
namespace {

using templates::Step;

constexpr size_t kMaxErrorText = 300;

kube::Resource TemplatesOf(Worker& worker) {
  return verify::InVersion(tracking::kTemplates,
                           verify::DraVersion(worker.cluster().server().get()));
}

CopyFailure FailureOf(const verify::ClaimSummary& original, const Error& error, SteadyTime next) {
  std::string object = "ResourceClaimTemplate " + original.key.ToString();
  const bool forbidden = error.code == ErrorCode::kForbidden;
  verdict::Missing missing{
      .kind = "ResourceClaimTemplate",
      .key = original.key,
      .copy = forbidden ? verdict::Missing::Copy::kForbidden : verdict::Missing::Copy::kRefused,
      .error = Cut(ToString(error), kMaxErrorText)};
  return {{forbidden ? verdict::ReasonCode::kForbidden : verdict::ReasonCode::kTemplateMissing,
           std::move(object), std::move(missing)},
          original.uid,
          next};
}

void LogStep(Step step, const Worker& worker, const ObjectKey& key, const std::string& why) {
  log::Info("template copy", {{"action", std::string(ToString(step))},
                              {"cluster", worker.name().value},
                              {"template", key.ToString()},
                              {"why", why}});
}

}  // namespace

TemplateReconciler::TemplateReconciler(TemplateSettings settings, const ManagerTemplates& originals,
                                       const ManagerIdentity& manager, const WorkerSet& workers,
                                       ConcurrencyLimiter& limiter, CopyFailures& failures,
                                       const Clock& clock, RunLoop<ObjectKey>& loop,
                                       std::function<void(const ObjectKey& key)> on_possible)
    : settings_(std::move(settings)),
      originals_(originals),
      manager_(manager),
      workers_(workers),
      limiter_(limiter),
      failures_(failures),
      clock_(clock),
      loop_(loop),
      on_possible_(std::move(on_possible)) {}

void TemplateReconciler::Changed(const ObjectKey& key) {
  if (settings_.mode != templates::SyncPolicy::kNever) loop_.Add(key);
}

void TemplateReconciler::UseChanged(const ObjectKey& key) {
  if (settings_.mode == templates::SyncPolicy::kNever) return;
  const bool restless = restless_.With([&](const auto& keys) { return keys.contains(key); });
  if (restless || !originals_.IsNamed(key)) loop_.Add(key);
}

void TemplateReconciler::ForgetGone() {
  const auto workers = workers_.Now();
  loop_.DropIf([&](const ObjectKey& key) {
    return originals_.cache().Find(key) == nullptr && !originals_.IsNamed(key) &&
           std::none_of(workers->begin(), workers->end(), [&](const auto& worker) {
             return worker->objects().templates().Find(key) != nullptr;
           });
  });
}

void TemplateReconciler::LookAtAll(const Worker& worker) {
  if (settings_.mode == templates::SyncPolicy::kNever) return;
  for (const auto& copy : OurTemplateCopies(worker, originals_, Us())) loop_.Add(copy->key);
  for (const ObjectKey& key : failures_.TakeOutdated(worker.name())) loop_.Add(key);
}

tracking::Identity TemplateReconciler::Us() const { return manager_.Complete(settings_.us); }

Result<void> TemplateReconciler::Reconcile(const ObjectKey& key) {
  // From here on a workload that moves is news.
  restless_.With([&](auto& keys) { keys.insert(key); });
  const TemplateUse use = originals_.UseOf(key);
  bool all_kept = true;
  Result<void> outcome;
  const auto workers = workers_.Now();
  for (const auto& worker : *workers) {
    if (worker->contact() != placement::Contact::kFull) continue;
    const bool leaving = workers->removed().contains(worker->name());
    const Result<bool> kept = Keep(*worker, key, use, leaving);
    all_kept &= kept && *kept;
    if (!kept && outcome) outcome = Fail(Error(kept.error()));
  }
  // What moves meanwhile finds it restless and puts it into the queue again.
  if (all_kept) restless_.With([&](auto& keys) { keys.erase(key); });
  return outcome;
}

Result<bool> TemplateReconciler::Keep(Worker& worker, const ObjectKey& key, const TemplateUse& use,
                                      bool leaving) {
  const TemplateView look = ReadTemplate(key, worker, originals_, use, leaving);
  if (const auto failure = failures_.Find(worker.name(), key);
      failure && !AskAgain(worker, key, look, *failure))
    return true;
  const templates::Plan plan = templates::Decide(look.view, settings_.mode, Us());
  if (plan.step == Step::kNone) return true;
  if (plan.step == Step::kWait) return false;
  FEDRA_RETURN_IF_ERROR(Carry(worker, look, plan));
  LogStep(plan.step, worker, key, plan.why);
  return true;
}

Result<void> TemplateReconciler::Carry(Worker& worker, const TemplateView& look,
                                       const templates::Plan& plan) {
  switch (plan.step) {
    case Step::kCreate:
      return Create(worker, *look.original);
    case Step::kRefresh: {
      FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(worker.name()));
      return Apply(worker, *look.original, look.there->version.value, false);
    }
    case Step::kReplace:
      FEDRA_RETURN_IF_ERROR(Delete(worker, *look.there));
      return Create(worker, *look.original);
    case Step::kDelete:
      return Delete(worker, *look.there);
    case Step::kNone:
    case Step::kWait:
      break;
  }
  return {};
}

Result<void> TemplateReconciler::Create(Worker& worker, const verify::ClaimSummary& original) {
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(worker.name()));
  auto applied = Apply(worker, original, templates::kMustNotExist, false);
  if (!applied && IsRefusal(applied.error().code))
    RememberRefusal(worker, original, applied.error());
  return applied;
}

Result<void> TemplateReconciler::Apply(Worker& worker, const verify::ClaimSummary& original,
                                       std::string_view expected, bool dry_run) {
  const kube::Resource resource = TemplatesOf(worker);
  FEDRA_ASSIGN_OR_RETURN(
      const std::string text,
      worker.cluster().Apply(resource, original.key,
                             templates::CopyDocument(original, resource.version, Us(), expected),
                             {.field_manager = std::string(tracking::kTemplateManager),
                              .subresource = {},
                              .force = true,  // fields of our own copy that others have touched
                              .dry_run = dry_run}));
  if (dry_run) return {};
  FEDRA_ASSIGN_OR_RETURN(const nlohmann::json object, watch::ParseJson(text));
  FEDRA_ASSIGN_OR_RETURN(verify::ClaimSummary copy, verify::ParseTemplate(object));
  worker.objects().templates().own().Wrote(
      std::make_shared<const verify::ClaimSummary>(std::move(copy)));
  return {};
}

Result<void> TemplateReconciler::Delete(Worker& worker, const verify::ClaimSummary& copy) {
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(worker.name()));
  const auto deleted = worker.cluster().Delete(TemplatesOf(worker), copy.key,
                                               {.uid = copy.uid, .version = copy.version});
  if (!deleted && deleted.error().code != ErrorCode::kNotFound)
    return Fail(std::move(deleted).error());
  worker.objects().templates().own().Deleted(copy.key, copy.uid);
  return {};
}

bool TemplateReconciler::AskAgain(Worker& worker, const ObjectKey& key, const TemplateView& look,
                                  const CopyFailure& failure) {
  const bool matters = look.view.named && look.original != nullptr && look.there == nullptr;
  if (matters) {
    const bool is_news = failure.source_uid != look.original->uid;
    if (!is_news && failure.next > clock_.Steady()) {
      loop_.AddAt(key, failure.next);
      return false;
    }
    if (const Result<void> asked = TryOut(worker, *look.original); !asked) {
      CopyFailure again = failure;
      again.next = clock_.Steady() + kRefusedCopyPause;
      if (IsRefusal(asked.error().code))
        again = FailureOf(*look.original, asked.error(), again.next);
      loop_.AddAt(key, again.next);
      failures_.Record(worker.name(), key, std::move(again));
      return false;
    }
  }
  failures_.Clear(worker.name(), key);
  on_possible_(key);
  return true;
}

Result<void> TemplateReconciler::TryOut(Worker& worker, const verify::ClaimSummary& original) {
  FEDRA_ASSIGN_OR_RETURN(const auto permit, limiter_.Enter(worker.name()));
  auto tried = Apply(worker, original, templates::kMustNotExist, /*dry_run=*/true);
  // One has been created there meanwhile: that can be judged.
  if (!tried && tried.error().code == ErrorCode::kConflict) return {};
  return tried;
}

void TemplateReconciler::RememberRefusal(const Worker& worker, const verify::ClaimSummary& original,
                                         const Error& error) {
  log::Warn("template copy refused", {{"cluster", worker.name().value},
                                      {"template", original.key.ToString()},
                                      {"error", ToString(error)}});
  const SteadyTime next = clock_.Steady() + kRefusedCopyPause;
  failures_.Record(worker.name(), original.key, FailureOf(original, error, next));
  loop_.AddAt(original.key, next);
}

Result<void> TemplateReconciler::Provide(Worker& worker, const tracking::Workload& workload) {
  if (settings_.mode == templates::SyncPolicy::kNever) return {};
  for (const std::string& name : workload.requirement.TemplateNames()) {
    const ObjectKey key{workload.key.ns, name};
    // As of now: the workload is not yet known to be there.
    const TemplateView look = ReadTemplate(key, worker, originals_, {true, {worker.name()}},
                                           /*leaving=*/false);
    const templates::Plan plan = templates::Decide(look.view, settings_.mode, Us());
    if (plan.step != Step::kCreate) continue;
    FEDRA_RETURN_IF_ERROR(Create(worker, *look.original));
    LogStep(plan.step, worker, key, "dispatched there: Workload " + workload.key.ToString());
  }
  return {};
}

}  // namespace fedra::reconcile
