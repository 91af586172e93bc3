// Since when a worker is lost, by what is seen of its connection.

#include "manager/reconcile/worker_outage.h"

#include <optional>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"

namespace fedra::reconcile::worker_outage_test {

using namespace std::chrono_literals;

namespace {

using Phase = ConnectionPhase;

ConnectionState In(Phase phase, ErrorCode code = ErrorCode::kUnavailable) {
  return {.phase = phase, .since = {}, .why = Error{code, "why"}};
}

const ConnectionState kSilent = In(Phase::kUnreachable);
const ConnectionState kAsking = In(Phase::kConnecting);
const ConnectionState kListing = In(Phase::kConnected);
const ConnectionState kRejected = In(Phase::kRejected, ErrorCode::kUnauthorized);

struct Seen {
  HandClock clock;
  WorkerOutage outage;

  explicit Seen(bool keeps_rejected) : outage({}, keeps_rejected, clock) {}
  void See(const ConnectionState& connection, bool has_contact = false) {
    outage.Update([&] { return WorkerOutage::Sight{connection, has_contact}; });
  }
  WallTime::duration LostFor(const ConnectionState& connection) {
    return clock.Now() - outage.Since(connection);
  }
};

}  // namespace

TEST_CASE("whose fault it is that a worker cannot be used") {
  CHECK(IsOurFault(kRejected));
  CHECK(IsOurFault(In(Phase::kMisconfigured)));
  CHECK_FALSE(IsOurFault(In(Phase::kRejected, ErrorCode::kForbidden)));
  CHECK_FALSE(IsOurFault({.phase = Phase::kRejected, .since = {}, .why = std::nullopt}));
  CHECK_FALSE(IsOurFault(kSilent));
  CHECK_FALSE(IsOurFault(kAsking));
}

TEST_CASE("which time counts for a worker's loss") {
  struct Case {
    const char* name;
    bool keeps_rejected;
    std::vector<ConnectionState> then;  // each for a minute, after contact
    std::chrono::minutes lost_for;      // as of the end of the last one
  };
  const Case cases[] = {
      {"silence", false, {kSilent}, 1min},
      {"silence, and attempts to connect", false, {kSilent, kAsking, kSilent}, 3min},
      {"lists that do not come", false, {kSilent, kListing}, 2min},
      {"a rejection", false, {kRejected}, 1min},
      {"a rejection, then silence", false, {kRejected, kSilent}, 2min},
      {"a rejection in which jobs stay", true, {kRejected}, 1min},
      {"that, then silence", true, {kRejected, kSilent}, 1min},
      {"that, and attempts to connect", true, {kRejected, kAsking}, 2min},
      {"that, then silence", true, {kRejected, kAsking, kSilent}, 1min},
      {"silence before it", true, {kSilent, kRejected}, 2min},
  };
  for (const Case& row : cases) {
    CAPTURE(row.name);
    Seen seen(row.keeps_rejected);
    seen.See(kListing, /*has_contact=*/true);
    for (const ConnectionState& connection : row.then) {
      seen.See(connection);
      seen.clock.Advance(1min);
    }
    CHECK(seen.LostFor(row.then.back()) == row.lost_for);
    CHECK(seen.outage.KeepsJobs(kRejected) == row.keeps_rejected);
    CHECK_FALSE(seen.outage.KeepsJobs(kSilent));
    // However the wall clock jumps, and not after contact.
    seen.clock.JumpWall(1h);
    CHECK(seen.LostFor(row.then.back()) == row.lost_for);
    seen.See(kListing, /*has_contact=*/true);
    CHECK(seen.LostFor(kSilent) == 0min);
  }
}

TEST_CASE("an outage begins where the last run says, and not in the future") {
  HandClock clock;
  const auto lost_for = [&](std::optional<WallTime> lost_since) {
    return clock.Now() - WorkerOutage(lost_since, false, clock).Since(kSilent);
  };
  CHECK(lost_for(clock.Now() - 10min) == 10min);
  CHECK(lost_for(clock.Now() + 10min) == 0min);
  CHECK(lost_for(std::nullopt) == 0min);
}

TEST_CASE("an outage goes on under another leader where that one had no contact, either") {
  struct Case {
    const char* name;
    std::chrono::milliseconds clock_jump;                     // of ours, before it
    std::optional<std::chrono::milliseconds> lost_there_for;  // by our clock; null: it was not
    std::chrono::minutes lost_for;
  };
  // We have had no contact for five minutes.
  const Case cases[] = {
      {"it had contact, or that is not known", 0min, std::nullopt, 0min},
      {"it lost contact after us", 0min, 2min, 2min},
      {"and before us", 0min, 24h, 5min},
      {"its clock is ahead", 0min, -1h, 0min},
      {"our clock was set ahead", 1h, 3min, 3min},
      {"our clock was set back", -1h, 3min, 3min},
  };
  for (const Case& row : cases) {
    CAPTURE(row.name);
    Seen seen(/*keeps_rejected=*/false);
    seen.See(kListing, /*has_contact=*/true);
    seen.See(kSilent);
    seen.clock.Advance(5min);
    seen.clock.JumpWall(row.clock_jump);
    std::optional<WallTime> lost_there;
    if (row.lost_there_for) lost_there = seen.clock.Now() - *row.lost_there_for;
    seen.outage.Inherit(lost_there);
    CHECK(seen.LostFor(kSilent) == row.lost_for);
    seen.clock.Advance(1min);
    CHECK(seen.LostFor(kSilent) == row.lost_for + 1min);
    seen.See(kListing, /*has_contact=*/true);
    seen.outage.Inherit(lost_there);
    seen.clock.Advance(1min);
    CHECK(seen.LostFor(kSilent) == 0min);
  }
}

}  // namespace fedra::reconcile::worker_outage_test
