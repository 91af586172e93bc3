// Hashes of facts: what makes another one, and what must never.

#include "verdict/reason_hash.h"

#include <iterator>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/sample_reasons.h"

namespace fedra::verdict::reason_hash_test {

using testing::SampleTime;

namespace {

constexpr uint64_t kKnownHashes[] = {
    14323862684117824524u,  // QueueMissing
    10677366938829098123u,  // DeviceClassMissing
    14609817484450871703u,  // TemplateMissing
    17776288955790193289u,  // Forbidden
    8637393309909725353u,   // TemplateDrift
    10141219212691133870u,  // QueueFull
    3795518865321127125u,   // QueueFull
    9456414966159704969u,   // CapabilityUndeclared
    13353500910959593641u,  // DependencyMissing
    15564860253260707358u,  // QueueStopped
    10917665271871479773u,  // QueueInactive
    14560764596160606444u,  // ApiVersionOld
    4818009646329619404u,   // NameConflict
    12319726147086829402u,  // ClusterUnreachable
    16172508451968633562u,  // ClaimElsewhere
    14218797827231199183u,  // SchedulerUnverified
    16980529794338728806u,  // GangIncomplete
    32280770197370590u,     // GroupUnverified
    17923271143066834866u,  // ApiVersionOld
    6413103640651278101u,   // Excluded
    4041231169938088306u,   // WorkerCordoned
    1587948406523896732u,   // KueueDisconnected
    3122802536871690211u,   // InLine
    13633783783493780816u,  // DevicesAllocated
    15752648103540166228u,  // RecentlyFailed
    14104886642927748544u,  // NotEnoughDevices
    4557374224389412916u,   // NoMatchingDevice
    12654494239377547372u,  // SelectorError
    11013573902357520145u,  // CountersExhausted
    17506551910132139667u,  // NodeResources
    11382539517797518441u,  // ResourceMissing
    18238821739785339231u,  // NodeMismatch
    14162643692764158292u,  // NodeMismatch
    3482240732357916748u,   // PodsDoNotFit
    2969231045307360631u,   // PodsDoNotFit
    13109724619004509044u,  // CapacityExhausted
    12309164056190763654u,  // NodeMismatch
    13193285259813240798u,  // AllocationError
    17266121429515345391u,  // BudgetExceeded
    3848671366297462776u,   // MovedAway
    6707266314878153u,      // ReleaseUnverified
    8527092426679089354u,   // PodUnverified
    18200273547315910947u,  // ReleaseUnknown
    14791009851210594751u,  // ReleaseUnknown
    828941281703019503u,    // PodPlacement
    3055037769577212979u,   // PodPlacement
};

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

// They are in the stores of running daemons: with another one every Workload that waits for that
// reason is written once more when fedra is upgraded. A field that is added, or another wording,
// changes none. A new sample adds a line; no line is ever taken away or changed.
TEST_CASE("the hashes of known facts are those that stores have") {
  std::set<uint64_t> known(std::begin(kKnownHashes), std::end(kKnownHashes));
  std::set<uint64_t> now;
  for (const auto& [reason, text] : testing::SampleReasons()) {
    const uint64_t hash = LastingHash(reason, 0);
    INFO("a line for a new sample: " << hash << "u,  // " << ToString(reason.code));
    CHECK(known.contains(hash));
    now.insert(hash);
  }
  for (const uint64_t hash : known) {
    INFO("no reason has the hash " << hash << " any more");
    CHECK(now.contains(hash));
  }
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
