// What a watch, a list and a call cost. The calls go to a simulated server in the same process,
// which uses the same cores: they are a lower bound.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <thread>

#include "cluster-clients/cluster.h"
#include "cluster-clients/kube/json_object.h"
#include "cluster-clients/kube/list_reader.h"
#include "cluster-clients/threads.h"
#include "cluster-clients/watch/watch_event.h"
#include "tests/sim/server.h"
#include "tests/support/sim_access.h"

namespace fedra {
namespace {

// About 4 kB, as a Pod or a Workload is.
std::string Object(int i) {
  nlohmann::json labels;
  for (int k = 0; k < 20; ++k) labels[fmt::format("label-{}", k)] = std::string(40, 'x');
  const nlohmann::json object = {{"metadata",
                                  {{"name", fmt::format("object-{}", i)},
                                   {"namespace", "ml"},
                                   {"uid", fmt::format("uid-{}", i)},
                                   {"resourceVersion", std::to_string(i)},
                                   {"labels", labels},
                                   {"managedFields", nlohmann::json::array({labels, labels})}}},
                                 {"spec", {{"text", std::string(500, 'y')}}}};
  return object.dump();
}

std::string ListOf(int objects) {
  std::string text = R"({"kind":"List","metadata":{"resourceVersion":"1"},"items":[)";
  for (int i = 0; i < objects; ++i) text += (i == 0 ? "" : ",") + Object(i);
  return text + "]}";
}

Result<std::string> ParseName(const nlohmann::json& object) {
  return object["metadata"]["name"].get<std::string>();
}

using Cache = watch::ObjectCache<std::string>;

void ReadList(benchmark::State& state) {
  const std::string list = ListOf(1000);
  for (auto _ : state) {
    size_t items = 0;
    kube::ListReader reader([&](std::string_view) { ++items; });
    for (size_t pos = 0; pos < list.size(); pos += 16384) {
      benchmark::DoNotOptimize(reader.Feed(std::string_view(list).substr(pos, 16384)));
    }
    benchmark::DoNotOptimize(reader.Finish());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(list.size()));
}
BENCHMARK(ReadList);

void ParseObject(benchmark::State& state) {
  const std::string text = Object(1);
  for (auto _ : state) benchmark::DoNotOptimize(kube::ParseObject(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(ParseObject);

// The same by nlohmann's own parser, which makes more of it.
void ParseObjectByNlohmann(benchmark::State& state) {
  const std::string text = Object(1);
  for (auto _ : state) benchmark::DoNotOptimize(nlohmann::json::parse(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(ParseObjectByNlohmann);

void CacheEvent(benchmark::State& state) {
  Cache cache(&ParseName, nullptr, nullptr);
  int i = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const std::string line = fmt::format(R"({{"type":"MODIFIED","object":{}}})", Object(++i));
    state.ResumeTiming();
    const auto event = watch::ReadWatchEvent(line);
    benchmark::DoNotOptimize(cache.Upsert(event->object));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(CacheEvent);

// 1,000 objects listed again, of which none has changed.
void RelistUnchanged(benchmark::State& state) {
  Cache cache(&ParseName, nullptr, nullptr);
  std::vector<std::string> objects;
  for (int i = 0; i < 1000; ++i) objects.push_back(Object(i));
  for (auto _ : state) {
    cache.Reset();
    for (const std::string& object : objects) benchmark::DoNotOptimize(cache.Upsert(object));
    cache.Synced();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(objects.size()));
}
BENCHMARK(RelistUnchanged);

// One cluster that many threads call; lives as long as the process.
Cluster& Target() {
  static sim::Server server;
  static Threads threads(4);
  static Cluster& cluster = []() -> Cluster& {
    static Cluster made(ClusterName("bench"), AccessTo(server), {}, threads.loop, threads.pool,
                        SystemClock(), nullptr);
    made.Start();
    while (made.state().phase != ConnectionPhase::kConnected) std::this_thread::yield();
    return made;
  }();
  return cluster;
}

void GetCalls(benchmark::State& state) {
  static const kube::Resource namespaces{"", "v1", "namespaces", "Namespace", false};
  Cluster& cluster = Target();
  int64_t failed = 0;
  for (auto _ : state) failed += cluster.Get(namespaces, {"", "default"}).has_value() ? 0 : 1;
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
  state.counters["failed"] = static_cast<double>(failed);
}
BENCHMARK(GetCalls)->Threads(1)->Threads(8)->Threads(32)->UseRealTime();

}  // namespace
}  // namespace fedra
