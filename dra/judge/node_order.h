#pragma once
//
// In which order nodes are asked to take a pod: as kube-scheduler's scores prefer them (v1.36.3,
// pkg/scheduler/schedule_one.go, prioritizeNodes). Of equal nodes the scheduler takes any; here it
// is the first by name, or the one that the ranks prefer.
//
// A node has its whole score only when the pod has devices there: those of first choice count for
// it (Score of plugin DynamicResources). So a node that was not asked yet may be better than one
// that takes the pod. What a node answers is true of the next pod, too, until it gets a pod, or a
// pod takes devices that several nodes reach: then it is asked anew.
//
// A node that does not take a pod leaves the order: nothing that it gave up comes back.
//
// Thread rules: one simulation, one thread. Lifetime: what the question refers to outlives it.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "dra/judge/node_score.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/state_text.h"

namespace fedra::dra {

class NodeOrder final {
 public:
  struct Question {
    const std::vector<const Node*>& nodes;   // that the pods may use, by name
    std::shared_ptr<const NodeRanks> ranks;  // of the nodes, with running pods only
    const PodDemand& demand;
    const PlacedPods& placed;
    const JudgeOptions& options;
    const AllocatorFeatures& features;
    // What devices score where every request has its first alternative; 0: no devices score.
    int best_devices = 0;
    // Of nodes that score alike those with the fewest pods of the job first, whatever the ranks
    // prefer.
    bool spreads = false;
  };

  explicit NodeOrder(Question question);

  // Whose turn it is; the node leaves the order. Absent: none is left.
  std::optional<NodeRank> Next();
  // Whether no other node is better than this one, whose turn it is, with devices of that score.
  bool IsBest(const NodeRank& rank, int devices) const;
  // Whether another node may have the same whole score as this one, which is the best.
  bool MayTie(const NodeRank& rank, int devices) const;
  // The node would take a pod with devices of that score.
  void Keep(const NodeRank& rank, int devices) { asked_[devices].insert(rank); }
  // The node took the pod; its rank is another one from now on.
  void PutBack(size_t position) { again_.insert(RankOf(position)); }
  // What nodes have answered is no longer true.
  void AskAllAgain();
  // From now on the first node that takes the pod is good enough, and those that have taken one
  // have their turns before the others.
  void StopAsking();
  // All that decides about further turns.
  void AddTo(StateText& state) const;

 private:
  int MostDevices() const { return asked_.empty() ? 0 : asked_.rbegin()->first; }
  // The whole rank of a node, where `most` is what the devices of the best one score.
  NodeRank Whole(const NodeRank& rank, int devices, int most) const;
  // Whether a node whose answer is not known may be better than this one.
  bool MayBeBeaten(const NodeRank& whole, int most) const;
  NodeRank RankOf(size_t position) const;
  int PreferenceOf(size_t position) const;
  // The best of those whose answers are not known; null: there is none.
  const NodeRank* Unasked() const;
  NodeRank TakeUnasked();
  void PassMoved();

  const Question question_;
  const Load pod_;
  bool asks_ = true;
  size_t next_ = 0;           // from here on, the ranked nodes have not been asked,
  std::set<size_t> moved_;    // but for these, which have pods of earlier sets, so another rank
  std::set<NodeRank> again_;  // to be asked anew: what they have changed
  std::map<int, std::set<NodeRank>> asked_;  // that take a pod, by the score of its devices
};

}  // namespace fedra::dra
