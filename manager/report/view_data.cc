#include "manager/report/view_data.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/placement/action.h"
#include "manager/report/freshness.h"
#include "manager/tracking/manager_name.h"

namespace fedra::report {
namespace {

// The row of the manager, which is taken out of the workers'.
std::optional<store::ClusterRow> TakeManager(std::vector<store::ClusterRow>& clusters) {
  const auto found = std::find_if(
      clusters.begin(), clusters.end(),
      [](const store::ClusterRow& row) { return row.name.value == tracking::kManagerName; });
  if (found == clusters.end()) return std::nullopt;
  store::ClusterRow manager = std::move(*found);
  clusters.erase(found);
  return manager;
}

Result<Daemon> LoadDaemon(store::Reader& reader) {
  FEDRA_ASSIGN_OR_RETURN(std::optional<store::HeartbeatRow> heartbeat, reader.Heartbeat());
  return Daemon{std::move(heartbeat), reader.is_in_use()};
}

// "ml/train", or "train" where no namespace is given.
std::string NameText(const ObjectKey& name) {
  return name.ns.empty() ? name.name : name.ToString();
}

// A daemon that does not look cannot know: its silence says nothing of the job's queue.
Error NotKnown(const Daemon& daemon, const ObjectKey& name, WallTime now) {
  Error error;
  error.code = ErrorCode::kNotFound;
  if (const std::string stale = StaleText(daemon, now); !stale.empty()) {
    error.message = fmt::format("{}: no job or Workload {} was known then", stale, NameText(name));
    return error;
  }
  error.message = fmt::format(
      "no job or Workload {} is known to fedra (fedra status jobs lists what is; a job needs a "
      "queue that exists and whose ClusterQueue has fedra's AdmissionCheck: kubectl describe "
      "workloads {} shows what Kueue says)",
      NameText(name), name.ns.empty() ? "-A" : "-n " + name.ns);
  return error;
}

// The rows of the one namespace that is meant: the only one, or the only one with living ones.
Result<std::vector<store::WorkloadRow>> OfOneNamespace(std::vector<store::WorkloadRow> rows) {
  std::set<std::string> living;
  std::set<std::string> all;
  for (const store::WorkloadRow& row : rows) {
    all.insert(row.job.ns);
    if (!row.removed_at) living.insert(row.job.ns);
  }
  const std::set<std::string>& candidates = living.empty() ? all : living;
  if (candidates.size() > 1) {
    std::vector<std::string> names;
    for (const std::string& ns : candidates) names.push_back(ns + "/" + rows.front().job.name);
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is in several namespaces: choose one of {}", rows.front().job.name,
                            fmt::join(names, ", ")));
  }
  std::erase_if(rows, [&](const auto& row) { return !candidates.contains(row.job.ns); });
  return rows;
}

// The words that kubectl users write before a name.
bool IsKind(std::string_view word) {
  constexpr std::array<std::string_view, 10> kWords = {"job",
                                                       "jobs",
                                                       "job.batch",
                                                       "jobs.batch",
                                                       "workload",
                                                       "workloads",
                                                       "wl",
                                                       "workload.kueue.x-k8s.io",
                                                       "workloads.kueue.x-k8s.io",
                                                       "jobs.v1.batch"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// A Workload that was dispatched or deleted meanwhile is left out.
Result<std::map<std::string, FirstJob>> LoadFirst(store::Reader& reader,
                                                  const std::vector<store::PlaceRow>& places) {
  std::map<std::string, FirstJob> all;
  for (const store::PlaceRow& place : places) {
    const size_t slash = place.first.find('/');
    if (slash == std::string::npos || all.contains(place.first)) continue;
    const ObjectKey key{place.first.substr(0, slash), place.first.substr(slash + 1)};
    FEDRA_ASSIGN_OR_RETURN(std::vector<store::WorkloadRow> rows, reader.FindWorkloads(key));
    std::erase_if(rows, [&](const auto& row) { return row.key != key || row.removed_at; });
    if (rows.empty()) continue;
    FEDRA_ASSIGN_OR_RETURN(const auto its_places, reader.Places(rows.front().uid));
    FirstJob& first = all[place.first];
    for (const store::PlaceRow& its : its_places) {
      first.dispatch_order = its.dispatch_order;
      if (its.is_kept) first.kept = its.cluster;
    }
    first.row = std::move(rows.front());
  }
  return all;
}

}  // namespace

Incarnations Current(const WorkloadData& data) {
  Incarnations current;
  for (const WorkloadData::Incarnation& incarnation : data.incarnations) {
    if (!incarnation.row.removed_at || current.empty()) current.push_back(&incarnation);
  }
  return current;
}

Incarnations Chronological(const WorkloadData& data) {
  Incarnations all;
  for (const WorkloadData::Incarnation& incarnation : data.incarnations)
    all.push_back(&incarnation);
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::pair(a->row.created_at, a->row.uid) < std::pair(b->row.created_at, b->row.uid);
  });
  return all;
}

Result<StatusData> LoadStatus(store::Reader& reader) {
  StatusData data;
  FEDRA_ASSIGN_OR_RETURN(data.daemon, LoadDaemon(reader));
  FEDRA_ASSIGN_OR_RETURN(data.clusters, reader.Clusters());
  data.manager = TakeManager(data.clusters);
  FEDRA_ASSIGN_OR_RETURN(data.workloads, reader.Workloads());
  FEDRA_ASSIGN_OR_RETURN(
      data.verdicts,
      reader.VerdictsOfState(std::string(placement::ToString(placement::Phase::kBlocked))));
  FEDRA_ASSIGN_OR_RETURN(data.places, reader.Places({}));
  FEDRA_ASSIGN_OR_RETURN(data.residues, reader.Residues());
  FEDRA_ASSIGN_OR_RETURN(data.attempts, reader.LastAttempts());
  return data;
}

Result<WorkloadData> LoadWorkload(store::Reader& reader, const std::vector<ObjectKey>& names,
                                  WallTime now) {
  WorkloadData data;
  FEDRA_ASSIGN_OR_RETURN(data.daemon, LoadDaemon(reader));
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::ClusterRow> clusters, reader.Clusters());
  data.manager = TakeManager(clusters);
  data.configured_workers = clusters.size();
  std::vector<store::WorkloadRow> rows;
  for (const ObjectKey& name : names) {
    FEDRA_ASSIGN_OR_RETURN(rows, reader.FindWorkloads(name));
    if (!rows.empty()) break;
  }
  if (rows.empty()) return Fail(NotKnown(data.daemon, names.back(), now));
  FEDRA_ASSIGN_OR_RETURN(rows, OfOneNamespace(std::move(rows)));
  for (store::WorkloadRow& row : rows) {
    WorkloadData::Incarnation incarnation;
    FEDRA_ASSIGN_OR_RETURN(incarnation.verdicts, reader.Verdicts(row.uid));
    FEDRA_ASSIGN_OR_RETURN(incarnation.places, reader.Places(row.uid));
    FEDRA_ASSIGN_OR_RETURN(incarnation.first, LoadFirst(reader, incarnation.places));
    FEDRA_ASSIGN_OR_RETURN(incarnation.attempts, reader.Attempts(row.uid));
    FEDRA_ASSIGN_OR_RETURN(incarnation.events, reader.Events(row.uid));
    FEDRA_ASSIGN_OR_RETURN(incarnation.failures, reader.Failures(row.uid));
    incarnation.row = std::move(row);
    data.incarnations.push_back(std::move(incarnation));
  }
  return data;
}

Result<std::vector<ObjectKey>> ParseWorkloadName(const std::string& text, const std::string& ns) {
  const size_t slash = text.find('/');
  const std::string before = slash == std::string::npos ? "" : text.substr(0, slash);
  const std::string rest = slash == std::string::npos ? text : text.substr(slash + 1);
  std::vector<ObjectKey> names;
  if (rest.find('/') == std::string::npos) {
    if (slash == std::string::npos) {
      names = {{ns, rest}};
    } else if (!before.empty()) {
      names = {{before, rest}};
      if (IsKind(before)) names.push_back({ns, rest});  // a namespace may be called "job", too
    }
  } else if (const size_t second = rest.find('/'); IsKind(before) && second > 0) {
    names = {{rest.substr(0, second), rest.substr(second + 1)}};
  }
  const bool well_formed =
      !names.empty() && std::all_of(names.begin(), names.end(), [](const ObjectKey& name) {
        return !name.name.empty() && name.name.find('/') == std::string::npos;
      });
  if (well_formed) return names;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" does not name a job: write NAMESPACE/NAME, or NAME", text));
}

}  // namespace fedra::report
