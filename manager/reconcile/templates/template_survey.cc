#include "manager/reconcile/templates/template_survey.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "manager/verify/difference.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;
using templates::Step;

// For each template the first workload by name that waits and would use it on the worker.
using FirstUsers = std::map<ObjectKey, ObjectKey>;

void NoteFirst(FirstUsers& users, const ObjectKey& key, const ObjectKey& workload) {
  const auto [at, fresh] = users.try_emplace(key, workload);
  if (!fresh) at->second = std::min(at->second, workload);
}

// Workloads that wait for the same check may use the same workers: these are gone through once for
// each template, not for each workload.
std::map<ClusterName, FirstUsers> FindFirstUsers(const ManagerJobs& jobs,
                                                 const Gatherer& gatherer) {
  std::map<std::string, FirstUsers> by_check;
  for (const auto& workload : jobs.workloads().cache().List()) {
    const std::string check = gatherer.WaitingCheckOf(*workload);
    if (check.empty()) continue;
    for (const std::string& name : jobs.Completed(workload)->requirement.TemplateNames())
      NoteFirst(by_check[check], {workload->key.ns, name}, workload->key);
  }
  std::map<ClusterName, FirstUsers> by_worker;
  for (const auto& [check, users] : by_check) {
    for (const auto& worker : gatherer.WorkersOf(check)) {
      for (const auto& [key, workload] : users) NoteFirst(by_worker[worker->name()], key, workload);
    }
  }
  return by_worker;
}

std::set<ObjectKey> KeysOn(const Worker& worker, const tracking::Identity& us,
                           const ManagerTemplates& originals, const FirstUsers& users) {
  std::set<ObjectKey> keys;
  for (const auto& copy : OurTemplateCopies(worker, originals, us)) keys.insert(copy->key);
  for (const auto& [key, workload] : users) keys.insert(key);
  for (const ObjectKey& key : originals.Named()) {
    if (originals.UseOf(key).workers.contains(worker.name())) keys.insert(key);
  }
  return keys;
}

templates::TemplateStep StepFor(const ObjectKey& key, const Worker& worker,
                                templates::SyncPolicy mode, const tracking::Identity& us,
                                const ManagerTemplates& originals, const FirstUsers& users,
                                bool leaving) {
  TemplateUse use = originals.UseOf(key);
  const TemplateView look = ReadTemplate(key, worker, originals, use, leaving);
  templates::TemplateStep step{worker.name(), key, templates::Decide(look.view, mode, us)};
  const auto user = users.find(key);
  if (step.plan.step != Step::kNone || look.there != nullptr || user == users.end()) return step;
  use.workers.insert(worker.name());
  step.plan = templates::Decide(ReadTemplate(key, worker, originals, use, leaving).view, mode, us);
  if (step.plan.step == Step::kCreate) {
    step.awaits = user->second;
    step.plan.why = templates::WhenDispatched(step.awaits);
  }
  return step;
}

std::string ProblemOf(ManagerCluster& manager) {
  const ConnectionState state = manager.cluster().state();
  if (state.phase != ConnectionPhase::kConnected)
    return "the manager: " + (state.why ? state.why->message : std::string("no answer yet"));
  if (!manager.lists().AreListed()) return "the manager: " + manager.lists().Problem();
  const watch::CacheHealth templates = manager.templates().cache().health();
  if (templates.complete && !templates.error) return {};
  return "the manager's ResourceClaimTemplates: " +
         (templates.error ? templates.error->message : std::string("not listed yet"));
}

std::vector<templates::TemplateStep> StepsOn(const Worker& worker, const TemplateSettings& complete,
                                             const ManagerTemplates& originals,
                                             const FirstUsers& users, bool leaving) {
  const auto& [mode, us] = complete;
  std::vector<templates::TemplateStep> steps;
  for (const ObjectKey& key : KeysOn(worker, us, originals, users)) {
    templates::TemplateStep step = StepFor(key, worker, mode, us, originals, users, leaving);
    if (step.plan.step != Step::kNone) steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<templates::TemplateLeftAlone> LeftAloneOn(const Worker& worker,
                                                      const TemplateSettings& complete,
                                                      const ManagerTemplates& originals) {
  std::vector<templates::TemplateLeftAlone> left;
  if (complete.mode != templates::SyncPolicy::kReconcile) return left;
  for (const auto& original : originals.cache().List()) {
    const auto there = worker.objects().templates().cache().Find(original->key);
    if (there == nullptr || IsOurs(templates::OwnershipOf(*there, original.get(), complete.us)))
      continue;
    if (there->spec == original->spec) continue;
    left.push_back(
        {worker.name(), original->key, verify::TemplateDifference(there->spec, original->spec)});
  }
  return left;
}

templates::UnreadTemplates UnreadOf(const Worker& worker, const WorkerStatus& status) {
  const bool silent =
      status.connection.phase == ConnectionPhase::kConnecting && !status.connection.why;
  return {worker.name(), silent ? "no answer yet" : status.problem};
}

}  // namespace

templates::TemplateSurvey SurveyTemplates(const TemplateSettings& settings, ManagerCluster& manager,
                                          const WorkerSet& workers, const Gatherer& gatherer) {
  templates::TemplateSurvey survey{.mode = settings.mode, .problem = ProblemOf(manager)};
  if (!survey.problem.empty()) return survey;
  std::map<ClusterName, FirstUsers> users = FindFirstUsers(manager.jobs(), gatherer);
  const TemplateSettings complete{settings.mode, manager.identity().Complete(settings.us)};
  const auto now = workers.Now();
  for (const auto& worker : *now) {
    const WorkerStatus status = worker->Status();
    if (status.contact != Contact::kFull) {
      survey.unread.push_back(UnreadOf(*worker, status));
      continue;
    }
    const bool leaving = now->removed().contains(worker->name());
    std::ranges::move(
        StepsOn(*worker, complete, manager.templates(), users[worker->name()], leaving),
        std::back_inserter(survey.steps));
    std::ranges::move(LeftAloneOn(*worker, complete, manager.templates()),
                      std::back_inserter(survey.left_alone));
  }
  return survey;
}

}  // namespace fedra::reconcile
