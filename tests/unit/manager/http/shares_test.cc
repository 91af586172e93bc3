// Who has how much of a listener, and how quickly an answer must be taken.

#include "manager/http/shares.h"

#include <chrono>
#include <memory>

#include "manager/http/write_pace.h"
#include "tests/support/catch.h"

namespace fedra::httpd::shares_test {

using namespace std::chrono_literals;

TEST_CASE("a connection counts for where it comes from and for its user, until it ends") {
  const auto shares = std::make_shared<Shares>();
  {
    Stake first(shares, "10.0.0.1");
    Stake second(shares, "10.0.0.2");
    first.SetUser("alice");
    second.SetUser("alice");
    second.SetBytes(7);
    CHECK(first.OfClient() == Share{.connections = 2, .bytes = 7});
    first.SetAsks(true);
    CHECK(shares->Of("from 10.0.0.1") == Share{.connections = 1, .questions = 1});
    second.SetUser("bob");
    CHECK(first.OfClient() == Share{.connections = 1, .questions = 1});
    CHECK(second.OfClient() == Share{.connections = 1, .bytes = 7});
    CHECK(shares->All() == Share{.connections = 2, .questions = 1, .bytes = 7});
  }
  CHECK(shares->All() == Share{});
  CHECK(shares->Of("user alice") == Share{});
}

TEST_CASE("a user cannot be taken for an address") {
  const auto shares = std::make_shared<Shares>();
  Stake stake(shares, "10.0.0.1");
  Stake other(shares, "10.0.0.2");
  other.SetUser("10.0.0.1");
  CHECK(stake.OfClient().connections == 1);
}

TEST_CASE("whoever asks first leaves places for those who come next") {
  constexpr size_t kPlaces = 128;
  size_t taken = 0;
  std::vector<size_t> each;
  for (int client = 0; client < 4; ++client) {
    size_t own = 0;
    while (MayAsk(own, taken, kPlaces)) {
      ++own;
      ++taken;
    }
    each.push_back(own);
  }
  CHECK(each == std::vector<size_t>{96, 24, 6, 2});
  CHECK_FALSE(MayAsk(0, kPlaces, kPlaces));
  CHECK(MayAsk(0, 0, 1));
}

TEST_CASE("an answer is taken without long pauses, and within its time") {
  const SteadyTime start{};
  WritePace pace({.whole = 30s, .pause = 5s, .bytes = 100}, start);
  CHECK(pace.Deadline() == start + 5s);
  pace.Took(99, start + 4s);
  CHECK(pace.Deadline() == start + 5s);  // a byte now and then is no progress
  pace.Took(1, start + 4s);
  CHECK(pace.Deadline() == start + 9s);
  pace.Took(1'000, start + 28s);
  CHECK(pace.Deadline() == start + 30s);
}

}  // namespace fedra::httpd::shares_test
