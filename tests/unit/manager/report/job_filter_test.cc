#include "manager/report/job_filter.h"

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/unit/manager/report/stored.h"

namespace fedra::report::job_filter_test {
namespace {

using Names = std::vector<std::string>;

ChosenJobs Choose(const FleetRows& rows, const std::string& ns, const JobFilter& filter) {
  return Loaded(rows, {.now = kNow, .ns = ns, .jobs = filter}).jobs;
}

size_t Matching(const ChosenJobs& jobs) {
  size_t all = 0;
  for (const auto& [state, count] : jobs.by_state) all += count;
  return all;
}

Names NamesOf(const ChosenJobs& jobs) {
  Names names;
  for (const auto& row : jobs.shown) names.push_back(row.job.name);
  return names;
}

Names Shown(const JobFilter& filter, const std::string& ns = "") {
  const Result<JobFilter> checked = Checked(filter);
  REQUIRE(checked);
  return NamesOf(Choose(FleetStatus(), ns, *checked));
}

TEST_CASE("status: filters by state, worker, queue, reason and namespace") {
  CHECK(Shown({.states = {"running"}}) == Names{"train-1b", "train-7b"});
  CHECK(Shown({.states = {"Blocked", "finished"}}) == Names{"sweep-3", "done"});
  CHECK(Shown({.workers = {"tpu-lab"}}) == Names{"train-1b"});
  CHECK(Shown({.reasons = {"TemplateMissing"}}) == Names{"sweep-3"});
  CHECK(Shown({.reasons = {"NodeResources"}}).empty());
  CHECK(Shown({.queues = {"gpu"}}).size() == 5);
  CHECK(Shown({.queues = {"ml/gpu"}}).size() == 5);
  CHECK(Shown({.queues = {"hpc/gpu"}}).empty());
  CHECK(Shown({}, "hpc").empty());
}

TEST_CASE("status: filters by words of the name, in whatever case") {
  CHECK(Shown({.name = "train"}) == Names{"train-1b", "train-7b"});
  CHECK(Shown({.name = " 7B  Train "}) == Names{"train-7b"});
  CHECK(Shown({.name = "ML/t"}) == Names{"train-1b", "train-7b"});
  CHECK(Shown({.name = "ml"}).empty());
  CHECK(Shown({.states = {"Blocked"}, .name = "train"}).empty());
  CHECK(Shown({.name = "  "}).size() == 5);
  CHECK(IsFiltered({.name = "x"}));
  std::string words = "a";
  for (int i = 0; i < 15; ++i) words += " a";
  CHECK(Checked({.name = words}));
  const auto too_many = Checked({.name = words + " a"});
  REQUIRE_FALSE(too_many);
  CHECK(ToString(too_many.error()) == "--name: at most 16 words");
}

TEST_CASE("status: filters by the job's labels") {
  FleetRows data = FleetStatus();
  data.workloads[1].labels_json = R"({"team":"vision"})";
  data.workloads[2].labels_json = "broken";
  const auto shown = [&](const std::string& labels) {
    const JobFilter filter = *Checked({.labels = labels});
    return Matching(Choose(data, "", filter));
  };
  CHECK(shown("team=vision") == 1);
  CHECK(shown("team!=vision") == 4);
  CHECK(shown("") == 5);
  const auto wrong = Checked({.labels = "team="
                                        "vision,"});
  REQUIRE_FALSE(wrong);
  CHECK(ToString(wrong.error()) ==
        "--selector: \"team=vision,\": expected the name of a label at the end");
}

TEST_CASE("status: deleted jobs are listed where their state is asked for") {
  FleetRows data = FleetStatus();
  data.workloads[0].removed_at = kNow - std::chrono::hours(2);
  data.workloads[1].removed_at = kNow - std::chrono::hours(1);
  const auto listed = [&](const JobFilter& filter) {
    return Choose(data, "", Checked(filter).value());
  };
  const Names newest_first = {data.workloads[1].job.name, data.workloads[0].job.name};
  CHECK(NamesOf(listed({.states = {"deleted"}})) == newest_first);
  CHECK(NamesOf(listed({.states = {"Deleted"}, .sort_by = "ended"})) == newest_first);
  CHECK(listed({.states = {"Deleted"}}).by_state == std::map<std::string, size_t>{{"Deleted", 2}});
  CHECK(Matching(listed({})) == 3);
  CHECK(Matching(listed({.all = true})) == 3);
  CHECK(Matching(listed({.states = {"Deleted"}, .reasons = {"TemplateMissing"}})) == 0);
  // One after another.
  JobFilter filter{.states = {"Deleted"}, .limit = 1};
  const ChosenJobs first = listed(filter);
  CHECK(first.beyond_limit == 1);
  filter.go_on = first.go_on;
  CHECK(NamesOf(listed(filter)) == Names{newest_first.back()});
}

TEST_CASE("status: a living job that is marked as deleted is not listed twice") {
  FleetRows data = FleetStatus();
  data.workloads[0].state = "Deleted";
  CHECK(Matching(Choose(data, "", Checked({.all = true}).value())) == 5);
  CHECK(Matching(Choose(data, "", Checked({.states = {"Deleted"}}).value())) == 0);
}

TEST_CASE("status: sorts, and stops at the limit") {
  CHECK(Shown({.sort_by = "age"}) == Names{"done", "train-1b", "train-7b", "sweep-3", "new"});
  CHECK(Shown({.sort_by = "name"}).front() == "done");
  CHECK(Shown({.limit = 2}) == Names{"sweep-3", "new"});
}

TEST_CASE("status: names with numbers are in the order of these") {
  const store::WorkloadRow like = FleetStatus().workloads.front();
  const Names in_order = {"eq",     "eq-6",   "eq-006",        "eq-10", "eq-10-2", "eq-10-11",
                          "eq-10a", "eq-100", "eq-1234567890", "eq-a",  "eq6",     "er-1"};
  FleetRows rows;
  for (auto name = in_order.rbegin(); name != in_order.rend(); ++name) {
    rows.workloads.push_back(like);
    rows.workloads.back().job.name = *name;
    rows.workloads.back().uid = fmt::format("{:03}", in_order.rend() - name);
  }
  for (const std::string by : {"name", "state"}) {
    CAPTURE(by);
    CHECK(NamesOf(Choose(rows, "", *Checked({.sort_by = by}))) == in_order);
  }
}

TEST_CASE("status: pages by key show each job once, also when jobs come and go between them") {
  for (const std::string& by : SortColumns()) {
    INFO(by);
    const Names all = Shown({.sort_by = by});
    FleetRows data = FleetStatus();
    JobFilter filter = Checked({.sort_by = by, .limit = 2}).value();
    Names pages;
    for (size_t page = 0; page < 3; ++page) {
      const ChosenJobs chosen = Choose(data, "", filter);
      for (const auto& row : chosen.shown) pages.push_back(row.job.name);
      CHECK(Matching(chosen) == 5 - page);
      CHECK(chosen.go_on.empty() == (page == 2));
      if (chosen.go_on.empty()) break;
      filter = Checked({.sort_by = by, .limit = 2, .go_on = chosen.go_on}).value();
      // The last job of the page before is gone meanwhile, and its place still counts.
      std::erase_if(data.workloads, [&](const auto& row) { return row.job.name == pages.back(); });
    }
    CHECK(pages == all);
  }
}

TEST_CASE("status: a wrong place to go on from is refused") {
  const FleetRows data = FleetStatus();
  const JobFilter first = Checked({.limit = 1}, "ml").value();
  const std::string token = Choose(data, "ml", first).go_on;
  CHECK(token.find_first_of("+/=&") == std::string::npos);
  CHECK(Checked({.limit = 3, .go_on = token}, "ml"));
  const auto refused = [](const JobFilter& filter, const std::string& ns) {
    const auto checked = Checked(filter, ns);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kInvalidArgument);
    return ToString(checked.error());
  };
  CHECK_THAT(refused({.go_on = token}, "hpc"), ContainsSubstring("--continue: it belongs to"));
  CHECK_THAT(refused({.sort_by = "age", .go_on = token}, "ml"), ContainsSubstring("another"));
  CHECK_THAT(refused({.name = "train", .go_on = token}, "ml"), ContainsSubstring("another"));
  for (const std::string& wrong :
       {std::string("x"), std::string("%%%"), token.substr(1), std::string(1 << 16, 'A'),
        std::string("WzEsMl0"), std::string("WyJhIiwtMS41LCJiIiwxLCJjIiwiZCIsMSwiZSJd")})
    CHECK_THAT(refused({.go_on = wrong}, "ml"), ContainsSubstring("is no word of `continue`"));
}

TEST_CASE("status: those that stand in line come first, by their best place") {
  FleetRows data = FleetStatus();
  data.places = {{data.workloads[4].uid, ClusterName("gpu-east"), 7, 0, false},
                 {data.workloads[4].uid, ClusterName("gpu-west"), 1, 0, false},
                 {data.workloads[3].uid, ClusterName("gpu-east"), 2, 3, true}};
  const ChosenJobs sorted = Choose(data, "", *Checked({.sort_by = "line"}));
  REQUIRE(sorted.shown.size() == 5);
  CHECK(sorted.shown[0].job.name == "new");
  CHECK(sorted.shown[1].job.name == "sweep-3");
  // The others as without a line: what needs attention first.
  std::vector<store::WorkloadRow> by_state = Choose(data, "", *Checked({.sort_by = "state"})).shown;
  std::erase_if(by_state,
                [](const auto& row) { return row.job.name == "new" || row.job.name == "sweep-3"; });
  for (size_t i = 0; i < by_state.size(); ++i) CHECK(sorted.shown[i + 2].job == by_state[i].job);
}

TEST_CASE("status: a word that is no state, reason or column is an error with a hint") {
  const auto message = [](const JobFilter& filter) {
    const auto checked = Checked(filter);
    REQUIRE_FALSE(checked);
    return ToString(checked.error());
  };
  CHECK(message({.states = {"Bloked"}}) == "--state Bloked: did you mean Blocked?");
  CHECK_THAT(message({.states = {"Connected"}}), ContainsSubstring("--state Connected: "));
  CHECK(message({.reasons = {"TemplateMising"}}) ==
        "--reason TemplateMising: did you mean TemplateMissing?");
  CHECK_THAT(message({.sort_by = "xyz"}), ContainsSubstring("there are state, line, name, age"));
}

TEST_CASE("status: what is sorted and counted by is read in whatever case, and each is its own") {
  CHECK(Checked({.sort_by = "LINE"})->order == store::JobOrder::kLine);
  CHECK(Checked({.group_by = "Namespace"})->grouping == store::JobGrouping::kNamespace);
  CHECK(Checked({})->order == store::JobOrder::kState);
  CHECK_FALSE(Checked({})->grouping);
  for (const store::JobOrder order : kJobOrders) CHECK(ParseJobOrder(ToString(order)) == order);
  for (const store::JobGrouping grouping : kJobGroupings)
    CHECK(ParseJobGrouping(ToString(grouping)) == grouping);
}

}  // namespace
}  // namespace fedra::report::job_filter_test
