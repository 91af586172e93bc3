// One device: whether it can be taken, and giving it back.

#include <algorithm>

#include "dra/allocator/capacity.h"
#include "dra/allocator/search.h"

namespace fedra::dra {

// A shared device has its counters since the first share that is known.
bool Search::HasCountersAlready(const Candidate& candidate) {
  return candidate.shareable && (candidate.capacity_in_use || !candidate.shares.empty());
}

bool Search::TakeCounters(const Candidate& candidate, Taken& taken) {
  if (!candidate.device().consumes) return true;
  if (!features_.partitionable_devices) return relaxation_.counters;
  if (HasCountersAlready(candidate)) return true;
  taken.counters = counters_.Take(candidate.pool_index, candidate.device_index);
  return taken.counters;
}

bool Search::AddToConstraints(const Position& position, size_t candidate, Taken& taken) {
  const SubRequest& ask = pod_.asks[position.ask];
  std::vector<ConstraintState>& constraints = constraints_[position.claim];
  for (size_t i = 0; i < constraints.size(); ++i) {
    const uint64_t bit = uint64_t{1} << i;
    if (!(ask.constraints & bit) || (relaxation_.constraints & bit)) continue;
    if (table_.CannotDerive(position.ask, i, candidate)) {
      Stop(Fit::kError, table_.DerivationError(position.ask, i, candidate), ErrorCause::kSelector);
      return false;
    }
    const AttributeValue* value = table_.Value(position.ask, i, candidate);
    if (!constraints[i].Accepts(value)) return false;
    constraints[i].Add(ask.owner->name, value);
    taken.constraints |= bit;
  }
  return true;
}

// checkAvailableCounters of structured/internal/incubating, v0.36.1: the candidate of an All
// request has no pool (allocator_incubating.go:564), which is looked into (:1489).
bool Search::StopAtPanic(const Position& position, const Candidate& candidate) {
  if (!features_.all_panics_on_counters || !features_.partitionable_devices) return false;
  if (!candidate.device().consumes || HasCountersAlready(candidate)) return false;
  Stop(Fit::kError, pod_.claims[position.claim].Describe() + ", request " +
                        pod_.asks[position.ask].request->name.str() +
                        ": kube-scheduler of this release ends with a panic where all devices are "
                        "asked for and one takes of counters: " +
                        candidate.pool->key.ToString() + "/" + candidate.device().name.str());
  return true;
}

// False.
bool Search::Refuse(const Position& position, size_t index, const Taken& taken) {
  outcome_.leaked = outcome_.leaked || (leaks_ && (taken.counters || taken.constraints != 0));
  TakeBack(position, index, taken);
  return false;
}

bool Search::Take(const Position& position, size_t index, bool must, Taken& taken) {
  Candidate& candidate = table_[index];
  const SubRequest& ask = pod_.asks[position.ask];
  if (InUse(ask, index) || candidate.unprepared) return false;
  if (must && StopAtPanic(position, candidate)) return false;
  if (!TakeCounters(candidate, taken)) return false;
  if (table_.Tainted(position.ask, index)) return Refuse(position, index, taken);
  if (!AddToConstraints(position, index, taken)) {
    Refuse(position, index, taken);
    if (must && outcome_.error.empty()) {
      Stop(Fit::kError, pod_.claims[position.claim].Describe() + ", request " +
                            ask.request->name.str() + ": cannot add device " +
                            candidate.pool->key.ToString() + "/" + candidate.device().name.str() +
                            " because a claim constraint would not be satisfied");
    }
    return false;
  }
  if (!table_.CapacityFits(position.ask, index)) return Refuse(position, index, taken);
  ChosenDevice chosen{
      .claim = position.claim,
      .ask = position.ask,
      .pool = candidate.pool_index,
      .device = candidate.device_index,
      .shared = candidate.shareable,
      .counters = taken.counters && (!candidate.shareable || features_.shares_hold_counters),
      .consumed = {}};
  if (candidate.shareable) {
    chosen.consumed = ConsumedCapacities(candidate.device(), *ask.request, features_);
    candidate.shares.push_back(chosen.consumed);
    taken.shared = true;
  } else {
    ++candidate.users;
    taken.marked = true;
  }
  results_.push_back(std::move(chosen));
  chosen_[position.claim].emplace_back(position.ask, index);
  taken.chosen = true;
  outcome_.deepest = std::max(outcome_.deepest, static_cast<uint32_t>(results_.size()));
  return true;
}

void Search::TakeBack(const Position& position, size_t index, const Taken& taken) {
  Candidate& candidate = table_[index];
  outcome_.leaked = outcome_.leaked || (leaks_ && taken.shared && candidate.device().consumes);
  if (taken.chosen) {
    results_.pop_back();
    chosen_[position.claim].pop_back();
  }
  if (taken.shared) candidate.shares.pop_back();
  if (taken.marked) --candidate.users;
  const Symbol& request = pod_.asks[position.ask].owner->name;
  for (size_t i = constraints_[position.claim].size(); i-- > 0;)
    if (taken.constraints & (uint64_t{1} << i))
      constraints_[position.claim][i].Remove(request, table_.Value(position.ask, i, index));
  if (taken.counters) counters_.GiveBack(candidate.pool_index, candidate.device_index);
}

}  // namespace fedra::dra
