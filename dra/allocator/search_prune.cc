// Leaving out branches that hold neither a solution nor an error; see search.h.

#include <algorithm>
#include <map>

#include "dra/allocator/search.h"

namespace fedra::dra {
namespace {

// About 16 MB.
constexpr size_t kMaxDeadEndSize = 1 << 22;

}  // namespace

bool Search::Skips(const std::vector<uint32_t>& failed, size_t candidate) {
  if (failed.empty() || !table_[candidate].untouched()) return false;
  const bool skips =
      std::find(failed.begin(), failed.end(), table_.ClassOf(candidate)) != failed.end();
  outcome_.leaked = outcome_.leaked || (skips && leaks_);
  return skips;
}

// The request cannot be satisfied, but the real search still walks over all that is left.
Search::Step Search::FailOrError(const Position& position, size_t start) {
  Charge(table_.size() - start);
  for (size_t i = start; i < table_.size(); ++i) {
    if (InUse(pod_.asks[position.ask], i)) continue;
    if (IsErrorCode(table_.Code(position.ask, i))) return StopAt(position.ask, i);
  }
  return Step::kFail;
}

// Whether the candidate could be the next device, taken alone.
bool Search::Usable(const Position& position, size_t index) {
  const Candidate& candidate = table_[index];
  const SubRequest& ask = pod_.asks[position.ask];
  if (InUse(ask, index) || candidate.unprepared || table_.Code(position.ask, index) != kSuits)
    return false;
  if (table_.Tainted(position.ask, index) || !table_.CapacityFits(position.ask, index))
    return false;
  const std::vector<ConstraintState>& constraints = constraints_[position.claim];
  for (size_t i = 0; i < constraints.size(); ++i) {
    const uint64_t bit = uint64_t{1} << i;
    if (!(ask.constraints & bit) || (relaxation_.constraints & bit)) continue;
    if (!constraints[i].Accepts(table_.Value(position.ask, i, index))) return false;
  }
  Taken taken;
  if (!TakeCounters(candidate, taken)) return false;
  if (taken.counters) counters_.GiveBack(candidate.pool_index, candidate.device_index);
  return true;
}

Search::Upper Search::Bound(const Position& position, size_t start) {
  const SubRequest& ask = pod_.asks[position.ask];
  Upper upper;
  // Devices that must agree on an attribute whose value is still open: the largest group counts.
  std::map<std::vector<uint32_t>, std::vector<size_t>> groups;
  Charge(2 * (table_.size() - start));
  for (size_t i = start; i < table_.size(); ++i) {
    if (!Usable(position, i)) continue;
    if (table_[i].device().consumes) upper.independent = false;
    std::vector<uint32_t> group;
    for (size_t c = 0; c < constraints_[position.claim].size(); ++c) {
      const uint64_t bit = uint64_t{1} << c;
      const bool applies = (ask.constraints & bit) && !(relaxation_.constraints & bit);
      if (!applies) continue;
      const bool lists = features_.list_attributes && table_.HasList(position.ask, c);
      if (!constraints_[position.claim][c].is_match() || lists) {
        upper.independent = false;
        continue;
      }
      group.push_back(table_.ValueId(table_.Value(position.ask, c, i)));
    }
    groups[std::move(group)].push_back(i);
  }
  for (const auto& [group, usable] : groups)
    upper.devices = std::max(upper.devices, BoundByCounters(usable));
  return upper;
}

// Devices that draw on one counter set cannot be more than the set can feed: for each counter,
// those that take least of it first.
size_t Search::BoundByCounters(const std::vector<size_t>& usable) {
  using SetKey = std::pair<uint32_t, Symbol>;  // pool, set
  std::map<SetKey, std::vector<size_t>> by_set;
  size_t bound = 0;
  for (const size_t i : usable) {
    const Candidate& candidate = table_[i];
    const auto consumed = candidate.pool->ConsumptionOf(candidate.device_index);
    if (consumed.empty() || candidate.shareable || relaxation_.counters ||
        counters_.Collides(candidate.pool_index))
      ++bound;
    else
      by_set[{candidate.pool_index, candidate.pool->counters[consumed[0].counter].set}].push_back(
          i);
  }
  for (const auto& [key, members] : by_set) {
    std::map<uint32_t, std::vector<Quantity>> taken;  // by counter, one amount per device
    for (const size_t i : members) {
      std::map<uint32_t, Quantity> sums;  // a device may name a counter more than once
      for (const Consumption& consumption : table_[i].pool->ConsumptionOf(table_[i].device_index)) {
        Quantity& sum = sums[consumption.counter];
        sum = sum.Add(*consumption.amount).value_or(sum);
      }
      for (const auto& [counter, sum] : sums)
        if (sum.Sign() > 0) taken[counter].push_back(sum);
    }
    size_t limit = members.size();
    for (auto& [counter, amounts] : taken) {
      std::sort(amounts.begin(), amounts.end());
      Quantity left = counters_.Left(key.first, counter);
      size_t fed = 0;
      for (const Quantity& amount : amounts) {
        const auto rest = left.Sub(amount);
        if (!rest || rest->Sign() < 0) break;
        left = *rest;
        ++fed;
      }
      limit = std::min(limit, members.size() - amounts.size() + fed);
    }
    bound += limit;
  }
  return bound;
}

// Whether the ask could be satisfied if the pod asked for nothing else.
bool Search::CanBeSatisfiedAlone(uint32_t claim, uint32_t ask) {
  const Position position{claim, 0, ask, 0};
  if (!pod_.asks[ask].all) {
    const int64_t count = counts_[ask];
    return count <= 0 || Bound(position, 0).devices >= static_cast<size_t>(count);
  }
  return !all_[ask].empty() &&
         std::all_of(all_[ask].begin(), all_[ask].end(),
                     [&](size_t candidate) { return Usable(position, candidate); });
}

// Whether every counted request without alternatives can have devices of its own at all,
// constraints and counters left aside: a maximum matching of requested devices and candidates. Also
// true when that took too many steps.
bool Search::CanBeAssigned() {
  std::vector<std::vector<size_t>> wanted;  // per requested device: candidates it could be
  for (uint32_t claim = 0; claim < pod_.claims.size(); ++claim) {
    for (const PreparedRequest& request : pod_.claims[claim].requests) {
      const uint32_t ask = request.first_ask;
      if (request.asks > 1 || pod_.asks[ask].all || pod_.asks[ask].admin) continue;
      std::vector<size_t> usable;
      bool shareable = false;
      Charge(table_.size());
      for (size_t i = 0; i < table_.size(); ++i) {
        if (!Usable({claim, 0, ask, 0}, i)) continue;
        usable.push_back(i);
        shareable = shareable || table_[i].shareable;
      }
      if (shareable) continue;  // one device may serve many requests
      for (int64_t i = 0; i < counts_[ask]; ++i) wanted.push_back(usable);
    }
  }
  std::vector<int> owner(table_.size(), -1);
  std::vector<bool> seen;
  const auto assign = [&](const auto& self, size_t device) -> bool {
    Charge(wanted[device].size());
    for (const size_t candidate : wanted[device]) {
      if (seen[candidate]) continue;
      seen[candidate] = true;
      if (owner[candidate] >= 0 && !self(self, static_cast<size_t>(owner[candidate]))) continue;
      owner[candidate] = static_cast<int>(device);
      return true;
    }
    return false;
  };
  for (size_t device = 0; device < wanted.size(); ++device) {
    seen.assign(table_.size(), false);
    if (OutOfSteps()) return true;
    if (!assign(assign, device)) return false;
  }
  return true;
}

// Only where the real search could not have ended with an error before finding out.
bool Search::IsHopeless() {
  if (!symmetric_ || table_.AnyError()) return false;
  for (uint32_t claim = 0; claim < pod_.claims.size(); ++claim) {
    for (const PreparedRequest& request : pod_.claims[claim].requests) {
      bool possible = false;
      for (uint32_t i = 0; i < request.asks && !possible; ++i)
        possible = CanBeSatisfiedAlone(claim, request.first_ask + i);
      if (!possible) return true;
    }
  }
  return !CanBeAssigned();
}

bool Search::UsesDeadEnds() {
  if (!symmetric_ || !thorough_) return false;
  if (dead_end_size_ >= kMaxDeadEndSize || table_.AnyError()) return false;
  return std::none_of(pod_.asks.begin(), pod_.asks.end(),
                      [](const SubRequest& ask) { return ask.admin; });
}

// Everything that the rest of the search depends on.
std::vector<uint32_t> Search::State(uint32_t claim, uint32_t request) {
  std::vector<uint32_t> state = {claim, request, static_cast<uint32_t>(chosen_[claim].size())};
  std::vector<std::pair<uint32_t, uint32_t>> held;
  for (const auto& of_claim : chosen_) {
    for (const auto& [ask, candidate] : of_claim) {
      const bool shared = table_[candidate].shareable;
      held.emplace_back(shared ? static_cast<uint32_t>(candidate) : table_.ClassOf(candidate),
                        shared ? ask + 1 : 0);
    }
  }
  Charge(held.size());
  std::sort(held.begin(), held.end());
  for (const auto& [device, ask] : held) state.insert(state.end(), {device, ask});
  for (const ConstraintState& constraint : constraints_[claim]) {
    std::vector<uint32_t> values;
    for (const AttributeValue* value : constraint.Values()) values.push_back(table_.ValueId(value));
    std::sort(values.begin(), values.end());
    state.push_back(UINT32_MAX);
    state.insert(state.end(), values.begin(), values.end());
  }
  return state;
}

}  // namespace fedra::dra
