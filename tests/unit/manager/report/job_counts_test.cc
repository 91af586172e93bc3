#include "manager/report/job_counts.h"

#include <map>

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/manager/report/stored.h"
#include "tests/unit/manager/support/contract.h"

namespace fedra::report::job_counts_test {
namespace {

Query By(const std::string& column) {
  return {.now = kNow, .jobs = Checked({.all = true, .group_by = column}).value()};
}

std::vector<store::JobGroup> GroupsOf(const Query& query) {
  return Loaded(FleetStatus(), query).groups;
}

TEST_CASE("counts: as many jobs in each group as its filter lists") {
  for (const std::string column : {"state", "reason"}) {
    const auto groups = GroupsOf(By(column));
    REQUIRE_FALSE(groups.empty());
    for (const store::JobGroup& group : groups) {
      INFO(group.name);
      JobFilter filter{.all = true};
      (column == "state" ? filter.states : filter.reasons) = {group.name};
      const Query query{.now = kNow, .jobs = Checked(filter).value()};
      CHECK(Loaded(FleetStatus(), query).jobs.shown.size() == group.jobs);
    }
  }
}

TEST_CASE("counts: the largest group first, and what has been in it for longest") {
  const auto states = GroupsOf(By("state"));
  CHECK(states.front().name == "Running");
  CHECK(states.front().jobs == 2);
  for (const auto& row : FleetStatus().workloads)
    if (row.state == "Running") CHECK(states.front().since <= row.state_since);
  const auto queues = GroupsOf(By("queue"));
  REQUIRE(queues.size() == 1);
  CHECK(queues.front().name == "ml/gpu");
  CHECK(queues.front().jobs == 5);
}

TEST_CASE("counts: a document with the remedy of each reason, which pages do not shorten") {
  Query query = By("reason");
  query.jobs.limit = 1;
  const auto document = JobCountsDocument(Loaded(FleetStatus(), query), query);
  CHECK(document.at("kind") == "JobCounts");
  CHECK(testing::Contract().MistakesIn("JobCounts", document).empty());
  CHECK(document.at("groupBy") == "reason");
  CHECK(document.at("groups").size() == GroupsOf(By("reason")).size());
  for (const auto& group : document.at("groups")) {
    CHECK(group.at("longest").at("name") == "sweep-3");
    CHECK_FALSE(group.at("remedy").get<std::string>().empty());
  }
}

TEST_CASE("counts: what is no column is refused with those there are") {
  const auto wrong = Checked({.group_by = "colour"});
  REQUIRE_FALSE(wrong);
  CHECK(ToString(wrong.error()) ==
        "--group-by colour: there are state, reason, worker, queue, namespace");
}

}  // namespace
}  // namespace fedra::report::job_counts_test
