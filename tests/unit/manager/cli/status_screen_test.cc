#include "manager/cli/status_screen.h"

#include <optional>
#include <sstream>

#include "manager/cli/screen/model.h"
#include "tests/support/catch.h"

namespace fedra::cli::status_screen_test {

using screen::kPage;
using screen::Question;
using screen::What;

TEST_CASE("what the command line has chosen stays chosen, and a group narrows it") {
  const ViewOptions given{.ns = "ml",
                          .jobs = {.states = {"Blocked", "Running"}, .limit = 5, .go_on = "token"}};
  using enum store::JobGrouping;
  const auto jobs = [&](std::optional<store::JobGrouping> by, const char* group) {
    return OptionsFor({.what = What::kJobs, .group_by = by, .group = group, .limit = kPage}, given);
  };
  const ViewOptions all = jobs({}, "");
  CHECK(all.format == "json");
  CHECK(all.ns == "ml");
  CHECK(all.jobs.states == given.jobs.states);
  CHECK(all.jobs.limit == 5);
  CHECK(all.jobs.go_on == "token");
  CHECK(jobs(kState, "Running").jobs.states == std::vector<std::string>{"Running"});
  CHECK(jobs(kState, "Running").jobs.go_on.empty());
  CHECK(jobs(kReason, "QueueMissing").jobs.reasons == std::vector<std::string>{"QueueMissing"});
  CHECK(jobs(kReason, "QueueMissing").jobs.states == given.jobs.states);
  CHECK(jobs(kWorker, "gpu-east").jobs.workers == std::vector<std::string>{"gpu-east"});
  CHECK(jobs(kQueue, "ml/gpu").jobs.queues == std::vector<std::string>{"ml/gpu"});
  CHECK(jobs(kNamespace, "other").ns == "other");
  ViewOptions named = given;
  named.jobs.name = "train";
  const ViewOptions both = OptionsFor({.what = What::kJobs, .name = "7b", .limit = kPage}, named);
  CHECK(both.jobs.name == "train 7b");
  CHECK(both.jobs.go_on.empty());
  const ViewOptions more = OptionsFor({.what = What::kJobs, .limit = 2 * kPage}, given);
  CHECK(more.jobs.limit == kPage + 5);
}

TEST_CASE("groups are of the chosen jobs; workers and one job are not chosen from") {
  const ViewOptions given{.jobs = {.states = {"Blocked"}, .sort_by = "age"}};
  const ViewOptions groups =
      OptionsFor({.what = What::kGroups, .group_by = store::JobGrouping::kReason}, given);
  CHECK(groups.jobs.group_by == "reason");
  CHECK(groups.jobs.states == given.jobs.states);
  for (const What what : {What::kWorkers, What::kWorker, What::kWhy, What::kHistory}) {
    const ViewOptions options = OptionsFor({.what = what, .subject = "x"}, given);
    CHECK(options.jobs.states.empty());
    CHECK(options.format == (what <= What::kWorker ? "json" : "table"));
  }
}

TEST_CASE("the screen is for tables on a terminal that moves its cursor") {
  std::ostringstream out;
  Terminal terminal{out, out};
  terminal.out_is_tty = true;
  // Whatever this program's input and output are: without these there is none.
  CHECK(!HasScreen({.watch = false}, terminal));
  CHECK(!HasScreen({.watch = true, .no_tui = true}, terminal));
  CHECK(!HasScreen({.format = "wide", .watch = true}, terminal));
  CHECK(!HasScreen({.format = "json", .watch = true}, terminal));
  CHECK(!HasScreen({.headers = false, .watch = true}, terminal));
  terminal.moves_cursor = false;
  CHECK(!HasScreen({.watch = true}, terminal));
}

}  // namespace fedra::cli::status_screen_test
