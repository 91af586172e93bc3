#include "cluster-clients/watch/backoff.h"

#include "tests/support/catch.h"

namespace fedra::watch {
namespace {

using namespace std::chrono_literals;

TEST_CASE("the first retry after a cut is fast, later ones double up to 30 s") {
  for (const double luck : {0.0, 0.5, 0.999}) {
    CHECK(Backoff(Trouble::kCut, 1, luck) >= 50ms);
    CHECK(Backoff(Trouble::kCut, 1, luck) <= 200ms);
  }
  CHECK(Backoff(Trouble::kCut, 2, 0) == 800ms);
  CHECK(Backoff(Trouble::kCut, 3, 0) == 1600ms);
  CHECK(Backoff(Trouble::kCut, 100, 0) == 30s);
  CHECK(Backoff(Trouble::kFailing, 1, 0) == 800ms);
  CHECK(Backoff(Trouble::kFailing, 7, 0) == 30s);
  CHECK(Backoff(Trouble::kFailing, 1'000'000, 0) == 30s);
}

TEST_CASE("what somebody has to change is looked at again within 15 s") {
  CHECK(Backoff(Trouble::kRefused, 1, 0) == 1s);
  CHECK(Backoff(Trouble::kRefused, 4, 0) == 8s);
  CHECK(Backoff(Trouble::kRefused, 50, 0) == 15s);
}

TEST_CASE("what costs much to read is read again rarely") {
  CHECK(Backoff(Trouble::kTooLong, 1, 0) == 30s);
  CHECK(Backoff(Trouble::kTooLong, 2, 0) == 60s);
  CHECK(Backoff(Trouble::kTooLong, 50, 0) == 10min);
}

TEST_CASE("a server's wish is a floor, up to five minutes") {
  CHECK(Backoff(Trouble::kFailing, 1, 0, 20s) == 20s);
  CHECK(Backoff(Trouble::kFailing, 7, 0, 20s) == 30s);
  CHECK(Backoff(Trouble::kCut, 1, 0, 1s) == 1s);
  CHECK(Backoff(Trouble::kFailing, 1, 0, 1h) == 5min);
}

TEST_CASE("luck spreads the retries and never lengthens them") {
  CHECK(Backoff(Trouble::kFailing, 7, 0.5) < 30s);
  CHECK(Backoff(Trouble::kFailing, 7, 0.999) > 22s);
}

}  // namespace
}  // namespace fedra::watch
