#include "dra/allocator/search.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fedra::dra {
namespace {

// Most searches end after as many steps as there are devices to choose.
constexpr uint64_t kQuickSteps = 256;

// How many ways there are to take some of the devices, in any order or (since 1.36) in one.
double StepsInVain(size_t devices, const AllocatorFeatures& features) {
  const auto count = static_cast<double>(devices);
  if (!features.permutes) return std::exp2(count) - 1;
  return std::numbers::e * std::tgamma(count + 1) - 1;
}

}  // namespace

Search::Search(const PodClaims& pod, const NodeView& node, const Workspace* workspace,
               MatchCache& matches, const AllocatorFeatures& features,
               const AllocatorLimits& limits, const Relaxation& relaxation)
    : pod_(pod),
      node_(node),
      features_(features),
      limits_(limits),
      relaxation_(relaxation),
      counters_(node, workspace,
                {.by_pool_name = features.counters_by_pool_name,
                 .counters = !relaxation.counters,
                 .groups = !relaxation.groups}),
      table_(pod, node, workspace, matches, counters_, features, relaxation),
      counts_(pod.asks.size()),
      all_(pod.asks.size()),
      chosen_(pod.claims.size()) {}

Search::Step Search::Stop(Fit fit, std::string error, ErrorCause cause) {
  outcome_.fit = fit;
  outcome_.error = std::move(error);
  outcome_.cause = cause;
  return Step::kStop;
}

// ---- what is asked for, one after the other

Search::Step Search::PlaceRequest(uint32_t claim, uint32_t request) {
  if (claim >= pod_.claims.size()) return Step::kDone;
  const auto& requests = pod_.claims[claim].requests;
  if (request >= requests.size()) {
    const Step step = PlaceRequest(claim + 1, 0);
    return step == Step::kOversize ? Step::kFail : step;
  }
  const bool remembers = UsesDeadEnds();
  std::vector<uint32_t> state;
  if (remembers) {
    state = State(claim, request);
    if (dead_ends_.contains(state)) {
      outcome_.leaked = outcome_.leaked || leaks_;
      return Step::kFail;
    }
  }
  const uint64_t oversize = oversize_events_;
  const Step step = requests[request].alternatives
                        ? PlaceAlternatives(claim, request)
                        : PlaceDevice({claim, request, requests[request].first_ask, 0}, 0);
  if (remembers && step == Step::kFail && oversize == oversize_events_) {
    dead_end_size_ += state.size();
    dead_ends_.insert(std::move(state));
  }
  return step;
}

Search::Step Search::PlaceAlternatives(uint32_t claim, uint32_t request) {
  const PreparedRequest& prepared = pod_.claims[claim].requests[request];
  bool all_oversize = true;
  for (uint32_t i = 0; i < prepared.asks; ++i) {
    alternatives_.emplace_back(request, static_cast<int>(i));
    const Step step = PlaceDevice({claim, request, prepared.first_ask + i, 0}, 0);
    if (step == Step::kDone || step == Step::kStop) return step;
    alternatives_.pop_back();
    if (step == Step::kFail) all_oversize = false;
  }
  return all_oversize ? Step::kOversize : Step::kFail;
}

Search::Step Search::PlaceDevice(const Position& position, size_t start) {
  ++outcome_.steps;
  if (OutOfSteps()) return Stop(Fit::kBudget, "");
  const bool all = pod_.asks[position.ask].all;
  if (all && all_[position.ask].empty()) return Step::kFail;
  if (position.device >= counts_[position.ask])
    return PlaceRequest(position.claim, position.request + 1);
  const auto held = static_cast<int64_t>(chosen_[position.claim].size());
  if (held + counts_[position.ask] - position.device > kMaxResultsPerClaim) {
    ++oversize_events_;
    return Step::kOversize;
  }
  return all ? PlaceAll(position) : PlaceExact(position, start);
}

// Every device is decided already; none may be refused.
Search::Step Search::PlaceAll(const Position& position) {
  const size_t candidate = all_[position.ask][static_cast<size_t>(position.device)];
  Taken taken;
  if (!Take(position, candidate, true, taken)) {
    if (!outcome_.error.empty()) return Step::kStop;
    return Step::kFail;
  }
  Position next = position;
  ++next.device;
  if (features_.all_mixes_alternatives)
    next.ask = pod_.claims[position.claim].requests[position.request].first_ask;
  const Step step = PlaceDevice(next, 0);
  if (step != Step::kDone) TakeBack(position, candidate, taken);
  return step;
}

Search::Step Search::PlaceExact(const Position& position, size_t start) {
  const SubRequest& ask = pod_.asks[position.ask];
  const auto needed = static_cast<size_t>(counts_[position.ask] - position.device);
  std::vector<uint32_t> failed;  // classes
  size_t charged = start;
  for (size_t i = start; i < table_.size(); ++i) {
    if (start <= fatal_position_ && i >= fatal_position_) break;
    if (InUse(ask, i)) continue;
    const uint8_t code = table_.Code(position.ask, i);
    if (IsErrorCode(code)) return StopAt(position.ask, i);
    if (code != kSuits || Skips(failed, i) || !table_.CapacityFits(position.ask, i)) continue;
    Taken taken;
    if (!Take(position, i, false, taken)) {
      if (!outcome_.error.empty()) return Step::kStop;
      continue;
    }
    Charge(i - charged);
    charged = i;
    Position next = position;
    ++next.device;
    const uint64_t oversize = oversize_events_;
    // Where nothing is left out, other orders may make a difference.
    const Step step = PlaceDevice(next, features_.permutes && !symmetric_ ? 0 : i + 1);
    if (step == Step::kDone) return step;
    TakeBack(position, i, taken);
    if (step != Step::kFail) return step;
    if (!symmetric_ || oversize != oversize_events_) continue;
    if (table_[i].untouched()) failed.push_back(table_.ClassOf(i));
    if (const Upper left = Bound(position, i + 1); left.devices < needed) {
      if (left.independent) outcome_.scheduler_steps += StepsInVain(left.devices, features_);
      outcome_.leaked = outcome_.leaked || leaks_;
      return FailOrError(position, i + 1);
    }
  }
  Charge(table_.size() - charged);
  if (start <= fatal_position_ && fatal_position_ <= table_.size())
    return StopAtInvalidPool(position);
  return Step::kFail;
}

// ---- one device (search_take.cc has the rest)

bool Search::HeldByClaim(size_t candidate, uint32_t claim) const {
  if (table_[candidate].users == 0) return false;
  const auto& chosen = chosen_[claim];
  return std::any_of(chosen.begin(), chosen.end(),
                     [&](const auto& device) { return device.second == candidate; });
}

// Admin access only minds devices that the same claim holds already.
bool Search::InUse(const SubRequest& ask, size_t candidate) const {
  if (ask.admin) return HeldByClaim(candidate, ask.claim);
  return table_[candidate].in_use || table_[candidate].users > 0;
}

// ---- the whole

NodeAllocation Search::NotFound() {
  outcome_.fit = Fit::kNoFit;
  outcome_.invalid_pools =
      !features_.invalid_pools_are_fatal &&
      std::any_of(node_.pools.begin(), node_.pools.end(),
                  [](const auto& pool) { return pool->status == PoolStatus::kInvalid; });
  return std::move(outcome_);
}

NodeAllocation Search::Run(bool thorough) {
  thorough_ = thorough;
  if (!CheckPools() || !CheckClaims()) return std::move(outcome_);
  symmetric_ = IsSymmetric();
  leaks_ = CanLeak();
  if (thorough && IsHopeless()) return NotFound();
  if (OutOfSteps()) Stop(Fit::kBudget, "");
  if (outcome_.fit == Fit::kBudget) return std::move(outcome_);
  switch (PlaceRequest(0, 0)) {
    case Step::kStop:
      return std::move(outcome_);
    case Step::kFail:
    case Step::kOversize:
      return NotFound();
    case Step::kDone:
      break;
  }
  if (!CheckNodeSelectors()) return std::move(outcome_);
  outcome_.fit = Fit::kFit;
  outcome_.devices = std::move(results_);
  for (const auto& [request, index] : alternatives_) outcome_.alternatives.push_back(index);
  return std::move(outcome_);
}

// A search that is over soon ends within `kQuickSteps`; the others are begun again, with an eye on
// why they cannot succeed.
NodeAllocation Allocate(const PodClaims& pod, const NodeView& node, const Workspace* workspace,
                        MatchCache& matches, const AllocatorFeatures& features,
                        const AllocatorLimits& limits, const Relaxation& relaxation) {
  uint64_t devices = 0;
  for (const auto& pool : node.pools) devices += pool->devices.size();
  const uint64_t making = devices * (1 + pod.asks.size()) / 16;  // the table of candidates
  uint64_t spent = making;
  const auto run = [&](uint64_t most, bool thorough) {
    const uint64_t left = limits.max_steps - std::min(limits.max_steps, spent);
    const AllocatorLimits here{.max_steps = std::min(most, left)};
    NodeAllocation found =
        Search(pod, node, workspace, matches, features, here, relaxation).Run(thorough);
    found.steps = spent += found.steps;
    return found;
  };
  NodeAllocation found = run(kQuickSteps + devices, false);
  if (found.fit == Fit::kBudget && spent < limits.max_steps) {
    spent += making;
    const double scheduler_steps = found.scheduler_steps;
    found = run(limits.max_steps, true);
    found.scheduler_steps = std::max(found.scheduler_steps, scheduler_steps);
  }
  if (found.fit == Fit::kBudget)
    found.error = "no answer after " + std::to_string(found.steps) + " steps";
  return found;
}

void Commit(const NodeAllocation& allocation, const PodClaims& pod, const NodeView& node,
            Workspace& workspace) {
  for (const ChosenDevice& chosen : allocation.devices) {
    if (pod.asks[chosen.ask].admin) continue;
    const PoolView& view = *node.pools[chosen.pool];
    Workspace::Pool& pool = workspace.pools[view.key];
    const ViewDevice& device = view.devices[chosen.device];
    const auto [at, is_first] = pool.devices.try_emplace(device.slot);
    SimulatedUse& use = at->second;
    use.dedicated = use.dedicated || !chosen.shared;
    use.shared = use.shared || chosen.shared;
    use.assumed = use.assumed || workspace.assumed;
    use.capacity = use.capacity || !chosen.consumed.empty();
    AddAmounts(use.consumed, chosen.consumed);
    // Of a device that is held in shares the scheduler deducts the counters once.
    if (!chosen.counters || !is_first || device.use != nullptr) continue;
    for (const Consumption& consumption : view.ConsumptionOf(chosen.device)) {
      const ViewCounter& counter = view.counters[consumption.counter];
      Quantity& taken = pool.counters[{counter.set, counter.name}];
      taken = taken.AddUp(*consumption.amount);
    }
    for (const CounterSet& set : *device.device->consumes)
      for (const ViewGroups& groups : view.groups)
        if (groups.set == set.name)
          pool.groups.try_emplace(set.name, groups.allocated).first->second.Add(set.groups);
  }
}

}  // namespace fedra::dra
