// What a reload takes over.

#include "manager/daemon/reload.h"

#include "tests/support/catch.h"

namespace fedra::reload_test {

TEST_CASE("a reload takes over workers, what becomes of removed ones, and the log level") {
  config::Configuration used;
  config::Configuration fresh;
  fresh.workers.emplace_back().name = "east";
  fresh.dispatch.removed_workers = config::RemovedWorkers::kDrain;
  fresh.dispatch.candidates = 7;
  fresh.origin = "another";
  const config::Configuration merged = TakeOver(used, fresh);
  REQUIRE(merged.workers.size() == 1);
  CHECK(merged.workers[0].name == "east");
  CHECK(merged.dispatch.removed_workers == config::RemovedWorkers::kDrain);
  CHECK(merged.dispatch.candidates == used.dispatch.candidates);
  CHECK(merged.origin == used.origin);
}

}  // namespace fedra::reload_test
