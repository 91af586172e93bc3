#include "store/reader.h"

#include <unordered_map>
#include <utility>

#include "store/connection.h"
#include "store/store_file.h"
#include "store/tables/attempts.h"
#include "store/tables/clusters.h"
#include "store/tables/events.h"
#include "store/tables/heartbeat.h"
#include "store/tables/intents.h"
#include "store/tables/job_groups.h"
#include "store/tables/job_lists.h"
#include "store/tables/placements.h"
#include "store/tables/places.h"
#include "store/tables/residues.h"
#include "store/tables/verdicts.h"
#include "store/tables/workloads.h"

namespace fedra::store {

struct Reader::Parts {
  std::unique_ptr<Connection> db;  // with a read transaction that ends with it
  std::optional<bool> is_in_use;
  ShownNamespaces shown = {};
  std::unordered_map<std::string, bool> is_shown = {};  // by uid, as far as it was asked
};

Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path) {
  FEDRA_ASSIGN_OR_RETURN(std::unique_ptr<Connection> db, OpenForReading(path));
  FEDRA_RETURN_IF_ERROR(db->Execute("BEGIN"));
  // BEGIN alone takes no snapshot; the first read does.
  FEDRA_RETURN_IF_ERROR(db->QueryInteger("SELECT count(*) FROM heartbeat"));
  return std::unique_ptr<Reader>(new Reader(
      std::make_unique<Parts>(Parts{.db = std::move(db), .is_in_use = StoreLock::IsHeld(path)})));
}

Reader::Reader(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Reader::~Reader() = default;

Result<void> Reader::ShowOnly(std::set<std::string> namespaces) {
  parts_->shown = std::move(namespaces);
  parts_->is_shown.clear();
  return {};
}

Result<std::set<std::string>> Reader::Namespaces() {
  std::set<std::string> namespaces;
  // From one to the next: the jobs between are not read.
  FEDRA_RETURN_IF_ERROR(
      parts_->db->Query("WITH RECURSIVE s (ns) AS (SELECT min(job_ns) FROM workloads UNION ALL"
                        " SELECT (SELECT min(job_ns) FROM workloads WHERE job_ns > s.ns) FROM s"
                        " WHERE s.ns IS NOT NULL) SELECT ns FROM s WHERE ns IS NOT NULL",
                        {}, [&](Row& row) { namespaces.insert(row.Text()); }));
  return namespaces;
}

Result<bool> Reader::IsShown(const std::string& uid) {
  if (!parts_->shown) return true;
  const auto [known, is_new] = parts_->is_shown.try_emplace(uid, false);
  if (!is_new) return known->second;
  FEDRA_RETURN_IF_ERROR(
      parts_->db->Query("SELECT job_ns FROM workloads WHERE uid = ?", {uid},
                        [&](Row& row) { known->second = parts_->shown->contains(row.Text()); }));
  return known->second;
}

template <class T>
Result<std::vector<T>> Reader::Shown(Result<std::vector<T>> rows) {
  if (!rows || !parts_->shown) return rows;
  std::vector<T> shown;
  for (T& row : *rows) {
    FEDRA_ASSIGN_OR_RETURN(const bool is_shown, IsShown(row.uid));
    if (is_shown) shown.push_back(std::move(row));
  }
  return shown;
}

Result<std::optional<HeartbeatRow>> Reader::Heartbeat() { return LoadHeartbeat(*parts_->db); }
std::optional<bool> Reader::is_in_use() const { return parts_->is_in_use; }
Result<std::vector<ClusterRow>> Reader::Clusters() { return LoadClusters(*parts_->db); }

Result<std::vector<WorkloadRow>> Reader::Workloads(const WorkloadFilter& filter) {
  return Shown(LoadWorkloads(*parts_->db, filter));
}
Result<JobPage> Reader::Jobs(const JobQuery& query) {
  return LoadJobPage(*parts_->db, query, parts_->shown);
}
Result<std::vector<JobGroup>> Reader::JobGroups(const JobQuery& query, JobGrouping grouping) {
  return LoadJobGroups(*parts_->db, query, grouping, parts_->shown);
}
Result<std::vector<std::string>> Reader::JobStates() { return LoadJobStates(*parts_->db); }
Result<std::set<std::string>> Reader::JobWorkers() {
  return LoadJobWorkers(*parts_->db, parts_->shown);
}
Result<std::vector<ObjectKey>> Reader::JobNames() {
  return LoadJobNames(*parts_->db, parts_->shown);
}
Result<std::set<ObjectKey>> Reader::JobsOf(const std::vector<std::string>& uids) {
  std::set<ObjectKey> jobs;
  for (const std::string& uid : uids) {
    FEDRA_RETURN_IF_ERROR(parts_->db->Query("SELECT job_ns, job_name FROM workloads WHERE uid = ?",
                                            {uid}, [&](Row& row) {
                                              ObjectKey job = row.Key();
                                              if (!parts_->shown || parts_->shown->contains(job.ns))
                                                jobs.insert(std::move(job));
                                            }));
  }
  return jobs;
}
Result<std::optional<WorkloadRow>> Reader::Workload(const std::string& uid) {
  FEDRA_ASSIGN_OR_RETURN(const bool is_shown, IsShown(uid));
  if (!is_shown) return std::nullopt;
  return LoadWorkload(*parts_->db, uid);
}
Result<std::vector<WorkloadRow>> Reader::FindWorkloads(const ObjectKey& name) {
  return Shown(LoadWorkloadsNamed(*parts_->db, name));
}

Result<std::vector<PlacementRow>> Reader::Placements() {
  return Shown(LoadPlacements(*parts_->db));
}
Result<std::vector<PlacementFailure>> Reader::Failures(const std::string& uid) {
  FEDRA_ASSIGN_OR_RETURN(const bool is_shown, IsShown(uid));
  if (!is_shown) return std::vector<PlacementFailure>();
  return LoadFailures(*parts_->db, uid);
}
Result<std::vector<IntentRow>> Reader::Intents() { return Shown(LoadIntents(*parts_->db)); }
Result<std::vector<PlaceRow>> Reader::Places(const std::string& uid) {
  auto rows = Shown(LoadPlaces(*parts_->db, uid));
  if (!rows || !parts_->shown) return rows;
  for (PlaceRow& row : *rows)
    if (!parts_->shown->contains(row.first.substr(0, row.first.find('/')))) row.first.clear();
  return rows;
}

Result<std::vector<ResidueRow>> Reader::Residues() { return Shown(LoadResidues(*parts_->db)); }

Result<std::vector<VerdictRow>> Reader::Verdicts(const std::string& uid) {
  return Shown(LoadVerdicts(*parts_->db, uid));
}
Result<std::vector<AttemptRow>> Reader::Attempts(const std::string& uid) {
  return Shown(LoadAttempts(*parts_->db, uid));
}
Result<std::unordered_map<std::string, int>> Reader::LastAttemptNumbers() {
  return LoadLastNumbers(*parts_->db);
}
Result<std::vector<EventRow>> Reader::Events(const std::string& uid) {
  return Shown(LoadEvents(*parts_->db, uid));
}
}  // namespace fedra::store
