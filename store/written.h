#pragma once
//
// What a transaction tells readers anew, for those who follow the store.
//
// Rows that are written again with nothing new but ages, as a cluster's and the heartbeat are every
// few seconds, are left out. So are rows that only the daemon reads: placements and intents.
//
// Thread rules: one thread.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/changes.h"
#include "store/rows.h"

namespace fedra::store {

struct Batch;

struct Written {
  bool daemon = false;                 // the heartbeat
  bool workers = false;                // clusters, and what is left behind on them
  std::vector<std::string> workloads;  // whose rows, verdicts, places, attempts or events: uids

  bool empty() const { return !daemon && !workers && workloads.empty(); }
};

class WrittenRows final {
 public:
  // Of a batch that is stored; batches in their order. A group that was refused is included.
  Written Of(const Batch& batch);

 private:
  void Add(const Change& change, Written& written);
  bool IsNews(ClusterRow row);
  bool IsNews(HeartbeatRow row);

  // As they were written last, without their ages.
  std::unordered_map<ClusterName, ClusterRow> clusters_;
  std::optional<HeartbeatRow> heartbeat_;
};

}  // namespace fedra::store
