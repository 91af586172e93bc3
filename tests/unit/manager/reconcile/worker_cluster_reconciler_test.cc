// The condition Active of MultiKueueClusters: each reason with its message, and how it is written.

#include "manager/reconcile/worker_cluster_reconciler.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::worker_cluster_reconciler_test {
namespace {

using Source = tracking::MultiKueueCluster::Source;

using nlohmann::json;
using placement::Contact;

WorkerStatus StatusOf(ConnectionPhase phase, Contact contact,
                      std::optional<ErrorCode> why = std::nullopt) {
  WorkerStatus status;
  status.connection.phase = phase;
  status.contact = contact;
  if (why) {
    status.connection.why = Error{*why, "what is wrong", {}, {}};
    status.problem = "what is wrong";
  }
  return status;
}

struct Fixture {
  Connected fleet;
  WorkerClusterReconciler clusters{fleet.manager().cluster(), fleet.manager().worker_clusters(),
                                   fleet.workers(), SystemClock()};

  explicit Fixture(const ConnectedOptions& options = {}) : fleet(options) {
    fleet.manager().DiscoverWorkers({.secrets_in = "kueue-system"});
    fleet.Start();
  }
  void Create(const std::string& name) {
    REQUIRE(fleet.manager_server().objects().Create(
        {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
         {"kind", "MultiKueueCluster"},
         {"metadata", {{"name", name}}},
         {"spec", {{"clusterSource", {{"kubeConfig", {{"location", name}}}}}}}}));
    REQUIRE(fleet.WaitUntil(
        [&] { return fleet.manager().worker_clusters().Find({"", name}) != nullptr; }));
  }
  json Object(const std::string& name) {
    return *fleet.manager_server().objects().Get("multikueueclusters", {"", name});
  }
  // As it is after a look; null: nothing is said.
  json Active(const std::string& name) {
    // Until the cache has what was written last there are conflicts.
    REQUIRE(WaitUntil([&] { return clusters.Reconcile(name).has_value(); }));
    const json object = Object(name);
    const json conditions =
        object.value("status", json::object()).value("conditions", json::array());
    return conditions.empty() ? json() : conditions[0];
  }
};

}  // namespace

TEST_CASE("a MultiKueueCluster is Active by our connection to its worker, in Kueue's words") {
  struct Row {
    WorkerStatus worker;
    std::optional<tracking::ActiveCondition> expected;
    Source source = Source::kSecret;
  };
  using Phase = ConnectionPhase;
  const Row row =
      GENERATE(Row{StatusOf(Phase::kConnected, Contact::kFull), {{true, "Active", "Connected"}}},
               Row{StatusOf(Phase::kConnected, Contact::kSyncing), {{true, "Active", "Connected"}}},
               Row{StatusOf(Phase::kConnecting, Contact::kNone), std::nullopt},
               Row{StatusOf(Phase::kConnected, Contact::kNone, ErrorCode::kForbidden),
                   {{false, "ClientConnectionFailed", "what is wrong"}}},
               Row{StatusOf(Phase::kUnreachable, Contact::kNone, ErrorCode::kConnection),
                   {{false, "ClientConnectionFailed", "what is wrong"}}},
               Row{StatusOf(Phase::kRejected, Contact::kNone, ErrorCode::kUnauthorized),
                   {{false, "ClientConnectionFailed", "what is wrong"}}},
               Row{StatusOf(Phase::kMisconfigured, Contact::kNone, ErrorCode::kNotFound),
                   {{false, "BadKubeConfig", "load client config failed: what is wrong"}}},
               Row{StatusOf(Phase::kMisconfigured, Contact::kNone, ErrorCode::kInvalidArgument),
                   {{false, "InsecureKubeConfig", "load client config failed: what is wrong"}}},
               Row{StatusOf(Phase::kMisconfigured, Contact::kNone, ErrorCode::kNotFound),
                   {{false, "BadClusterProfile", "load client config failed: what is wrong"}},
                   Source::kClusterProfile},
               Row{StatusOf(Phase::kMisconfigured, Contact::kNone, ErrorCode::kInvalidArgument),
                   {{false, "BadRestConfig", "load client config failed: what is wrong"}},
                   Source::kClusterProfile},
               Row{StatusOf(Phase::kUnreachable, Contact::kNone, ErrorCode::kTimeout),
                   {{false, "ClientConnectionFailed", "what is wrong"}},
                   Source::kClusterProfile});
  CAPTURE(ToString(row.worker.connection.phase));
  CHECK(ActiveOf(row.worker, row.source) == row.expected);
}

TEST_CASE("a MultiKueueCluster's condition is written once") {
  Fixture f;
  f.Create("east");
  const json active = f.Active("east");
  CHECK(active["status"] == "True");
  CHECK(active["reason"] == "Active");
  CHECK(active["message"] == "Connected");
  CHECK(active["observedGeneration"] == f.Object("east")["metadata"].value("generation", 0));
  const json version = f.Object("east")["metadata"]["resourceVersion"];
  REQUIRE(f.fleet.WaitUntil([&] {
    return f.fleet.manager().worker_clusters().Find({"", "east"})->active.condition.has_value();
  }));
  (void)f.Active("east");
  CHECK(f.Object("east")["metadata"]["resourceVersion"] == version);
}

TEST_CASE(
    "of a MultiKueueCluster that is no worker nothing is said, unless its name is the reason") {
  Fixture f;
  f.Create("unknown");
  CHECK(f.Active("unknown").is_null());
  REQUIRE(f.clusters.Reconcile("no-such-cluster"));
  f.Create("manager");
  CHECK(f.Active("manager")["reason"] == "BadKubeConfig");
}

TEST_CASE("the first message of an outage stays, and each other state is written") {
  Fixture f;
  f.Create("east");
  const auto say = [&](const char* status, const char* reason, const char* message) {
    const json before = f.Object("east");
    REQUIRE(f.fleet.manager_server().objects().Patch(
        "multikueueclusters", {"", "east"},
        {{"status",
          {{"conditions",
            {{{"type", "Active"},
              {"status", status},
              {"reason", reason},
              {"message", message},
              {"observedGeneration", before["metadata"].value("generation", 0)},
              {"lastTransitionTime", "2026-06-01T00:00:00Z"}}}}}}},
        "status"));
    REQUIRE(f.fleet.WaitUntil([&] {
      const auto seen = f.fleet.manager().worker_clusters().Find({"", "east"});
      return seen->active.condition && seen->active.condition->message == message;
    }));
  };
  say("False", "ClientConnectionFailed", "refused, connection attempts: 3");
  CHECK(f.Active("east")["reason"] == "Active");
  Worker& worker = f.fleet.worker(0);
  REQUIRE(worker.Reconfigure({}, Error{ErrorCode::kNotFound, "gone", {}, {}}));
  REQUIRE(f.fleet.WaitUntil([&] { return worker.contact() == Contact::kNone; }));
  CHECK(f.Active("east")["message"] == "load client config failed: gone");
  // No server listens there.
  kube::AccessSettings nowhere;
  nowhere.server = "https://127.0.0.1:1";
  REQUIRE(worker.Reconfigure(nowhere, std::nullopt));
  REQUIRE(f.fleet.WaitUntil(
      [&] { return worker.Status().connection.phase == ConnectionPhase::kUnreachable; }));
  CHECK(f.Active("east")["reason"] == "ClientConnectionFailed");
  say("False", "ClientConnectionFailed", "the first words of an outage");
  CHECK(f.Active("east")["message"] == "the first words of an outage");
}

}  // namespace fedra::reconcile::worker_cluster_reconciler_test
