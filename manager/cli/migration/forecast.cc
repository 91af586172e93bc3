#include "manager/cli/migration/forecast.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace fedra::cli {

using placement::ClusterView;
using tracking::Ownership;

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kGoesOn:
      return "GoesOn";
    case Outcome::kEnds:
      return "Ends";
    case Outcome::kWaits:
      return "Waits";
    case Outcome::kDispatched:
      return "Dispatched";
    case Outcome::kRestarts:
      return "Restarts";
    case Outcome::kRejected:
      return "Rejected";
    case Outcome::kLeftBehind:
      return "LeftBehind";
    case Outcome::kRunsTwice:
      return "RunsTwice";
    case Outcome::kNotKnown:
      break;
  }
  return "Unknown";
}

bool IsLoss(Outcome outcome) {
  return outcome == Outcome::kRestarts || outcome == Outcome::kRejected ||
         outcome == Outcome::kLeftBehind || outcome == Outcome::kRunsTwice;
}

Forecast BeginForecast(const placement::WorkloadView& view, std::span<const ClusterView> clusters) {
  Forecast forecast;
  forecast.workload = view.key;
  forecast.workload_uid = view.workload->uid;
  forecast.kind = view.workload->owner.kind;
  forecast.job = view.workload->owner.name;
  forecast.worker = ClusterName(view.workload->cluster_name);
  for (const ClusterView& cluster : clusters) {
    if (cluster.clone == nullptr && cluster.job == nullptr) continue;
    CopySeen copy;
    copy.worker = cluster.name;
    if (cluster.clone != nullptr) {
      copy.clone_uid = cluster.clone->uid;
      copy.clone_is = cluster.clone_is;
      copy.admitted = cluster.clone->Admitted();
    }
    if (cluster.job != nullptr) {
      copy.job_uid = cluster.job->uid;
      copy.job_is = cluster.job_is;
    }
    forecast.copies.push_back(std::move(copy));
  }
  return forecast;
}

const ClusterView* FindCluster(std::span<const ClusterView> clusters, std::string_view name) {
  const auto found = std::ranges::find_if(
      clusters, [&](const ClusterView& cluster) { return cluster.name.value == name; });
  return found == clusters.end() ? nullptr : &*found;
}

std::string WhyForeign(const ClusterView& cluster, std::string_view origin) {
  const auto text = [&](std::string_view what, const tracking::CopyMarks& marks, Ownership is) {
    if (is == Ownership::kOtherManager)
      return fmt::format("the {} on {} is of another manager's fedra", what, cluster.name.value);
    if (marks.origin.empty())
      return fmt::format("the {} on {} carries no origin label: it is no copy", what,
                         cluster.name.value);
    return fmt::format("the origin of the {} on {} is {}, not {}", what, cluster.name.value,
                       marks.origin, origin);
  };
  if (cluster.clone != nullptr && !tracking::IsOurs(cluster.clone_is))
    return text("Workload", cluster.clone->marks, cluster.clone_is);
  if (cluster.job != nullptr && !tracking::IsOurs(cluster.job_is))
    return text("job", cluster.job->marks, cluster.job_is);
  return {};
}

// Without a mark or the Workload's name it is the job of a user there, who calls it so, and
// what another manager has made is its business.
bool JobRuns(const ClusterView& cluster, const tracking::Workload& workload) {
  const tracking::Job* job = cluster.job.get();
  if (cluster.clone_is == Ownership::kOtherManager || cluster.job_is == Ownership::kOtherManager)
    return false;
  return job != nullptr && !job->finished && !job->suspended && !job->deleting &&
         tracking::IsCopy(job->marks) && job->prebuilt_workload == workload.key.name;
}

std::string DeleteThere(const ClusterView& cluster, const tracking::Workload& workload) {
  return fmt::format("delete {} {}/{} on {} first", workload.owner.kind, workload.key.ns,
                     workload.owner.name, cluster.name.value);
}

void Sort(std::vector<Forecast>& forecasts) {
  const auto place = [](const Forecast& forecast) {
    const auto at = std::ranges::find(kOutcomes, forecast.outcome);
    return std::tuple(at - kOutcomes.begin(), forecast.workload);
  };
  std::ranges::sort(forecasts, {}, place);
}

}  // namespace fedra::cli
