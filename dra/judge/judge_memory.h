#pragma once
//
// What many questions about one worker have in common: which nodes admit a pod, whether a selector
// can fail anywhere, how many free devices match. Asked about a cluster that has not changed, a
// judgement costs what the nodes cost that it looks at, whatever the size of the cluster.
//
// It only remembers what pure functions returned; emptying it changes no answer.
//
// Thread rules: not thread-safe; one user at a time, who always gives it the same MatchCache.
// Lifetime: what it returns is valid until the next call.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dra/allocator/match.h"
#include "dra/judge/explain.h"
#include "dra/judge/node_fit.h"
#include "dra/judge/node_score.h"
#include "dra/judge/pool_facts.h"
#include "dra/model/node_view.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {

// The nodes of a snapshot that admit a pod, resources and claims left out.
struct AdmittingNodes {
  uint64_t id = 0;  // never that of other nodes or constraints in the same memory
  NodeConstraints constraints;
  std::vector<const Node*> nodes;               // ascending by name
  std::map<verdict::NodeRefusal, int> refused;  // -> nodes
};

// What decides whether a device can be taken for a request, how many and with which others left
// out.
struct MatchKey {
  ConjunctionId match = 0;
  DeviceRequest terms;  // tolerations and capacity only

  bool operator==(const MatchKey&) const = default;
};
MatchKey MatchKeyOf(const SubRequest& ask);
// Those of the pod that are not among `keys`, each once.
void AddMatchKeys(const PodClaims& pod, std::vector<MatchKey>& keys);

// All of a request that decides which devices are alike for it.
struct AskKey {
  MatchKey match;
  bool all = false;
  bool admin = false;
  bool derives = false;            // attributes
  std::vector<Symbol> attributes;  // of its constraints

  bool operator==(const AskKey&) const = default;
};

// Devices of a pool of no single node that could be taken.
struct FreeRoaming {
  std::shared_ptr<const PoolState> pool;
  std::vector<uint32_t> slots;
};

// Devices that could be taken for one of some requests.
struct FreeDevices {
  // Parallel to AdmittingNodes::nodes.
  std::vector<int> on_node;
  std::vector<std::shared_ptr<const NodePools>> pools;  // null: none of the node's own
  int total = 0;                                        // of the nodes' own
  std::vector<FreeRoaming> roaming;
};

class JudgeMemory final {
 public:
  // The same cluster with every device free, and the memory for questions about it.
  struct FreeCluster {
    std::shared_ptr<const Snapshot> snapshot;
    std::unique_ptr<JudgeMemory> memory;
  };
  const FreeCluster& WithFreePools(const Snapshot& snapshot);

  const AdmittingNodes& NodesFor(const NodeConstraints& constraints, const Snapshot& snapshot,
                                 const MatchCache& matches);
  // RankNodes() of the admitting nodes.
  std::shared_ptr<const NodeRanks> RanksOf(const NodeConstraints& constraints, const Load& pod,
                                           const std::shared_ptr<const NodeUse>& used,
                                           const Snapshot& snapshot, const MatchCache& matches);
  // Whether some device of the cluster makes a selector of the conjunction fail.
  bool CanFail(ConjunctionId conjunction, const Snapshot& snapshot, MatchCache& matches);
  // Whether some node sees two slices, or more, with devices that the conjunction matches or fails
  // on.
  bool MeetsSeveralSlices(ConjunctionId conjunction, const Snapshot& snapshot, MatchCache& matches);
  // What JobAsks::NodesByOrder() found for these; null: not known.
  const std::set<Symbol>* NodesByOrder(const std::vector<AskKey>& asks, const Snapshot& snapshot,
                                       const MatchCache& matches);
  void KeepNodesByOrder(const std::vector<AskKey>& asks, std::set<Symbol> nodes);
  const PoolFacts& Pools(const Snapshot& snapshot, const MatchCache& matches);
  const FreeDevices& FreeOn(const NodeConstraints& constraints, const std::vector<MatchKey>& keys,
                            const Snapshot& snapshot, MatchCache& matches);
  // Explain() over the admitting nodes, with nothing placed.
  RequestReport ReportOn(const NodeConstraints& constraints, const PodClaims& pod, uint32_t ask,
                         const Snapshot& snapshot, MatchCache& matches);

 private:
  struct FreeEntry {
    uint64_t nodes;  // AdmittingNodes::id
    std::vector<MatchKey> keys;
    uint64_t use_serial = 0;
    FreeDevices free;
  };

  struct RanksEntry {
    uint64_t nodes;  // AdmittingNodes::id
    Load pod;
    bool change_of_balance;
    std::shared_ptr<const NodeRanks> ranks;
  };

  struct Report {
    uint64_t nodes;  // AdmittingNodes::id
    ConjunctionId match;
    std::shared_ptr<const DeviceClass> device_class;
    DeviceRequest request;
    RequestReport report;
  };

  // Drops what the changes since the last call have made wrong.
  void Refresh(const Snapshot& snapshot, const MatchCache& matches);
  FreeEntry& EntryOf(uint64_t nodes, const std::vector<MatchKey>& keys);

  uint64_t nodes_serial_ = 0;
  uint64_t slices_serial_ = 0;
  uint64_t use_serial_ = 0;  // of the reports
  uint64_t matches_epoch_ = 0;
  uint64_t last_id_ = 0;
  std::deque<AdmittingNodes> admitting_;
  std::deque<FreeEntry> free_;
  std::shared_ptr<const NodeUse> ranks_used_;  // of all ranks; kept, so that its address is its own
  std::vector<RanksEntry> ranks_;
  std::vector<Report> reports_;
  std::map<ConjunctionId, bool> can_fail_;
  std::map<ConjunctionId, bool> meets_several_;
  std::vector<std::pair<std::vector<AskKey>, std::set<Symbol>>> by_order_;
  std::optional<PoolFacts> pools_;
  FreeCluster free_cluster_;  // empty until asked for
};

// The same for one node. `taken`: what a simulation holds is left out; may be null.
int CountFreeDevices(const NodePools& pools, const std::vector<MatchKey>& keys,
                     const AllocatorFeatures& features, const Workspace* taken,
                     MatchCache& matches);
// For one pool that any of these nodes may reach.
FreeRoaming FindFreeDevices(std::shared_ptr<const PoolState> pool,
                            const std::vector<const Node*>& nodes,
                            const std::vector<MatchKey>& keys, const AllocatorFeatures& features,
                            MatchCache& matches);

}  // namespace fedra::dra
