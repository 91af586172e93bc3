// fedra wait, beside a store: what it ends with.

#include <sstream>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "manager/cli/commands.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::cli::wait_test {

namespace {

struct Fixture {
  // As long as it takes to look twice.
  int Wait(const std::string& name, const std::string& format = "table") {
    out.str({});
    err.str({});
    Terminal terminal{out, err};
    return cli::Wait({.view = {.store = folder.Path("fedra.db"), .names = {name}, .format = format},
                      .timeout = "400ms"},
                     terminal);
  }

  const TempFolder folder;
  const std::unique_ptr<store::Store> store =
      store::Store::Open({.path = folder.Path("fedra.db")}).value();
  std::ostringstream out;
  std::ostringstream err;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "wait: a job that was deleted before has ended, and another may come") {
  store::WorkloadRow gone = report::Job("later", "Blocked", "", std::chrono::minutes(9));
  gone.removed_at = SystemClock().Now() - std::chrono::hours(1);
  store::WorkloadRow done = report::Job("done", "Finished", "a", std::chrono::minutes(9));
  done.removed_at = SystemClock().Now() - std::chrono::hours(1);
  REQUIRE(store->Commit({store::PutWorkload{gone}, store::PutWorkload{done}}));

  CHECK(Wait("ml/later") == kEndedOtherwise);
  CHECK_THAT(out.str(),
             ContainsSubstring("ml/later: gone since 20") && ContainsSubstring("(Deleted"));
  CHECK_THAT(err.str(), ContainsSubstring("another one of its name may come"));
  CHECK(Wait("ml/done") == 0);

  // It was only not known yet: what was before it says nothing.
  store::WorkloadRow again = report::Job("later", "Running", "a", std::chrono::minutes(1));
  again.uid = "uid-again";
  REQUIRE(store->Commit({store::PutWorkload{again}}));
  CHECK(Wait("ml/later") == kTimedOut);
  CHECK_THAT(err.str(), ContainsSubstring("Running on a") && !ContainsSubstring("gone since"));
}

TEST_CASE_METHOD(Fixture, "wait: what it ends with, and the document that says so") {
  REQUIRE(store->Commit({store::PutWorkload{report::Job("ok", "Finished", "a", {})},
                         store::PutWorkload{report::Job("bad", "Failed", "a", {})}}));
  CHECK(Wait("ml/ok", "json") == 0);
  CHECK(nlohmann::json::parse(out.str())["jobs"][0]["state"] == "Finished");
  CHECK(Wait("ml/bad") == kEndedOtherwise);
  CHECK(out.str() == "ml/bad: Failed on a\n");
  CHECK(Wait("ml/none") == kTimedOut);
}

}  // namespace fedra::cli::wait_test
