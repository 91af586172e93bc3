#include "dra/judge/job_asks.h"

#include <algorithm>
#include <variant>

#include "dra/allocator/candidates.h"
#include "dra/allocator/constraint.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/resolved_pod.h"

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
  if (question.options.assumed)
    for (const AssumedPods& pods : *question.options.assumed) Add(pods.ns, *pods.demand);
  for (const PodDemand& demand : question.demands) Add(question.ns, demand);
}

void JobAsks::Add(const std::string& ns, const PodDemand& demand) {
  const ResolvedPod resolved = Resolve(context_, ns, demand, {});
  if (!resolved.missing.empty()) return;
  const PodClaims& pod = resolved.variants.Plain().pod;
  for (const SubRequest& ask : pod.asks) {
    AskKey key{.match = MatchKeyOf(ask),
               .all = ask.all,
               .admin = ask.admin,
               .derives = !ask.derived.empty(),
               .attributes = {}};
    const auto& constraints = pod.claims[ask.claim].spec->constraints;
    for (size_t i = 0; i < std::min(constraints.size(), kMaxConstraints); ++i)
      if (ask.constraints & uint64_t{1} << i)
        key.attributes.push_back(ConstraintState(constraints[i], context_.features()).attribute());
    if (std::find(asks_.begin(), asks_.end(), key) != asks_.end()) continue;
    has_admin_ = has_admin_ || ask.admin;
    sees_use_ = sees_use_ || ask.admin || ask.all;
    asks_.push_back(std::move(key));
  }
}

// Quick, and false in most clusters: each request finds its devices in one slice of a node, or all
// pods ask for the same and devices are alike for that.
bool JobAsks::MayDependOnOrder(const Snapshot& snapshot) const {
  MatchCache& matches = context_.caches.matches;
  JudgeMemory& memory = context_.memory;
  const AllocatorFeatures& features = context_.features();
  if (asks_.empty()) return false;
  if (features.invalid_pools_are_fatal && !memory.Pools(snapshot, matches).all_ready) return true;
  if (std::none_of(asks_.begin(), asks_.end(), [&](const AskKey& ask) {
        return memory.MeetsSeveralSlices(ask.match.match, snapshot, matches);
      }))
    return false;
  const AskKey& ask = asks_.front();
  return asks_.size() > 1 || ask.all || ask.admin || ask.derives || !ask.attributes.empty() ||
         !snapshot.roaming_pools().empty() || features.partitionable_devices ||
         features.consumable_capacity || memory.CanFail(ask.match.match, snapshot, matches);
}

std::set<Symbol> JobAsks::NodesByOrder(const Snapshot& snapshot) {
  if (!MayDependOnOrder(snapshot)) return {};
  MatchCache& matches = context_.caches.matches;
  std::set<Symbol> nodes;
  if (const auto* known = context_.memory.NodesByOrder(asks_, snapshot, matches)) {
    nodes = *known;
  } else {
    snapshot.nodes().ForEach([&](const Symbol& name, const auto& node) {
      if (DependsOnOrder(ViewOf(snapshot, *node))) nodes.insert(name);
    });
    context_.memory.KeepNodesByOrder(asks_, nodes);
  }
  NumberKinds(snapshot, nodes);
  return nodes;
}

void JobAsks::NumberKinds(const Snapshot& snapshot, const std::set<Symbol>& nodes) {
  kinds_.clear();
  of_kind_.clear();
  values_.clear();
  for (const Symbol& name : nodes) {
    const NodeView view = ViewOf(snapshot, **snapshot.nodes().Find(name));
    for (size_t pool = 0; pool < view.pools.size(); ++pool)
      for (const ViewDevice& device : view.pools[pool]->devices)
        for (const bool in_use : {false, true}) KindOf(view, pool, device, in_use);
  }
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
uint64_t JobAsks::CodeOf(const AskKey& ask, const ViewDevice& device) const {
  const AllocatorFeatures& features = context_.features();
  const auto& extras = device.device->extras;
  if (!features.binding_conditions && extras && !extras->binding_conditions.empty())
    return kNothing;
  const uint8_t match = context_.caches.matches.Match(ask.match.match, *device.slice)[device.index];
  if (match == kSelectorFails) return kFails;
  if (match != kMatches || device.node_fit == NodeFit::kNo) return kNothing;
  if (device.node_fit == NodeFit::kError) return kFails;
  const bool refused = BlockingTaint(device, ask.match.terms, features) != nullptr ||
                       (device.device->consumes && !features.partitionable_devices);
  if (!refused) return kTakes;
  return ask.all ? kRefuses : kNothing;  // All needs every device
}

uint32_t JobAsks::KindOf(const NodeView& view, size_t pool, const ViewDevice& device, bool in_use) {
  const AllocatorFeatures& features = context_.features();
  std::vector<uint64_t> key;
  for (const AskKey& ask : asks_) key.push_back(CodeOf(ask, device));
  if (std::all_of(key.begin(), key.end(), [](uint64_t code) { return code == kNothing; })) return 0;
  key.push_back(in_use);
  key.push_back(ReachOf(*view.states[pool], *device.slice));
  const DeviceExtras* extras = device.device->extras.get();
  bool unique = (extras && (extras->binds_to_node || !extras->of_node.empty())) ||
                (device.device->consumes && features.partitionable_devices) ||
                (device.device->allow_multiple && features.consumable_capacity);
  const Symbol& driver = device.slice->pool.driver;
  for (size_t i = 0; i < asks_.size(); ++i) {
    unique = unique || asks_[i].derives;
    if (key[i] == kNothing) continue;
    for (const Symbol& attribute : asks_[i].attributes) {
      const AttributeValue* value = device.device->FindQualified(attribute.view(), driver.view());
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
