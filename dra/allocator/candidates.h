#pragma once
//
// All devices a node can use, in search order, with what is known about each before the search
// starts and what the running attempt holds of it. Used by the search only.
//
// Thread rules: a table belongs to one search and its thread. Lifetime: pod, node, workspace and
// matches must outlive it.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dra/allocator/allocator.h"
#include "dra/allocator/constraint.h"
#include "dra/allocator/counters.h"

namespace fedra::dra {

struct Candidate {
  const PoolView* pool;
  uint32_t pool_index;                 // in NodeView::pools
  uint32_t device_index;               // in PoolView::devices
  bool in_use = false;                 // held as a whole, by a claim or by the simulation
  bool shareable = false;              // may be allocated several times, in shares
  bool unprepared = false;             // the node lacks a feature that it needs
  bool capacity_in_use = false;        // shares of it that count for its counters
  const Amounts* allocated = nullptr;  // shares of the cluster's claims
  const Amounts* simulated = nullptr;  // shares of pods placed earlier in the simulation

  // The running attempt.
  uint32_t users = 0;           // how often it is held as a whole; more than once: for admin access
  std::vector<Amounts> shares;  // what each share of it takes

  const ViewDevice& view() const { return pool->devices[device_index]; }
  const Device& device() const { return *view().device; }
  const Symbol& driver() const { return view().slice->pool.driver; }
  bool untouched() const { return users == 0 && shares.empty(); }
};

// What selectors and node selection say, per (ask, candidate).
enum CandidateCode : uint8_t {
  kSuits = 0,
  kFirstCause = 1,           // to kLastCause: an operand of a selector is false
  kCapacityOverflows = 251,  // RoundingOverflows() of capacity.h
  kUnsupported = 252,        // binding conditions without the feature
  kNodeSelectorFails = 253,
  kOtherNode = 254,
  kDeviceSelectorFails = 255,
};
inline bool IsErrorCode(uint8_t code) {
  return code == kDeviceSelectorFails || code == kNodeSelectorFails || code == kCapacityOverflows;
}

// The first taint that the request does not tolerate; null: none, or the feature is off.
const Taint* BlockingTaint(const ViewDevice& device, const DeviceRequest& request,
                           const AllocatorFeatures& features);

class CandidateTable final {
 public:
  CandidateTable(const PodClaims& pod, const NodeView& node, const Workspace* workspace,
                 MatchCache& matches, const CounterLedger& counters,
                 const AllocatorFeatures& features, const Relaxation& relaxation);

  size_t size() const { return candidates_.size(); }
  Candidate& operator[](size_t i) { return candidates_[i]; }
  const Candidate& operator[](size_t i) const { return candidates_[i]; }

  // Evaluated for all candidates when an ask is first looked at.
  uint8_t Code(uint32_t ask, size_t candidate);
  // The text of the error behind an error code, in the scheduler's words.
  std::string ErrorText(uint32_t ask, size_t candidate);
  // For a code of kDeviceSelectorFails.
  SelectorFailure FailureOf(uint32_t ask, size_t candidate);
  // Some candidate has an error code for some ask.
  bool AnyError();

  bool Tainted(uint32_t ask, size_t candidate) const;
  bool CapacityFits(uint32_t ask, size_t candidate) const;
  // If nothing of the device was consumed.
  bool CapacitySuffices(uint32_t ask, size_t candidate) const;

  // The candidate's value for the attribute of a constraint of the ask's claim; null: there is
  // none.
  const AttributeValue* Value(uint32_t ask, size_t constraint, size_t candidate);
  // Some candidate's value is a list.
  bool HasList(uint32_t ask, size_t constraint);
  // Whether the ask derives that attribute, and cannot for this candidate.
  bool CannotDerive(uint32_t ask, size_t constraint, size_t candidate);
  // For such a candidate, in the scheduler's words.
  std::string DerivationError(uint32_t ask, size_t constraint, size_t candidate);
  // Equal for equal scalars, whatever the constraint; 0: not published, 1: no scalar.
  uint32_t ValueId(const AttributeValue* value);

  // Candidates of one class can replace each other in every solution.
  uint32_t ClassOf(size_t candidate);

 private:
  using Values = std::vector<const AttributeValue*>;

  void AddPool(const NodeView& node, size_t pool, const Workspace* workspace);
  const Values& PublishedValues(uint32_t claim, size_t constraint);
  // Per candidate. Null: the ask does not derive the attribute.
  using Derivations = std::vector<const Derivation*>;
  const Derivations* Derived(uint32_t ask, size_t constraint);
  const Symbol& AttributeOf(uint32_t ask, size_t constraint) const;
  void SetUse(Candidate& candidate, const SimulatedUse* simulated) const;
  const std::vector<uint8_t>& Codes(uint32_t ask);
  uint8_t CodeOf(const Candidate& candidate, uint8_t match) const;
  void MakeClasses();
  std::vector<uint64_t> Signature(size_t candidate);

  const PodClaims& pod_;
  const CounterLedger& counters_;
  MatchCache& matches_;
  const AllocatorFeatures& features_;
  const Relaxation& relaxation_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<uint8_t>> codes_;  // per ask; empty until needed
  std::vector<std::vector<Values>> values_;  // per claim and constraint; empty until needed
  std::map<std::pair<uint32_t, size_t>, Derivations> derived_;        // by ask and constraint
  std::vector<std::shared_ptr<const std::vector<Derivation>>> held_;  // what those point into
  std::map<std::pair<uint32_t, size_t>, bool> has_list_;              // by ask and constraint
  std::unordered_map<uint64_t, std::vector<std::pair<const AttributeValue*, uint32_t>>> value_ids_;
  uint32_t next_value_id_ = 2;
  std::optional<bool> any_error_;
  std::vector<uint32_t> classes_;  // empty until needed
};

}  // namespace fedra::dra
