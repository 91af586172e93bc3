#include "dra/judge/node_choice.h"

#include <algorithm>

namespace fedra::dra {

bool NodeChoice::Concerns(const SharedChoice& choice) const {
  return std::any_of(choice.claims.begin(), choice.claims.end(),
                     [&](const ObjectKey& claim) { return contested_.contains(claim); });
}

std::optional<ExcludedNodes> NodeChoice::Next(const std::vector<SharedChoice>& choices,
                                              const std::vector<ObjectKey>& contested) {
  contested_.insert(contested.begin(), contested.end());
  // A step whose nodes are all excluded makes no choice; those after it are of no interest then.
  const size_t moved = excluded_.by_step.size();
  const bool has_moved =
      moved == 0 || std::any_of(choices.begin(), choices.end(), [&](const SharedChoice& choice) {
        return choice.step + 1 == moved;
      });
  const auto last = std::find_if(choices.rbegin(), choices.rend(), [&](const SharedChoice& choice) {
    return Concerns(choice) && (has_moved || choice.step + 1 < moved);
  });
  if (last == choices.rend()) return std::nullopt;
  excluded_.by_step.resize(last->step + 1);
  excluded_.by_step[last->step].insert(last->node);
  return excluded_;
}

}  // namespace fedra::dra
