// How jobs of each kind can be followed on a worker.

#include "manager/reconcile/worker_kinds.h"

#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::worker_kinds_test {
namespace {

using placement::Contact;

ConnectedOptions MayNotReadJobSets() {
  ConnectedOptions options;
  options.workers = {"east"};
  options.server.job_kinds = true;
  options.token = "no-jobsets-token";
  options.devices = false;
  return options;
}

sim::User WithoutJobSets() {
  sim::User reader = sim::Administrator("no-jobsets", "no-jobsets-token");
  reader.groups = {"system:authenticated"};
  reader.allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}};
  reader.deny = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"jobsets"}}};
  return reader;
}

}  // namespace

TEST_CASE("a kind that may not be read is lost alone, from when it is in use") {
  Connected f(MayNotReadJobSets());
  f.server(0).SetUser(WithoutJobSets());
  f.Start();
  Worker& worker = f.worker(0);
  WorkerKinds& kinds = worker.kinds();
  const tracking::JobKinds& known = worker.objects().kinds();
  const tracking::JobAdapter* const job = known.all().front();
  const tracking::JobAdapter* const job_set = known.FindName("JobSet");
  const tracking::JobAdapter* const ray_job = known.FindName("RayJob");
  REQUIRE(job_set != nullptr);
  REQUIRE(ray_job != nullptr);
  // What is not in use is not missed.
  CHECK(kinds.ContactOf(job_set) == Contact::kFull);
  CHECK(kinds.ContactOf(/*kind=*/nullptr) == Contact::kFull);

  kinds.Use({job_set, ray_job});
  REQUIRE(f.WaitUntil([&] {
    return kinds.ContactOf(job_set) == Contact::kNone && kinds.ContactOf(ray_job) == Contact::kFull;
  }));
  CHECK(kinds.ContactOf(job) == Contact::kFull);
  CHECK(worker.contact() == Contact::kFull);
  CHECK(kinds.ContactOf(/*kind=*/nullptr) == Contact::kNone);
  const KindStatus lost = kinds.StatusOf(job_set);
  CHECK(lost.lost_since.has_value());
  CHECK_FALSE(lost.problem.empty());
  const KindStatus followed = kinds.StatusOf(ray_job);
  CHECK_FALSE(followed.lost_since);
  CHECK(followed.problem.empty());
}

}  // namespace fedra::reconcile::worker_kinds_test
