#pragma once
//
// The claims of one pod, made ready to be allocated on any node of one cluster: classes looked up,
// selectors compiled, constraints assigned to the requests they bind.
//
// Thread rules: a PodClaims is immutable; the caches it was made with belong to one user at a time.
// Lifetime: the ClaimSpecs must outlive the PodClaims; ids refer to the MatchCache until its
// Trim().

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dra/match.h"
#include "dra/model.h"
#include "dra/snapshot.h"

namespace fedra::dra {

// A claim that has no allocation yet.
struct UnallocatedClaim {
  ObjectKey key;
  const ClaimSpec* spec = nullptr;
};

// One request, or one alternative of a firstAvailable request.
struct Ask {
  const DeviceRequest* request = nullptr;
  const ClaimRequest* owner = nullptr;
  bool alternative = false;  // of owner->first_available
  std::shared_ptr<const DeviceClass> device_class;
  ConjunctionId match = 0;
  bool all = false;  // allocationMode All
  bool admin = false;
  uint64_t constraints = 0;  // bit i: constraint i of the claim applies (the first 64)
  uint32_t claim = 0;

  // "req" or "req/sub".
  std::string Name() const;
};

struct PreparedRequest {
  uint32_t first_ask = 0;
  uint32_t asks = 1;  // more than one only for firstAvailable
  bool alternatives = false;
};

struct PreparedClaim {
  ObjectKey key;
  const ClaimSpec* spec = nullptr;
  std::vector<PreparedRequest> requests;
};

struct PodClaims {
  std::vector<PreparedClaim> claims;
  std::vector<Ask> asks;
  // Set when the scheduler would end with this error on every node.
  std::optional<std::string> fatal;
  // Classes that do not exist, each once: the scheduler refuses the pod before it looks at a node.
  std::vector<Text> missing_classes;
};

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
