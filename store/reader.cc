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
};

Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path) {
  FEDRA_ASSIGN_OR_RETURN(std::unique_ptr<Connection> db, OpenForReading(path));
  FEDRA_RETURN_IF_ERROR(db->Execute("BEGIN"));
  // BEGIN alone takes no snapshot; the first read does.
  FEDRA_RETURN_IF_ERROR(db->QueryInteger("SELECT count(*) FROM heartbeat"));
  return std::unique_ptr<Reader>(
      new Reader(std::make_unique<Parts>(Parts{std::move(db), StoreLock::IsHeld(path)})));
}

Reader::Reader(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Reader::~Reader() = default;

Result<std::optional<HeartbeatRow>> Reader::Heartbeat() { return LoadHeartbeat(*parts_->db); }
std::optional<bool> Reader::is_in_use() const { return parts_->is_in_use; }
Result<std::vector<ClusterRow>> Reader::Clusters() { return LoadClusters(*parts_->db); }

Result<std::vector<WorkloadRow>> Reader::Workloads(const WorkloadFilter& filter) {
  return LoadWorkloads(*parts_->db, filter);
}
Result<std::vector<WorkloadRow>> Reader::FindWorkloads(const ObjectKey& name) {
  return LoadWorkloadsNamed(*parts_->db, name);
}

Result<std::vector<PlacementRow>> Reader::Placements() { return LoadPlacements(*parts_->db); }
Result<std::vector<PlacementFailure>> Reader::Failures(const std::string& uid) {
  return LoadFailures(*parts_->db, uid);
}
Result<std::vector<IntentRow>> Reader::Intents() { return LoadIntents(*parts_->db); }
Result<std::vector<PlaceRow>> Reader::Places(const std::string& uid) {
  return LoadPlaces(*parts_->db, uid);
}

Result<std::vector<ResidueRow>> Reader::Residues() { return LoadResidues(*parts_->db); }

Result<std::vector<VerdictRow>> Reader::Verdicts(const std::string& uid) {
  return LoadVerdicts(*parts_->db, uid);
}
Result<std::vector<VerdictRow>> Reader::VerdictsOfState(const std::string& state) {
  return LoadVerdictsOfState(*parts_->db, state);
}
Result<std::vector<AttemptRow>> Reader::Attempts(const std::string& uid) {
  return LoadAttempts(*parts_->db, uid);
}
Result<std::vector<AttemptRow>> Reader::LastAttempts() { return LoadLastAttempts(*parts_->db); }
Result<std::vector<EventRow>> Reader::Events(const std::string& uid) {
  return LoadEvents(*parts_->db, uid);
}
}  // namespace fedra::store
