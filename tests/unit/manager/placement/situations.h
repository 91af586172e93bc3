#pragma once
//
// What the tests of Decide() begin with.

#include <string>
#include <utility>
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
