#include "manager/cli/migration/forecast.h"

#include <functional>

#include "manager/cli/migration/to_fedra.h"
#include "manager/cli/migration/to_multi_kueue.h"
#include "manager/tracking/kueue_api.h"
#include "tests/support/catch.h"

namespace fedra::cli::forecast_test {
namespace {

using placement::ClusterView;
using placement::Contact;
using placement::WorkloadView;
using tracking::CheckState;
using tracking::Ownership;

constexpr WallTime kNow{std::chrono::hours(10)};
constexpr char kCheckName[] = "mk";

tracking::Condition True(std::string reason = "Admitted") {
  return {true, std::move(reason), "it says so", kNow - std::chrono::hours(1)};
}

// A job that MultiKueue, or fedra, runs on worker "east"; "west" has nothing of it.
struct Case {
  tracking::Workload workload;
  tracking::Job job;
  bool has_job = true;  // on the manager
  bool kind_supported = true;
  bool holds_check = false;
  tracking::Workload clone;
  tracking::Job remote;
  bool has_clone = true;
  bool has_remote = true;
  ClusterView east, west;
  std::string config_problem;

  Case();
  void SetKind(const char* api_version, const char* kind) {
    workload.owner.api_version = api_version;
    workload.owner.kind = kind;
  }
  WorkloadView View() const;
  std::vector<ClusterView> Clusters() const;
  // In the state in which "east" is nominated and has not admitted.
  void Wait();
};

Case::Case() {
  workload.key = clone.key = {"ml", "job-train-1a2b3"};
  workload.uid = "w-1";
  workload.owner = {"batch/v1", "Job", "train", "j-1"};
  workload.quota_reserved = True("QuotaReserved");
  workload.checks = {{kCheckName, CheckState::kReady, "admitted on east", kNow}};
  workload.cluster_name = "east";
  job.key = remote.key = {"ml", "train"};
  job.kind = remote.kind = &tracking::BatchJobAdapter();
  job.managed_by = tracking::kManagedBy;
  clone.uid = "clone-1";
  clone.marks.origin = remote.marks.origin = "multikueue";
  clone.owner = {"batch/v1", "Job", "train", "remote-1"};
  clone.admitted = True();
  remote.uid = "remote-1";
  remote.prebuilt_workload = remote.marks.workload = workload.key.name;
  east.name = ClusterName("east");
  west.name = ClusterName("west");
  for (ClusterView* cluster : {&east, &west}) {
    cluster->contact = Contact::kFull;
    cluster->verdict.outcome = verdict::Outcome::kYes;
  }
  east.clone_is = east.job_is = Ownership::kOurs;
}

WorkloadView Case::View() const {
  WorkloadView view;
  view.key = workload.key;
  view.workload = std::make_shared<const tracking::Workload>(workload);
  if (has_job) view.job = std::make_shared<const tracking::Job>(job);
  view.kind_supported = kind_supported;
  view.holds_check = holds_check;
  view.check = kCheckName;
  view.kueue_clears = true;
  return view;
}

std::vector<ClusterView> Case::Clusters() const {
  std::vector<ClusterView> clusters = {east, west};
  if (has_clone) clusters[0].clone = std::make_shared<const tracking::Workload>(clone);
  if (has_remote) clusters[0].job = std::make_shared<const tracking::Job>(remote);
  return clusters;
}

void Case::Wait() {
  workload.cluster_name.clear();
  workload.nominated = {"east"};
  workload.checks[0].state = CheckState::kPending;
  clone.admitted.reset();
  has_remote = false;
}

Forecast ToFedra(const Case& with) {
  return ForecastToFedra(with.View(), with.Clusters(), {}, "multikueue", kNow);
}

Forecast ToMultiKueue(const Case& with) {
  return ForecastToMultiKueue(with.View(), with.Clusters(), with.config_problem, "multikueue");
}

struct Row {
  const char* what;
  std::function<void(Case&)> change;
  Outcome outcome;
  const char* worker;
  const char* words;  // in `why`
};

void Check(const std::vector<Row>& rows, Forecast (*foretell)(const Case&)) {
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Case with;
    row.change(with);
    const Forecast forecast = foretell(with);
    CAPTURE(forecast.why);
    CHECK(ToString(forecast.outcome) == ToString(row.outcome));
    CHECK(forecast.worker.value == row.worker);
    CHECK_THAT(forecast.why, ContainsSubstring(row.words));
    CHECK(forecast.workload == with.workload.key);
    CHECK(forecast.kind == with.workload.owner.kind);
  }
}

TEST_CASE("what becomes of a job of MultiKueue's when fedra takes over") {
  Check(
      {
          {"it runs", [](Case&) {}, Outcome::kGoesOn, "east", ""},
          {"it has ended there", [](Case& with) { with.remote.finished = true; }, Outcome::kEnds,
           "east", ""},
          {"its copy is nominated and waits", [](Case& with) { with.Wait(); }, Outcome::kWaits,
           "east", "dispatched to east"},
          {"nothing is nominated",
           [](Case& with) {
             with.Wait();
             with.workload.nominated.clear();
             with.has_clone = false;
           },
           Outcome::kDispatched, "east", "dispatched to east"},
          {"no worker can run it",
           [](Case& with) {
             with.Wait();
             with.workload.nominated.clear();
             with.has_clone = false;
             with.east.verdict.outcome = with.west.verdict.outcome = verdict::Outcome::kNo;
           },
           Outcome::kWaits, "", "no worker eligible"},
          {"the manager has no quota for it",
           [](Case& with) {
             with.Wait();
             with.workload.nominated.clear();
             with.workload.quota_reserved.reset();
             with.has_clone = false;
           },
           Outcome::kWaits, "", "waiting for quota"},
          {"of a kind that fedra does not run, and it runs",
           [](Case& with) {
             with.kind_supported = with.has_job = with.has_remote = false;
             with.SetKind("example.com/v1", "Flow");
           },
           Outcome::kLeftBehind, "east", "fedra does not run jobs of kind Flow"},
          {"a pod, which Kueue would start on the manager as well",
           [](Case& with) {
             with.kind_supported = with.has_job = with.has_remote = false;
             with.SetKind("v1", "Pod");
             with.workload.admitted = True();
           },
           Outcome::kRunsTwice, "east", "starts jobs of kind Pod on the manager as well"},
          {"a pod that fedra runs, and that MultiKueue had placed",
           [](Case& with) {
             with.holds_check = true;
             with.SetKind("v1", "Pod");
             with.workload.admitted = True();
           },
           Outcome::kRunsTwice, "east", "let it end, or delete it"},
          {"a pod that Kueue has not admitted",
           [](Case& with) {
             with.kind_supported = with.has_job = with.has_remote = false;
             with.SetKind("v1", "Pod");
           },
           Outcome::kLeftBehind, "east", "fedra does not run jobs of kind Pod"},
          {"of such a kind, and it waits",
           [](Case& with) {
             with.Wait();
             with.kind_supported = with.has_job = false;
             with.SetKind("v1", "Pod");
           },
           Outcome::kRejected, "", "it would be rejected"},
          {"its managedBy is another controller's",
           [](Case& with) {
             with.Wait();
             with.job.managed_by = "somebody";
           },
           Outcome::kRejected, "", "managedBy"},
          {"the worker is not configured", [](Case& with) { with.workload.cluster_name = "north"; },
           Outcome::kRunsTwice, "north",
           "north is no worker of fedra's; it runs on there, and begins again elsewhere: make it "
           "one, or delete the job there"},
          {"the nominated worker is not configured",
           [](Case& with) {
             with.Wait();
             with.workload.nominated = {"north"};
           },
           Outcome::kLeftBehind, "north", "north is no worker of fedra's"},
          {"the worker does not answer",
           [](Case& with) {
             with.east.contact = Contact::kNone;
             with.east.lost_why = "connection refused";
           },
           Outcome::kNotKnown, "east", "connection refused"},
          {"the worker's kubeconfig cannot be used",
           [](Case& with) {
             with.east.contact = Contact::kNone;
             with.east.fault_is_ours = true;
             with.east.lost_why = "exec is refused";
           },
           Outcome::kLeftBehind, "east", "exec is refused"},
          {"the origin differs",
           [](Case& with) {
             with.clone.marks.origin = "team-a";
             with.east.clone_is = with.east.job_is = Ownership::kForeign;
           },
           Outcome::kRunsTwice, "east",
           "the origin of the Workload on east is team-a, not multikueue; it runs on there, and "
           "begins again elsewhere: delete Job ml/train on east first"},
          {"the origin differs, and it has not begun",
           [](Case& with) {
             with.clone.marks.origin = "team-a";
             with.east.clone_is = with.east.job_is = Ownership::kForeign;
             with.remote.suspended = true;
           },
           Outcome::kLeftBehind, "east", "the origin of the Workload on east is team-a"},
          {"another manager's fedra made it",
           [](Case& with) { with.east.clone_is = Ownership::kOtherManager; }, Outcome::kLeftBehind,
           "east", "another manager's fedra"},
          {"a job that nobody copied has its name",
           [](Case& with) {
             with.remote.marks.origin.clear();
             with.east.job_is = Ownership::kForeign;
           },
           Outcome::kLeftBehind, "east", "the job on east carries no origin label"},
          {"the job there says it is of another Workload",
           [](Case& with) { with.east.job_is = Ownership::kOursEarlier; }, Outcome::kRestarts,
           "east", "train"},
          {"it was evicted there a moment ago",
           [](Case& with) { with.clone.evicted = True("Preempted"); }, Outcome::kDispatched, "east",
           "evicted on east"},
          {"its copy there was deleted",
           [](Case& with) { with.has_clone = with.has_remote = false; }, Outcome::kDispatched,
           "east", "no longer exists"},
          {"its job cannot be found on the manager", [](Case& with) { with.has_job = false; },
           Outcome::kNotKnown, "east", "its job is not on the manager"},
      },
      ToFedra);
}

TEST_CASE("what becomes of a job of fedra's when MultiKueue takes back") {
  Check(
      {
          {"it runs", [](Case&) {}, Outcome::kGoesOn, "east", ""},
          {"it has ended there", [](Case& with) { with.clone.finished = True("Succeeded"); },
           Outcome::kEnds, "east", ""},
          {"its copy ended as OutOfSync before it was placed",
           [](Case& with) {
             with.Wait();
             with.clone.finished = True(std::string(tracking::kOutOfSync));
           },
           Outcome::kLeftBehind, "east", "delete Workload ml/job-train-1a2b3 on east"},
          {"its copy waits", [](Case& with) { with.Wait(); }, Outcome::kWaits, "east",
           "its copy on east stays"},
          {"nothing is nominated",
           [](Case& with) {
             with.Wait();
             with.has_clone = false;
           },
           Outcome::kDispatched, "", "dispatcher nominates"},
          {"another check is not Ready",
           [](Case& with) {
             with.Wait();
             with.has_clone = false;
             with.workload.checks.push_back({"budget", CheckState::kPending, "", kNow});
           },
           Outcome::kWaits, "", "budget"},
          {"the manager has no quota for it",
           [](Case& with) {
             with.Wait();
             with.workload.quota_reserved.reset();
           },
           Outcome::kWaits, "", "quota"},
          {"its managedBy is another controller's",
           [](Case& with) { with.job.managed_by = "somebody"; }, Outcome::kRejected, "east",
           "somebody"},
          {"a Workload without an owner", [](Case& with) { with.workload.owner = {}; },
           Outcome::kRejected, "east", "nothing owns it"},
          {"the check has no MultiKueueConfig",
           [](Case& with) { with.config_problem = "missing parameters reference"; },
           Outcome::kLeftBehind, "east", "missing parameters reference"},
          {"the MultiKueueConfig does not name the worker",
           [](Case& with) { with.east.allowed = false; }, Outcome::kRunsTwice, "east",
           "does not name east: it runs on there, and runs elsewhere as well; mend that, or "
           "delete Job ml/train on east first"},
          {"nor runs it there",
           [](Case& with) {
             with.east.allowed = false;
             with.remote.suspended = true;
           },
           Outcome::kLeftBehind, "east", "does not name east"},
          {"nor has the manager quota for it, and it runs there",
           [](Case& with) {
             with.workload.evicted = True("Preempted");
             with.east.allowed = false;
           },
           Outcome::kRunsTwice, "east", "does not name east"},
          {"it was placed there a moment ago, unrecorded, and Kueue cannot reach the worker",
           [](Case& with) {
             with.workload.cluster_name.clear();
             with.workload.nominated = {"east"};
             with.workload.checks[0].state = CheckState::kPending;
             with.east.kueue_connected = false;
           },
           Outcome::kRunsTwice, "east", "MultiKueueCluster east is missing"},
          {"a pod that runs, held by its check",
           [](Case& with) {
             with.holds_check = true;
             with.SetKind("v1", "Pod");
             with.workload.checks[0].state = CheckState::kPending;
           },
           Outcome::kGoesOn, "east", ""},
          {"a JAXJob that runs, which Kueue would start on the manager as well",
           [](Case& with) {
             with.holds_check = true;
             with.SetKind("kubeflow.org/v1", "JAXJob");
           },
           Outcome::kRunsTwice, "east", "starts it on the manager as well"},
          {"a JAXJob that waits",
           [](Case& with) {
             with.Wait();
             with.holds_check = true;
             with.SetKind("kubeflow.org/v1", "JAXJob");
           },
           Outcome::kRejected, "", "runs no jobs of kind JAXJob"},
          {"a SparkApplication that runs",
           [](Case& with) {
             with.holds_check = true;
             with.SetKind("sparkoperator.k8s.io/v1beta2", "SparkApplication");
           },
           Outcome::kLeftBehind, "east", "rejects jobs of kind SparkApplication"},
          {"nor the one where it waits",
           [](Case& with) {
             with.Wait();
             with.east.allowed = false;
           },
           Outcome::kLeftBehind, "east", "does not name east"},
          {"Kueue cannot reach the worker", [](Case& with) { with.east.kueue_connected = false; },
           Outcome::kRunsTwice, "east", "MultiKueueCluster east is missing, or not Active"},
          {"nor fedra",
           [](Case& with) {
             with.east.contact = Contact::kNone;
             with.east.lost_why = "connection refused";
             with.has_clone = with.has_remote = false;
           },
           Outcome::kNotKnown, "east", "connection refused"},
          {"the job there has another origin",
           [](Case& with) {
             with.remote.marks.origin = "fedra";
             with.east.job_is = Ownership::kForeign;
           },
           Outcome::kLeftBehind, "east", "the origin of the job on east is fedra, not multikueue"},
          {"it was evicted there a moment ago",
           [](Case& with) { with.clone.evicted = True("Preempted"); }, Outcome::kDispatched, "east",
           "evicted on east"},
          {"its copy there was deleted",
           [](Case& with) { with.has_clone = with.has_remote = false; }, Outcome::kDispatched,
           "east", "no copy of it on east is admitted"},
      },
      ToMultiKueue);
}

TEST_CASE("of two copies one is removed, and the forecast says which") {
  Case with;
  std::vector<ClusterView> clusters = with.Clusters();
  clusters[1].clone = clusters[0].clone;
  clusters[1].clone_is = Ownership::kOurs;
  const Forecast taken = ForecastToFedra(with.View(), clusters, {}, "multikueue", kNow);
  CHECK(taken.outcome == Outcome::kGoesOn);
  CHECK(taken.why == "its second copy on west is removed");
  REQUIRE(taken.copies.size() == 2);
  CHECK_FALSE(taken.copies[0].removed);
  CHECK(taken.copies[0].job_uid == "remote-1");
  CHECK(taken.copies[1].removed);
  tracking::Workload later = with.clone;
  later.admitted->since = kNow;
  clusters[1].clone = std::make_shared<const tracking::Workload>(later);
  const Forecast given = ForecastToMultiKueue(with.View(), clusters, {}, "multikueue");
  CHECK(given.outcome == Outcome::kGoesOn);
  CHECK_FALSE(given.copies[0].removed);
  CHECK(given.copies[1].removed);
  later.admitted->since = kNow - std::chrono::hours(5);
  clusters[1].clone = std::make_shared<const tracking::Workload>(later);
  const Forecast torn = ForecastToMultiKueue(with.View(), clusters, {}, "multikueue");
  CHECK(torn.outcome == Outcome::kLeftBehind);
  CHECK_THAT(torn.why, ContainsSubstring("east has it, and west has admitted a copy first"));
}

TEST_CASE("a copy that runs where the new controller does not look, beside one that goes on") {
  Case with;
  std::vector<ClusterView> clusters = with.Clusters();
  clusters[1].job = clusters[0].job;
  clusters[1].job_is = Ownership::kForeign;
  tracking::Job stray = with.remote;
  stray.marks.origin = "team-a";
  clusters[1].job = std::make_shared<const tracking::Job>(stray);
  const Forecast taken = ForecastToFedra(with.View(), clusters, {}, "multikueue", kNow);
  CHECK(taken.outcome == Outcome::kRunsTwice);
  CHECK_THAT(taken.why, ContainsSubstring("the origin of the job on west is team-a") &&
                            ContainsSubstring("delete Job ml/train on west first"));
  const Forecast given = ForecastToMultiKueue(with.View(), clusters, {}, "multikueue");
  CHECK(given.outcome == Outcome::kRunsTwice);
  CHECK(given.worker.value == "west");
  // A job of that name that is no copy is none of both.
  stray.marks = {};
  clusters[1].job = std::make_shared<const tracking::Job>(stray);
  CHECK(ForecastToFedra(with.View(), clusters, {}, "multikueue", kNow).outcome == Outcome::kGoesOn);
  CHECK(ForecastToMultiKueue(with.View(), clusters, {}, "multikueue").outcome == Outcome::kGoesOn);
}

TEST_CASE("what is lost stands first") {
  std::vector<Forecast> forecasts(3);
  forecasts[0].Become(Outcome::kGoesOn, {});
  forecasts[1].Become(Outcome::kLeftBehind, {});
  forecasts[2].Become(Outcome::kLeftBehind, {});
  forecasts[1].workload = {"ml", "b"};
  forecasts[2].workload = {"ml", "a"};
  Sort(forecasts);
  CHECK(forecasts[0].workload.name == "a");
  CHECK(forecasts[1].workload.name == "b");
  CHECK(forecasts[2].outcome == Outcome::kGoesOn);
}

}  // namespace
}  // namespace fedra::cli::forecast_test
