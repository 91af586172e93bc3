// The manager's answers about users, over the wire: from a simulated API server.

#include "manager/access/reviews.h"

#include "cluster-clients/cluster.h"
#include "cluster-clients/http/write_gate.h"
#include "cluster-clients/threads.h"
#include "tests/sim/server.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"

namespace fedra::access::reviews_test {

namespace {

// A standby: it may change nothing.
class NeverOpen final : public http::WriteGate {
 public:
  std::optional<Permit> Ask() const override { return std::nullopt; }
};

struct Fixture {
  Fixture() {
    sim::User ada;
    ada.name = "ada";
    ada.token = "ada-token";
    ada.groups = {"viewers", "system:authenticated"};
    ada.allow = {{.verbs = {"list"},
                  .groups = {"kueue.x-k8s.io"},
                  .resources = {"workloads"},
                  .names = {"*"},
                  .namespaces = {"ml"}}};
    server.SetUser(ada);
    ClusterOptions options;
    options.gate = std::make_shared<NeverOpen>();
    cluster = std::make_unique<Cluster>(
        ClusterName("manager"), AccessTo(server), options, threads.loop, threads.pool,
        SystemClock(), [this](const ConnectionState& state) {
          phase.With([&](ConnectionPhase& now) { now = state.phase; });
          phase.Notify();
        });
    reviews = ReviewsBy(*cluster);
  }
  ~Fixture() { cluster->Stop(); }

  void Connect() {
    cluster->Start();
    const auto connected = [](ConnectionPhase now) { return now == ConnectionPhase::kConnected; };
    REQUIRE(phase.WaitFor(std::chrono::seconds(10), connected, connected));
  }

  sim::Server server;
  Threads threads{2};
  Guarded<ConnectionPhase> phase;
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<Reviews> reviews;
};

Attributes List(const std::string& ns) {
  return {.verb = "list", .group = "kueue.x-k8s.io", .resource = "workloads", .ns = ns};
}

}  // namespace

TEST_CASE_METHOD(Fixture, "who has a token, and what they may, also for a standby") {
  Connect();
  CHECK(reviews->WhoHas("wrong").value() == std::nullopt);
  const std::optional<User> ada = reviews->WhoHas("ada-token").value();
  REQUIRE(ada);
  CHECK(ada->name == "ada");
  CHECK(ada->groups == std::vector<std::string>{"viewers", "system:authenticated"});
  CHECK_FALSE(ada->uid.empty());
  CHECK_FALSE(ada->extra.empty());
  CHECK(reviews->May(*ada, List("ml")).value());
  CHECK_FALSE(reviews->May(*ada, List("research")).value());
  CHECK_FALSE(reviews->May(*ada, List("")).value());
  CHECK_FALSE(reviews->May(*ada, {.verb = "get", .path = "/fedra/fleet"}).value());
  // Every authenticated user may: the reason why the fleet's path is not there.
  CHECK(reviews->May(*ada, {.verb = "get", .path = "/apis/fedra.dev/fleet"}).value());
  const std::optional<User> admin = reviews->WhoHas("admin-token").value();
  REQUIRE(admin);
  CHECK(reviews->May(*admin, {.verb = "get", .path = "/fedra/fleet"}).value());
}

TEST_CASE_METHOD(Fixture, "a manager that refuses, or is not asked any more, is an error") {
  Connect();
  sim::User admin = sim::Administrator("admin", "admin-token");
  admin.deny = {{.verbs = {"create"}, .groups = {"authentication.k8s.io"}, .resources = {"*"}}};
  server.SetUser(admin);
  const auto refused = reviews->WhoHas("ada-token");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kForbidden);
  CHECK_THAT(refused.error().message,
             ContainsSubstring("create tokenreviews") && !ContainsSubstring("ada-token"));
  cluster->Stop();
  CHECK(reviews->WhoHas("ada-token").error().code == ErrorCode::kCancelled);
  const User ada{.name = "ada", .uid = {}, .groups = {}, .extra = {}};
  CHECK(reviews->May(ada, List("ml")).error().code == ErrorCode::kCancelled);
}

}  // namespace fedra::access::reviews_test
