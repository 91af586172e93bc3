// Which of the objects on a worker are a group's copies, and what those that are there mean for the
// verdict.

#include "manager/verify/copies_there.h"

#include <set>

#include "manager/tracking/job_members.h"
#include "tests/support/catch.h"

namespace fedra::verify::copies_there_test {

using tracking::Ownership;

namespace {

const ObjectKey kGroup{"ml", "train"};

std::shared_ptr<tracking::Job> Pod(const std::string& name, const std::string& source_uid = "") {
  auto pod = std::make_shared<tracking::Job>();
  pod->key = {"ml", name};
  pod->marks.source_uid = source_uid;
  return pod;
}

std::set<std::string> NamesOf(const tracking::JobPtr& job) {
  std::set<std::string> names;
  for (const auto& object : tracking::ObjectsOf(job)) names.insert(object->key.name);
  return names;
}

CopiesThere Joined(const std::vector<GroupObject>& found) {
  CopiesThere there;
  JoinGroup(kGroup, found, there);
  return there;
}

CopiesThere WithJob(const std::shared_ptr<const tracking::Job>& job, Ownership whose) {
  CopiesThere there;
  there.job = job;
  there.job_is = whose;
  return there;
}

CopiesThere WithClone(bool has_quota, bool finished, Ownership whose) {
  auto clone = std::make_shared<tracking::Workload>();
  if (has_quota) clone->quota_reserved = tracking::Condition{.is_true = true};
  if (finished) clone->finished = tracking::Condition{.is_true = true};
  CopiesThere there;
  there.clone = clone;
  there.clone_is = whose;
  return there;
}

}  // namespace

TEST_CASE("of a group's objects ours are one job, and another's is in the way") {
  const CopiesThere there = Joined({{Pod("a"), Ownership::kOurs},
                                    {Pod("b"), Ownership::kOtherManager},
                                    {Pod("c"), Ownership::kOurs},
                                    {Pod("a"), Ownership::kOurs}});
  CHECK(NamesOf(there.job) == std::set<std::string>{"a", "c"});
  CHECK(there.job->key == kGroup);
  CHECK(there.job_is == Ownership::kOurs);
  REQUIRE(there.in_the_way != nullptr);
  CHECK(there.in_the_way->key.name == "b");
  CHECK(there.in_the_way_is == Ownership::kOtherManager);
  CHECK(there.job->members.size() == 2);
}

TEST_CASE("a group's objects of this admission give it their marks, wherever they were found") {
  const GroupObject earlier{Pod("a", "before"), Ownership::kOursEarlier};
  const GroupObject now{Pod("b", "now"), Ownership::kOurs};
  for (const auto& found : {std::vector{earlier, now}, std::vector{now, earlier}}) {
    const CopiesThere there = Joined(found);
    CHECK(there.job_is == Ownership::kOurs);
    CHECK(there.job->marks.source_uid == "now");
    CHECK(there.in_the_way == nullptr);
  }
}

TEST_CASE("without an object of ours a group has no job there") {
  const CopiesThere there = Joined({{Pod("a"), Ownership::kForeign}});
  CHECK(there.job == nullptr);
  CHECK(there.job_is == Ownership::kForeign);
  CHECK(there.in_the_way != nullptr);
  CHECK_FALSE(HoldsDevices(there));
}

TEST_CASE("a job holds its devices until it has ended, of whatever incarnation of ours it is") {
  const auto job = Pod("train");
  CHECK(HoldsDevices(WithJob(job, Ownership::kOurs)));
  CHECK(HoldsDevices(WithJob(job, Ownership::kOursEarlier)));
  CHECK_FALSE(HoldsDevices(WithJob(job, Ownership::kOtherManager)));
  CHECK_FALSE(HoldsDevices({}));
  job->finished = true;
  CHECK_FALSE(HoldsDevices(WithJob(job, Ownership::kOurs)));
  CHECK_FALSE(HoldsDevices(WithJob(job, Ownership::kOursEarlier)));
}

TEST_CASE("a group holds devices while one of its objects has not ended") {
  const auto a = Pod("a"), b = Pod("b");
  a->finished = true;
  CHECK(HoldsDevices(Joined({{a, Ownership::kOurs}, {b, Ownership::kOurs}})));
  b->finished = true;
  CHECK_FALSE(HoldsDevices(Joined({{a, Ownership::kOurs}, {b, Ownership::kOurs}})));
}

TEST_CASE("a clone of ours has its quota until it has finished") {
  CHECK(HasQuota(WithClone(true, false, Ownership::kOurs)));
  CHECK(HasQuota(WithClone(true, false, Ownership::kOursEarlier)));
  CHECK_FALSE(HasQuota(WithClone(false, false, Ownership::kOurs)));
  CHECK_FALSE(HasQuota(WithClone(true, true, Ownership::kOurs)));
  CHECK_FALSE(HasQuota(WithClone(true, false, Ownership::kForeign)));
  CHECK_FALSE(HasQuota({}));
}

}  // namespace fedra::verify::copies_there_test
