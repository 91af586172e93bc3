// Which namespaces a viewer may not see: of these nothing may be in an answer.

#include "manager/api/withhold.h"

#include <algorithm>

#include "manager/placement/message.h"
#include "manager/placement/note_reasons.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::api::withhold_test {
namespace {

using Namespaces = std::set<std::string>;

// Jobs in three namespaces; that of `legal` was removed.
struct Fixture {
  Fixture() {
    for (const std::string ns : {"bio", "legal", "ml"}) {
      store::WorkloadRow row;
      row.uid = "uid-" + ns;
      row.key = {ns, "job-train"};
      row.job = {ns, "train"};
      row.job_kind = "Job.batch";
      row.state = "Blocked";
      if (ns == "legal") row.removed_at = WallTime(std::chrono::milliseconds(1));
      REQUIRE(store->Commit({store::PutWorkload{row}}));
    }
  }

  TempFolder folder;
  std::unique_ptr<store::Store> store =
      store::Store::Open({.path = folder.Path("fedra.db")}).value();
};

}  // namespace

TEST_CASE_METHOD(Fixture, "hidden are the namespaces with jobs that the viewer may not see") {
  struct Row {
    Viewer viewer;
    Namespaces hidden;
  };
  for (const Row& row : {
           Row{Viewer::OfEverything(), {}},
           Row{{.fleet = true, .everywhere = true}, {}},
           Row{{.fleet = true, .namespaces = {"ml"}}, {"bio", "legal"}},
           Row{{.namespaces = {"ml", "bio", "unknown"}}, {"legal"}},
           Row{{}, {"bio", "legal", "ml"}},
       }) {
    const auto reader = store->Read();
    REQUIRE(reader);
    CHECK(HiddenFrom(row.viewer, **reader).value() == row.hidden);
    // Also once the reader shows no others.
    REQUIRE((*reader)->ShowOnly(row.viewer.namespaces));
    CHECK(HiddenFrom(row.viewer, **reader).value() == row.hidden);
  }
}

TEST_CASE("history: a reader of jobs sees fedra's own words, and what the job's note says") {
  namespace notes = placement::notes;
  const ClusterName east("gpu-east");
  const std::string end = "Job has reached the specified backoff limit";
  report::WorkloadData::Incarnation job;
  job.row.state = "Failed";
  job.row.note = end;
  const auto add = [&](std::string_view reason, std::string message) {
    job.events.push_back({.uid = {},
                          .key = {},
                          .at = {},
                          .reason = std::string(reason),
                          .cluster = east,
                          .message = std::move(message)});
  };
  add(notes::kDispatched.name, "dispatched to gpu-east");
  add(notes::kPlaced.name, placement::AdmittedText(east));
  add(notes::kPlacementRejected.name, "no worker eligible: gpu-east: 4 devices fail a selector");
  add(notes::kEvictedOnWorker.name, "evicted on gpu-east: preempted by somebody's job");
  add(notes::kDispatched.name, "dispatched to gpu-east, where namespace zebra is");
  add(notes::kDeleted.name, notes::kDeletionNoticed);
  add(notes::kJobFailed.name, end + "; its pods: exit code 1");
  add(notes::kJobFailed.name, end + " of the worker");
  add(notes::kJobFailed.name, end);
  for (const std::string& message : {end, end + "; its pods: exit code 1", std::string("refused")})
    job.attempts.push_back({.cluster = east, .outcome = "Failed", .message = message});
  report::WorkloadData all;
  all.incarnations.push_back(std::move(job));

  const auto seen_by = [&](const Viewer& viewer) {
    report::WorkloadData shown = all;
    Withhold(viewer, {"zebra"}, shown);
    return shown.incarnations.front();
  };
  const auto messages = [](const auto& rows) {
    std::vector<std::string> texts;
    for (const auto& row : rows) texts.push_back(row.message);
    return texts;
  };
  const std::string begun = end + "; " + kWithheld;
  const auto of_jobs = seen_by({.namespaces = {"ml"}});
  CHECK(messages(of_jobs.events) ==
        std::vector<std::string>{"dispatched to gpu-east", placement::AdmittedText(east), kWithheld,
                                 kWithheld, kWithheld, notes::kDeletionNoticed, begun, kWithheld,
                                 end});
  CHECK(messages(of_jobs.attempts) == std::vector<std::string>{end, begun, kWithheld});
  CHECK(of_jobs.withheld_of_history ==
        report::Withheld{.of_workers = true, .of_namespaces = true, .of_pods = false});
  // Of the fleet: all but what names the namespace.
  const auto of_fleet = seen_by({.fleet = true, .namespaces = {"ml"}});
  CHECK(std::ranges::count(messages(of_fleet.events), kWithheld) == 1);
  CHECK(of_fleet.withheld_of_history == report::Withheld{.of_namespaces = true});
  CHECK(seen_by(Viewer::OfEverything()).withheld_of_history == report::Withheld{});

  // A note that is withheld itself shows no message that begins with it.
  all.incarnations.front().row.note = "zebra/stripes has it";
  all.incarnations.front().events.back().message = "zebra/stripes has it";
  CHECK(seen_by({.namespaces = {"ml"}}).events.back().message == kWithheld);
}

}  // namespace fedra::api::withhold_test
