// Random histories of everything that can be written, over restarts, against maps.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::model_test {
namespace {

// What the store should hold, by the plainest means.
struct Model {
  std::map<std::string, ClusterRow> clusters;
  std::map<std::string, WorkloadRow> workloads;
  std::map<std::string, PlacementRow> placements;
  std::map<int64_t, IntentRow> intents;
  std::map<std::pair<std::string, std::string>, ResidueRow> residues;
  std::map<std::string, std::vector<VerdictRow>> verdicts;
  std::map<std::string, std::vector<PlaceRow>> places;
  std::map<std::string, std::vector<std::string>> events;
  std::optional<HeartbeatRow> heartbeat;

  void operator()(const PutCluster& c) { clusters[c.row.name.value] = c.row; }
  void operator()(const RemoveCluster& c) { clusters.erase(c.name.value); }
  void operator()(const PutWorkload& c) { workloads[c.row.uid] = c.row; }
  void operator()(const RemoveWorkload& c) {
    if (workloads.contains(c.uid)) workloads[c.uid].removed_at = c.at;
    verdicts.erase(c.uid);
  }
  void operator()(const PutPlacement& c) { placements[c.row.uid] = c.row; }
  void operator()(const RemovePlacement& c) { placements.erase(c.uid); }
  void operator()(const PutAttempt&) {}
  void operator()(const EndAttempts&) {}
  void operator()(const EndEarlierAttempts&) {}
  void operator()(const RemoveLaterAttempts&) {}
  void operator()(const AddIntent& c) { intents[c.row.id] = c.row; }
  void operator()(const EndIntent& c) { intents.erase(c.id); }
  void operator()(const PutResidue& c) { residues[{c.row.cluster.value, c.row.uid}] = c.row; }
  void operator()(const RemoveResidue& c) { residues.erase({c.cluster.value, c.uid}); }
  void operator()(const PutVerdicts& c) { verdicts[c.uid] = c.rows; }
  void operator()(const PutPlaces& c) { places[c.uid] = c.rows; }
  void operator()(const AddEvent& c) { events[c.row.uid].push_back(c.row.reason); }
  void operator()(const SetHeartbeat& c) {
    const auto decided_at = heartbeat ? heartbeat->decided_at : std::nullopt;
    heartbeat = c.row;
    heartbeat->decided_at = c.row.role == "Standby" ? decided_at : c.row.at;
  }
};

class Histories {
 public:
  explicit Histories(unsigned seed) : random_(seed) {}

  void Run() {
    for (int step = 0; step < 120; ++step) {
      switch (Pick(12)) {
        case 0:
          Restart();
          break;
        case 1:
          Must(Open().Flush());
          break;
        case 2:
        case 3:
        case 4:
          Commit();
          break;
        default:
          Enqueue();
          break;
      }
    }
    Must(Open().Flush());
    Compare(*Must(store_->Read()));
  }

 private:
  int Pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  Store& Open() {
    if (!store_)
      store_ = MustOpen(
          {.path = folder_.Path("fedra.db"), .max_batch = static_cast<size_t>(1 + Pick(8))});
    return *store_;
  }

  // The next Open removes the verdicts of what does not live.
  void Restart() {
    store_.reset();
    std::erase_if(model_.verdicts, [&](const auto& verdicts) {
      const auto workload = model_.workloads.find(verdicts.first);
      return workload == model_.workloads.end() || workload->second.removed_at;
    });
  }

  Change Random() {
    ++time_;
    const std::string name(1, static_cast<char>('a' + Pick(3)));
    const ClusterName cluster(std::string(1, static_cast<char>('x' + Pick(2))));
    switch (Pick(13)) {
      case 0:
        return PutCluster{Cluster(name, time_)};
      case 1:
        return RemoveCluster{ClusterName(name)};
      case 2:
      case 3:
        return PutWorkload{Stamped(living_[name])};
      case 4:
        return Remove(name);
      case 5:
        return PutPlacement{Stamped(Placement(name))};
      case 6:
        return RemovePlacement{name};
      case 7:
        return AddIntent{Intent(Pick(4), name)};
      case 8:
        return EndIntent{Pick(4)};
      case 9:
        return PutResidue{{cluster, {"ml", name}, name, "Job", {"ml", name}, At(time_)}};
      case 10:
        return RemoveResidue{cluster, name};
      case 11:
        return AddEvent{Event(name, At(time_), std::to_string(time_))};
      default:
        if (Pick(3) == 0) {
          return PutPlaces{Uid(living_[name]),
                           {{Uid(living_[name]), cluster, Pick(9) + 1, Pick(2), Pick(2) == 0}}};
        }
        if (Pick(2) == 0) return SetHeartbeat{{At(time_), time_, "v", At(0)}};
        return PutVerdicts{Uid(living_[name]),
                           {Verdict(Uid(living_[name]), cluster.value, std::to_string(time_))}};
    }
  }

  // A uid does not come back, so every removal begins a new one.
  std::string Uid(int incarnation) { return "w" + std::to_string(incarnation); }
  WorkloadRow Stamped(int incarnation) {
    WorkloadRow row = Workload(Uid(incarnation), "job");
    row.updated_at = At(time_);
    return row;
  }
  PlacementRow Stamped(PlacementRow row) {
    row.attempt = time_;
    if (Pick(2) == 0) row.nominated.pop_back();
    return row;
  }
  Change Remove(const std::string& name) {
    const int gone = std::exchange(living_[name], ++incarnations_);
    return RemoveWorkload{Uid(gone), At(time_)};
  }

  void Enqueue() {
    const Change change = Random();
    std::visit(model_, change);
    Open().Enqueue(change);
  }

  void Commit() {
    std::vector<Change> changes;
    for (int i = Pick(4); i >= 0; --i) {
      changes.push_back(Random());
      std::visit(model_, changes.back());
    }
    Must(Open().Commit(std::move(changes)));
  }

  template <class Key, class Row>
  static std::vector<Row> Rows(const std::map<Key, Row>& map) {
    std::vector<Row> rows;
    for (const auto& [key, row] : map) rows.push_back(row);
    return rows;
  }

  void Compare(Reader& reader) {
    auto clusters = Rows(model_.clusters);
    std::sort(clusters.begin(), clusters.end(),
              [](const auto& a, const auto& b) { return a.position < b.position; });
    CHECK(Must(reader.Clusters()) == clusters);
    CHECK(Must(reader.Placements()) == Rows(model_.placements));
    CHECK(Must(reader.Intents()) == Rows(model_.intents));
    CHECK(Must(reader.Heartbeat()) == model_.heartbeat);
    auto workloads = Must(reader.FindWorkloads({"ml", "job"}));
    std::sort(workloads.begin(), workloads.end(),
              [](const auto& a, const auto& b) { return a.uid < b.uid; });
    CHECK(workloads == Rows(model_.workloads));
    std::map<std::pair<std::string, std::string>, ResidueRow> residues;
    for (const ResidueRow& row : Must(reader.Residues()))
      residues[{row.cluster.value, row.uid}] = row;
    CHECK(residues == model_.residues);
    for (const auto& [uid, row] : model_.workloads) {
      if (!row.removed_at) CHECK(Must(reader.Verdicts(uid)) == model_.verdicts[uid]);
      if (!row.removed_at) CHECK(Must(reader.Places(uid)) == model_.places[uid]);
    }
    for (const auto& [uid, reasons] : model_.events) {
      std::vector<std::string> found;
      for (const EventRow& event : Must(reader.Events(uid))) found.push_back(event.reason);
      CHECK(found == reasons);
    }
  }

  std::mt19937 random_;
  TempFolder folder_;
  std::unique_ptr<Store> store_;
  Model model_;
  std::map<std::string, int> living_{{"a", 0}, {"b", 1}, {"c", 2}};
  int incarnations_ = 2;
  int time_ = 0;
};

TEST_CASE("random histories over restarts leave what plain maps would") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Histories(seed).Run();
  }
}

}  // namespace
}  // namespace fedra::store::model_test
