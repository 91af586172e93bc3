#include "manager/leader/lease_lock.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/time.h"
#include "tests/support/catch.h"

namespace fedra::leader::lease_lock_test {

using namespace std::chrono_literals;
using Kind = Answer::Kind;

namespace {

const WallTime kWall{std::chrono::hours(24 * 365 * 50)};

Lease Made(const LeaseRecord& record, int version) {
  nlohmann::json object = nlohmann::json::parse(NewLease({"fedra-system", "fedra"}, record));
  object["metadata"]["resourceVersion"] = std::to_string(version);
  return ReadLease(object.dump()).value();
}

LeaseRecord Held(const std::string& holder, const std::string& renewed = "t1",
                 int transitions = 4) {
  return {holder, 15, "t0", renewed, transitions};
}

// A lock called "me", 15 s, 10 s and 2 s, at a time that the test moves.
struct LockFixture {
  LeaseLock lock{LeaseTerms{}, "me"};
  BootTime now{1000s};
  int version = 1;

  Ask Begin() { return lock.Begin(now, kWall); }
  Ask Handle(const Answer& answer) { return lock.Handle(answer, now, kWall); }
  Ask Sees(const LeaseRecord& record) {
    CHECK(Begin() == Ask::kGet);
    return Handle({Kind::kLease, Made(record, ++version)});
  }
  // The server takes what the lock writes.
  Ask Written() { return Handle({Kind::kLease, Made(lock.record(), ++version)}); }
  void Lead() {
    CHECK(Begin() == Ask::kGet);
    CHECK(Handle({Kind::kAbsent}) == Ask::kCreate);
    CHECK(Written() == Ask::kWait);
    REQUIRE(lock.Leads(now));
  }
};

TEST_CASE("a Lease that is not there is created, and gives the lead") {
  LockFixture f;
  CHECK_FALSE(f.lock.Leads(f.now));
  CHECK(f.Begin() == Ask::kGet);
  CHECK(f.Handle({Kind::kAbsent}) == Ask::kCreate);
  const std::string time = FormatRfc3339Micro(kWall);
  CHECK(f.lock.record() == LeaseRecord{"me", 15, time, time, 0});
  CHECK_FALSE(f.lock.Leads(f.now));
  f.now += 3s;  // the answer takes its time, which is ours no more
  CHECK(f.Written() == Ask::kWait);
  CHECK(f.lock.held_until() == BootTime(1010s));
  CHECK(f.lock.Leads(BootTime(1010s) - 1ns));
  CHECK_FALSE(f.lock.Leads(BootTime(1010s)));
}

TEST_CASE("a record is waited for from when it was first seen, for its own duration") {
  LockFixture f;
  CHECK(f.Sees(Held("other")) == Ask::kWait);
  f.now += 14s;
  CHECK(f.Sees(Held("other")) == Ask::kWait);
  SECTION("and is taken over then") {
    f.now += 1s;
    CHECK(f.Sees(Held("other")) == Ask::kUpdate);
    CHECK(f.lock.record().holder == "me");
    CHECK(f.lock.record().transitions == 5);
    CHECK(f.lock.record().acquire_time == FormatRfc3339Micro(kWall));
    CHECK(f.Written() == Ask::kWait);
    CHECK(f.lock.Leads(f.now));
  }
  SECTION("again when it was renewed") {
    CHECK(f.Sees(Held("other", "t2")) == Ask::kWait);
    f.now += 14s;
    CHECK(f.Sees(Held("other", "t2")) == Ask::kWait);
  }
  SECTION("also where its holder wants longer or shorter") {
    LeaseRecord longer = Held("other", "t3");
    longer.duration_seconds = 60;
    CHECK(f.Sees(longer) == Ask::kWait);
    f.now += 59s;
    CHECK(f.Sees(longer) == Ask::kWait);
    LeaseRecord brief = Held("other", "t4");
    brief.duration_seconds = 1;
    CHECK(f.Sees(brief) == Ask::kWait);
    f.now += 1s;
    CHECK(f.Sees(brief) == Ask::kUpdate);
  }
  SECTION("for our own where it says none") {
    LeaseRecord none = Held("other", "t5");
    none.duration_seconds = 0;
    CHECK(f.Sees(none) == Ask::kWait);
    f.now += 14s;
    CHECK(f.Sees(none) == Ask::kWait);
    f.now += 1s;
    CHECK(f.Sees(none) == Ask::kUpdate);
  }
}

TEST_CASE("one that is not eager leaves a free Lease to others for twice the duration") {
  LockFixture f;
  const auto sees = [&](const Answer& answer, bool eager) {
    CHECK(f.lock.Begin(f.now, kWall, eager) == Ask::kGet);
    return f.Handle(answer);
  };
  const Answer absent{Kind::kAbsent};
  const Answer given_back{Kind::kLease, Made(Held(""), 7)};
  const Answer free = GENERATE(false, true) ? given_back : absent;
  CHECK(sees(free, false) == Ask::kWait);
  f.now += 29s;
  CHECK(sees(free, false) == Ask::kWait);
  SECTION("not longer") {
    f.now += 1s;
    CHECK(sees(free, false) != Ask::kWait);
    CHECK(f.Written() == Ask::kWait);
    CHECK(f.lock.Leads(f.now));
    f.now += 2s;
    CHECK(f.lock.Begin(f.now, kWall, false) == Ask::kUpdate);  // as a leader, it renews
  }
  SECTION("unless it has become eager") { CHECK(sees(free, true) != Ask::kWait); }
  SECTION("from anew when another one had it meanwhile") {
    CHECK(f.Sees(Held("other")) == Ask::kWait);
    f.now += 1s;
    CHECK(sees(given_back, false) == Ask::kWait);
    f.now += 29s;
    CHECK(sees(given_back, false) == Ask::kWait);
    f.now += 1s;
    CHECK(sees(given_back, false) == Ask::kUpdate);
  }
}

TEST_CASE("what was given back is taken at once") {
  LockFixture f;
  CHECK(f.Sees(Held("")) == Ask::kUpdate);
  CHECK(f.lock.record().transitions == 5);
}

TEST_CASE("a renewal is one request, and counts from when it was sent") {
  LockFixture f;
  f.Lead();
  f.now += 2s;
  CHECK(f.Begin() == Ask::kUpdate);
  CHECK(f.lock.record().transitions == 0);
  f.now += 1s;
  CHECK(f.Written() == Ask::kWait);
  CHECK(f.lock.held_until() == BootTime(1012s));
}

TEST_CASE("after a renewal that failed the Lease is read, and tried once more") {
  LockFixture f;
  f.Lead();
  f.now += 2s;
  CHECK(f.Begin() == Ask::kUpdate);
  CHECK(f.Handle({Kind::kFailed}) == Ask::kGet);
  SECTION("it is ours") {
    CHECK(f.Handle({Kind::kLease, Made(Held("me"), 9)}) == Ask::kUpdate);
    CHECK(f.lock.record().acquire_time == "t0");
    CHECK(f.Handle({Kind::kFailed}) == Ask::kWait);
    CHECK(f.lock.Leads(f.now));  // as long as the last renewal holds
    CHECK_FALSE(f.lock.Lost(f.now));
    f.now = BootTime(1010s);
    CHECK(f.lock.Lost(f.now));
    CHECK(f.Begin() == Ask::kWait);  // for ever
  }
  SECTION("another one has it") {
    CHECK(f.Handle({Kind::kLease, Made(Held("other"), 9)}) == Ask::kWait);
    CHECK(f.lock.Lost(f.now));
  }
  SECTION("it was given back by another hand") {
    CHECK(f.Handle({Kind::kLease, Made(Held(""), 9)}) == Ask::kWait);
    CHECK(f.lock.Lost(f.now));
  }
  SECTION("it was deleted: it is ours again") {
    CHECK(f.Handle({Kind::kAbsent}) == Ask::kCreate);
    CHECK(f.Written() == Ask::kWait);
    CHECK(f.lock.held_until() == BootTime(1012s));
  }
  SECTION("it cannot be read") {
    CHECK(f.Handle({Kind::kFailed}) == Ask::kWait);
    CHECK(f.lock.Leads(f.now));
  }
}

TEST_CASE("an answer that comes after the lead has run out is too late") {
  LockFixture f;
  f.Lead();
  f.now += 9s;
  CHECK(f.Begin() == Ask::kUpdate);
  f.now += 2s;
  CHECK(f.Written() == Ask::kWait);
  CHECK_FALSE(f.lock.Leads(f.now));
  CHECK(f.lock.Lost(f.now));
}

TEST_CASE("a first answer that comes too late gives no lead, and loses none") {
  LockFixture f;
  CHECK(f.Begin() == Ask::kGet);
  CHECK(f.Handle({Kind::kAbsent}) == Ask::kCreate);
  f.now += 10s;
  CHECK(f.Written() == Ask::kWait);
  CHECK_FALSE(f.lock.Leads(f.now));
  CHECK_FALSE(f.lock.Lost(f.now));
  CHECK(f.Sees(Held("me")) == Ask::kUpdate);  // ours all the same
}

TEST_CASE("a Lease that was deleted is waited for like one that does not change") {
  LockFixture f;
  CHECK(f.Sees(Held("other")) == Ask::kWait);
  f.now += 14s;
  CHECK(f.Begin() == Ask::kGet);
  CHECK(f.Handle({Kind::kAbsent}) == Ask::kWait);
  CHECK(f.lock.Seen() == std::nullopt);
  f.now += 1s;
  CHECK(f.Begin() == Ask::kGet);
  CHECK(f.Handle({Kind::kAbsent}) == Ask::kCreate);
}

TEST_CASE("a take-over whose answer was lost is seen at the next try") {
  LockFixture f;
  CHECK(f.Sees(Held("")) == Ask::kUpdate);
  const LeaseRecord sent = f.lock.record();
  CHECK(f.Handle({Kind::kFailed}) == Ask::kWait);
  CHECK_FALSE(f.lock.Leads(f.now));
  f.now += 2s;
  CHECK(f.Sees(sent) == Ask::kUpdate);
  CHECK(f.lock.record().transitions == 5);  // the same one
  CHECK(f.Written() == Ask::kWait);
  CHECK(f.lock.held_until() == BootTime(1012s));
}

TEST_CASE("a candidate looks four times in a period, and when the record has run out") {
  struct Row {
    const char* what;
    std::optional<LeaseRecord> seen;  // nothing: none was
    BootClock::duration ago;
    bool deleted = false;  // and not there any more when it looked last
    BootClock::duration shortest;
    BootClock::duration longest;
  };
  LeaseRecord longer = Held("other");
  longer.duration_seconds = 60;
  LeaseRecord none = Held("other");
  none.duration_seconds = 0;
  const std::vector<Row> rows = {
      {"nothing was seen", std::nullopt, 0s, false, 500ms, 600ms},
      {"just seen", Held("other"), 0s, false, 500ms, 600ms},
      {"seen a while ago", Held("other"), 14'300ms, false, 500ms, 600ms},
      {"runs out within the jitter of a look", Held("other"), 14'450ms, false, 500ms, 600ms},
      {"runs out sooner than that", Held("other"), 14'700ms, false, 300ms, 400ms},
      {"runs out now", Held("other"), 14'999ms, false, 1ms, 101ms},
      {"has run out, and the try failed", Held("other"), 15s, false, 500ms, 600ms},
      {"of a longer duration", longer, 14'700ms, false, 500ms, 600ms},
      {"of a longer duration, which ends", longer, 59'800ms, false, 200ms, 300ms},
      {"without a duration", none, 14'700ms, false, 300ms, 400ms},
      {"given back, and left to others", Held(""), 14'700ms, false, 500ms, 600ms},
      {"deleted, and waited for", Held("other"), 14'700ms, true, 300ms, 400ms},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    LockFixture f;
    if (row.seen) (void)f.Sees(*row.seen);
    f.now += row.ago;
    if (row.deleted) {
      CHECK(f.Begin() == Ask::kGet);
      CHECK(f.Handle({Kind::kAbsent}) == Ask::kWait);
    }
    CHECK(f.lock.Pause(f.now, 0) == row.shortest);
    CHECK(f.lock.Pause(f.now, 1) == row.longest);
  }
}

TEST_CASE("a leader renews once in a period, and before its lead ends") {
  LockFixture f;
  f.Lead();
  CHECK(f.lock.Pause(f.now, 0) == 2s);
  CHECK(f.lock.Pause(f.now, 1) == 2s);
  f.now += 9'200ms;
  CHECK(f.lock.Pause(f.now, 1) == 800ms);
}

// Of a leader that renews every 2 s, as a candidate sees it that began at any moment; times are
// since the last renewal.
TEST_CASE(
    "a leader that is killed is followed after 15 to 15.8 s, whatever the candidate's phase") {
  const auto followed_after = [](unsigned seed) {
    std::mt19937 random(seed);
    const auto share = [&] { return static_cast<double>(random() % 1'001) / 1'000; };
    LockFixture f;
    const BootTime last = f.now + 60s;
    f.now += BootClock::duration(random() % 2'000'000'000);
    while (true) {
      const bool is_over = f.now >= last;
      const auto renewals = std::min(f.now, last).time_since_epoch() / 2s;
      const LeaseRecord record = Held("other", "t" + std::to_string(renewals));
      f.now += 20ms;  // the answer's way
      const Ask ask = f.Sees(record);
      if (ask == Ask::kUpdate) return is_over ? f.now - last : BootClock::duration(0);
      f.now += f.lock.Pause(f.now, share());
    }
  };
  for (unsigned seed = 1; seed <= 1'000; ++seed) {
    INFO("seed " << seed);
    const auto after = followed_after(seed);
    CHECK(after >= 15s);
    CHECK(after <= 15'800ms);  // 0.6 s until it is seen, 0.1 s, and two answers
  }
}

TEST_CASE("a record that gives the Lease back") {
  LockFixture f;
  f.Lead();
  const std::string time = FormatRfc3339Micro(kWall);
  CHECK(f.lock.Released(kWall) == LeaseRecord{"", 1, time, time, 0});
}

}  // namespace

}  // namespace fedra::leader::lease_lock_test
