#pragma once
//
// The claims of one pod, made ready to be allocated on any node of one cluster: classes looked up,
// selectors compiled, constraints assigned to the requests they bind.
//
// Thread rules: a PodClaims is immutable; the caches it was made with belong to one user at a time.
// Lifetime: the ClaimSpecs and template names must outlive the PodClaims; ids refer to the
// MatchCache until its Trim().

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dra/allocator/match.h"
#include "dra/model/model.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {

// The claim for extended resources, which exists for no longer than the scheduling of its pod.
inline constexpr const char* kExtendedClaim = "<extended-resources>";

// A claim that has no allocation yet.
struct UnallocatedClaim {
  ObjectKey key;
  const ClaimSpec* spec = nullptr;
  // The template that it is made from, while no such object exists; null: it does.
  const std::string* made_from = nullptr;
  int64_t uses = 0;  // how often containers of the pod name it
};

// One request, or one alternative of a firstAvailable request.
struct SubRequest {
  const DeviceRequest* request = nullptr;
  const ClaimRequest* owner = nullptr;
  bool alternative = false;  // of owner->first_available
  std::shared_ptr<const DeviceClass> device_class;
  ConjunctionId match = 0;
  bool all = false;  // allocationMode All
  bool admin = false;
  uint64_t constraints = 0;  // bit i: constraint i of the claim applies (the first 64)
  // What shadows attributes in constraints. Of several of one name the last counts.
  std::vector<std::pair<Symbol, std::shared_ptr<const CompiledDerived>>> derived;
  uint32_t claim = 0;

  // "req" or "req/sub".
  std::string Name() const;
  // Of this attribute; null: none, what devices publish counts.
  const std::shared_ptr<const CompiledDerived>* FindDerived(const Symbol& attribute) const;
};

struct PreparedRequest {
  uint32_t first_ask = 0;
  uint32_t asks = 1;  // more than one only for firstAvailable
  bool alternatives = false;
};

struct PreparedClaim {
  ObjectKey key;
  const ClaimSpec* spec = nullptr;
  const std::string* made_from = nullptr;  // this and `uses` as in UnallocatedClaim
  int64_t uses = 0;
  std::vector<PreparedRequest> requests;

  // "ml/shared", or the pod's name for what is made for it: "gpu".
  std::string Name() const;
  // "ResourceClaim ml/shared", "claim gpu (template large-only)".
  std::string Describe() const;
};

struct PodClaims {
  std::vector<PreparedClaim> claims;
  std::vector<SubRequest> asks;
  // Set when the scheduler would end with this error on every node.
  std::optional<std::string> fatal;
  // Classes that do not exist, each once: the scheduler refuses the pod before it looks at a node.
  std::vector<Symbol> missing_classes;
};

// Whose selector it is, how it reads and what went wrong, each of bounded length: "selector #0 of
// DeviceClass gpu, EXPRESSION, fails on device DRIVER/POOL/DEVICE: CEL runtime error: no such key:
// model", or "selector #0 of the request does not compile: CEL compile error: ...", with line ends.
// What follows "CEL" are kube-scheduler's words.
std::string DescribeFailure(const SubRequest& ask, const SelectorFailure& failure,
                            const std::string& device, const MatchCache& matches);
// The same of a derived attribute: "derived attribute example.com/numa, EXPRESSION, fails on device
// DRIVER/POOL/DEVICE: CEL runtime error: ...", or "... does not compile: CEL compile error: ...".
std::string DescribeDerivation(const Symbol& attribute, const CompiledDerived& compiled,
                               const Derivation& derivation, const std::string& device);
// The same without what went wrong: "selector #0 of the request does not compile".
std::string DescribeSelector(const SubRequest& ask, const SelectorFailure& failure,
                             const std::string& device, const MatchCache& matches);

// Largest number of devices of one claim (AllocationResultsMaxSize).
inline constexpr int64_t kMaxResultsPerClaim = 32;
// What no API server accepts (32 requests and constraints per claim) or no pod has is an error
// here, so that no input can make the search recurse without end.
inline constexpr size_t kMaxConstraints = 64;
inline constexpr size_t kMaxClaims = 64;
inline constexpr size_t kMaxAsks = 512;

PodClaims Prepare(std::span<const UnallocatedClaim> claims, const Snapshot& snapshot,
                  MatchCache& matches, SelectorCache& selectors);

}  // namespace fedra::dra
