#pragma once
//
// Internal to placement/: what is nominated of a workload whose copies are Kueue's, whose
// nominations these are, and which of them are kept or taken back. Pure.

#include <optional>
#include <vector>

#include "manager/placement/action.h"
#include "manager/placement/context.h"
#include "manager/placement/select_workers.h"

namespace fedra::placement {

// What is nominated now, and which of that we did not nominate in the round that we know of.
// Without one, after a lost store, all of it is taken for ours.
struct NominatedNames {
  std::vector<ClusterName> all;
  std::vector<ClusterName> ours;

  bool HasOthers() const { return ours.size() != all.size(); }
};
NominatedNames SortNominated(const Context& context);

// Until when we write nothing against what something else has nominated; nothing: we may. Two
// dispatchers that each wrote at once when the other has would never end.
std::optional<WallTime> TruceEnd(const Context& context);

// A copy that was switched off on its worker is a refusal. Whether there is one that was not known:
// then the choice is made anew without it.
bool RefuseSpent(const Context& context, const std::vector<ClusterName>& nominated,
                 Decision& decision);
// Those whose copies may still be admitted.
std::vector<ClusterName> WithoutSpent(const Context& context, std::vector<ClusterName> nominated);

// Where we see nothing any more and Kueue does, a copy may be admitted at any time: such a worker
// stays nominated beside the others.
void KeepUnseen(const Context& context, const std::vector<ClusterName>& nominated, Choice& choice);
// Ends the attempts on what is nominated and not chosen; the nomination itself is withdrawn by the
// next Nominate.
void TakeBackNominations(const Context& context, const std::vector<ClusterName>& nominated,
                         const Choice& choice, Decision& decision);

}  // namespace fedra::placement
