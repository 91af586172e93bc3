// The allocator and the verdicts: claims judged per second for the shapes of scheduler_perf,
// verdicts over a fleet, memory per device, and the time from a changed slice to new verdicts.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "dra/judge/judge.h"
#include "dra/model/parse.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {
namespace {

using nlohmann::json;

const std::string kNamespace = "ml";

// A GPU as the NVIDIA driver publishes it.
json Gpu(int node, int index) {
  const std::string id = std::to_string(node) + "-" + std::to_string(index);
  const auto text = [](const std::string& value) { return json{{"string", value}}; };
  return {{"name", "gpu-" + std::to_string(index)},
          {"attributes",
           {{"type", text("gpu")},
            {"uuid", text("GPU-93d37703-997c-c46f-a531-" + id)},
            {"productName", text("NVIDIA A100-SXM4-80GB")},
            {"brand", text("Nvidia")},
            {"architecture", text("Ampere")},
            {"cudaComputeCapability", {{"version", "8.0.0"}}},
            {"driverVersion", {{"version", "580.65.6"}}},
            {"cudaDriverVersion", {{"version", "13.0.0"}}},
            {"resource.kubernetes.io/pciBusID", text("0000:" + id)},
            {"resource.kubernetes.io/pcieRoot", text("pci" + std::to_string(index / 2))},
            {"resource.kubernetes.io/numaNode", {{"int", index / 4}}}}},
          {"capacity", {{"memory", {{"value", "81920Mi"}}}}}};
}

json SliceOf(const std::string& worker, int node, int devices) {
  const std::string name = worker + "-node-" + std::to_string(node);
  json list = json::array();
  for (int i = 0; i < devices; ++i) list.push_back(Gpu(node, i));
  return {{"metadata", {{"name", name + "-gpu.nvidia.com"}}},
          {"spec",
           {{"driver", "gpu.nvidia.com"},
            {"nodeName", name},
            {"pool", {{"name", name}, {"generation", 1}, {"resourceSliceCount", 1}}},
            {"devices", list}}}};
}

json NodeOf(const std::string& worker, int node) {
  return {{"metadata", {{"name", worker + "-node-" + std::to_string(node)}}},
          {"status", {{"allocatable", {{"cpu", "96"}, {"pods", "110"}}}}}};
}

PodDemand Demand(const std::string& claim_template, int pods) {
  PodDemand demand;
  demand.name = "main";
  demand.count = pods;
  demand.claims = {{.pod_claim = "gpu", .template_name = claim_template, .claim_name = ""}};
  return demand;
}

struct Worker {
  ParseContext context;
  SnapshotBuilder builder{FeaturesOf(cel::KubernetesRelease::k136)};
  SelectorCache selectors;
  MatchCache matches;
  JudgeMemory memory;

  Worker(const std::string& name, int nodes, int devices) {
    builder.SetClass(*ParseDeviceClass(
        {{"metadata", {{"name", "gpu.nvidia.com"}}},
         {"spec",
          {{"selectors",
            {{{"cel",
               {{"expression",
                 R"(device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu')"}}}}}}}}},
        context));
    for (int node = 0; node < nodes; ++node) {
      builder.SetSlice(*ParseSlice(SliceOf(name, node, devices), context));
      builder.SetNode(*ParseNode(NodeOf(name, node), context));
    }
  }

  void Template(const std::string& name, const json& devices) {
    builder.SetTemplate(*ParseClaimTemplate({{"metadata", {{"namespace", "ml"}, {"name", name}}},
                                             {"spec", {{"spec", {{"devices", devices}}}}}},
                                            context));
  }
  Judgement JudgeAll(const PodDemand& demand, const JudgeOptions& options = {}) {
    return Judge(kNamespace, {&demand, 1}, *builder.Publish(), {selectors, matches, &memory},
                 options);
  }
  Judgement JudgeAll(const std::string& name, int pods) { return JudgeAll(Demand(name, pods)); }
};

json Request(const std::string& name, int count, const std::string& selector = "") {
  json exactly = {
      {"deviceClassName", "gpu.nvidia.com"}, {"allocationMode", "ExactCount"}, {"count", count}};
  if (!selector.empty()) exactly["selectors"] = {{{"cel", {{"expression", selector}}}}};
  return {{"name", name}, {"exactly", exactly}};
}

json Shape(int shape) {
  const std::string model =
      R"(device.attributes["gpu.nvidia.com"].productName.lowerAscii().matches("^.*a100.*$"))";
  switch (shape) {
    case 0:
      return {{"requests", {Request("gpu", 1)}}};
    case 1:
      return {{"requests", {Request("gpu", 1, model)}}};
    default:
      return {
          {"requests", {Request("a", 1, model), Request("b", 1)}},
          {"constraints",
           {{{"requests", json::array()}, {"matchAttribute", "resource.kubernetes.io/pcieRoot"}}}}};
  }
}

// Pods one after another on 500 nodes with 8 devices until the cluster is full, as scheduler_perf
// does it: kube-scheduler places 270 (plain), 240 (selector), 110 (matchAttribute) per second.
void BM_FillCluster(benchmark::State& state) {
  const int shape = static_cast<int>(state.range(0));
  const int pods = shape == 2 ? 2000 : 4000;
  Worker worker("w", 500, 8);
  worker.Template("t", Shape(shape));
  for (auto _ : state) {
    const Judgement judgement = worker.JudgeAll("t", pods);
    if (judgement.verdict.pods_fitting != pods) state.SkipWithError("not all pods fit");
  }
  state.counters["claims/s"] =
      benchmark::Counter(pods, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_FillCluster)->ArgName("shape")->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// What the scheduler of the cluster would write for the one pod that was judged.
Claim Allocated(const Judgement& judgement, int number) {
  Claim claim;
  claim.key = {.ns = kNamespace, .name = "claim-" + std::to_string(number)};
  claim.allocation.emplace();
  for (const PlannedDevice& planned : judgement.pod_sets[0].devices.at(0)) {
    AllocatedDevice& device = claim.allocation->devices.emplace_back();
    device.request = Symbol(planned.request);
    device.pool = planned.pool;
    device.device = planned.device;
  }
  return claim;
}

// The same pods as separate questions: each is judged on a snapshot of its own, then its devices
// are allocated, until the cluster is full.
void BM_JudgeAllocatePublish(benchmark::State& state) {
  const int shape = static_cast<int>(state.range(0));
  const int pods = shape == 2 ? 2000 : 4000;
  Worker worker("w", 500, 8);
  worker.Template("t", Shape(shape));
  const PodDemand demand = Demand("t", 1);
  JudgeOptions options;
  options.name_devices = true;
  for (auto _ : state) {
    for (int i = 0; i < pods; ++i)
      worker.builder.SetClaim(Allocated(worker.JudgeAll(demand, options), i));
    state.PauseTiming();
    for (int i = 0; i < pods; ++i)
      worker.builder.RemoveClaim({.ns = kNamespace, .name = "claim-" + std::to_string(i)});
    state.ResumeTiming();
  }
  state.counters["claims/s"] =
      benchmark::Counter(pods, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_JudgeAllocatePublish)
    ->ArgName("shape")
    ->Arg(0)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond);

// More than there is: the scheduler needs 2^free steps for that.
void BM_RefuseTooMany(benchmark::State& state) {
  Worker worker("w", 1, static_cast<int>(state.range(0)));
  worker.Template("t", {{"requests", {Request("gpu", static_cast<int>(state.range(0)) + 1)}}});
  for (auto _ : state) benchmark::DoNotOptimize(worker.JudgeAll("t", 1));
}
BENCHMARK(BM_RefuseTooMany)->Arg(8)->Arg(24)->Arg(31)->Unit(benchmark::kMicrosecond);

double Percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

// 1,000 workers with 64 nodes of 8 devices.
std::vector<std::unique_ptr<Worker>>& Fleet() {
  static std::vector<std::unique_ptr<Worker>> fleet;
  for (int i = static_cast<int>(fleet.size()); i < 1000; ++i) {
    fleet.push_back(std::make_unique<Worker>("w" + std::to_string(i), 64, 8));
    fleet.back()->Template("yes", Shape(1));
    fleet.back()->Template("no", {{"requests", {Request("gpu", 9)}}});
    fleet.back()->builder.Publish();
  }
  return fleet;
}

// Milliseconds until every worker has judged the demand, on two threads.
double JudgeFleet(const PodDemand& demand) {
  auto& fleet = Fleet();
  const auto start = std::chrono::steady_clock::now();
  const auto judge = [&](size_t first) {
    for (size_t i = first; i < fleet.size(); i += 2)
      benchmark::DoNotOptimize(fleet[i]->JudgeAll(demand));
  };
  std::thread other(judge, 1);
  judge(0);
  other.join();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// One workload over the fleet. `fits`: whether there is room, or every worker has to explain
// itself. Cold: no selector has been evaluated there yet.
void BM_FleetVerdict(benchmark::State& state) {
  Fleet();
  const PodDemand demand = Demand(state.range(0) ? "yes" : "no", 1);
  const double cold = JudgeFleet(demand);
  std::vector<double> warm;
  for (auto _ : state) warm.push_back(JudgeFleet(demand));
  state.counters["cold_ms"] = cold;
  state.counters["warm_p50_ms"] = Percentile(warm, 0.5);
  state.counters["warm_p99_ms"] = Percentile(warm, 0.99);
}
BENCHMARK(BM_FleetVerdict)
    ->ArgName("fits")
    ->Arg(1)
    ->Arg(0)
    ->Iterations(200)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

size_t HeapBytes() { return mallinfo2().uordblks; }

// A worker of 500 nodes with 8 devices, from parsed JSON to a published snapshot.
void BM_BuildFromLists(benchmark::State& state) {
  std::vector<json> slices;
  for (int node = 0; node < 500; ++node) slices.push_back(SliceOf("w", node, 8));
  size_t bytes = 0;
  for (auto _ : state) {
    const size_t before = HeapBytes();
    ParseContext context;
    SnapshotBuilder builder{FeaturesOf(cel::KubernetesRelease::k136)};
    for (const json& slice : slices) builder.SetSlice(*ParseSlice(slice, context));
    const auto snapshot = builder.Publish();
    bytes = HeapBytes() - before;
  }
  state.counters["slices/s"] =
      benchmark::Counter(500, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/device"] = static_cast<double>(bytes) / (500 * 8);
}
BENCHMARK(BM_BuildFromLists)->Unit(benchmark::kMillisecond);

// One slice event, and the new verdicts of 1,000 workloads that wait for this worker, made from ten
// templates. `fits`: whether it is the event they have waited for.
void BM_SliceEventToVerdicts(benchmark::State& state) {
  Worker worker("w", 64, 8);
  for (int i = 0; i < 10; ++i) {
    const json none = {{"requests", {Request("gpu", 9 + i)}}};
    worker.Template("t" + std::to_string(i), state.range(0) ? Shape(i % 3) : none);
  }
  json slice = SliceOf("w", 7, 8);
  int64_t generation = 1;
  for (auto _ : state) {
    slice["spec"]["pool"]["generation"] = ++generation;
    worker.builder.SetSlice(*ParseSlice(slice, worker.context));
    for (int i = 0; i < 1000; ++i)
      benchmark::DoNotOptimize(worker.JudgeAll("t" + std::to_string(i % 10), 1));
  }
}
BENCHMARK(BM_SliceEventToVerdicts)->ArgName("fits")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

// 1,000 workers with 100 nodes of 8 devices: 100,000 slices, from parsed JSON to published
// snapshots.
void BM_FleetMemory(benchmark::State& state) {
  for (auto _ : state) {
    Fleet().clear();
    const size_t before = HeapBytes();
    std::vector<std::unique_ptr<Worker>> fleet;
    for (int i = 0; i < 1000; ++i) {
      fleet.push_back(std::make_unique<Worker>("w" + std::to_string(i), 100, 8));
      benchmark::DoNotOptimize(fleet.back()->builder.Publish());
    }
    const auto bytes = static_cast<double>(HeapBytes() - before);
    state.counters["MB"] = bytes / 1e6;
    state.counters["bytes/device"] = bytes / (1000 * 100 * 8);
  }
}
BENCHMARK(BM_FleetMemory)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace fedra::dra
