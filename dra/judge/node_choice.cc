#include "dra/judge/node_choice.h"

#include <algorithm>

namespace fedra::dra {

bool NodeChoice::Concerns(const SharedChoice& choice) const {
  return std::any_of(choice.claims.begin(), choice.claims.end(),
                     [&](const ObjectKey& claim) { return contested_.contains(claim); });
}

std::optional<Route> NodeChoice::Next(const std::vector<SharedChoice>& choices,
                                      const std::vector<ObjectKey>& contested) {
  contested_.insert(contested.begin(), contested.end());
  // A step whose nodes are all avoided makes no choice; those after it are of no interest then.
  const size_t moved = route_.avoided.size();
  const bool has_moved =
      moved == 0 || std::any_of(choices.begin(), choices.end(), [&](const SharedChoice& choice) {
        return choice.step + 1 == moved;
      });
  const auto last = std::find_if(choices.rbegin(), choices.rend(), [&](const SharedChoice& choice) {
    return Concerns(choice) && (has_moved || choice.step + 1 < moved);
  });
  if (last == choices.rend()) return std::nullopt;
  route_.avoided.resize(last->step + 1);
  route_.avoided[last->step].insert(last->node);
  return route_;
}

}  // namespace fedra::dra
