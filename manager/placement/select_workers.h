#pragma once
//
// Internal to placement/: which workers a pending workload is dispatched to, and which one wins.
// Pure.
//
// Asks the workers as they are, what is nominated, the record and the policy, and nothing of the
// protocol: how a choice is carried out is dispatch.h's business.

#include <chrono>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/types.h"
#include "manager/placement/context.h"
#include "manager/placement/view.h"

namespace fedra::placement {

// The CRD allows no more nominated names.
inline constexpr size_t kMaxNominated = 20;
// How long a winner waits for the lists of a nominated worker that has just come back.
inline constexpr std::chrono::seconds kListingGrace{60};

// Exactly one of three: a winner, workers to be nominated, or neither.
struct Choice {
  // The nominated worker that admitted its clone first, or where the job is being created already.
  // Skips one whose job creation timed out when another worker can still be tried. Null: none yet.
  const ClusterView* winner = nullptr;
  // A nominated worker that has just come back and may already hold the job (a crash between job
  // and admission): the winner waits for its lists, but not for ever. Null: none.
  const ClusterView* unlisted = nullptr;
  std::vector<ClusterName> clusters;   // to be nominated
  std::vector<ClusterName> timed_out;  // had their time and did not admit
  // When to look again: the running round times out, or a worker that refused may be asked again.
  std::optional<WallTime> wake_at;
};

// kBest: to how many workers it is dispatched at once, where so many are eligible.
size_t MostAtOnce(const Policy& policy);
// Until when the workers of the running round may admit it; nothing: no round runs.
std::optional<WallTime> RoundEnd(const PlacementRecord& record, const Policy& policy);

// A clone that no Kueue will ever admit: ended, switched off, or being deleted.
bool IsSpent(const tracking::Workload& clone);
// Its Kueue has admitted our clone, and has not taken that back.
bool HasAdmitted(const ClusterView& cluster);

// What the policy makes of the workers as they are, given what is nominated.
Choice Choose(const Context& context, const std::vector<ClusterName>& nominated);
// Whether the job is being created there in this round.
bool IsBeingPlacedOn(const Context& context, const ClusterView& cluster);
// Whether a winner still has no job after as long as a worker may take to admit: the job cannot be
// created there, although no worker refuses it. Counted from our own first try, so that a worker
// that admitted while fedra was not running is not blamed for it.
bool IsOverdue(const Context& context, const ClusterView& cluster);

}  // namespace fedra::placement
