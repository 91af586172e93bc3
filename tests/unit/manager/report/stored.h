#pragma once
//
// The rows of a test in a store, and what a question loads of them: nothing but the store filters,
// sorts and counts jobs, in tests neither.

#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "manager/report/load_status.h"
#include "store/store.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::report {

// What is stored of it.
inline auto RowsIn(const FleetRows& rows) {
  return std::tie(rows.clusters, rows.workloads, rows.verdicts, rows.places, rows.residues,
                  rows.attempts);
}

class StoredFleet final {
 public:
  explicit StoredFleet(const FleetRows& rows) : rows_(rows) {
    Write();
    if (!store_->Flush()) throw std::runtime_error("the rows cannot be stored");
  }

  bool Has(const FleetRows& rows) const { return RowsIn(rows) == RowsIn(rows_); }
  std::unique_ptr<store::Reader> Read() const { return store_->Read().value(); }

 private:
  void Write() {
    int position = 0;
    for (store::ClusterRow row : rows_.clusters) {
      row.position = position++;
      store_->Enqueue(store::PutCluster{row});
    }
    for (store::WorkloadRow row : rows_.workloads) {
      row.reasons = CodesIn(rows_.verdicts, row.uid);
      store_->Enqueue(store::PutWorkload{row});
    }
    std::map<std::string, store::PutVerdicts> verdicts;
    for (const auto& row : rows_.verdicts) verdicts[row.uid].rows.push_back(row);
    for (auto& [uid, change] : verdicts) store_->Enqueue(store::PutVerdicts{uid, change.rows});
    std::map<std::string, store::PutPlaces> places;
    for (const auto& row : rows_.places) places[row.uid].rows.push_back(row);
    for (auto& [uid, change] : places) store_->Enqueue(store::PutPlaces{uid, change.rows});
    for (const auto& row : rows_.residues) store_->Enqueue(store::PutResidue{row});
    for (const auto& row : rows_.attempts) store_->Enqueue(store::PutAttempt{row});
  }

  const FleetRows rows_;
  const TempFolder folder_;
  const std::unique_ptr<store::Store> store_ =
      store::Store::Open({.path = folder_.Path("fedra.db")}).value();
};

// What `status` and its parts are made of. The daemon, the manager and the workers are the rows'.
inline StatusData Loaded(const FleetRows& rows, const Query& query) {
  static std::unique_ptr<const StoredFleet> last;
  if (last == nullptr || !last->Has(rows)) last = std::make_unique<const StoredFleet>(rows);
  const auto reader = last->Read();
  StatusData data{.daemon = rows.daemon, .manager = rows.manager, .clusters = rows.clusters};
  const auto loaded = [](const Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().message);
  };
  loaded(LoadJobsByWorker(*reader, data));
  loaded(LoadJobs(*reader, query, JobDetail::kWide, data));
  if (query.jobs.grouping) loaded(LoadGroups(*reader, query, data));
  return data;
}

}  // namespace fedra::report
