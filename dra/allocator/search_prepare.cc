// What the scheduler checks before (and, for node selectors, after) it searches.

#include <algorithm>

#include "dra/allocator/search.h"

namespace fedra::dra {

Search::Step Search::StopAt(uint32_t ask, size_t candidate) {
  if (table_.Code(ask, candidate) != kDeviceSelectorFails)
    return Stop(Fit::kError, table_.ErrorText(ask, candidate), ErrorCause::kAllocator);
  outcome_.selector = table_.FailureOf(ask, candidate);
  return Stop(Fit::kError, table_.ErrorText(ask, candidate), ErrorCause::kSelector);
}

Search::Step Search::StopAtInvalidPool(const Position& position) {
  std::string text = pod_.claims[position.claim].Describe() + ", request " +
                     pod_.asks[position.ask].request->name.str() + ": a resource pool is invalid";
  const auto at = std::find_if(node_.pools.begin(), node_.pools.end(), [](const auto& pool) {
    return pool->status == PoolStatus::kInvalid;
  });
  if (at != node_.pools.end()) text += ": " + (*at)->key.ToString() + ": " + (*at)->problem;
  return Stop(Fit::kError, std::move(text), ErrorCause::kPool);
}

// A node selector that cannot be evaluated is an error whatever is asked for.
bool Search::CheckPools() {
  size_t position = 0;
  for (const auto& pool : node_.pools) {
    if (pool->status == PoolStatus::kBroken) {
      Stop(Fit::kError, "gather pool information: " + pool->problem);
      return false;
    }
    if (pool->status == PoolStatus::kInvalid && features_.invalid_pools_are_fatal)
      fatal_position_ = std::min(fatal_position_, position);
    position += pool->devices.size();
  }
  return true;
}

// The devices of an All request are fixed before the search: all that match, in use or not.
bool Search::CollectAll(uint32_t claim, uint32_t ask_index) {
  const SubRequest& ask = pod_.asks[ask_index];
  const std::string where = pod_.claims[claim].Describe() + ", request " + ask.request->name.str() +
                            ": asks for all devices, but resource pool ";
  size_t candidate = 0;
  for (const auto& pool : node_.pools) {
    if (pool->status != PoolStatus::kReady) {
      const bool incomplete = pool->status == PoolStatus::kIncomplete;
      Stop(Fit::kError,
           where + pool->key.ToString() +
               (incomplete ? " is currently being updated: it " : " is currently invalid: ") +
               pool->problem,
           ErrorCause::kPool);
      return false;
    }
    for (size_t i = 0; i < pool->devices.size(); ++i, ++candidate) {
      const uint8_t code = table_.Code(ask_index, candidate);
      if (IsErrorCode(code)) {
        StopAt(ask_index, candidate);
        return false;
      }
      const bool fits = features_.all_counts_free_capacity
                            ? table_.CapacityFits(ask_index, candidate)
                            : table_.CapacitySuffices(ask_index, candidate);
      if (code == kSuits && fits) all_[ask_index].push_back(candidate);
    }
  }
  counts_[ask_index] = static_cast<int64_t>(all_[ask_index].size());
  return true;
}

bool Search::CheckAsk(uint32_t claim, const PreparedRequest& request, uint32_t index) {
  const uint32_t ask = request.first_ask + index;
  const bool repeats = features_.all_mixes_alternatives && index == 1;
  if (pod_.asks[ask].all && repeats && pod_.asks[request.first_ask].all) {
    all_[ask] = all_[request.first_ask];
    counts_[ask] = counts_[request.first_ask];
    return true;
  }
  if (pod_.asks[ask].all) return CollectAll(claim, ask);
  counts_[ask] = pod_.asks[ask].request->count;
  return true;
}

bool Search::CheckClaims() {
  constraints_.reserve(pod_.claims.size());
  int64_t devices = 0;
  if (pod_.fatal) {
    Stop(Fit::kError, *pod_.fatal);
    return false;
  }
  for (uint32_t claim = 0; claim < pod_.claims.size(); ++claim) {
    const PreparedClaim& prepared = pod_.claims[claim];
    int64_t least = 0;
    for (const PreparedRequest& request : prepared.requests) {
      int64_t smallest = INT64_MAX;
      for (uint32_t i = 0; i < request.asks; ++i) {
        if (!CheckAsk(claim, request, i)) return false;
        smallest = std::min(smallest, counts_[request.first_ask + i]);
      }
      // Counts come from outside and may be absurd: do not overflow.
      least += std::clamp<int64_t>(smallest, -kMaxResultsPerClaim - 1, kMaxResultsPerClaim + 1);
    }
    if (least > kMaxResultsPerClaim) {
      Stop(Fit::kError, prepared.Describe() + ": number of requested devices " +
                            std::to_string(least) + " exceeds the claim limit of " +
                            std::to_string(kMaxResultsPerClaim));
      return false;
    }
    devices += least;
    chosen_[claim].reserve(static_cast<size_t>(std::max<int64_t>(least, 0)));
    std::vector<ConstraintState>& states = constraints_.emplace_back();
    states.reserve(prepared.spec->constraints.size());
    for (const Constraint& constraint : prepared.spec->constraints)
      states.emplace_back(constraint, features_);
  }
  results_.reserve(static_cast<size_t>(std::max<int64_t>(devices, 0)));
  return true;
}

// Whether the search may come to a device for which an attribute cannot be derived.
bool Search::DerivationCanFail() {
  for (uint32_t ask = 0; ask < pod_.asks.size(); ++ask) {
    if (pod_.asks[ask].derived.empty()) continue;
    const size_t constraints = constraints_[pod_.asks[ask].claim].size();
    for (size_t i = 0; i < constraints; ++i) {
      const uint64_t bit = uint64_t{1} << i;
      if (!(pod_.asks[ask].constraints & bit) || (relaxation_.constraints & bit)) continue;
      for (size_t c = 0; c < table_.size(); ++c)
        if (table_.CannotDerive(ask, i, c) && table_.Code(ask, c) == kSuits &&
            !InUse(pod_.asks[ask], c) && !table_[c].unprepared && !table_.Tainted(ask, c))
          return true;
    }
  }
  return false;
}

bool Search::IsSymmetric() {
  if (fatal_position_ != SIZE_MAX || DerivationCanFail()) return false;
  for (const auto& pool : node_.pools)
    if (pool->negative_consumption) return false;
  for (uint32_t i = 0; i < pod_.asks.size(); ++i) {
    const SubRequest& ask = pod_.asks[i];
    if (ask.all && (ask.constraints != 0 || features_.all_panics_on_counters)) return false;
    const bool later = ask.alternative && ask.request != &ask.owner->first_available.front();
    if (ask.all && later && features_.all_mixes_alternatives) return false;
    for (const auto& [name, amount] : ask.request->capacity)
      if (amount.Sign() < 0) return false;
    if (!features_.distinct_forgets || counts_[i] <= 1) continue;
    for (const ConstraintState& state : constraints_[ask.claim])
      if (!state.is_match()) return false;
  }
  return true;
}

// Whether a refusal can keep counters or constraints from what is tried after it: a rejected device
// leaves both behind (allocateDevice of structured/internal/incubating, v0.36.2, :1345 to :1417),
// and one that is given back in shares its counters (:1444).
bool Search::CanLeak() {
  if (!features_.refusals_leak) return false;
  for (size_t i = 0; i < table_.size(); ++i) {
    const bool counts = table_[i].device().consumes != nullptr;
    for (uint32_t ask = 0; ask < pod_.asks.size(); ++ask) {
      const bool constrained = pod_.asks[ask].constraints != 0;
      const bool refusable = table_[i].shareable || constrained || table_.Tainted(ask, i);
      if (counts ? refusable : constrained && table_[i].shareable)
        if (table_.Code(ask, i) == kSuits) return true;
    }
  }
  return false;
}

// The node selector of an allocation is made after the search. Slices with several terms cannot be
// merged, but only matter when no device binds the claim to the node anyway.
bool Search::CheckNodeSelectors() {
  for (uint32_t claim = 0; claim < pod_.claims.size(); ++claim) {
    for (const auto& [ask, candidate] : chosen_[claim]) {
      const ViewDevice& view = table_[candidate].view();
      const auto& extras = view.device->extras;
      const NodeReach& reach = ReachOf(view);
      const bool bound = features_.binds_to_node_known && extras && extras->binds_to_node;
      if (!reach.node_name.empty() || bound) break;
      if (!reach.selector || reach.selector->terms.size() < 2) continue;
      Stop(Fit::kError, "create NodeSelector for " + pod_.claims[claim].Describe() +
                            ": unsupported ResourceSlice.NodeSelector with " +
                            std::to_string(reach.selector->terms.size()) + " terms");
      return false;
    }
  }
  return true;
}

}  // namespace fedra::dra
