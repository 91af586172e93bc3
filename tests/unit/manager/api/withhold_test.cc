// Which namespaces a viewer may not see: of these nothing may be in an answer.

#include "manager/api/withhold.h"

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

}  // namespace fedra::api::withhold_test
