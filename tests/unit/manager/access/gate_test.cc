// Who gets in: what is asked of the manager, what is remembered, and what happens without it.

#include "manager/access/gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <utility>

#include "manager/http/socket_name.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/unit/manager/access/fake_reviews.h"

namespace fedra::access::gate_test {

using namespace std::chrono_literals;

namespace {

const Attributes kList{
    .verb = "list", .group = "kueue.x-k8s.io", .resource = "workloads", .ns = "ml"};

struct Fixture {
  explicit Fixture(GateLimits limits = {}) {
    known.With([](Known& all) {
      all.users["good"] = {.name = "ada", .uid = "1", .groups = {"ml-users"}, .extra = {}};
      all.allowed.emplace("ada", TextOf(kList));
    });
    auto made = std::make_unique<FakeReviews>(known);
    reviews = made.get();
    gate = std::make_unique<Gate>(std::move(made), clock, limits);
  }

  // The user's name, or the refusal's status.
  std::string Who(const std::string& authorization, const std::string& client = "10.0.0.1") {
    const auto user = gate->Identify(authorization, client);
    return user ? user->name : std::to_string(user.error().status);
  }
  std::string May(const Attributes& attributes) {
    const auto may = gate->May({.name = "ada", .uid = {}, .groups = {}, .extra = {}}, attributes);
    return may ? (*may ? "yes" : "no") : std::to_string(may.error().status);
  }
  void Answers(bool answers) {
    known.With([&](Known& all) { all.answers = answers; });
  }

  Guarded<Known> known;
  HandClock clock;
  FakeReviews* reviews = nullptr;
  std::unique_ptr<Gate> gate;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "only a bearer token of the manager's is somebody") {
  for (const std::string header :
       {"", "Bearer ", "Bearer", "good", "Basic good", "Bearer a b", "Bearer gut\xc3\xb6"}) {
    INFO(header);
    CHECK(Who(header) == "401");
  }
  CHECK(reviews->asked_who == 0);
  CHECK(Who("Bearer bad") == "401");
  CHECK(Who("Bearer good") == "ada");
  CHECK(Who("bearer good") == "ada");
  CHECK(reviews->asked_who == 2);
}

TEST_CASE_METHOD(Fixture, "a token is remembered for a minute, a wrong one for ten seconds") {
  CHECK(Who("Bearer good") == "ada");
  known.With([](Known& all) { all.users.clear(); });
  clock.Advance(59s);
  CHECK(Who("Bearer good") == "ada");
  clock.Advance(2s);
  CHECK(Who("Bearer good") == "401");
  known.With([](Known& all) {
    all.users["good"] = {.name = "eve", .uid = {}, .groups = {}, .extra = {}};
  });
  clock.Advance(9s);
  CHECK(Who("Bearer good") == "401");
  clock.Advance(2s);
  CHECK(Who("Bearer good") == "eve");
}

TEST_CASE_METHOD(Fixture, "a right is remembered for half a minute, its absence for five seconds") {
  CHECK(May(kList) == "yes");
  known.With([](Known& all) { all.allowed.clear(); });
  clock.Advance(29s);
  CHECK(May(kList) == "yes");
  clock.Advance(2s);
  CHECK(May(kList) == "no");
  known.With([](Known& all) { all.allowed.emplace("ada", TextOf(kList)); });
  clock.Advance(4s);
  CHECK(May(kList) == "no");
  clock.Advance(2s);
  CHECK(May(kList) == "yes");
}

TEST_CASE_METHOD(Fixture, "how old an answer may be depends on what it is for") {
  const auto may = [&](const Attributes& attributes, Purpose purpose) {
    const User ada{.name = "ada", .uid = {}, .groups = {}, .extra = {}};
    return gate->May(ada, attributes, purpose).value();
  };
  Attributes other = kList;
  other.ns = "research";
  struct Row {
    Purpose purpose;
    Attributes attributes;
    std::chrono::seconds oldest;
  };
  const Row rows[] = {
      {Purpose::kRequest, kList, 30s},   {Purpose::kRequest, other, 5s},
      {Purpose::kProbe, kList, 30s},     {Purpose::kProbe, other, 30s},
      {Purpose::kLookAgain, kList, 10s}, {Purpose::kLookAgain, other, 10s},
  };
  for (const Row& row : rows) {
    INFO(static_cast<int>(row.purpose) << " " << row.attributes.ns);
    clock.Advance(1min);
    const int asked = reviews->asked_may;
    // Whatever it was for when it was asked.
    CHECK(may(row.attributes, Purpose::kProbe) == (row.attributes.ns == "ml"));
    clock.Advance(row.oldest - 1s);
    may(row.attributes, row.purpose);
    CHECK(reviews->asked_may == asked + 1);
    clock.Advance(1s);
    may(row.attributes, row.purpose);
    CHECK(reviews->asked_may == asked + 2);
  }
  CHECK(Who("Bearer good") == "ada");
  known.With([](Known& all) { all.users.clear(); });
  clock.Advance(9s);
  CHECK(gate->Identify("Bearer good", "10.0.0.1", Purpose::kLookAgain));
  clock.Advance(1s);
  CHECK_FALSE(gate->Identify("Bearer good", "10.0.0.1", Purpose::kLookAgain));
}

TEST_CASE_METHOD(Fixture, "a right is that of one user as a whole, and of one attributes") {
  CHECK(May(kList) == "yes");
  Attributes other = kList;
  other.ns = "research";
  CHECK(May(other) == "no");
  CHECK(reviews->asked_may == 2);
  const User in_group{.name = "ada", .uid = {}, .groups = {"x"}, .extra = {}};
  CHECK(gate->May(in_group, kList).value());
  CHECK(reviews->asked_may == 3);
}

TEST_CASE_METHOD(Fixture, "without an answer of the manager nobody gets in") {
  Answers(false);
  CHECK(Who("Bearer good") == "503");
  CHECK(May(kList) == "503");
  Answers(true);
  CHECK(Who("Bearer good") == "ada");
  CHECK(May(kList) == "yes");
  // What is known stays known, as long as it would have.
  Answers(false);
  CHECK(Who("Bearer good") == "ada");
  clock.Advance(61s);
  CHECK(Who("Bearer good") == "503");
  CHECK(May(kList) == "503");
}

TEST_CASE("one address that tries tokens is stopped, and keeps no other one out") {
  Fixture f({.client = {5, 1}, .all_clients = {8, 1}});
  int asked = 0;
  for (int i = 0; i < 100; ++i) asked += f.Who("Bearer wrong" + std::to_string(i)) == "401" ? 1 : 0;
  CHECK(asked == 5);
  CHECK(f.Who("Bearer good") == "429");
  CHECK(f.Who("Bearer good", "10.0.0.2") == "ada");
  // A token that is known costs nothing.
  CHECK(f.Who("Bearer good") == "ada");
  CHECK(f.reviews->asked_who == 6);
  f.clock.Advance(1s);
  CHECK(f.Who("Bearer again") == "401");
}

TEST_CASE("all addresses of an IPv6 network are one client, and its neighbour is another") {
  const auto network_of = [](const std::string& address) {
    sockaddr_storage name{};
    name.ss_family = AF_INET6;
    REQUIRE(inet_pton(AF_INET6, address.c_str(),
                      &reinterpret_cast<sockaddr_in6&>(name).sin6_addr) == 1);
    return httpd::NetworkOf(name);
  };
  Fixture f({.client = {5, 1}, .all_clients = {100, 1}});
  for (int i = 0; i < 50; ++i)
    f.Who("Bearer wrong" + std::to_string(i), network_of("2001:db8:0:7::" + std::to_string(i)));
  CHECK(f.reviews->asked_who == 5);
  CHECK(f.Who("Bearer good", network_of("2001:db8:0:7:ffff::1")) == "429");
  CHECK(f.Who("Bearer good", network_of("2001:db8:0:8::1")) == "ada");
}

TEST_CASE("addresses together are stopped, too") {
  Fixture f({.client = {5, 1}, .all_clients = {8, 1}});
  for (int i = 0; i < 100; ++i) f.Who("Bearer wrong", "10.0.1." + std::to_string(i));
  for (int i = 0; i < 100; ++i)
    f.Who("Bearer wrong" + std::to_string(i), "10.0.2." + std::to_string(i));
  CHECK(f.reviews->asked_who == 8);
}

TEST_CASE("one user's questions about rights are counted") {
  Fixture f({.user = {10, 1}});
  int denied = 0;
  for (int i = 0; i < 100; ++i) {
    Attributes attributes = kList;
    attributes.ns = "ns-" + std::to_string(i);
    denied += f.May(attributes) == "no" ? 1 : 0;
  }
  CHECK(denied == 10);
  CHECK(f.reviews->asked_may == 10);
  CHECK(f.May(kList) == "429");
}

TEST_CASE("a million tokens are not remembered") {
  Recent<int> recent(3);
  const SteadyTime now{};
  for (int i = 0; i < 1'000; ++i) {
    recent.Put(std::to_string(i), i, now + 10s);
    REQUIRE(recent.size() <= 3);
  }
  CHECK(recent.Find("996", now) == nullptr);
  REQUIRE(recent.Find("997", now) != nullptr);
  // What is used stays.
  recent.Put("new", 1, now + 10s);
  CHECK(recent.Find("998", now) == nullptr);
  CHECK(*recent.Find("997", now) == 997);
  CHECK(recent.Find("997", now + 10s) == nullptr);
  CHECK(recent.size() == 2);
  // In place of what was known.
  recent.Put("new", 2, now + 20s);
  CHECK(recent.size() == 2);
  CHECK(*recent.Find("new", now + 15s) == 2);
}

}  // namespace fedra::access::gate_test
