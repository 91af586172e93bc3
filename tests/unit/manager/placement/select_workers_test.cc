// The choice of workers alone: what another mode would use that does not carry it out as fedra's
// AdmissionCheck does.

#include "manager/placement/select_workers.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace fedra::placement::select_workers_test {

using namespace std::chrono_literals;

namespace {

using Names = std::vector<ClusterName>;

const ClusterName kA("a");
const ClusterName kB("b");
constexpr WallTime kNow{std::chrono::hours(1)};

struct Fixture {
  // No workload, no check, no job: the choice asks for none of them.
  WorkloadView view;
  std::vector<ClusterView> clusters{Worker(kA), Worker(kB)};
  PlacementRecord record;
  Policy policy;

  static ClusterView Worker(const ClusterName& name) {
    ClusterView cluster;
    cluster.name = name;
    cluster.contact = Contact::kFull;
    cluster.verdict.outcome = verdict::Outcome::kYes;
    return cluster;
  }
  static void GiveAdmittedClone(ClusterView& cluster, WallTime since) {
    auto clone = std::make_shared<tracking::Workload>();
    clone->admitted = tracking::Condition{true, "Admitted", "", since};
    cluster.clone = clone;
    cluster.clone_is = tracking::Ownership::kOurs;
  }
  Choice Chosen(const Names& nominated = {}) const {
    return Choose({view, clusters, record, policy, kNow}, nominated);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "choice: the first eligible worker, or as many as the policy says") {
  CHECK(Chosen().clusters == Names{kA});
  clusters[0].verdict.outcome = verdict::Outcome::kNo;
  CHECK(Chosen().clusters == Names{kB});
  clusters[0].verdict.outcome = verdict::Outcome::kYes;
  policy.kind = DispatchPolicy::kRace;
  CHECK(Chosen().clusters == Names{kA, kB});
  CHECK(Chosen().winner == nullptr);
}

TEST_CASE_METHOD(Fixture, "choice: a worker whose queue is full comes after one with room") {
  clusters[0].verdict.reasons = {
      {verdict::ReasonCode::kQueueFull, "ClusterQueue gpu", verdict::Quota{.queue = "gpu"}}};
  clusters[0].verdict.headroom = 9;  // which counts for less
  CHECK(Chosen().clusters == Names{kB});
  // It is still better than one that may not be able to run the job at all.
  clusters[1].verdict.outcome = verdict::Outcome::kMayScale;
  CHECK(Chosen().clusters == Names{kA});
  clusters.pop_back();
  CHECK(Chosen().clusters == Names{kA});
}

TEST_CASE_METHOD(Fixture, "choice: a round that has timed out goes to the next worker") {
  record.nominated_at = kNow - policy.admission_timeout + 1s;
  CHECK(Chosen({kA}).clusters == Names{kA});
  CHECK(Chosen({kA}).wake_at == kNow + 1s);
  record.nominated_at = kNow - policy.admission_timeout;
  CHECK(Chosen({kA}).clusters == Names{kB});
  CHECK(Chosen({kA}).timed_out == Names{kA});
}

TEST_CASE_METHOD(Fixture, "choice: the earliest admission wins, and only what is nominated can") {
  GiveAdmittedClone(clusters[0], kNow - 1s);
  GiveAdmittedClone(clusters[1], kNow - 2s);
  CHECK(Chosen({kA, kB}).winner == &clusters[1]);
  CHECK(Chosen({kA, kB}).clusters.empty());
  CHECK(Chosen({kA}).winner == &clusters[0]);
  CHECK(Chosen().winner == nullptr);
}

TEST_CASE_METHOD(Fixture, "choice: a winner waits for the lists of one that has just come back") {
  GiveAdmittedClone(clusters[0], kNow - 1s);
  clusters[1].contact = Contact::kSyncing;
  clusters[1].lost_since = kNow - kListingGrace + 1s;
  CHECK(Chosen({kA, kB}).unlisted == &clusters[1]);
  clusters[1].lost_since = kNow - kListingGrace;
  CHECK(Chosen({kA, kB}).unlisted == nullptr);
}

TEST_CASE_METHOD(Fixture, "choice: none") {
  for (ClusterView& cluster : clusters) cluster.verdict.outcome = verdict::Outcome::kNo;
  const Choice choice = Chosen();
  CHECK(choice.winner == nullptr);
  CHECK(choice.clusters.empty());
}

}  // namespace fedra::placement::select_workers_test
