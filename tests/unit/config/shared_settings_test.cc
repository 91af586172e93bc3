// What replicas must have in common, and what each has for itself.

#include "config/shared_settings.h"

#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "tests/support/catch.h"

namespace fedra::config::shared_settings_test {
namespace {

using Sections = std::vector<std::string>;

Loaded TwoWorkers() {
  Loaded loaded;
  for (const char* name : {"gpu-east", "gpu-west"}) {
    WorkerSettings& worker = loaded.configuration.workers.emplace_back();
    worker.name = name;
    worker.kubeconfig = std::string("/etc/fedra/") + name;
    loaded.workers.emplace_back(KubeAccess{.server = std::string("https://") + name});
  }
  loaded.configuration.workers_from.access_providers.push_back({"acme", {}});
  return loaded;
}

// The sections that differ, whichever of the two is asked.
Sections Changed(const std::function<void(Loaded&)>& change) {
  const Loaded before = TwoWorkers();
  Loaded after = before;
  change(after);
  const std::string one = SharedSettings(before), other = SharedSettings(after);
  Sections sections = DifferingSections(one, other);
  CHECK(DifferingSections(other, one) == sections);
  return sections;
}

TEST_CASE("what decides must be the same, and the section that is not is named") {
  const auto of = [](const std::function<void(Configuration&)>& change) {
    return Changed([&](Loaded& loaded) { change(loaded.configuration); });
  };
  CHECK(of([](Configuration&) {}).empty());
  CHECK(of([](auto& c) { c.dispatch.order = OrderPolicy::kStrict; }) == Sections{"dispatch"});
  CHECK(of([](auto& c) { c.dispatch.backfill.max_passes = 1; }) == Sections{"dispatch"});
  CHECK(of([](auto& c) { c.kueue.controller_name = "a/b"; }) == Sections{"kueue"});
  CHECK(of([](auto& c) { c.verification.template_sync = SyncPolicy::kReconcile; }) ==
        Sections{"verification"});
  CHECK(of([](auto& c) { c.origin = "other"; }) == Sections{"origin"});
  CHECK(of([](auto& c) { c.worker_lost_timeout *= 2; }) == Sections{"workerLostTimeout"});
  CHECK(of([](auto& c) { c.high_availability.retry_period *= 2; }) == Sections{"highAvailability"});
  CHECK(of([](auto& c) { c.store.history_retention *= 2; }) == Sections{"store"});
  CHECK(of([](auto& c) { c.kinds.emplace_back().kind = "Run"; }) == Sections{"kinds"});
  CHECK(of([](auto& c) { c.workers_from.multi_kueue_clusters = true; }) == Sections{"workersFrom"});
  CHECK(of([](auto& c) { c.workers_from.access_providers[0].name = "b"; }) ==
        Sections{"workersFrom"});
  CHECK(of([](auto& c) {
          c.workers[0].capabilities = {"a/b"};
          c.dispatch.candidates = 2;
        }) == Sections{"dispatch", "workers"});
}

TEST_CASE("one name of a worker must mean one cluster, and the workers' order counts") {
  const Sections workers{"workers"};
  CHECK(Changed([](Loaded& loaded) { loaded.workers[1]->server = "https://other"; }) == workers);
  CHECK(Changed([](Loaded& loaded) { loaded.workers[1] = tl::make_unexpected(AccessFailure{}); }) ==
        workers);
  CHECK(Changed([](Loaded& loaded) {
          loaded.workers.pop_back();
          loaded.configuration.workers.pop_back();
        }) == workers);
  CHECK(Changed([](Loaded& loaded) {
          std::swap(loaded.workers[0], loaded.workers[1]);
          std::swap(loaded.configuration.workers[0], loaded.configuration.workers[1]);
        }) == workers);
}

TEST_CASE("what is one process' own may differ, and docs/operations.md says so") {
  const std::map<std::string, std::function<void(Loaded&)>> own = {
      {"manager", [](Loaded& loaded) { loaded.configuration.manager.kubeconfig = "/m"; }},
      {"workers[].kubeconfig", [](Loaded& l) { l.configuration.workers[0].kubeconfig = "/w"; }},
      {"workers[].context", [](Loaded& l) { l.configuration.workers[0].context = "c"; }},
      {"workers[].allowInsecure",
       [](Loaded& l) { l.configuration.workers[0].allow_insecure = true; }},
      {"workers[].httpVersion",
       [](Loaded& l) { l.configuration.workers[0].http_version = HttpVersion::k11; }},
      {"workersFrom.kubeconfigFolder",
       [](Loaded& l) { l.configuration.workers_from.kubeconfig_folder = "/k"; }},
      {"workersFrom.accessProviders[].execConfig",
       [](Loaded& l) {
         l.configuration.workers_from.access_providers[0].exec.env.push_back({"A", "secret"});
       }},
      {"store.path", [](Loaded& l) { l.configuration.store.path = "/s"; }},
      {"http", [](Loaded& l) { l.configuration.http.address = "[::]:1"; }},
      {"api", [](Loaded& l) { l.configuration.api.socket = "/x.sock"; }},
      {"logging", [](Loaded& l) { l.configuration.logging.level = log::Level::kDebug; }},
  };
  std::ifstream file(std::string(FEDRA_TEST_DATA) + "/../../docs/operations.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [key, change] : own) {
    INFO(key);
    CHECK(Changed(change).empty());
    CHECK_THAT(page, ContainsSubstring("`" + key + "`"));
  }
}

TEST_CASE("what another one says is not believed beyond whether it is the same") {
  const std::string ours = SharedSettings(TwoWorkers());
  CHECK(DifferingSections(ours, "").empty());
  CHECK(DifferingSections(ours, ours + ",evil=1").empty());
  const Sections all = DifferingSections(ours, "evil=\x1b[2J,,=,kueue");
  CHECK(all.size() > 8);
  CHECK(all.front() == "api");
}

}  // namespace
}  // namespace fedra::config::shared_settings_test
