// Who has how much of a listener, and how quickly an answer must be taken.

#include "manager/http/shares.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

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
    first.SetAsks(true, 5);
    CHECK(shares->Of("from 10.0.0.1") == Share{.connections = 1, .questions = 1, .bodies = 5});
    CHECK(first.OfClient().bodies == 5);
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
    while (MayTake(own, taken, kPlaces)) {
      ++own;
      ++taken;
    }
    each.push_back(own);
  }
  CHECK(each == std::vector<size_t>{96, 24, 6, 2});
  CHECK_FALSE(MayTake(0, kPlaces, kPlaces));
  CHECK(MayTake(0, 0, 1));
  // Bytes, some at a time.
  CHECK(MayTake(0, 0, 8, 8));
  CHECK_FALSE(MayTake(0, 0, 8, 9));
  CHECK(MayTake(5, 5, 8, 1));
  CHECK_FALSE(MayTake(6, 6, 8, 1));
  CHECK(MayTake(0, 6, 8, 2));
  CHECK_FALSE(MayTake(0, 6, 8, 3));
}

TEST_CASE("streams are bounded by user, wherever they come from, and then by address") {
  const auto shares = std::make_shared<Shares>();
  std::vector<std::unique_ptr<Stake>> open;
  // How many more than there are.
  const auto open_all = [&](const std::string& address, const std::string& user) {
    size_t count = 0;
    for (;; ++count) {
      auto stake = std::make_unique<Stake>(shares, address);
      stake->SetUser(user);
      if (!stake->MayStream(64, 16)) return count;
      stake->SetStreams(true);
      open.push_back(std::move(stake));
    }
  };
  CHECK(open_all("10.0.0.1", "alice") == 16);
  CHECK(open_all("10.0.0.2", "alice") == 0);
  CHECK(open_all("10.0.0.1", "bob") == 16);  // behind the same proxy
  CHECK(open_all("10.0.0.3", "") == 16);     // only the peer is known there
  // One with many accounts leaves a place to clients from elsewhere.
  size_t of_address = 32;
  for (int account = 0; account < 10; ++account)
    of_address += open_all("10.0.0.1", "account-" + std::to_string(account));
  CHECK(of_address == 36);
  CHECK(open_all("10.0.0.4", "carol") > 0);
  CHECK(shares->All().streams <= 64);
  open.front()->SetStreams(false);
  CHECK(open_all("10.0.0.2", "alice") == 1);
  open.clear();
  CHECK(shares->All() == Share{});
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
