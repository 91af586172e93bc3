#include "store/reader.h"

#include <utility>

#include "store/connection.h"
#include "store/store_file.h"
#include "store/tables/attempts.h"
#include "store/tables/clusters.h"
#include "store/tables/events.h"
#include "store/tables/heartbeat.h"
#include "store/tables/intents.h"
#include "store/tables/placements.h"
#include "store/tables/places.h"
#include "store/tables/residues.h"
#include "store/tables/verdicts.h"
#include "store/tables/workloads.h"

namespace fedra::store {

struct Reader::Parts {
  std::unique_ptr<Connection> db;  // with a read transaction that ends with it
  std::optional<bool> is_in_use;
  // The workloads that are shown, and their namespaces; null: all.
  std::optional<std::set<std::string>> uids = {};
  std::set<std::string> namespaces = {};
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
  std::set<std::string> uids;
  FEDRA_RETURN_IF_ERROR(parts_->db->Query("SELECT uid, job_ns FROM workloads", {}, [&](Row& row) {
    std::string uid = row.Text();
    if (namespaces.contains(row.Text())) uids.insert(std::move(uid));
  }));
  parts_->uids = std::move(uids);
  parts_->namespaces = std::move(namespaces);
  return {};
}

Result<std::set<std::string>> Reader::Namespaces() {
  std::set<std::string> namespaces;
  FEDRA_RETURN_IF_ERROR(parts_->db->Query("SELECT DISTINCT job_ns FROM workloads", {},
                                          [&](Row& row) { namespaces.insert(row.Text()); }));
  return namespaces;
}

bool Reader::IsShown(const std::string& uid) const {
  return !parts_->uids || parts_->uids->contains(uid);
}

template <class T>
Result<std::vector<T>> Reader::Shown(Result<std::vector<T>> rows) const {
  if (rows && parts_->uids) std::erase_if(*rows, [&](const T& row) { return !IsShown(row.uid); });
  return rows;
}

Result<std::optional<HeartbeatRow>> Reader::Heartbeat() { return LoadHeartbeat(*parts_->db); }
std::optional<bool> Reader::is_in_use() const { return parts_->is_in_use; }
Result<std::vector<ClusterRow>> Reader::Clusters() { return LoadClusters(*parts_->db); }

Result<std::vector<WorkloadRow>> Reader::Workloads(const WorkloadFilter& filter) {
  return Shown(LoadWorkloads(*parts_->db, filter));
}
Result<std::vector<WorkloadRow>> Reader::FindWorkloads(const ObjectKey& name) {
  return Shown(LoadWorkloadsNamed(*parts_->db, name));
}

Result<std::vector<PlacementRow>> Reader::Placements() {
  return Shown(LoadPlacements(*parts_->db));
}
Result<std::vector<PlacementFailure>> Reader::Failures(const std::string& uid) {
  if (!IsShown(uid)) return std::vector<PlacementFailure>();
  return LoadFailures(*parts_->db, uid);
}
Result<std::vector<IntentRow>> Reader::Intents() { return Shown(LoadIntents(*parts_->db)); }
Result<std::vector<PlaceRow>> Reader::Places(const std::string& uid) {
  auto rows = Shown(LoadPlaces(*parts_->db, uid));
  if (!rows || !parts_->uids) return rows;
  for (PlaceRow& row : *rows)
    if (!parts_->namespaces.contains(row.first.substr(0, row.first.find('/')))) row.first.clear();
  return rows;
}

Result<std::vector<ResidueRow>> Reader::Residues() { return Shown(LoadResidues(*parts_->db)); }

Result<std::vector<VerdictRow>> Reader::Verdicts(const std::string& uid) {
  return Shown(LoadVerdicts(*parts_->db, uid));
}
Result<std::vector<VerdictRow>> Reader::VerdictsOfState(const std::string& state) {
  return Shown(LoadVerdictsOfState(*parts_->db, state));
}
Result<std::vector<AttemptRow>> Reader::Attempts(const std::string& uid) {
  return Shown(LoadAttempts(*parts_->db, uid));
}
Result<std::vector<AttemptRow>> Reader::LastAttempts() {
  return Shown(LoadLastAttempts(*parts_->db));
}
Result<std::vector<EventRow>> Reader::Events(const std::string& uid) {
  return Shown(LoadEvents(*parts_->db, uid));
}
}  // namespace fedra::store
