#include "manager/reconcile/template_survey.h"

#include <map>
#include <set>
#include <utility>

namespace fedra::reconcile {
namespace {

using placement::Contact;
using templates::Step;

// Which waiting workload may bring a template to a worker: the first by name.
using Candidates = std::map<std::pair<ClusterName, ObjectKey>, ObjectKey>;

Candidates FindCandidates(ManagerCluster& manager, const Gatherer& gatherer) {
  Candidates candidates;
  for (const auto& workload : manager.workloads().cache().List()) {
    const std::vector<std::string> names = manager.Completed(workload)->requirement.TemplateNames();
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
                           ManagerCluster& manager, const Candidates& candidates) {
  std::set<ObjectKey> keys;
  for (const auto& claim_template : worker.objects().templates().cache().List()) {
    const auto original = manager.templates().Find(claim_template->key);
    if (tracking::IsOurs(templates::OwnershipOf(*claim_template, original.get(), us)))
      keys.insert(claim_template->key);
  }
  for (const auto& [place, workload] : candidates) {
    if (place.first == worker.name()) keys.insert(place.second);
  }
  for (const ObjectKey& key : manager.NamedTemplates()) {
    if (manager.UseOf(key).workers.contains(worker.name())) keys.insert(key);
  }
  return keys;
}

templates::Plan PlanFor(const ObjectKey& key, const Worker& worker, templates::SyncPolicy mode,
                        const tracking::Identity& us, ManagerCluster& manager,
                        const Candidates& candidates) {
  TemplateUse use = manager.UseOf(key);
  const TemplateView look = ReadTemplate(key, worker, manager, use);
  templates::Plan plan = templates::Decide(look.view, mode, us);
  const auto candidate = candidates.find({worker.name(), key});
  if (plan.step != Step::kNone || look.there != nullptr || candidate == candidates.end())
    return plan;
  use.workers.insert(worker.name());
  templates::Plan then = templates::Decide(ReadTemplate(key, worker, manager, use).view, mode, us);
  if (then.step == Step::kCreate)
    then.why = "when Workload " + candidate->second.ToString() + " is dispatched there";
  return then;
}

}  // namespace

std::vector<TemplateStep> SurveyTemplates(const TemplateSettings& settings, ManagerCluster& manager,
                                          const WorkerSet& workers, const Gatherer& gatherer) {
  const Candidates candidates = FindCandidates(manager, gatherer);
  const tracking::Identity us{settings.origin, manager.uid()};
  std::vector<TemplateStep> steps;
  const auto now = workers.Now();
  for (const auto& worker : *now) {
    if (worker->contact() != Contact::kFull) continue;
    for (const ObjectKey& key : KeysOn(*worker, us, manager, candidates)) {
      templates::Plan plan = PlanFor(key, *worker, settings.mode, us, manager, candidates);
      if (plan.step != Step::kNone) steps.push_back({worker->name(), key, std::move(plan)});
    }
  }
  return steps;
}

}  // namespace fedra::reconcile
