// A reader that shows some namespaces only: nothing of the others comes out of any of its
// functions.
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::shown_test {
namespace {

struct Fixture {
  Fixture() {
    for (const std::string ns : {"ml", "zebra"}) {
      WorkloadRow row = Workload("uid-" + ns, "train");
      row.key.ns = row.job.ns = ns;
      row.state = "Blocked";
      row.worker = ClusterName(ns + "-worker");
      row.reasons = {"Reason-" + ns};
      PlacementRow placement = Placement(row.uid);
      placement.key = row.key;
      placement.job = row.job;
      AttemptRow attempt{.uid = row.uid,
                         .number = 1,
                         .cluster = ClusterName("a"),
                         .started_at = At(1),
                         .ended_at = At(2),
                         .outcome = "Refused",
                         .message = ns};
      Must(store->Commit(
          {PutWorkload{row}, PutPlacement{placement},
           PutVerdicts{row.uid, {Verdict(row.uid, "a", "No")}},
           PutPlaces{row.uid,
                     {{.uid = row.uid, .cluster = ClusterName("a"), .first = "zebra/job-x"},
                      {.uid = row.uid, .cluster = ClusterName("b"), .first = "ml/job-y"}}},
           PutAttempt{attempt}, AddEvent{Event(row.uid, At(1), "Dispatched")},
           AddIntent{Intent(store->NewIntentId(), row.uid)},
           PutResidue{{.cluster = ClusterName("a"),
                       .key = row.key,
                       .uid = row.uid,
                       .job_kind = "Job",
                       .job = row.job,
                       .since = At(3)}}}));
    }
    reader = Must(store->Read());
  }

  TempFolder folder;
  std::unique_ptr<Store> store = MustOpen({.path = folder.Path("fedra.db")});
  std::unique_ptr<Reader> reader;
};

template <class T>
std::vector<std::string> UidsOf(const std::vector<T>& rows) {
  std::vector<std::string> uids;
  for (const T& row : rows) uids.push_back(row.uid);
  return uids;
}

using Uids = std::vector<std::string>;

}  // namespace

TEST_CASE_METHOD(Fixture, "only the rows of the namespaces that are shown") {
  CHECK(Must(reader->Namespaces()) == std::set<std::string>{"ml", "zebra"});
  CHECK(Must(reader->Workloads()).size() == 2);
  Must(reader->ShowOnly({"ml"}));
  const Uids ours = {"uid-ml"};
  CHECK(UidsOf(Must(reader->Workloads())) == ours);
  CHECK(UidsOf(Must(reader->FindWorkloads({"", "train"}))) == ours);
  CHECK(Must(reader->FindWorkloads({"zebra", "train"})).empty());
  CHECK(UidsOf(Must(reader->Placements())) == ours);
  CHECK(UidsOf(Must(reader->Intents())) == ours);
  CHECK(UidsOf(Must(reader->Residues())) == ours);
  CHECK(Must(reader->JobNames()) == std::vector<ObjectKey>{{"ml", "train"}});
  CHECK(Must(reader->JobWorkers()) == std::set<std::string>{"ml-worker"});
  CHECK(Must(reader->Workload("uid-ml")).has_value());
  CHECK_FALSE(Must(reader->Workload("uid-zebra")));
  const JobPage page = Must(reader->Jobs({.states = {{"Blocked", 0}}}));
  CHECK(UidsOf(page.rows) == ours);
  CHECK(page.matching == std::map<std::string, size_t>{{"Blocked", 1}});
  for (const JobGrouping by : {JobGrouping::kState, JobGrouping::kReason, JobGrouping::kWorker,
                               JobGrouping::kQueue, JobGrouping::kNamespace}) {
    const auto groups = Must(reader->JobGroups({.states = {{"Blocked", 0}}}, by));
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].jobs == 1);
    CHECK(groups[0].longest.ns == "ml");
  }
  CHECK(UidsOf(Must(reader->Places({}))) == Uids{"uid-ml", "uid-ml"});
  CHECK(Must(reader->Verdicts("uid-ml")).size() == 1);
  CHECK(Must(reader->Verdicts("uid-zebra")).empty());
  CHECK(Must(reader->Places("uid-zebra")).empty());
  CHECK(Must(reader->Attempts("uid-zebra")).empty());
  CHECK(Must(reader->Events("uid-zebra")).empty());
  CHECK(Must(reader->Failures("uid-zebra")).empty());
  CHECK(Must(reader->Namespaces()).size() == 2);
}

TEST_CASE_METHOD(Fixture, "who is first in line is told only of those that are shown") {
  Must(reader->ShowOnly({"ml"}));
  const auto places = Must(reader->Places("uid-ml"));
  REQUIRE(places.size() == 2);
  CHECK(places[0].first.empty());
  CHECK(places[1].first == "ml/job-y");
}

TEST_CASE_METHOD(Fixture, "without any namespace there is nothing") {
  Must(reader->ShowOnly({}));
  CHECK(Must(reader->Workloads()).empty());
  CHECK(Must(reader->Jobs({.states = {{"Blocked", 0}}})).matching.empty());
  CHECK(Must(reader->JobGroups({.states = {{"Blocked", 0}}}, JobGrouping::kQueue)).empty());
  CHECK(Must(reader->JobNames()).empty());
  CHECK(Must(reader->JobWorkers()).empty());
  CHECK(Must(reader->Places({})).empty());
}

}  // namespace fedra::store::shown_test
