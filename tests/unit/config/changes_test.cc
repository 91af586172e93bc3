// Which keys of two configurations differ.

#include "config/changes.h"

#include "tests/support/catch.h"

namespace fedra::config::changes_test {
namespace {

using Keys = std::vector<std::string>;

TEST_CASE("keys that have changed are named with their sections, by name") {
  Configuration before;
  Configuration after;
  CHECK(ChangedKeys(before, after).empty());
  after.store.path = "b.db";
  after.dispatch.policy = DispatchPolicy::kRace;
  after.dispatch.backfill.max_passes = before.dispatch.backfill.max_passes + 1;
  after.worker_lost_timeout = before.worker_lost_timeout + std::chrono::minutes(1);
  after.verification.secrets = !before.verification.secrets;
  const Keys keys = ChangedKeys(before, after);
  CHECK(keys == Keys{"dispatch.backfill.maxPasses", "dispatch.policy", "store.path",
                     "verification.secrets", "workerLostTimeout"});
  CHECK(ChangedKeys(after, before) == keys);
}

TEST_CASE("a value that is gone is a change, too") {
  Configuration before;
  before.manager.context = "admin@manager";
  CHECK(ChangedKeys(before, {}) == Keys{"manager.context"});
}

TEST_CASE("a list that differs anywhere is one key") {
  Configuration before;
  before.workers.resize(2);
  Configuration after = before;
  CHECK(ChangedKeys(before, after).empty());
  after.workers[1].scalable_pools.emplace_back().devices = 8;
  CHECK(ChangedKeys(before, after) == Keys{"workers"});
  after.workers.resize(3);
  CHECK(ChangedKeys(before, after) == Keys{"workers"});
}

}  // namespace
}  // namespace fedra::config::changes_test
