// Hashes of facts: what makes another one, and what must never.

#include "verdict/reason_hash.h"

#include <set>

#include "tests/support/catch.h"
#include "tests/support/sample_reasons.h"

namespace fedra::verdict::reason_hash_test {

using testing::SampleTime;

namespace {

uint64_t Lasting(ReasonCode code, Facts facts) {
  return LastingHash({code, "", std::move(facts)}, 0);
}

}  // namespace

TEST_CASE("reasons that differ have hashes that differ") {
  std::set<uint64_t> all, lasting;
  const auto samples = testing::SampleReasons();
  for (const auto& [reason, text] : samples) {
    all.insert(HashOf(reason, 0));
    lasting.insert(LastingHash(reason, 0));
  }
  CHECK(all.size() == samples.size());
  CHECK(lasting.size() == samples.size());
}

// It is in the stores of running daemons: with another one every waiting Workload is written once
// more when fedra is upgraded. A field that is added, or another wording, does not change it. A new
// sample does: take the new number then, and only then.
TEST_CASE("the hash of known facts is the one that stores have") {
  uint64_t hash = 0;
  for (const auto& [reason, text] : testing::SampleReasons()) hash = LastingHash(reason, hash);
  CHECK(hash == 17816329771599182599u);
}

TEST_CASE("what lasts are neither holders nor times") {
  using enum ReasonCode;
  const auto held = [](const char* job, size_t all, int devices) {
    return Lasting(kNotEnoughDevices, DeviceCounts{.devices = 9,
                                                   .parts = {{.rule = Rule::kAllocated,
                                                              .devices = devices,
                                                              .holders = {{true, {"ml", job}}},
                                                              .all_holders = all}}});
  };
  CHECK(held("a", 1, 3) == held("b", 2, 3));
  CHECK(held("a", 1, 3) != held("a", 1, 4));
  const auto lost = [](const char* error, int64_t at) {
    return Lasting(
        kClusterUnreachable,
        Connection{.state = Connection::State::kLost, .error = error, .since = SampleTime(at)});
  };
  CHECK(lost("refused", 1) == lost("refused", 2));
  CHECK(lost("refused", 1) != lost("timed out", 1));
  const Reason one{kClusterUnreachable, "", Connection{.since = SampleTime(1)}};
  const Reason two{kClusterUnreachable, "", Connection{.since = SampleTime(2)}};
  CHECK(HashOf(one, 0) != HashOf(two, 0));
}

}  // namespace fedra::verdict::reason_hash_test
