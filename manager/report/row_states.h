#pragma once
//
// The states in the store's rows as the enums that they were written from, and what is said of
// each. The store keeps words; nothing but this file reads them back.
//
// Thread rules: pure functions.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "manager/placement/action.h"
#include "manager/verify/cluster_phase.h"
#include "store/rows.h"
#include "verdict/verdict.h"

namespace fedra::report {

// What is said of a workload's phase.
struct PhaseView {
  placement::Phase phase;
  std::string_view predicate;  // "is running"
  bool names_worker;           // whether " on gpu-east" may follow
  int urgency;                 // in lists: what needs a person comes first
};
// Every phase once, in the order in which headings count them.
std::span<const PhaseView> PhaseViews();

// nullopt: a word of another version of fedra.
std::optional<placement::Phase> PhaseOf(const store::WorkloadRow& row);
std::optional<verdict::Outcome> OutcomeOf(const store::VerdictRow& row);
std::optional<verify::ClusterPhase> PhaseOf(const store::ClusterRow& row);
// Whether nothing can be seen or done there now: Unreachable, Rejected or Misconfigured.
bool IsOutOfContact(const store::ClusterRow& row);
// Null: as above.
const PhaseView* ViewOf(std::string_view state);

// A workload in this state.
bool HasEnded(std::string_view state);
// Whether it still matters which worker could run it.
bool LooksForWorker(const store::WorkloadRow& row);

// "is blocked", "is running on gpu-east".
std::string Predicate(const store::WorkloadRow& row);

}  // namespace fedra::report
