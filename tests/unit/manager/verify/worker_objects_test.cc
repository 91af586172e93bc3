// How a worker's lists are, all of those that must be read.

#include "manager/verify/worker_objects.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace fedra::verify::worker_objects_test {

using watch::CacheState;

TEST_CASE("every list that must be read counts for a worker's health") {
  WorkerObjectsOptions options;
  if (GENERATE(true, false)) options.devices.emplace();
  if (GENERATE(true, false)) options.dependencies = DependencyOptions{.enforce = true};
  WorkerObjects objects(options, {});
  const auto inputs = objects.Inputs(nullptr);
  const auto set_all = [&](CacheState state) {
    for (const Input& input : inputs) input.sink->SetHealth({.state = state, .complete = true});
  };
  set_all(CacheState::kSynced);
  CHECK(Problems(objects.Healths(), {}).empty());
  CHECK_FALSE(objects.IsListing());
  for (const Input& input : inputs) {
    INFO(input.resource.plural);
    input.sink->SetHealth({.state = CacheState::kForbidden, .complete = true});
    CHECK_THAT(Problems(objects.Healths(), {}),
               ContainsSubstring("list or watch " + input.resource.plural));
    input.sink->SetHealth({.state = CacheState::kSyncing, .complete = true});
    CHECK(objects.IsListing());
    set_all(CacheState::kSynced);
  }
}

TEST_CASE("another kind of job is read when it is in use and served; else it costs nothing") {
  WorkerObjects objects(WorkerObjectsOptions{}, {});
  const tracking::JobAdapter& job_set = *objects.kinds().FindName("JobSet");
  const tracking::JobAdapter& ray_job = *objects.kinds().FindName("RayJob");
  const auto reads = [&](const kube::ServerInfo* server, const std::string& plural) {
    const auto inputs = objects.Inputs(server);
    return std::ranges::any_of(inputs,
                               [&](const Input& input) { return input.resource.plural == plural; });
  };
  const size_t lists = objects.Healths().size();
  CHECK(reads(nullptr, "jobs"));
  CHECK_FALSE(reads(nullptr, "jobsets"));

  const std::vector<const tracking::JobAdapter*> kinds = {&job_set, &ray_job};
  objects.UseKinds(kinds);
  CHECK(objects.Uses(job_set));
  CHECK(objects.IsListing());  // nothing is known of them yet
  kube::ServerInfo server;
  server.resources = {"batch/v1/jobs", "jobset.x-k8s.io/v1alpha2/jobsets"};
  objects.SetServer(&server);
  CHECK(reads(&server, "jobsets"));
  CHECK_FALSE(reads(&server, "rayjobs"));
  CHECK(objects.jobs(ray_job).cache().health().state == CacheState::kNotServed);
  CHECK(objects.Healths().size() == lists + 2);

  // Its definition is installed later; once it is watched, the watch itself says whether it is
  // served.
  server.resources.insert("ray.io/v1/rayjobs");
  CHECK(reads(&server, "rayjobs"));
  server.resources.erase("ray.io/v1/rayjobs");
  CHECK(reads(&server, "rayjobs"));
}

TEST_CASE("what jobs of a kind name is read when the kind is, and its lists count for the health") {
  WorkerObjects objects(WorkerObjectsOptions{}, {});
  const tracking::JobAdapter& train_job = *objects.kinds().FindName("TrainJob");
  const std::vector<const tracking::JobAdapter*> kinds = {&train_job};
  objects.UseKinds(kinds);
  const size_t lists = objects.Healths().size();
  kube::ServerInfo server;
  server.resources = {"batch/v1/jobs"};
  objects.SetServer(&server);
  CHECK(objects.Healths().size() == lists - 2);  // nothing is asked of runtimes there
  const auto runtimes = [&] {
    std::vector<Input> inputs = objects.Inputs(&server);
    std::erase_if(inputs, [](const Input& input) {
      return input.resource.group != "trainer.kubeflow.org" || input.resource.kind == "TrainJob";
    });
    return inputs;
  };
  CHECK(runtimes().empty());
  server.resources.insert("trainer.kubeflow.org/v1alpha1/trainjobs");
  REQUIRE(runtimes().size() == 2);
  objects.jobs(train_job).cache().SetHealth({.state = CacheState::kSynced, .complete = true});
  for (const Input& input : runtimes()) {
    input.sink->SetHealth({.state = CacheState::kForbidden});
    CHECK_THAT(Problems(objects.Healths(), {}),
               ContainsSubstring("list or watch " + input.resource.plural));
  }
}

}  // namespace fedra::verify::worker_objects_test
