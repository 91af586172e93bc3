#include "manager/report/status_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/time.h"
#include "config/names.h"
#include "manager/placement/action.h"
#include "manager/report/freshness.h"
#include "manager/report/job_name.h"
#include "manager/report/row_states.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/manager_name.h"

namespace fedra::report {
namespace {

// "ml/train", or "train" where no namespace is given.
std::string NameText(const ObjectKey& name) {
  return name.ns.empty() ? name.name : name.ToString();
}

// "; did you mean ml/gang8?", of the jobs that there are.
std::string NamesAlike(store::Reader& reader, const ObjectKey& name) {
  const Result<std::vector<ObjectKey>> jobs = reader.JobNames();
  if (!jobs) return {};
  std::vector<std::string> known;
  for (const ObjectKey& job : *jobs) known.push_back(name.ns.empty() ? job.name : job.ToString());
  const std::string closest = config::ClosestName(NameText(name), known);
  return closest.empty() ? std::string() : fmt::format("; did you mean {}?", closest);
}

// A daemon that does not look, or cannot, does not know: its silence says nothing of the job's
// queue.
Error NotKnown(store::Reader& reader, const Daemon& daemon,
               const std::optional<store::ClusterRow>& manager, const ObjectKey& name,
               WallTime now) {
  Error error;
  error.code = ErrorCode::kNotFound;
  if (const std::string stale = StaleText(daemon, now); !stale.empty()) {
    error.message = fmt::format("{}: no job or Workload {} was known then", stale, NameText(name));
    return error;
  }
  if (manager && IsOutOfContact(*manager)) {
    error.message = fmt::format(
        "the manager has been {} for {}{}: jobs submitted since are not seen; no job or Workload "
        "{} was known before that",
        manager->phase, FormatAge(now - manager->phase_since),
        manager->why.empty() ? "" : " (" + manager->why + ")", NameText(name));
    return error;
  }
  error.message = fmt::format(
      "no job or Workload {} is known to fedra (fedra status jobs lists what is; a job needs a "
      "queue that exists and whose ClusterQueue has fedra's AdmissionCheck: kubectl describe "
      "workloads {} shows what Kueue says){}",
      NameText(name), name.ns.empty() ? "-A" : "-n " + name.ns, NamesAlike(reader, name));
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

// Without a namespace "NAME/train" means a namespace unless NAME is known as a kind.
bool IsBuiltInKind(std::string_view word) {
  const auto& kinds = tracking::BuiltInKinds()->all();
  return IsAnyKind(word) || IsKind(word, tracking::kGroupOfPods) ||
         std::any_of(kinds.begin(), kinds.end(), [&](const tracking::JobAdapter* kind) {
           return IsKind(word, kind->resource().kind);
         });
}

// The rows of the one kind that is meant: the only one, or the only one with living ones.
Result<std::vector<store::WorkloadRow>> OfOneKind(std::vector<store::WorkloadRow> rows) {
  std::set<std::string> living;
  std::set<std::string> all;
  for (const store::WorkloadRow& row : rows) {
    all.insert(row.job_kind);
    if (!row.removed_at) living.insert(row.job_kind);
  }
  const std::set<std::string>& candidates = living.empty() ? all : living;
  if (candidates.size() > 1) {
    const std::string name = rows.front().job.ToString();
    std::vector<std::string> names;
    for (const std::string& kind : candidates) names.push_back(KindWord(kind) + "/" + name);
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is a job of several kinds: choose one of {}", name,
                            fmt::join(names, ", ")));
  }
  std::erase_if(rows, [&](const auto& row) { return !candidates.contains(row.job_kind); });
  return rows;
}

Result<std::vector<store::WorkloadRow>> RowsOf(store::Reader& reader, const JobName& name) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::WorkloadRow> rows, reader.FindWorkloads(name.key));
  if (!name.kind.empty())
    std::erase_if(rows, [&](const auto& row) { return !IsKind(name.kind, row.job_kind); });
  return rows;
}

// With its own places in line.
Result<std::map<std::string, FirstJob>> LoadFirst(store::Reader& reader,
                                                  const std::vector<store::PlaceRow>& places) {
  std::map<std::string, FirstJob> all;
  for (const store::PlaceRow& place : places) {
    if (all.contains(place.first)) continue;
    FEDRA_ASSIGN_OR_RETURN(std::optional<store::WorkloadRow> row, LoadFirstOf(reader, place));
    if (!row) continue;
    FEDRA_ASSIGN_OR_RETURN(const auto its_places, reader.Places(row->uid));
    FirstJob& first = all[place.first];
    for (const store::PlaceRow& its : its_places) {
      first.dispatch_order = its.dispatch_order;
      first.places[its.cluster] = its.place;
      if (its.is_kept) first.kept = its.cluster;
      first.is_bound_reached |= its.is_bound_reached;
    }
    first.row = *std::move(row);
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

std::optional<store::ClusterRow> TakeManager(std::vector<store::ClusterRow>& clusters) {
  const auto found = std::find_if(
      clusters.begin(), clusters.end(),
      [](const store::ClusterRow& row) { return row.name.value == tracking::kManagerName; });
  if (found == clusters.end()) return std::nullopt;
  store::ClusterRow manager = std::move(*found);
  clusters.erase(found);
  return manager;
}

Result<std::optional<store::WorkloadRow>> LoadFirstOf(store::Reader& reader,
                                                      const store::PlaceRow& place) {
  const size_t slash = place.first.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const ObjectKey key{place.first.substr(0, slash), place.first.substr(slash + 1)};
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::WorkloadRow> rows, reader.FindWorkloads(key));
  std::erase_if(rows, [&](const auto& row) { return row.key != key || row.removed_at; });
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

Result<Daemon> LoadDaemon(store::Reader& reader) {
  FEDRA_ASSIGN_OR_RETURN(std::optional<store::HeartbeatRow> heartbeat, reader.Heartbeat());
  return Daemon{std::move(heartbeat), reader.is_in_use()};
}

Result<std::optional<WorkloadData>> FindWorkload(store::Reader& reader,
                                                 const std::vector<JobName>& names) {
  std::vector<store::WorkloadRow> rows;
  for (const JobName& name : names) {
    FEDRA_ASSIGN_OR_RETURN(rows, RowsOf(reader, name));
    if (!rows.empty()) break;
  }
  if (rows.empty()) return std::nullopt;
  WorkloadData data;
  FEDRA_ASSIGN_OR_RETURN(data.daemon, LoadDaemon(reader));
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::ClusterRow> clusters, reader.Clusters());
  data.manager = TakeManager(clusters);
  data.configured_workers =
      static_cast<size_t>(std::ranges::count(clusters, false, &store::ClusterRow::is_removed));
  FEDRA_ASSIGN_OR_RETURN(rows, OfOneNamespace(std::move(rows)));
  FEDRA_ASSIGN_OR_RETURN(rows, OfOneKind(std::move(rows)));
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

Result<WorkloadData> LoadWorkload(store::Reader& reader, const std::vector<JobName>& names,
                                  WallTime now) {
  FEDRA_ASSIGN_OR_RETURN(std::optional<WorkloadData> data, FindWorkload(reader, names));
  if (data) return *std::move(data);
  FEDRA_ASSIGN_OR_RETURN(const Daemon daemon, LoadDaemon(reader));
  FEDRA_ASSIGN_OR_RETURN(std::vector<store::ClusterRow> clusters, reader.Clusters());
  const bool is_kind = IsBuiltInKind(names.back().kind);
  return Fail(NotKnown(reader, daemon, TakeManager(clusters),
                       is_kind ? names.back().key : names.front().key, now));
}

}  // namespace fedra::report
