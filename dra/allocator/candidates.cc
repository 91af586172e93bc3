#include "dra/allocator/candidates.h"

#include <algorithm>
#include <array>
#include <map>

#include "dra/allocator/capacity.h"

namespace fedra::dra {
namespace {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect_text) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

const Taint* FirstBlocking(const std::vector<Taint>& taints, const DeviceRequest& request) {
  const auto blocks = [&](const Taint& taint) {
    return taint.effect != TaintEffect::kOther &&
           std::none_of(request.tolerations.begin(), request.tolerations.end(),
                        [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
  };
  const auto at = std::find_if(taints.begin(), taints.end(), blocks);
  return at == taints.end() ? nullptr : &*at;
}

uint64_t HashOf(const AttributeValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<uint64_t>(*number);
  if (const auto* text = std::get_if<Symbol>(&value)) return text->hash();
  if (const auto* version = std::get_if<VersionName>(&value)) return version->text.hash();
  return value.index();
}

}  // namespace

const Taint* BlockingTaint(const ViewDevice& device, const DeviceRequest& request,
                           const AllocatorFeatures& features) {
  if (!features.device_taints) return nullptr;
  const auto& extras = device.device->extras;
  if (extras)
    if (const Taint* taint = FirstBlocking(extras->taints, request)) return taint;
  return device.taints ? FirstBlocking(*device.taints, request) : nullptr;
}

CandidateTable::CandidateTable(const PodClaims& pod, const NodeView& node,
                               const Workspace* workspace, MatchCache& matches,
                               const CounterLedger& counters, const AllocatorFeatures& features,
                               const Relaxation& relaxation)
    : pod_(pod),
      counters_(counters),
      matches_(matches),
      features_(features),
      relaxation_(relaxation),
      codes_(pod.asks.size()),
      values_(pod.claims.size()) {
  size_t devices = 0;
  for (const auto& pool : node.pools) devices += pool->devices.size();
  candidates_.reserve(devices);
  for (size_t pool = 0; pool < node.pools.size(); ++pool) AddPool(node, pool, workspace);
}

void CandidateTable::AddPool(const NodeView& node, size_t pool, const Workspace* workspace) {
  const PoolView& view = *node.pools[pool];
  const Workspace::Pool* placed = workspace ? workspace->Find(view.key) : nullptr;
  for (uint32_t i = 0; i < view.devices.size(); ++i) {
    Candidate& candidate = candidates_.emplace_back();
    candidate.pool = &view;
    candidate.pool_index = static_cast<uint32_t>(pool);
    candidate.device_index = i;
    candidate.unprepared = LacksOperations(*node.node, *view.devices[i].slice, features_);
    SetUse(candidate, placed ? placed->Find(view.devices[i].slot) : nullptr);
  }
}

void CandidateTable::SetUse(Candidate& candidate, const SimulatedUse* simulated) const {
  candidate.shareable =
      features_.consumable_capacity && candidate.device().allow_multiple.value_or(false);
  if (relaxation_.in_use) return;
  if (const DeviceUse* use = candidate.view().use) {
    candidate.in_use = use->dedicated;
    candidate.capacity_in_use =
        features_.empty_shares_hold_counters ? use->shared : use->consumed.has_value();
    if (use->consumed) candidate.allocated = &*use->consumed;
  }
  if (simulated) {
    candidate.in_use = candidate.in_use || simulated->dedicated;
    candidate.capacity_in_use =
        candidate.capacity_in_use ||
        (features_.empty_shares_hold_counters ? simulated->shared : simulated->capacity);
    candidate.simulated = &simulated->consumed;
  }
}

uint8_t CandidateTable::CodeOf(const Candidate& candidate, uint8_t match) const {
  const auto& extras = candidate.device().extras;
  if (!features_.binding_conditions && extras && !extras->binding_conditions.empty())
    return kUnsupported;
  if (match != kMatches) return match;
  switch (candidate.view().node_fit) {
    case NodeFit::kYes:
      return kSuits;
    case NodeFit::kNo:
      return kOtherNode;
    case NodeFit::kError:
      return kNodeSelectorFails;
  }
  return kOtherNode;
}

const std::vector<uint8_t>& CandidateTable::Codes(uint32_t ask) {
  std::vector<uint8_t>& codes = codes_[ask];
  if (!codes.empty() || candidates_.empty()) return codes;
  codes.resize(candidates_.size());
  const Slice* slice = nullptr;
  std::span<const uint8_t> matches;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const ViewDevice& view = candidates_[i].view();
    if (view.slice != slice) {
      slice = view.slice;
      matches = matches_.Match(pod_.asks[ask].match, *slice);
    }
    codes[i] = CodeOf(candidates_[i], matches[view.index]);
  }
  const DeviceRequest& request = *pod_.asks[ask].request;
  if (!features_.consumable_capacity || !features_.capacity_overflow_fails ||
      request.capacity.empty() || relaxation_.capacity)
    return codes;
  for (size_t i = 0; i < candidates_.size(); ++i)
    if (codes[i] == kSuits && RoundingOverflows(candidates_[i].device(), request, features_))
      codes[i] = kCapacityOverflows;
  return codes;
}

uint8_t CandidateTable::Code(uint32_t ask, size_t candidate) { return Codes(ask)[candidate]; }

bool CandidateTable::AnyError() {
  if (!any_error_) {
    any_error_ = false;
    for (uint32_t ask = 0; ask < pod_.asks.size(); ++ask) {
      const auto& codes = Codes(ask);
      if (std::any_of(codes.begin(), codes.end(), IsErrorCode)) any_error_ = true;
    }
  }
  return *any_error_;
}

SelectorFailure CandidateTable::FailureOf(uint32_t ask, size_t index) {
  const ViewDevice& view = candidates_[index].view();
  return matches_.FailureOf(pod_.asks[ask].match, *view.slice, view.index);
}

std::string CandidateTable::ErrorText(uint32_t ask_index, size_t index) {
  const SubRequest& ask = pod_.asks[ask_index];
  const ViewDevice& view = candidates_[index].view();
  if (Code(ask_index, index) == kNodeSelectorFails)
    return "device " + view.device->name.str() + ": the node selector cannot be parsed";
  const std::string where = "request " + ask.Name() + " of " + pod_.claims[ask.claim].Describe();
  const std::string device = view.slice->pool.ToString() + "/" + view.device->name.str();
  if (Code(ask_index, index) == kCapacityOverflows)
    return where + " asks for so much capacity that rounding it up to the range of device " +
           device + " passes 2^63 - 1";
  return where + ": " + DescribeFailure(ask, FailureOf(ask_index, index), device, matches_);
}

bool CandidateTable::Tainted(uint32_t ask, size_t index) const {
  if (relaxation_.taints) return false;
  return BlockingTaint(candidates_[index].view(), *pod_.asks[ask].request, features_) != nullptr;
}

bool CandidateTable::CapacityFits(uint32_t ask, size_t index) const {
  if (!features_.consumable_capacity || relaxation_.capacity) return true;
  const Candidate& candidate = candidates_[index];
  const DeviceRequest& request = *pod_.asks[ask].request;
  const bool unused = !candidate.allocated && !candidate.simulated && candidate.shares.empty();
  if (unused && request.capacity.empty() && !HasPolicy(candidate.device())) return true;
  std::vector<const Amounts*> taken;
  if (candidate.allocated) taken.push_back(candidate.allocated);
  if (candidate.simulated) taken.push_back(candidate.simulated);
  for (const Amounts& share : candidate.shares) taken.push_back(&share);
  return dra::CapacityFits(candidate.device(), request, taken, features_);
}

bool CandidateTable::CapacitySuffices(uint32_t ask, size_t index) const {
  if (!features_.consumable_capacity || relaxation_.capacity) return true;
  return dra::CapacityFits(candidates_[index].device(), *pod_.asks[ask].request, {}, features_);
}

const Symbol& CandidateTable::AttributeOf(uint32_t ask, size_t constraint) const {
  const Constraint& of_claim = pod_.claims[pod_.asks[ask].claim].spec->constraints[constraint];
  return of_claim.match_attribute.empty() ? of_claim.distinct_attribute : of_claim.match_attribute;
}

const CandidateTable::Values& CandidateTable::PublishedValues(uint32_t claim, size_t constraint) {
  std::vector<Values>& of_claim = values_[claim];
  if (of_claim.empty()) of_claim.resize(pod_.claims[claim].spec->constraints.size());
  Values& values = of_claim[constraint];
  if (values.empty()) {
    const ConstraintState state(pod_.claims[claim].spec->constraints[constraint], features_);
    values.reserve(candidates_.size());
    for (const Candidate& one : candidates_)
      values.push_back(state.Lookup(one.device(), one.driver()));
  }
  return values;
}

const CandidateTable::Derivations* CandidateTable::Derived(uint32_t ask, size_t constraint) {
  if (pod_.asks[ask].derived.empty()) return nullptr;
  const auto* attribute = pod_.asks[ask].FindDerived(AttributeOf(ask, constraint));
  if (attribute == nullptr) return nullptr;
  Derivations& derivations = derived_[{ask, constraint}];
  if (!derivations.empty()) return &derivations;
  const Slice* slice = nullptr;
  for (const Candidate& candidate : candidates_) {
    const ViewDevice& view = candidate.view();
    if (view.slice != slice) {
      slice = view.slice;
      held_.push_back(matches_.Derive(*attribute, *slice, features_));
    }
    derivations.push_back(&(*held_.back())[view.index]);
  }
  return &derivations;
}

const AttributeValue* CandidateTable::Value(uint32_t ask, size_t constraint, size_t candidate) {
  if (const Derivations* derived = Derived(ask, constraint)) {
    const Derivation& derivation = *(*derived)[candidate];
    return derivation.error.empty() ? &derivation.value : nullptr;
  }
  return PublishedValues(pod_.asks[ask].claim, constraint)[candidate];
}

bool CandidateTable::HasList(uint32_t ask, size_t constraint) {
  const auto [at, is_new] = has_list_.try_emplace({ask, constraint}, false);
  for (size_t i = 0; is_new && i < candidates_.size() && !at->second; ++i) {
    const AttributeValue* value = Value(ask, constraint, i);
    at->second = value != nullptr && std::holds_alternative<ListPointer>(*value);
  }
  return at->second;
}

bool CandidateTable::CannotDerive(uint32_t ask, size_t constraint, size_t candidate) {
  const Derivations* derived = Derived(ask, constraint);
  return derived != nullptr && !(*derived)[candidate]->error.empty();
}

std::string CandidateTable::DerivationError(uint32_t ask_index, size_t constraint, size_t index) {
  const SubRequest& ask = pod_.asks[ask_index];
  const ViewDevice& view = candidates_[index].view();
  const Symbol& attribute = AttributeOf(ask_index, constraint);
  const std::string device = view.slice->pool.ToString() + "/" + view.device->name.str();
  return "request " + ask.Name() + " of " + pod_.claims[ask.claim].Describe() + ": " +
         DescribeDerivation(attribute, **ask.FindDerived(attribute),
                            *(*Derived(ask_index, constraint))[index], device);
}

uint32_t CandidateTable::ValueId(const AttributeValue* value) {
  if (value == nullptr) return 0;
  if (!EqualScalars(*value, *value)) return 1;
  auto& known = value_ids_[HashOf(*value)];
  for (const auto& [other, id] : known)
    if (EqualScalars(*other, *value)) return id;
  known.emplace_back(value, next_value_id_);
  return next_value_id_++;
}

// Everything about a candidate that can make a difference to any ask of the pod.
std::vector<uint64_t> CandidateTable::Signature(size_t index) {
  const Candidate& candidate = candidates_[index];
  const auto pointer = [](const auto& shared) { return reinterpret_cast<uintptr_t>(shared.get()); };
  std::vector<uint64_t> signature = {static_cast<uint64_t>(candidate.in_use) |
                                         static_cast<uint64_t>(candidate.shareable) << 1 |
                                         static_cast<uint64_t>(candidate.unprepared) << 2,
                                     pointer(candidate.device().capacity)};
  for (uint32_t ask = 0; ask < pod_.asks.size(); ++ask) {
    const uint8_t code = Code(ask, index);
    const uint64_t suits = code == kSuits ? 0 : IsErrorCode(code) ? 1 : 2;
    signature.push_back(suits | static_cast<uint64_t>(Tainted(ask, index)) << 2);
  }
  bool unique = candidate.allocated || candidate.simulated || candidate.capacity_in_use;
  for (uint32_t claim = 0; claim < pod_.claims.size(); ++claim) {
    for (size_t i = 0; i < pod_.claims[claim].spec->constraints.size(); ++i) {
      const AttributeValue* value = PublishedValues(claim, i)[index];
      signature.push_back(ValueId(value));
      unique = unique || (value && std::holds_alternative<ListPointer>(*value));
    }
  }
  for (uint32_t ask = 0; ask < pod_.asks.size(); ++ask) {
    if (pod_.asks[ask].derived.empty()) continue;
    for (size_t i = 0; i < pod_.claims[pod_.asks[ask].claim].spec->constraints.size(); ++i) {
      const AttributeValue* value = Value(ask, i, index);
      signature.push_back(ValueId(value));
      unique = unique || (value && std::holds_alternative<ListPointer>(*value));
    }
  }
  if (candidate.device().consumes) {
    signature.push_back(candidate.pool_index);
    signature.push_back(pointer(candidate.device().consumes));
    unique = unique || counters_.Collides(candidate.pool_index) || features_.counters_per_slice;
  }
  if (unique) signature.push_back(index + 1);
  return signature;
}

void CandidateTable::MakeClasses() {
  std::map<std::vector<uint64_t>, uint32_t> ids;
  for (size_t i = 0; i < candidates_.size(); ++i)
    classes_.push_back(
        ids.try_emplace(Signature(i), static_cast<uint32_t>(ids.size())).first->second);
}

uint32_t CandidateTable::ClassOf(size_t candidate) {
  if (classes_.empty()) MakeClasses();
  return classes_[candidate];
}

}  // namespace fedra::dra
