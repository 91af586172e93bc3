// Which workers refused copies of which templates.

#include "manager/reconcile/templates/copy_failures.h"

#include "tests/support/catch.h"
#include "verdict/reason_text.h"

namespace fedra::copy_failures_test {

using namespace std::chrono_literals;
using reconcile::CopyFailure;
using reconcile::CopyFailures;

namespace {

const ClusterName kEast("east");
const ClusterName kWest("west");

CopyFailure Failure(const std::string& message) {
  return {{verdict::ReasonCode::kForbidden, "", verdict::Sentence{message}}, "u1", SteadyTime(1h)};
}

}  // namespace

TEST_CASE("a refusal concerns one worker and one template, and the last one counts") {
  CopyFailures failures;
  failures.Record(kEast, {"ml", "a"}, Failure("first"));
  failures.Record(kEast, {"ml", "a"}, Failure("second"));
  REQUIRE(failures.Find(kEast, {"ml", "a"}).has_value());
  CHECK(verdict::MessageOf(failures.Find(kEast, {"ml", "a"})->reason) == "second");
  CHECK_FALSE(failures.Find(kWest, {"ml", "a"}).has_value());
  CHECK_FALSE(failures.Find(kEast, {"ml", "b"}).has_value());
  failures.Clear(kEast, {"ml", "a"});
  failures.Clear(kWest, {"ml", "a"});
  CHECK_FALSE(failures.Find(kEast, {"ml", "a"}).has_value());
}

TEST_CASE("verdicts see the refusals of their namespace") {
  CopyFailures failures;
  for (const char* ns : {"m", "ml", "mla"})
    for (const char* name : {"a", "b"}) failures.Record(kEast, {ns, name}, Failure(ns));
  const auto reasons = failures.On(kEast, "ml");
  REQUIRE(reasons.size() == 2);
  CHECK(verdict::MessageOf(reasons.at("a")) == "ml");
  CHECK(verdict::MessageOf(reasons.at("b")) == "ml");
  CHECK(failures.On(kWest, "ml").empty());
}

TEST_CASE("a worker that comes back may be asked again about everything") {
  CopyFailures failures;
  failures.Record(kEast, {"ml", "a"}, Failure(""));
  failures.Record(kWest, {"ml", "b"}, Failure(""));
  CHECK(failures.TakeOutdated(kEast) == std::vector<ObjectKey>{{"ml", "a"}});
  CHECK(failures.Find(kEast, {"ml", "a"})->next == SteadyTime::min());
  CHECK(failures.Find(kWest, {"ml", "b"})->next == SteadyTime(1h));
}

TEST_CASE("a worker that comes back under a name of old meets no refusals of old") {
  CopyFailures failures;
  failures.Record(kEast, {"ml", "a"}, Failure("no"));
  failures.Record(kWest, {"ml", "a"}, Failure("no"));
  failures.Forget(kEast);
  CHECK(failures.On(kEast, "ml").empty());
  CHECK(failures.On(kWest, "ml").size() == 1);
}

}  // namespace fedra::copy_failures_test
