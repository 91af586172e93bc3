#pragma once
//
// The depth-first search behind Allocate() (dra/allocator/allocator.h).
//
// It visits what the real allocator visits, in the same order, and leaves out four kinds of
// branches, each of which provably holds neither a solution nor an error:
//
// - Equivalent candidates. After a candidate failed, the later candidates of its class
//   (CandidateTable) fail as well: in any solution the two could be exchanged.
// - Too few left. A request that needs more devices than there are usable ones left cannot be
//   satisfied; an upper bound counts them, by attribute value and by counter set.
// - Hopeless pods, looked for when the first steps led nowhere: some request cannot be satisfied
//   even alone, or no assignment gives each requested device one of its own.
// - Dead ends. A state at the start of a request that failed once fails again when it recurs with
//   other devices of the same classes.
//
// Nothing is left out (`symmetric_`) where the real search is not symmetric: All requests under
// constraints, distinctAttribute of 1.36 with counts above one, an invalid pool that ends the
// search (up to 1.34), All in a later alternative up to 1.35, negative amounts of counters or
// capacities, a derived attribute that fails, the 32 limit inside of a branch.
//
// Up to 1.35 the real search tries the devices of one request in every order. Where it is symmetric
// that leads to the same first solution as one order does, and only takes longer.
// Refusals at that limit are counted (`oversize_events_`): a branch that saw one proves nothing.
//
// Steps are counted so that one step is a bounded amount of work, whatever the number of devices:
// walking over candidates and the searches for hopeless pods cost steps, too.
//
// Thread rules: one search, one thread. Lifetime: everything it is given must outlive it.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "dra/allocator/allocator.h"
#include "dra/allocator/candidates.h"
#include "dra/allocator/constraint.h"
#include "dra/allocator/counters.h"

namespace fedra::dra {

class Search final {
 public:
  Search(const PodClaims& pod, const NodeView& node, const Workspace* workspace,
         MatchCache& matches, const AllocatorFeatures& features, const AllocatorLimits& limits,
         const Relaxation& relaxation);

  // Once. `thorough`: the quick attempt has led nowhere; spend time on finding out why it cannot
  // succeed.
  NodeAllocation Run(bool thorough);

 private:
  enum class Step : uint8_t {
    kDone,      // everything from here on is allocated
    kFail,      // no solution from here
    kOversize,  // more than 32 devices in a claim: callers give up, except for alternatives
    kStop,      // outcome_ is final: an error, or the budget is spent
  };
  // The place of the search: a device of an ask.
  struct Position {
    uint32_t claim;
    uint32_t request;
    uint32_t ask;
    int64_t device;  // index within the ask
  };
  static constexpr size_t kCandidatesPerStep = 16;
  // What Take() changed.
  struct Taken {
    bool counters = false;
    bool marked = false;
    bool shared = false;
    bool chosen = false;
    uint64_t constraints = 0;  // bits of those that took the device
  };

  // Before the search (search_prepare.cc). False: outcome_ is final.
  bool CheckPools();
  bool CheckClaims();
  bool CheckAsk(uint32_t claim, const PreparedRequest& request, uint32_t index);
  bool CollectAll(uint32_t claim, uint32_t ask);
  bool DerivationCanFail();
  bool IsSymmetric();
  bool CanLeak();
  bool CheckNodeSelectors();

  Step PlaceRequest(uint32_t claim, uint32_t request);
  Step PlaceAlternatives(uint32_t claim, uint32_t request);
  Step PlaceDevice(const Position& position, size_t start);
  Step PlaceAll(const Position& position);
  Step PlaceExact(const Position& position, size_t start);
  Step Stop(Fit fit, std::string error, ErrorCause cause = ErrorCause::kAllocator);
  // At a candidate with an error code.
  Step StopAt(uint32_t ask, size_t candidate);
  Step StopAtInvalidPool(const Position& position);
  bool OutOfSteps() const { return outcome_.steps > limits_.max_steps; }
  // Looking at so many candidates once.
  void Charge(size_t candidates) { outcome_.steps += candidates / kCandidatesPerStep; }
  NodeAllocation NotFound();
  bool InUse(const SubRequest& ask, size_t candidate) const;
  bool HeldByClaim(size_t candidate, uint32_t claim) const;

  // One device (search_take.cc).
  // Takes the candidate if nothing forbids it; false: refused and nothing changed.
  bool Take(const Position& position, size_t candidate, bool must, Taken& taken);
  void TakeBack(const Position& position, size_t candidate, const Taken& taken);
  bool AddToConstraints(const Position& position, size_t candidate, Taken& taken);
  static bool HasCountersAlready(const Candidate& candidate);
  bool TakeCounters(const Candidate& candidate, Taken& taken);
  bool StopAtPanic(const Position& position, const Candidate& candidate);
  bool Refuse(const Position& position, size_t candidate, const Taken& taken);

  // Leaving out branches (search_prune.cc).
  bool Skips(const std::vector<uint32_t>& failed, size_t candidate);
  Step FailOrError(const Position& position, size_t start);
  bool Usable(const Position& position, size_t candidate);
  // At most `devices` of the ask can still be taken from `start` on. `independent`: any of these
  // devices can be taken together.
  struct Upper {
    size_t devices = 0;
    bool independent = true;
  };
  Upper Bound(const Position& position, size_t start);
  size_t BoundByCounters(const std::vector<size_t>& usable);
  bool IsHopeless();
  bool CanBeSatisfiedAlone(uint32_t claim, uint32_t ask);
  bool CanBeAssigned();
  bool UsesDeadEnds();
  std::vector<uint32_t> State(uint32_t claim, uint32_t request);

  const PodClaims& pod_;
  const NodeView& node_;
  const AllocatorFeatures& features_;
  const AllocatorLimits& limits_;
  const Relaxation& relaxation_;
  CounterLedger counters_;
  CandidateTable table_;
  bool thorough_ = false;
  bool symmetric_ = false;
  // A device that is refused, or a branch that is left out, may have kept something from the
  // devices after it (AllocatorFeatures::refusals_leak).
  bool leaks_ = false;
  // Position in the search order behind which an invalid pool ends the search (<= 1.34).
  size_t fatal_position_ = SIZE_MAX;
  std::vector<int64_t> counts_;           // per ask
  std::vector<std::vector<size_t>> all_;  // per ask of mode All: its candidates

  // The running attempt.
  std::vector<std::vector<ConstraintState>> constraints_;         // per claim
  std::vector<std::vector<std::pair<uint32_t, size_t>>> chosen_;  // per claim: (ask, candidate)
  std::vector<ChosenDevice> results_;
  std::vector<std::pair<uint32_t, int>> alternatives_;  // (position of the request, index)
  uint64_t oversize_events_ = 0;
  std::set<std::vector<uint32_t>> dead_ends_;
  size_t dead_end_size_ = 0;  // numbers in them
  NodeAllocation outcome_;
};

}  // namespace fedra::dra
