#pragma once
//
// What the tests of Decide() begin with.

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {

inline verdict::Verdict No(std::string message) {
  return {.outcome = verdict::Outcome::kNo,
          .reasons = {
              {verdict::ReasonCode::kTemplateMissing, "", verdict::Sentence{std::move(message)}}}};
}

inline verdict::Verdict Unknown() {
  return {.outcome = verdict::Outcome::kUnknown,
          .reasons = {{verdict::ReasonCode::kForbidden, "", verdict::Sentence{"403"}}}};
}

inline Policy Race() {
  Policy policy;
  policy.kind = DispatchPolicy::kRace;
  return policy;
}

template <class What>
bool Does(const Decision& decision) {
  return std::ranges::any_of(
      decision.actions, [](const Action& action) { return std::holds_alternative<What>(action); });
}

// Whether it gives the workload back to Kueue.
inline bool Retries(const Decision& decision) {
  return std::ranges::any_of(decision.actions, [](const Action& action) {
    const auto* check = std::get_if<SetCheck>(&action);
    return check != nullptr && check->state == tracking::CheckState::kRetry;
  });
}

// A world in which the job runs on worker "a".
inline World RunningOnA(Policy policy = {}) {
  World world({"a", "b"}, policy);
  world.ReserveQuota();
  world.Settle();
  REQUIRE(world.Admit("a"));
  world.Settle();
  REQUIRE(world.WorkersWithJob() == std::vector<std::string>{"a"});
  return world;
}

}  // namespace fedra::placement::testing
