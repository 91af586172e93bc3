#include "manager/text/row_tones.h"

#include "tests/support/catch.h"

namespace fedra::text::row_tones_test {
namespace {

Tone OfJob(const std::string& state) {
  store::WorkloadRow row;
  row.state = state;
  return ToneOf(row);
}

Tone OfWorker(const std::string& phase) {
  store::ClusterRow row;
  row.phase = phase;
  return ToneOf(row);
}

TEST_CASE("what needs a person is red, what is on its way yellow") {
  CHECK(OfJob("Running") == Tone::kGood);
  CHECK(OfJob("Dispatching") == Tone::kWarning);
  CHECK(OfJob("Blocked") == Tone::kBad);
  CHECK(OfJob("Waiting") == Tone::kPlain);
  CHECK(OfWorker("Connected") == Tone::kGood);
  CHECK(OfWorker("Syncing") == Tone::kWarning);
  CHECK(OfWorker("Rejected") == Tone::kBad);
  CHECK(ToneOfOutcome("MayScale") == Tone::kWarning);
}

TEST_CASE("a job in a state of another version has no colour") {
  CHECK(OfJob("Paused") == Tone::kPlain);
}

}  // namespace
}  // namespace fedra::text::row_tones_test
