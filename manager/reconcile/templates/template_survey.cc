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

// Which waiting workload may bring a template to a worker: the first by name.
using Candidates = std::map<std::pair<ClusterName, ObjectKey>, ObjectKey>;

Candidates FindCandidates(const ManagerJobs& jobs, const Gatherer& gatherer) {
  Candidates candidates;
  for (const auto& workload : jobs.workloads().cache().List()) {
    const std::vector<std::string> names = jobs.Completed(workload)->requirement.TemplateNames();
    if (names.empty()) continue;
    for (const auto& worker : gatherer.WorkersFor(*workload)) {
      for (const std::string& name : names) {
        const auto [at, fresh] = candidates.try_emplace(
            {worker->name(), ObjectKey{workload->key.ns, name}}, workload->key);
        if (!fresh) at->second = std::min(at->second, workload->key);
      }
    }
  }
  return candidates;
}

std::set<ObjectKey> KeysOn(const Worker& worker, const tracking::Identity& us,
                           const ManagerTemplates& originals, const Candidates& candidates) {
  std::set<ObjectKey> keys;
  for (const auto& copy : OurTemplateCopies(worker, originals, us)) keys.insert(copy->key);
  for (const auto& [place, workload] : candidates) {
    if (place.first == worker.name()) keys.insert(place.second);
  }
  for (const ObjectKey& key : originals.Named()) {
    if (originals.UseOf(key).workers.contains(worker.name())) keys.insert(key);
  }
  return keys;
}

templates::TemplateStep StepFor(const ObjectKey& key, const Worker& worker,
                                templates::SyncPolicy mode, const tracking::Identity& us,
                                const ManagerTemplates& originals, const Candidates& candidates,
                                bool leaving) {
  TemplateUse use = originals.UseOf(key);
  const TemplateView look = ReadTemplate(key, worker, originals, use, leaving);
  templates::TemplateStep step{worker.name(), key, templates::Decide(look.view, mode, us)};
  const auto candidate = candidates.find({worker.name(), key});
  if (step.plan.step != Step::kNone || look.there != nullptr || candidate == candidates.end())
    return step;
  use.workers.insert(worker.name());
  step.plan = templates::Decide(ReadTemplate(key, worker, originals, use, leaving).view, mode, us);
  if (step.plan.step == Step::kCreate) {
    step.awaits = candidate->second;
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
                                             const Candidates& candidates, bool leaving) {
  const auto& [mode, us] = complete;
  std::vector<templates::TemplateStep> steps;
  for (const ObjectKey& key : KeysOn(worker, us, originals, candidates)) {
    templates::TemplateStep step = StepFor(key, worker, mode, us, originals, candidates, leaving);
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
  const Candidates candidates = FindCandidates(manager.jobs(), gatherer);
  const TemplateSettings complete{settings.mode, manager.identity().Complete(settings.us)};
  const auto now = workers.Now();
  for (const auto& worker : *now) {
    const WorkerStatus status = worker->Status();
    if (status.contact != Contact::kFull) {
      survey.unread.push_back(UnreadOf(*worker, status));
      continue;
    }
    const bool leaving = now->removed().contains(worker->name());
    std::ranges::move(StepsOn(*worker, complete, manager.templates(), candidates, leaving),
                      std::back_inserter(survey.steps));
    std::ranges::move(LeftAloneOn(*worker, complete, manager.templates()),
                      std::back_inserter(survey.left_alone));
  }
  return survey;
}

}  // namespace fedra::reconcile
