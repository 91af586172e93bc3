#pragma once
//
// Which nodes to try for claims that several pods share: the node of the first pod binds the
// others, so when they do not all fit, another node may hold them.
//
// A search through the choices of a whole judgement, depth first: the last of them that can have
// kept pods out moves on to the next node; when none is left there, the one before it does.
//
// Thread rules: one judgement, one thread.

#include <optional>
#include <set>
#include <vector>

#include "dra/judge/placed_pods.h"
#include "dra/judge/simulation.h"

namespace fedra::dra {

class NodeChoice final {
 public:
  // The exclusions after those that led to `choices`; absent: all have been tried. `contested`: the
  // claims that left too few nodes this time. Only where such claims are allocated is changed.
  std::optional<ExcludedNodes> Next(const std::vector<SharedChoice>& choices,
                                    const std::vector<ObjectKey>& contested);

 private:
  bool Concerns(const SharedChoice& choice) const;

  std::set<ObjectKey> contested_;  // so far
  ExcludedNodes excluded_;
};

}  // namespace fedra::dra
