#include "dra/model/snapshot.h"

#include <algorithm>
#include <atomic>

#include "dra/model/same_content.h"

namespace fedra::dra {
namespace {

// Unique in the process, so that caches keyed by it can never mix up two clusters.
uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// `known`: the object of that name; null: there is none.
template <class T>
bool IsKnown(const std::shared_ptr<const T>* known, const T& object) {
  return known != nullptr && SameContent(**known, object);
}

}  // namespace

// ---- Snapshot

const NodePools* Snapshot::PoolsOf(const Symbol& node) const {
  const auto* found = node_pools_.Find(node);
  return found ? found->get() : nullptr;
}

void Snapshot::SetPool(const PoolKey& key, std::shared_ptr<const PoolState> pool) {
  if (const auto* old = pools_.Find(key)) RemoveFromIndex(**old);
  if (!pool) return pools_.Erase(key);
  AddToIndex(pool);
  pools_.Set(key, std::move(pool));
}

void Snapshot::RemoveFromIndex(const PoolState& pool) {
  roaming_.Erase(pool.key);
  troubled_.Erase(pool.key);
  for (const auto& [node, view] : pool.local_views) {
    const auto* old = node_pools_.Find(node);
    if (old == nullptr) continue;
    auto pools = std::make_shared<NodePools>(**old);
    std::erase_if(pools->views, [&](const auto& entry) { return entry.first->key == pool.key; });
    if (pools->views.empty())
      node_pools_.Erase(node);
    else
      node_pools_.Set(node, std::move(pools));
  }
}

void Snapshot::AddToIndex(const std::shared_ptr<const PoolState>& pool) {
  if (pool->roaming) roaming_.Set(pool->key, pool);
  if (pool->elsewhere && pool->elsewhere->status != PoolStatus::kReady)
    troubled_.Set(pool->key, pool);
  for (const auto& [node, view] : pool->local_views) {
    const auto* old = node_pools_.Find(node);
    auto pools = old ? std::make_shared<NodePools>(**old) : std::make_shared<NodePools>();
    const auto at = std::lower_bound(
        pools->views.begin(), pools->views.end(), pool->key,
        [](const auto& entry, const PoolKey& key) { return entry.first->key < key; });
    pools->views.insert(at, {pool, view});
    node_pools_.Set(node, std::move(pools));
  }
}

std::shared_ptr<const Snapshot> Snapshot::WithoutAllocation(const ObjectKey& key) const {
  auto copy = std::make_shared<Snapshot>(*this);
  const auto* found = claims_.Find(key);
  if (found == nullptr || !(*found)->allocation) return copy;
  Claim claim = **found;
  claim.allocation.reset();
  std::set<PoolKey> freed;
  for (const AllocatedDevice& device : (*found)->allocation->devices) freed.insert(device.pool);
  copy->claims_.Set(key, std::make_shared<const Claim>(std::move(claim)));
  copy->use_serial_ = NextSerial();
  for (const PoolKey& pool : freed) {
    const auto* state = pools_.Find(pool);
    if (state == nullptr || !(*state)->usage) continue;
    std::set<ObjectKey> holders;
    for (const DeviceUse& use : (*state)->usage->devices)
      holders.insert(use.holders.begin(), use.holders.end());
    auto usage = std::make_shared<PoolUsage>();
    for (const ObjectKey& holder : holders)
      AddUse(*usage, pool, **copy->claims_.Find(holder), features_);
    copy->SetPool(pool, WithUsage(**state, std::move(usage)));
  }
  return copy;
}

std::shared_ptr<const Snapshot> Snapshot::WithFreePools(const Snapshot* known) const {
  auto copy = std::make_shared<Snapshot>(*this);
  if (known != nullptr && known->slices_serial_ == slices_serial_) {
    copy->pools_ = known->pools_;
    copy->roaming_ = known->roaming_;
    copy->troubled_ = known->troubled_;
    copy->node_pools_ = known->node_pools_;
    copy->use_serial_ = known->use_serial_;
    return copy;
  }
  copy->use_serial_ = NextSerial();
  pools_.ForEach([&](const PoolKey& key, const auto& pool) {
    if (pool->usage) copy->SetPool(key, WithUsage(*pool, nullptr));
  });
  return copy;
}

std::shared_ptr<const Snapshot> Snapshot::WithTemplates(
    std::span<const std::shared_ptr<const ClaimTemplate>> templates) const {
  auto copy = std::make_shared<Snapshot>(*this);
  for (const auto& claim_template : templates)
    copy->templates_.Set(claim_template->key, claim_template);
  return copy;
}

// ---- SnapshotBuilder

SnapshotBuilder::SnapshotBuilder(AllocatorFeatures features) {
  next_.features_ = features;
  next_.slices_serial_ = next_.use_serial_ = next_.nodes_serial_ = NextSerial();
}

bool SnapshotBuilder::SetFeatures(AllocatorFeatures features) {
  if (next_.features_ == features) return false;
  next_.features_ = features;
  next_.slices_serial_ = next_.use_serial_ = next_.nodes_serial_ = NextSerial();
  for (const auto& [key, slices] : slices_of_pool_) dirty_pools_.insert(key);
  changed_ = true;
  return true;
}

void SnapshotBuilder::MarkSlices(const PoolKey& pool) {
  dirty_pools_.insert(pool);
  next_.slices_serial_ = next_.use_serial_ = NextSerial();
}

bool SnapshotBuilder::SetSlice(Slice slice) {
  if (const auto known = slices_.find(slice.name);
      known != slices_.end() && SameContent(*known->second, slice))
    return false;
  RemoveSlice(slice.name);
  slice.serial = NextSerial();
  auto shared = std::make_shared<const Slice>(std::move(slice));
  slices_[shared->name] = shared;
  slices_of_pool_[shared->pool][shared->name] = shared;
  MarkSlices(shared->pool);
  return changed_ = true;
}

bool SnapshotBuilder::RemoveSlice(const Symbol& name) {
  const auto at = slices_.find(name);
  if (at == slices_.end()) return false;
  const PoolKey key = at->second->pool;
  const auto pool = slices_of_pool_.find(key);
  pool->second.erase(name);
  if (pool->second.empty()) slices_of_pool_.erase(pool);
  slices_.erase(at);
  MarkSlices(key);
  return changed_ = true;
}

void SnapshotBuilder::MarkPoolsOf(const Claim& claim) {
  if (!claim.allocation) return;
  for (const AllocatedDevice& device : claim.allocation->devices) dirty_pools_.insert(device.pool);
  next_.use_serial_ = NextSerial();
}

bool SnapshotBuilder::SetClaim(Claim claim) {
  if (IsKnown(next_.claims_.Find(claim.key), claim)) return false;
  RemoveClaim(claim.key);
  auto shared = std::make_shared<const Claim>(std::move(claim));
  MarkPoolsOf(*shared);
  if (shared->allocation)
    for (const AllocatedDevice& device : shared->allocation->devices)
      claims_of_pool_[device.pool].insert(shared->key);
  next_.claims_.Set(shared->key, shared);
  return changed_ = true;
}

bool SnapshotBuilder::RemoveClaim(const ObjectKey& key) {
  const auto* found = next_.claims_.Find(key);
  if (found == nullptr) return false;
  const std::shared_ptr<const Claim> old = *found;
  MarkPoolsOf(*old);
  if (old->allocation) {
    for (const AllocatedDevice& device : old->allocation->devices) {
      const auto pool = claims_of_pool_.find(device.pool);
      if (pool == claims_of_pool_.end()) continue;
      pool->second.erase(key);
      if (pool->second.empty()) claims_of_pool_.erase(pool);
    }
  }
  next_.claims_.Erase(key);
  return changed_ = true;
}

bool SnapshotBuilder::IsAllocated(const ObjectKey& claim) const {
  const auto* found = next_.claims_.Find(claim);
  return found != nullptr && (*found)->allocation.has_value();
}

bool SnapshotBuilder::SetClass(DeviceClass device_class) {
  if (IsKnown(next_.classes_.Find(device_class.name), device_class)) return false;
  const Symbol name = device_class.name;
  next_.classes_serial_ = NextSerial();
  next_.classes_.Set(name, std::make_shared<const DeviceClass>(std::move(device_class)));
  return changed_ = true;
}

bool SnapshotBuilder::RemoveClass(const Symbol& name) {
  if (next_.classes_.Find(name) == nullptr) return false;
  next_.classes_serial_ = NextSerial();
  next_.classes_.Erase(name);
  return changed_ = true;
}

bool SnapshotBuilder::SetTemplate(ClaimTemplate claim_template) {
  if (IsKnown(next_.templates_.Find(claim_template.key), claim_template)) return false;
  const ObjectKey key = claim_template.key;
  next_.templates_.Set(key, std::make_shared<const ClaimTemplate>(std::move(claim_template)));
  return changed_ = true;
}

bool SnapshotBuilder::RemoveTemplate(const ObjectKey& key) {
  if (next_.templates_.Find(key) == nullptr) return false;
  next_.templates_.Erase(key);
  return changed_ = true;
}

// A rule may select the devices of any pool.
void SnapshotBuilder::MarkPoolsOf(const TaintRule& rule) {
  for (const auto& [key, slices] : slices_of_pool_) {
    if ((rule.driver.empty() || rule.driver == key.driver) &&
        (rule.pool.empty() || rule.pool == key.pool))
      MarkSlices(key);
  }
}

bool SnapshotBuilder::SetTaintRule(TaintRule rule) {
  if (const auto known = taint_rules_.find(rule.name);
      known != taint_rules_.end() && SameContent(known->second, rule))
    return false;
  RemoveTaintRule(rule.name);
  MarkPoolsOf(rule);
  const std::string name = rule.name;
  taint_rules_.emplace(name, std::move(rule));
  return changed_ = true;
}

bool SnapshotBuilder::RemoveTaintRule(const std::string& name) {
  const auto at = taint_rules_.find(name);
  if (at == taint_rules_.end()) return false;
  MarkPoolsOf(at->second);
  taint_rules_.erase(at);
  return changed_ = true;
}

bool SnapshotBuilder::SetNode(Node node) {
  if (IsKnown(next_.nodes_.Find(node.name), node)) return false;
  node.serial = next_.nodes_serial_ = NextSerial();
  const Symbol name = node.name;
  next_.nodes_.Set(name, std::make_shared<const Node>(std::move(node)));
  return changed_ = true;
}

bool SnapshotBuilder::RemoveNode(const Symbol& name) {
  if (next_.nodes_.Find(name) == nullptr) return false;
  next_.nodes_.Erase(name);
  next_.nodes_serial_ = NextSerial();
  return changed_ = true;
}

std::shared_ptr<const PoolUsage> SnapshotBuilder::BuildUsage(const PoolKey& key) const {
  const auto claims = claims_of_pool_.find(key);
  if (claims == claims_of_pool_.end()) return nullptr;
  auto usage = std::make_shared<PoolUsage>();
  for (const ObjectKey& claim : claims->second)
    AddUse(*usage, key, **next_.claims_.Find(claim), next_.features_);
  return usage;
}

std::shared_ptr<const PoolState> SnapshotBuilder::BuildPool(const PoolKey& key) const {
  const auto found = slices_of_pool_.find(key);
  if (found == slices_of_pool_.end()) return nullptr;
  std::vector<std::shared_ptr<const Slice>> slices;
  for (const auto& [name, slice] : found->second) slices.push_back(slice);
  std::vector<const TaintRule*> rules;
  for (const auto& [name, rule] : taint_rules_) rules.push_back(&rule);
  return MakePoolState(key, std::move(slices), BuildUsage(key), rules, next_.features_);
}

std::shared_ptr<const Snapshot> SnapshotBuilder::Publish() {
  if (!changed_) return published_;
  for (const PoolKey& key : dirty_pools_) next_.SetPool(key, BuildPool(key));
  dirty_pools_.clear();
  ++next_.generation_;
  changed_ = false;
  published_ = std::make_shared<const Snapshot>(next_);
  return published_;
}

}  // namespace fedra::dra
