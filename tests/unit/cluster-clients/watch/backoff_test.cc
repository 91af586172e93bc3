#include "cluster-clients/watch/backoff.h"

#include "tests/support/catch.h"

namespace fedra::watch::backoff_test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("the first retry after a cut is fast, later ones double up to 30 s") {
  for (const double jitter : {0.0, 0.5, 0.999}) {
    CHECK(Backoff(RetryClass::kCut, 1, jitter) >= 50ms);
    CHECK(Backoff(RetryClass::kCut, 1, jitter) <= 200ms);
  }
  CHECK(Backoff(RetryClass::kCut, 2, 0) == 800ms);
  CHECK(Backoff(RetryClass::kCut, 3, 0) == 1600ms);
  CHECK(Backoff(RetryClass::kCut, 100, 0) == 30s);
  CHECK(Backoff(RetryClass::kFailing, 1, 0) == 800ms);
  CHECK(Backoff(RetryClass::kFailing, 7, 0) == 30s);
  CHECK(Backoff(RetryClass::kFailing, 1'000'000, 0) == 30s);
}

TEST_CASE("what somebody has to change is looked at again within 15 s") {
  CHECK(Backoff(RetryClass::kRefused, 1, 0) == 1s);
  CHECK(Backoff(RetryClass::kRefused, 4, 0) == 8s);
  CHECK(Backoff(RetryClass::kRefused, 50, 0) == 15s);
}

TEST_CASE("what costs much to read is read again rarely") {
  CHECK(Backoff(RetryClass::kTooLong, 1, 0) == 30s);
  CHECK(Backoff(RetryClass::kTooLong, 2, 0) == 60s);
  CHECK(Backoff(RetryClass::kTooLong, 50, 0) == 10min);
}

TEST_CASE("a server's wish is a floor, up to five minutes") {
  CHECK(Backoff(RetryClass::kFailing, 1, 0, 20s) == 20s);
  CHECK(Backoff(RetryClass::kFailing, 7, 0, 20s) == 30s);
  CHECK(Backoff(RetryClass::kCut, 1, 0, 1s) == 1s);
  CHECK(Backoff(RetryClass::kFailing, 1, 0, 1h) == 5min);
}

TEST_CASE("jitter spreads the retries and never lengthens them") {
  CHECK(Backoff(RetryClass::kFailing, 7, 0.5) < 30s);
  CHECK(Backoff(RetryClass::kFailing, 7, 0.999) > 22s);
}

}  // namespace
}  // namespace fedra::watch::backoff_test
