#include "store/apply.h"

#include <utility>

#include "store/tables/attempts.h"
#include "store/tables/clusters.h"
#include "store/tables/events.h"
#include "store/tables/heartbeat.h"
#include "store/tables/intents.h"
#include "store/tables/placements.h"
#include "store/tables/residues.h"
#include "store/tables/verdicts.h"
#include "store/tables/workloads.h"

namespace fedra::store {
namespace {

std::string Key(const PutCluster& change) { return "cluster/" + change.row.name.value; }
std::string Key(const RemoveCluster& change) { return "cluster/" + change.name.value; }
std::string Key(const PutWorkload& change) { return "workload/" + change.row.uid; }
std::string Key(const RemoveWorkload& change) { return "workload/" + change.uid; }
std::string Key(const PutPlacement& change) { return "placement/" + change.row.uid; }
std::string Key(const RemovePlacement& change) { return "placement/" + change.uid; }
std::string Key(const PutAttempt&) { return {}; }
std::string Key(const EndAttempt&) { return {}; }
std::string Key(const EndEarlierAttempts&) { return {}; }
std::string Key(const AddIntent& change) { return "intent/" + std::to_string(change.row.id); }
std::string Key(const EndIntent& change) { return "intent/" + std::to_string(change.id); }
// Cluster names have no slash.
std::string Key(const PutResidue& change) {
  return "residue/" + change.row.cluster.value + "/" + change.row.uid;
}
std::string Key(const RemoveResidue& change) {
  return "residue/" + change.cluster.value + "/" + change.uid;
}
std::string Key(const PutVerdicts& change) { return "verdicts/" + change.uid; }
std::string Key(const AddEvent&) { return {}; }
std::string Key(const SetHeartbeat&) { return "heartbeat"; }

}  // namespace

Result<void> Apply(Connection& db, const Change& change) {
  return std::visit([&](const auto& one) { return Apply(db, one); }, change);
}

std::string KeyOf(const Change& change) {
  return std::visit([](const auto& one) { return Key(one); }, change);
}

Change Supersede(Change older, Change newer) {
  // A removed workload keeps its last state for the history.
  auto* const put = std::get_if<PutWorkload>(&older);
  const auto* const remove = std::get_if<RemoveWorkload>(&newer);
  if (put == nullptr || remove == nullptr) return newer;
  put->row.removed_at = remove->at;
  return older;
}

size_t WeightOf(const Change& change) {
  const auto* const verdicts = std::get_if<PutVerdicts>(&change);
  return verdicts == nullptr ? 1 : 1 + verdicts->rows.size();
}

}  // namespace fedra::store
