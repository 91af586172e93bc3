#include "tests/unit/cluster-clients/support/harness.h"

#include <algorithm>

#include "tests/support/slowness.h"

namespace fedra {
namespace {

using namespace std::chrono_literals;

Result<std::string> ParseValue(const json& object) {
  const auto data = object.find("data");
  const std::string name = object["metadata"]["name"];
  if (data == object.end() || !data->contains("value")) return name + "=";
  return name + "=" + data->at("value").get<std::string>();
}

std::string ValueOf(const std::shared_ptr<const std::string>& text) {
  return text ? text->substr(text->find('=') + 1) : "-";
}

}  // namespace

ClusterOptions QuickOptions() {
  ClusterOptions options;
  options.call_timeout = 3s;
  options.probe_interval = 500ms;
  options.probe_timeout = 5s;
  options.page_size = 10;
  options.discover_groups = {"batch", "resource.k8s.io"};
  return options;
}

ClusterOptions ImpatientOptions() {
  ClusterOptions options = QuickOptions();
  options.connect_timeout = 1s;
  options.probe_timeout = 1s;
  return options;
}

json ConfigMap(const std::string& name, const std::string& value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"data", {{"value", value}}}};
}

TestCluster::TestCluster(Threads& threads, kube::AccessSettings access, ClusterOptions options,
                         const std::string& name)
    : cluster_(ClusterName(name), std::move(access), std::move(options), threads.loop, threads.pool,
               SystemClock(), [this](const ConnectionState& state) {
                 seen_.With([&](Seen& seen) {
                   seen.state = state;
                   seen.history.push_back(state.phase);
                 });
                 seen_.Notify();
               }) {
  cluster_.Start();
}

bool TestCluster::WaitFor(const std::function<bool(const ConnectionState&)>& holds,
                          std::chrono::milliseconds timeout) {
  return seen_.WaitFor(
      Stretched(timeout), [&](const Seen& seen) { return holds(seen.state); },
      [&](const Seen& seen) { return holds(seen.state); });
}

bool TestCluster::WaitFor(ConnectionPhase phase, std::chrono::milliseconds timeout) {
  return WaitFor([phase](const ConnectionState& state) { return state.phase == phase; }, timeout);
}

std::vector<ConnectionPhase> TestCluster::History() const { return seen_.Copy().history; }

TestCache::TestCache()
    : cache_(
          &ParseValue,
          [this](const ObjectKey& key, const auto& before, const auto& after) {
            seen_.With([&](Seen& seen) {
              seen.heard.push_back(key.name + ":" + ValueOf(before) + ">" + ValueOf(after));
              ++seen.changes;
            });
            seen_.Notify();
          },
          [this](const watch::CacheHealth& health) {
            const std::set<std::string> content = Content();
            seen_.With([&](Seen& seen) {
              seen.healths.push_back({health, content});
              ++seen.changes;
            });
            seen_.Notify();
          }) {}

std::set<std::string> TestCache::Content() const {
  std::set<std::string> content;
  for (const auto& text : cache_.List()) content.insert(*text);
  return content;
}

// Looks again after every change.
bool TestCache::Wait(const std::function<bool()>& holds, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + Stretched(timeout);
  while (true) {
    const int changes = seen_.Copy().changes;
    if (holds()) return true;
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= 0ms) return false;
    seen_.WaitFor(
        left, [&](const Seen& seen) { return seen.changes != changes; }, [](const Seen&) {});
  }
}

bool TestCache::WaitForContent(const std::set<std::string>& content,
                               std::chrono::milliseconds timeout) {
  return Wait([&] { return Content() == content; }, timeout);
}

bool TestCache::WaitForState(watch::CacheState state, std::chrono::milliseconds timeout) {
  return Wait(
      [&] {
        const auto told = Healths();
        return !told.empty() && told.back().health.state == state;
      },
      timeout);
}

bool TestCache::WaitForHeard(const std::string& what, std::chrono::milliseconds timeout) {
  return Wait(
      [&] {
        const auto heard = seen_.Copy().heard;
        return std::find(heard.begin(), heard.end(), what) != heard.end();
      },
      timeout);
}

std::vector<TestCache::ToldHealth> TestCache::Healths() const { return seen_.Copy().healths; }

std::vector<std::string> TestCache::Heard(size_t count) {
  Wait([&] { return seen_.Copy().heard.size() >= count; }, 10s);
  return seen_.Copy().heard;
}

}  // namespace fedra
