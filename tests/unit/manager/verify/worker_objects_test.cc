// How a worker's lists are, all of those that must be read.

#include "manager/verify/worker_objects.h"

#include "tests/support/catch.h"

using namespace fedra;
using namespace fedra::verify;
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
