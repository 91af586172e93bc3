#pragma once
//
// Why a worker cannot, or may not, run a workload: a code of the catalogue, what it is about, and
// typed facts. What people read is made of the facts where it is shown (reason_text.h); programs
// get them as JSON.
//
// Thread rules: plain values.

#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "verdict/device_facts.h"
#include "verdict/node_facts.h"
#include "verdict/object_facts.h"
#include "verdict/reason_code.h"

namespace fedra::verdict {

// A type of its own, so that copying and comparing them is compiled once, in reason.cc, and not
// wherever there is a Reason.
class Facts final
    : public std::variant<Sentence, Missing, Unreadable, Drift, Quota, Undeclared, MissingLabel,
                          QueueStopped, QueueInactive, ApiVersion, NameTaken, Connection,
                          ClaimPlace, OtherScheduler, Gang, BroadTaintRules, NotAllowed, InLine,
                          Reserved, Setback, DeviceCounts, AlternativeCounts, BrokenSelector,
                          JointShortage, NodeRoom, NoSuchResource, NodeCounts, PodsFit, FullClaim,
                          Unbindable, SchedulerError, SearchLimit, GroupTerms, Cordoned, MovedAway,
                          ReleaseDoubt, PodTerms, EarlierPods> {
 public:
  using Variant = variant;  // which has no virtual destructor: never deleted through it
  using variant::variant;
  Facts();
  Facts(const Facts& other);
  Facts(Facts&& other) noexcept;
  Facts& operator=(const Facts& other);
  Facts& operator=(Facts&& other) noexcept;
  ~Facts();

  bool operator==(const Facts& other) const;
};
// The moves above say noexcept.
static_assert(std::is_nothrow_move_constructible_v<Facts::Variant> &&
              std::is_nothrow_move_assignable_v<Facts::Variant>);

// One reason against a worker.
struct Reason {
  ReasonCode code = ReasonCode::kStaleData;
  std::string object;  // "ResourceClaimTemplate ml/one-gpu"; may be empty where the facts count
  Facts facts;
  std::optional<NewNodes> new_nodes = std::nullopt;  // that would help

  bool operator==(const Reason&) const = default;
};

}  // namespace fedra::verdict
