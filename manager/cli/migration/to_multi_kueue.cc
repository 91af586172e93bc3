#include "manager/cli/migration/to_multi_kueue.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/tracking/kueue_api.h"

namespace fedra::cli {
namespace {

using placement::ClusterView;
using placement::Contact;
using tracking::CheckState;

struct TakeBack {
  const placement::WorkloadView& view;
  std::span<const ClusterView> clusters;
  std::string_view config_problem;
  std::string_view origin;

  const tracking::Workload& workload() const { return *view.workload; }
};

// Whether MultiKueue sees the worker at all: the check's MultiKueueConfig names it, it has a
// MultiKueueCluster, and it answers.
bool IsSeen(const ClusterView& cluster) {
  return cluster.allowed && cluster.kueue_connected && cluster.contact == Contact::kFull;
}

// Where it runs on and MultiKueue does nothing about it: it does not see the worker, or takes the
// copy for another's, beside the one that `forecast` is about. Null: nowhere.
const ClusterView* RunsUnseen(const TakeBack& look, const Forecast& forecast) {
  for (const ClusterView& cluster : look.clusters) {
    const bool is_stray = !tracking::IsOurs(cluster.job_is) && cluster.name != forecast.worker;
    if (JobRuns(cluster, look.workload()) && (!IsSeen(cluster) || is_stray)) return &cluster;
  }
  return nullptr;
}

// "the MultiKueueCluster east is missing, or not Active"
std::string WhyUnseen(const TakeBack& look, const ClusterView& cluster) {
  const std::string& name = cluster.name.value;
  if (!cluster.allowed)
    return fmt::format("the MultiKueueConfig of check {} does not name {}", look.view.check, name);
  if (!cluster.kueue_connected)
    return fmt::format("the MultiKueueCluster {} is missing, or not Active", name);
  if (cluster.contact != Contact::kFull)
    return fmt::format("{} cannot be read: {}", name, cluster.lost_why);
  return WhyForeign(cluster, look.origin);
}

// What MultiKueue cannot run by itself, or would start on the manager, too, once its check is
// Ready. True: said so.
bool IsOfHeldKind(const TakeBack& look, Forecast& forecast) {
  // MultiKueue has all that is made of pods, and keeps Kueue from starting it here.
  if (!look.view.holds_check || tracking::IsMadeOfPods(look.workload())) return false;
  const std::string& kind = look.workload().owner.kind;
  const bool runs = std::ranges::any_of(
      look.clusters, [&](const ClusterView& cluster) { return JobRuns(cluster, look.workload()); });
  // Of the kinds that fedra holds by their check it has an adapter for this one alone.
  if (runs && tracking::KindName(look.workload().owner) == "JAXJob.kubeflow.org") {
    forecast.Become(
        Outcome::kRunsTwice,
        "it runs on there, and MultiKueue makes its check Ready: Kueue then starts it on "
        "the manager as well, where training-operator runs it. Let it end first");
  } else if (runs) {
    forecast.Become(Outcome::kLeftBehind,
                    fmt::format("MultiKueue rejects jobs of kind {}: it runs on there, and the "
                                "manager never hears of its end. Let it end first",
                                kind));
  } else {
    forecast.Become(Outcome::kRejected, fmt::format("MultiKueue runs no jobs of kind {}", kind));
  }
  return true;
}

void RemoveSeen(const ClusterView* kept, const TakeBack& look, Forecast& forecast) {
  for (CopySeen& copy : forecast.copies) {
    const ClusterView* cluster = FindCluster(look.clusters, copy.worker.value);
    copy.removed = cluster != nullptr && cluster != kept && IsSeen(*cluster);
  }
}

// The first copy that was admitted is the winner.
const ClusterView* FirstAdmitted(const TakeBack& look) {
  const ClusterView* winner = nullptr;
  for (const ClusterView& cluster : look.clusters) {
    if (!IsSeen(cluster) || cluster.clone == nullptr || !cluster.clone->Admitted()) continue;
    if (winner == nullptr || cluster.clone->admitted->since < winner->clone->admitted->since)
      winner = &cluster;
  }
  return winner;
}

// What ended on a worker ends the workload, but for a copy that does not match its job.
bool IsOfEnded(const TakeBack& look, bool is_ready, Forecast& forecast) {
  for (const ClusterView& cluster : look.clusters) {
    if (!IsSeen(cluster) || cluster.clone == nullptr || !cluster.clone->Finished()) continue;
    forecast.worker = cluster.name;
    if (cluster.clone->finished->reason != tracking::kOutOfSync) {
      forecast.Become(Outcome::kEnds, {});
    } else if (is_ready) {
      forecast.Become(
          Outcome::kDispatched,
          fmt::format("its copy on {} does not match its job there", cluster.name.value));
    } else {
      forecast.Become(
          Outcome::kLeftBehind,
          fmt::format(
              "its copy on {0} has ended as OutOfSync, and MultiKueue stops at that: delete "
              "Workload {1} on {0}",
              cluster.name.value, look.view.key.ToString()));
    }
    return true;
  }
  return false;
}

void OfWinner(const TakeBack& look, const ClusterView& winner, Forecast& forecast) {
  forecast.worker = winner.name;
  const std::string& recorded = look.workload().cluster_name;
  if (!recorded.empty() && recorded != winner.name.value) {
    return forecast.Become(
        Outcome::kLeftBehind,
        fmt::format("the manager says that {} has it, and {} has admitted a copy first: "
                    "MultiKueue stops at that",
                    recorded, winner.name.value));
  }
  if (winner.job != nullptr && !tracking::IsOurs(winner.job_is))
    return forecast.Become(Outcome::kLeftBehind, WhyForeign(winner, look.origin));
  RemoveSeen(&winner, look, forecast);
  forecast.Become(Outcome::kGoesOn, {});
}

// Ready, and no worker that MultiKueue sees has admitted it.
void OfLost(const TakeBack& look, Forecast& forecast) {
  const std::string& name = look.workload().cluster_name;
  const ClusterView* cluster = FindCluster(look.clusters, name);
  if (cluster == nullptr || !cluster->allowed) {
    return forecast.Become(
        Outcome::kLeftBehind,
        fmt::format("the MultiKueueConfig of check {} does not name {}: what is there would "
                    "be left",
                    look.view.check, name));
  }
  if (!cluster->kueue_connected) {
    return forecast.Become(Outcome::kLeftBehind,
                           fmt::format("the MultiKueueCluster {} is missing, or not Active", name));
  }
  if (cluster->contact != Contact::kFull) {
    return forecast.Become(Outcome::kNotKnown,
                           fmt::format("{} cannot be read: {}", name, cluster->lost_why));
  }
  forecast.Become(Outcome::kDispatched, fmt::format("no copy of it on {} is admitted", name));
}

void OfPending(const TakeBack& look, Forecast& forecast) {
  for (const ClusterView& cluster : look.clusters) {
    if (cluster.clone == nullptr) continue;
    forecast.worker = cluster.name;
    if (!cluster.allowed) {
      return forecast.Become(
          Outcome::kLeftBehind,
          fmt::format("the MultiKueueConfig of check {} does not name {}, which has a copy",
                      look.view.check, cluster.name.value));
    }
    return forecast.Become(
        Outcome::kWaits,
        fmt::format("its copy on {} stays as long as MultiKueue's dispatcher nominates {}",
                    cluster.name.value, cluster.name.value));
  }
  for (const tracking::AdmissionCheckState& check : look.workload().checks) {
    if (check.name != look.view.check && check.state != CheckState::kReady)
      return forecast.Become(Outcome::kWaits,
                             fmt::format("it waits for the admission check {}", check.name));
  }
  forecast.Become(Outcome::kDispatched,
                  "MultiKueue's dispatcher nominates workers, whatever they lack");
}

void JudgeTakeBack(const TakeBack& look, Forecast& forecast) {
  const tracking::Workload& workload = look.workload();
  const tracking::AdmissionCheckState& check = *workload.Check(look.view.check);
  if (check.state == CheckState::kRejected)
    return forecast.Become(Outcome::kWaits, "its check is Rejected, and stays so");
  if (workload.owner.kind.empty())
    return forecast.Become(Outcome::kRejected, "nothing owns it: MultiKueue rejects it");
  if (look.view.job != nullptr && look.view.job->managed_by != tracking::kManagedBy) {
    return forecast.Become(
        Outcome::kRejected,
        fmt::format("its job's managedBy is \"{}\", not \"{}\": MultiKueue rejects it",
                    look.view.job->managed_by, tracking::kManagedBy));
  }
  if (!look.config_problem.empty()) {
    return forecast.Become(Outcome::kLeftBehind,
                           fmt::format("check {} is of no use to MultiKueue: {}", look.view.check,
                                       look.config_problem));
  }
  if (IsOfHeldKind(look, forecast)) return;
  if (!workload.QuotaReserved() || workload.Evicted()) {
    RemoveSeen(nullptr, look, forecast);
    forecast.worker = {};
    return forecast.Become(Outcome::kWaits, "it waits for quota on the manager");
  }
  const bool is_ready = check.state == CheckState::kReady;
  if (IsOfEnded(look, is_ready, forecast)) return;
  const ClusterView* winner = FirstAdmitted(look);
  if (winner != nullptr && winner->clone->Evicted() && is_ready) {
    return forecast.Become(Outcome::kDispatched,
                           fmt::format("it was evicted on {}", winner->name.value));
  }
  if (winner != nullptr) return OfWinner(look, *winner, forecast);
  if (is_ready) return OfLost(look, forecast);
  OfPending(look, forecast);
}

// Where MultiKueue leaves the job alone altogether, nothing begins elsewhere.
bool MayBegin(const TakeBack& look, const Forecast& forecast) {
  const tracking::AdmissionCheckState& check = *look.workload().Check(look.view.check);
  return look.config_problem.empty() && check.state != CheckState::kRejected &&
         forecast.outcome != Outcome::kRejected && forecast.outcome != Outcome::kEnds;
}

// Behind a worker that it does not see MultiKueue evicts the job at once, or when workerLostTimeout
// is over, and dispatches it anew.
void OfUnseen(const TakeBack& look, Forecast& forecast) {
  const ClusterView* unseen = RunsUnseen(look, forecast);
  if (unseen == nullptr || !MayBegin(look, forecast)) return;
  if (forecast.outcome == Outcome::kRunsTwice) return;
  const bool is_known = unseen->contact == Contact::kFull;
  forecast.worker = unseen->name;
  if (!is_known) return forecast.Become(Outcome::kNotKnown, WhyUnseen(look, *unseen));
  const bool may_mend = !unseen->allowed || !unseen->kueue_connected;
  forecast.Become(Outcome::kRunsTwice,
                  fmt::format("{}: it runs on there, and runs elsewhere as well; {}{}",
                              WhyUnseen(look, *unseen), may_mend ? "mend that, or " : "",
                              DeleteThere(*unseen, look.workload())));
}

}  // namespace

Forecast ForecastToMultiKueue(const placement::WorkloadView& view,
                              std::span<const ClusterView> clusters,
                              std::string_view config_problem, std::string_view origin) {
  Forecast forecast = BeginForecast(view, clusters);
  const TakeBack look{view, clusters, config_problem, origin};
  JudgeTakeBack(look, forecast);
  OfUnseen(look, forecast);
  return forecast;
}

}  // namespace fedra::cli
