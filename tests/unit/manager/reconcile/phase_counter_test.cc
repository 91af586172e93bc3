// PhaseCounter: workloads by phase and kind, and those that are blocked by reason.

#include "manager/reconcile/phase_counter.h"

#include <fmt/format.h>

#include "tests/support/catch.h"

namespace fedra::reconcile::phase_counter_test {

using placement::Phase;
using namespace std::chrono_literals;

namespace {

const ObjectKey kTrain{"ml", "train"};
const ObjectKey kTune{"ml", "tune"};
constexpr WallTime kNow = WallTime{} + std::chrono::hours(1000);

SeenPhase Blocked(std::string_view reason, std::optional<WallTime> reserved_at = {}) {
  return {.kind = "Job", .phase = Phase::kBlocked, .reason = reason, .reserved_at = reserved_at};
}

int In(const PhaseCounter& counter, const std::string& kind, Phase phase) {
  return counter.ByPhase().at({kind, placement::ToString(phase)});
}

// "QueueMissing: 1 for 5000 ms; "
std::string Reasons(const PhaseCounter& counter, WallTime now = kNow) {
  std::string text;
  for (const auto& [reason, facts] : counter.BlockedByReason(now))
    text += fmt::format("{}: {} for {} ms; ", reason, facts.count, facts.longest.count());
  return text;
}

}  // namespace

TEST_CASE("each workload counts once, in the phase of its last look") {
  PhaseCounter counter;
  counter.Record(kTrain, {.kind = "Job", .phase = Phase::kWaiting});
  counter.Record(kTune, {.kind = "JobSet", .phase = Phase::kRunning});
  counter.Record(kTrain, {.kind = "Job", .phase = Phase::kRunning});
  CHECK(In(counter, "Job", Phase::kWaiting) == 0);
  CHECK(In(counter, "Job", Phase::kRunning) == 1);
  CHECK(In(counter, "JobSet", Phase::kRunning) == 1);
}

TEST_CASE("a kind is reported with 0 when its last job has gone, and Job from the start") {
  PhaseCounter counter;
  CHECK(In(counter, "Job", Phase::kRunning) == 0);
  CHECK(counter.ByPhase().size() == placement::kPhases.size());
  counter.Record(kTune, {.kind = "JobSet", .phase = Phase::kRunning});
  counter.Record(kTune, {.kind = "other", .phase = Phase::kGone});
  CHECK(In(counter, "JobSet", Phase::kRunning) == 0);
  CHECK_FALSE(counter.ByPhase().contains({"other", placement::ToString(Phase::kRunning)}));
}

TEST_CASE("of blocked workloads the reason and the longest wait are told") {
  PhaseCounter counter;
  struct Row {
    const char* name;
    SeenPhase first;
    SeenPhase then;
    const char* reasons;
  };
  const SeenPhase running{.kind = "Job", .phase = Phase::kRunning};
  const Row row =
      GENERATE_COPY(Row{"the last reason counts", Blocked("QueueMissing", kNow - 9s),
                        Blocked("DriverMissing"), "DriverMissing: 1 for 9000 ms; "},
                    Row{"a look without verdicts keeps it", Blocked("QueueMissing", kNow - 9s),
                        Blocked(""), "QueueMissing: 1 for 9000 ms; "},
                    Row{"a new reservation begins anew", Blocked("QueueMissing", kNow - 9s),
                        Blocked("QueueMissing", kNow - 2s), "QueueMissing: 1 for 2000 ms; "},
                    Row{"without quota it has not waited", Blocked("QueueMissing"),
                        Blocked("QueueMissing"), "QueueMissing: 1 for 0 ms; "},
                    Row{"never judged", Blocked("", kNow - 9s), Blocked(""), ""},
                    Row{"not blocked any more", Blocked("QueueMissing", kNow - 9s), running, ""});
  INFO(row.name);
  counter.Record(kTrain, row.first);
  counter.Record(kTrain, row.then);
  CHECK(Reasons(counter) == row.reasons);
}

TEST_CASE("what blocked a workload once is forgotten when it is not blocked any more") {
  PhaseCounter counter;
  const Phase between = GENERATE(Phase::kRunning, Phase::kRequeued, Phase::kWaiting);
  INFO(placement::ToString(between));
  counter.Record(kTrain, Blocked("DriverMissing", kNow - 9s));
  // A look at one that is not blocked may have verdicts, too.
  counter.Record(kTrain, {.kind = "Job", .phase = between, .reason = "DriverMissing"});
  counter.Record(kTrain, Blocked(""));
  CHECK(Reasons(counter).empty());
  counter.Record(kTrain, Blocked("QueueMissing"));
  CHECK(Reasons(counter) == "QueueMissing: 1 for 9000 ms; ");
}

TEST_CASE("workloads that share a reason are added up") {
  PhaseCounter counter;
  counter.Record(kTrain, Blocked("QueueMissing", kNow - 3s));
  counter.Record(kTune, Blocked("QueueMissing", kNow - 5s));
  CHECK(Reasons(counter) == "QueueMissing: 2 for 5000 ms; ");
  counter.Record(kTune, {.kind = "other", .phase = Phase::kGone});
  CHECK(Reasons(counter, kNow + 1s) == "QueueMissing: 1 for 4000 ms; ");
}

}  // namespace fedra::reconcile::phase_counter_test
