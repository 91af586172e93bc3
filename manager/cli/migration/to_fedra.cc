#include "manager/cli/migration/to_fedra.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/decide.h"

namespace fedra::cli {
namespace {

using placement::ClusterView;
using placement::Decision;
using tracking::CheckState;

// What is asked once for each workload.
struct TakeOver {
  const placement::WorkloadView& view;
  std::span<const ClusterView> clusters;
  std::string_view origin;
  const Decision& decision;
};

template <class T>
const T* FindAction(const Decision& decision) {
  for (const placement::Action& action : decision.actions)
    if (const T* found = std::get_if<T>(&action); found != nullptr) return found;
  return nullptr;
}

bool RunsAdmitted(const ClusterView* cluster) {
  const bool is_admitted = cluster != nullptr && cluster->clone != nullptr &&
                           cluster->clone->Admitted() && !cluster->clone->Evicted();
  return is_admitted && cluster->job != nullptr && !cluster->job->finished &&
         !cluster->job->suspended;
}

// That Kueue does not start pods here that it has admitted is its MultiKueue's doing (startJob in
// pkg/controller/jobframework/reconciler.go of 0.19.2), which is switched off. fedra's are not
// admitted here.
bool StartsHereToo(const tracking::Workload& workload) {
  return workload.Admitted() && tracking::IsMadeOfPods(workload);
}

void OfStartedHere(const tracking::Workload& workload, Forecast& forecast) {
  forecast.Become(
      Outcome::kRunsTwice,
      fmt::format(
          "it runs on there, and without its MultiKueue Kueue starts jobs of kind {} on the "
          "manager as well: let it end, or delete it, before the switch",
          workload.owner.kind));
}

bool JobHasEnded(const ClusterView* cluster) {
  return cluster != nullptr && ((cluster->job != nullptr && cluster->job->finished) ||
                                (cluster->clone != nullptr && cluster->clone->Finished()));
}

void NoteRemoved(const Decision& decision, Forecast& forecast) {
  for (const placement::Action& action : decision.actions) {
    const auto* removal = std::get_if<placement::DeleteRemote>(&action);
    if (removal == nullptr) continue;
    for (CopySeen& copy : forecast.copies) copy.removed |= copy.worker == removal->cluster;
  }
}

// A kind that MultiKueue runs and fedra does not: what runs is left alone, and what waits is
// rejected in its turn.
void OfOtherKind(const TakeOver& look, Forecast& forecast) {
  const tracking::Workload& workload = *look.view.workload;
  const std::string kind = workload.owner.kind.empty() ? "a Workload without a job"
                                                       : "jobs of kind " + workload.owner.kind;
  if (workload.cluster_name.empty()) {
    return forecast.Become(Outcome::kRejected,
                           fmt::format("fedra does not run {}: it would be rejected", kind));
  }
  if (StartsHereToo(workload)) return OfStartedHere(workload, forecast);
  forecast.Become(
      Outcome::kLeftBehind,
      fmt::format("fedra does not run {}: it runs on there, and the manager never hears of its end",
                  kind));
}

// The job has, or may have, pods on a worker of which fedra takes nothing over.
void LeaveThere(const TakeOver& look, const std::string& name, bool runs, std::string why,
                std::string_view what_to_do, Forecast& forecast) {
  // Only what has been placed there has more than a Workload.
  if (!runs || look.view.workload->cluster_name != name)
    return forecast.Become(Outcome::kLeftBehind, std::move(why));
  forecast.Become(
      Outcome::kRunsTwice,
      fmt::format("{}; it runs on there, and begins again elsewhere: {}", why, what_to_do));
}

// A worker that has it, or is to have it, and that fedra cannot take it over from. True: said so.
bool IsOutOfHand(const TakeOver& look, const std::string& name, Forecast& forecast) {
  const ClusterView* cluster = FindCluster(look.clusters, name);
  forecast.worker = ClusterName(name);
  if (cluster == nullptr) {
    LeaveThere(look, name, /*runs=*/true, fmt::format("{} is no worker of fedra's", name),
               "make it one, or delete the job there", forecast);
    return true;
  }
  if (cluster->contact != placement::Contact::kFull) {
    forecast.Become(cluster->fault_is_ours ? Outcome::kLeftBehind : Outcome::kNotKnown,
                    fmt::format("{} cannot be read: {}", name, cluster->lost_why));
    return true;
  }
  const std::string why = WhyForeign(*cluster, look.origin);
  if (why.empty()) return false;
  LeaveThere(look, name, JobRuns(*cluster, *look.view.workload), why,
             DeleteThere(*cluster, *look.view.workload), forecast);
  return true;
}

// A copy that runs beside what becomes of the workload, because fedra takes it for another's.
void OfStray(const TakeOver& look, Forecast& forecast) {
  if (forecast.outcome == Outcome::kRunsTwice) return;
  for (const ClusterView& cluster : look.clusters) {
    const std::string why = WhyForeign(cluster, look.origin);
    if (why.empty() || cluster.name == forecast.worker || !JobRuns(cluster, *look.view.workload))
      continue;
    forecast.Become(Outcome::kRunsTwice, fmt::format("{}; it runs on there: {}", why,
                                                     DeleteThere(cluster, *look.view.workload)));
    return;
  }
}

// The workload is given back to Kueue, which evicts it.
void OfTakenBack(const TakeOver& look, Forecast& forecast) {
  const std::string& name = look.view.workload->cluster_name;
  forecast.Become(
      RunsAdmitted(FindCluster(look.clusters, name)) ? Outcome::kRestarts : Outcome::kDispatched,
      look.decision.why);
}

void OfReady(const TakeOver& look, Forecast& forecast) {
  if (JobHasEnded(FindCluster(look.clusters, look.view.workload->cluster_name)))
    return forecast.Become(Outcome::kEnds, {});
  if (look.view.job == nullptr) {
    return forecast.Become(Outcome::kNotKnown,
                           "its job is not on the manager, or may not be read there");
  }
  const auto removed = std::ranges::find_if(forecast.copies, &CopySeen::removed);
  forecast.Become(Outcome::kGoesOn,
                  removed == forecast.copies.end()
                      ? std::string()
                      : fmt::format("its second copy on {} is removed", removed->worker.value));
}

void OfWaiting(const TakeOver& look, Forecast& forecast) {
  const Decision& decision = look.decision;
  if (const auto* admit = FindAction<placement::Admit>(decision); admit != nullptr) {
    forecast.worker = admit->cluster;
    return forecast.Become(JobHasEnded(FindCluster(look.clusters, admit->cluster.value))
                               ? Outcome::kEnds
                               : Outcome::kGoesOn,
                           decision.why);
  }
  if (const auto* mirror = FindAction<placement::MirrorStatus>(decision); mirror != nullptr) {
    forecast.worker = mirror->cluster;
    return forecast.Become(Outcome::kEnds, {});
  }
  for (const CopySeen& copy : forecast.copies) {
    if (copy.removed || !tracking::IsOurs(copy.clone_is)) continue;
    forecast.worker = copy.worker;
    return forecast.Become(Outcome::kWaits, decision.why);
  }
  const std::set<ClusterName> chosen = placement::NominatedBy(decision);
  const bool removes = std::ranges::any_of(forecast.copies, &CopySeen::removed);
  forecast.worker = chosen.empty() ? ClusterName() : *chosen.begin();
  forecast.Become(chosen.empty() && !removes ? Outcome::kWaits : Outcome::kDispatched,
                  decision.why);
}

void JudgeTakeOver(const TakeOver& look, Forecast& forecast) {
  const tracking::Workload& workload = *look.view.workload;
  if (!look.view.kind_supported) return OfOtherKind(look, forecast);
  if (StartsHereToo(workload)) return OfStartedHere(workload, forecast);
  for (const ClusterName& name : workload.PlacedOn())
    if (IsOutOfHand(look, name.value, forecast)) return;
  forecast.worker = ClusterName(workload.cluster_name);
  const auto* written = FindAction<placement::SetCheck>(look.decision);
  if (written != nullptr && written->state == CheckState::kRejected)
    return forecast.Become(Outcome::kRejected, look.decision.why);
  if (written != nullptr && written->state == CheckState::kRetry)
    return OfTakenBack(look, forecast);
  const tracking::AdmissionCheckState* check = workload.Check(look.view.check);
  const bool holds = workload.QuotaReserved() && !workload.Evicted();
  if (holds && check != nullptr && check->state == CheckState::kReady)
    return OfReady(look, forecast);
  OfWaiting(look, forecast);
}

}  // namespace

Forecast ForecastToFedra(const placement::WorkloadView& view, std::span<const ClusterView> clusters,
                         const placement::Policy& policy, std::string_view origin, WallTime now) {
  // As at the daemon's first start: nothing is remembered.
  const Decision decision = placement::Decide(view, clusters, {}, policy, now);
  Forecast forecast = BeginForecast(view, clusters);
  NoteRemoved(decision, forecast);
  const TakeOver look{view, clusters, origin, decision};
  JudgeTakeOver(look, forecast);
  OfStray(look, forecast);
  return forecast;
}

}  // namespace fedra::cli
