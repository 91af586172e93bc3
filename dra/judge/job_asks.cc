#include "dra/judge/job_asks.h"

#include <algorithm>
#include <variant>

#include "dra/allocator/candidates.h"
#include "dra/allocator/constraint.h"
#include "dra/judge/placed_pods.h"

namespace fedra::dra {
namespace {

// What an ask makes of a device.
enum : uint64_t { kNothing, kTakes, kFails, kRefuses };

// Devices of node-local slices are for this node only. Others are told apart by the nodes that
// reach them: what is taken of them is missing there.
uint64_t ReachOf(const PoolState& pool, const Slice& slice) {
  if (!pool.roaming) return 0;
  const bool everywhere = std::all_of(pool.slices.begin(), pool.slices.end(),
                                      [](const auto& one) { return one->reach.all_nodes; });
  return everywhere ? reinterpret_cast<uintptr_t>(&pool) : slice.serial << 1 | 1;
}

}  // namespace

JobAsks::JobAsks(const Question& question, const Snapshot& snapshot, JudgeCaches caches,
                 JudgeMemory& memory)
    : context_{snapshot, caches, memory, question.options, cost_} {
  const AssumedList& assumed = question.options.assumed;
  pods_.reserve(question.demands.size() + (assumed ? assumed->size() : 0));
  if (assumed)
    for (const AssumedPods& pods : *assumed) Add(pods.ns, *pods.demand);
  for (const PodDemand& demand : question.demands) Add(question.ns, demand);
}

void JobAsks::Add(const std::string& ns, const PodDemand& demand) {
  ResolvedPod& pod = pods_.emplace_back(Resolve(context_, ns, demand, {}));
  if (!pod.missing.empty()) return;
  const PodClaims& claims = pod.variants.Plain().pod;
  for (const SubRequest& ask : claims.asks) {
    asks_.push_back({.pod = &claims, .ask = &ask});
    has_admin_ = has_admin_ || ask.admin;
    sees_use_ = sees_use_ || ask.admin || ask.all;
  }
}

bool JobAsks::IsOfOneKind(const Snapshot& snapshot) const {
  const AllocatorFeatures& features = context_.features();
  if (!snapshot.roaming_pools().empty() || features.partitionable_devices ||
      features.consumable_capacity)
    return false;
  const MatchKey first = MatchKeyOf(*asks_.front().ask);
  return std::all_of(asks_.begin(), asks_.end(), [&](const Ask& of_job) {
    const SubRequest& ask = *of_job.ask;
    return !ask.all && !ask.admin && ask.constraints == 0 && ask.derived.empty() &&
           MatchKeyOf(ask) == first &&
           !context_.memory.CanFail(ask.match, snapshot, context_.caches.matches);
  });
}

bool JobAsks::MayDependOnOrder(const Snapshot& snapshot) const {
  if (asks_.empty()) return false;
  MatchCache& matches = context_.caches.matches;
  JudgeMemory& memory = context_.memory;
  if (context_.features().invalid_pools_are_fatal && !memory.Pools(snapshot, matches).all_ready)
    return true;
  if (std::none_of(asks_.begin(), asks_.end(), [&](const Ask& ask) {
        return memory.MeetsSeveralSlices(ask.ask->match, snapshot, matches);
      }))
    return false;
  return !IsOfOneKind(snapshot);
}

bool JobAsks::DependsOnOrder(const NodeView& view) {
  struct Met {
    const Slice* slice = nullptr;
    uint32_t kind = 0;
    bool slices = false;  // several
    bool kinds = false;
  };
  std::vector<Met> met(asks_.size());
  const DeviceKinds kinds = KindsOn(view, nullptr);
  for (size_t pool = 0; pool < view.pools.size(); ++pool) {
    for (size_t i = 0; i < kinds[pool].size(); ++i) {
      const uint32_t kind = kinds[pool][i];
      const Slice* slice = view.pools[pool]->devices[i].slice;
      for (size_t ask = 0; ask < asks_.size(); ++ask) {
        if (kind == 0 || (*of_kind_[kind])[ask] == kNothing) continue;
        if (met[ask].slice == nullptr) met[ask] = {.slice = slice, .kind = kind};
        met[ask].slices |= met[ask].slice != slice;
        met[ask].kinds |= met[ask].kind != kind || has_admin_;
      }
    }
  }
  const bool fatal = std::any_of(view.pools.begin(), view.pools.end(), [&](const auto& pool) {
    return IsFatal(*pool, context_.features());
  });
  return std::any_of(met.begin(), met.end(), [&](const Met& of_ask) {
    return of_ask.slice != nullptr && (fatal || (of_ask.slices && of_ask.kinds));
  });
}

DeviceKinds JobAsks::KindsOn(const NodeView& view, const Workspace* held) {
  DeviceKinds kinds;
  for (size_t pool = 0; pool < view.pools.size(); ++pool) {
    const PoolView& of_pool = *view.pools[pool];
    const Workspace::Pool* placed = held ? held->Find(of_pool.key) : nullptr;
    std::vector<uint32_t>& list = kinds.emplace_back();
    for (const ViewDevice& device : of_pool.devices) {
      const SimulatedUse* simulated = placed ? placed->Find(device.slot) : nullptr;
      const bool in_use =
          held && ((device.use && device.use->dedicated) || (simulated && simulated->dedicated));
      list.push_back(in_use && !sees_use_ ? 0 : KindOf(view, pool, device, in_use));
    }
  }
  return kinds;
}

uint64_t JobAsks::ValueId(const AttributeValue* value) {
  if (value == nullptr) return 0;
  const auto at = std::find_if(values_.begin(), values_.end(), [&](const AttributeValue* known) {
    return known == value || EqualScalars(*known, *value);
  });
  if (at == values_.end()) values_.push_back(value);
  return static_cast<uint64_t>(at - values_.begin()) + 1;
}

// As CandidateTable::Code() and Search::Take() decide.
uint64_t JobAsks::CodeOf(const SubRequest& ask, const ViewDevice& device) const {
  const AllocatorFeatures& features = context_.features();
  const auto& extras = device.device->extras;
  if (!features.binding_conditions && extras && !extras->binding_conditions.empty())
    return kNothing;
  const uint8_t match = context_.caches.matches.Match(ask.match, *device.slice)[device.index];
  if (match == kSelectorFails) return kFails;
  if (match != kMatches || device.node_fit == NodeFit::kNo) return kNothing;
  if (device.node_fit == NodeFit::kError) return kFails;
  const bool refused = BlockingTaint(device, *ask.request, features) != nullptr ||
                       (device.device->consumes && !features.partitionable_devices);
  if (!refused) return kTakes;
  return ask.all ? kRefuses : kNothing;  // All needs every device
}

uint32_t JobAsks::KindOf(const NodeView& view, size_t pool, const ViewDevice& device, bool in_use) {
  const AllocatorFeatures& features = context_.features();
  std::vector<uint64_t> key;
  for (const Ask& ask : asks_) key.push_back(CodeOf(*ask.ask, device));
  if (std::all_of(key.begin(), key.end(), [](uint64_t code) { return code == kNothing; })) return 0;
  key.push_back(in_use);
  key.push_back(ReachOf(*view.states[pool], *device.slice));
  bool unique = (device.device->consumes && features.partitionable_devices) ||
                (device.device->allow_multiple && features.consumable_capacity);
  for (size_t i = 0; i < asks_.size(); ++i) {
    const auto& [claims, ask] = asks_[i];
    unique = unique || !ask->derived.empty();
    if (key[i] == kNothing) continue;
    const auto& constraints = claims->claims[ask->claim].spec->constraints;
    for (size_t c = 0; c < std::min(constraints.size(), kMaxConstraints); ++c) {
      if (!(ask->constraints & uint64_t{1} << c)) continue;
      const AttributeValue* value = ConstraintState(constraints[c], features)
                                        .Lookup(*device.device, device.slice->pool.driver);
      key.push_back(ValueId(value));
      unique = unique || (value && std::holds_alternative<ListPointer>(*value));
    }
  }
  key.push_back(unique);
  if (unique) key.insert(key.end(), {device.slice->serial, device.index});
  const auto [at, is_new] =
      kinds_.try_emplace(std::move(key), static_cast<uint32_t>(kinds_.size() + 1));
  if (is_new) {
    of_kind_.resize(kinds_.size() + 1);
    of_kind_[at->second] = &at->first;
  }
  return at->second;
}

}  // namespace fedra::dra
