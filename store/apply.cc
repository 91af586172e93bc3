#include "store/apply.h"

#include <algorithm>
#include <type_traits>
#include <utility>

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
namespace {

std::string Key(const PutCluster& change) { return "cluster/" + change.row.name.value; }
std::string Key(const RemoveCluster& change) { return "cluster/" + change.name.value; }
std::string Key(const PutWorkload& change) { return "workload/" + change.row.uid; }
std::string Key(const RemoveWorkload& change) { return "workload/" + change.uid; }
std::string Key(const PutPlacement& change) { return "placement/" + change.row.uid; }
std::string Key(const RemovePlacement& change) { return "placement/" + change.uid; }
std::string Key(const PutAttempt&) { return {}; }
// Of all attempts of a workload, so that an end that waits is written before the next attempt.
std::string Key(const EndAttempts& change) { return "attempts/" + change.uid; }
std::string Key(const EndEarlierAttempts& change) { return "attempts/" + change.uid; }
std::string Key(const RemoveLaterAttempts& change) { return "attempts/" + change.uid; }
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
std::string Key(const PutPlaces& change) { return "places/" + change.uid; }
std::string Key(const AddEvent&) { return {}; }
std::string Key(const SetHeartbeat&) { return "heartbeat"; }

// The first end of each counts.
EndAttempts Join(EndAttempts older, EndAttempts newer) {
  for (EndAttempts::End& end : newer.ends) {
    const bool ended =
        std::any_of(older.ends.begin(), older.ends.end(), [&](const EndAttempts::End& other) {
          return other.number == end.number && other.cluster == end.cluster;
        });
    if (!ended) older.ends.push_back(std::move(end));
  }
  return older;
}

}  // namespace

Result<void> Apply(Connection& db, const Change& change, std::vector<EndedAttempt>& ended) {
  return std::visit(
      [&](const auto& one) {
        using One = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<One, EndAttempts> || std::is_same_v<One, EndEarlierAttempts>) {
          return Apply(db, one, ended);
        } else {
          return Apply(db, one);
        }
      },
      change);
}

std::string KeyOf(const Change& change) {
  return std::visit([](const auto& one) { return Key(one); }, change);
}

Change Supersede(Change older, Change newer) {
  auto* const ends = std::get_if<EndAttempts>(&older);
  auto* const more_ends = std::get_if<EndAttempts>(&newer);
  if (ends != nullptr && more_ends != nullptr) return Join(std::move(*ends), std::move(*more_ends));
  // A removed workload keeps its last state for the history.
  auto* const put = std::get_if<PutWorkload>(&older);
  const auto* const remove = std::get_if<RemoveWorkload>(&newer);
  if (put == nullptr || remove == nullptr) return newer;
  put->row.removed_at = remove->at;
  return older;
}

size_t WeightOf(const Change& change) {
  if (const auto* const ends = std::get_if<EndAttempts>(&change)) return ends->ends.size();
  if (const auto* const places = std::get_if<PutPlaces>(&change)) return 1 + places->rows.size();
  const auto* const verdicts = std::get_if<PutVerdicts>(&change);
  return verdicts == nullptr ? 1 : 1 + verdicts->rows.size();
}

}  // namespace fedra::store
