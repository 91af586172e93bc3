// The allocator and the verdicts: claims judged per second for the shapes of scheduler_perf,
// verdicts over a fleet, memory per device, and the time from a changed slice to new verdicts.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dra/judge.h"
#include "dra/parse.h"
#include "dra/snapshot.h"

namespace fedra::dra {
namespace {

using nlohmann::json;

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
  Judgement JudgeAll(const std::string& name, int pods) {
    PodDemand demand;
    demand.name = "main";
    demand.count = pods;
    demand.claims = {{.pod_claim = "gpu", .template_name = name, .claim_name = ""}};
    return Judge("ml", {&demand, 1}, *builder.Publish(), {selectors, matches, &memory});
  }
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

// The same as separate questions: each claim is judged on its own, then allocated, then the next
// snapshot is published.
void BM_JudgeAllocatePublish(benchmark::State& state) {
  Worker worker("w", 500, 8);
  worker.Template("t", Shape(static_cast<int>(state.range(0))));
  int allocated = 0;
  for (auto _ : state) {
    const Judgement judgement = worker.JudgeAll("t", 1);
    const std::string& node = judgement.pod_sets[0].nodes.at(0);
    Claim claim;
    claim.key = {.ns = "ml", .name = "claim-" + std::to_string(allocated % 2000)};
    AllocatedDevice device;
    device.pool = {Text("gpu.nvidia.com"), Text(node)};
    device.device = Text("gpu-" + std::to_string(allocated % 8));
    claim.allocation.emplace().devices = {device};
    worker.builder.SetClaim(std::move(claim));
    ++allocated;
  }
  state.counters["claims/s"] = benchmark::Counter(allocated, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_JudgeAllocatePublish)->ArgName("shape")->Arg(0)->Arg(2)->Unit(benchmark::kMicrosecond);

// More than there is: the scheduler needs 2^free steps for that (dra.md 11.9).
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

// One workload over a fleet of 1,000 workers, 64 nodes, 8 devices each, one after the other on one
// core. `fits`: whether there is room, or every worker has to explain itself.
void BM_FleetVerdict(benchmark::State& state) {
  static std::vector<std::unique_ptr<Worker>> fleet;
  if (fleet.empty()) {
    for (int i = 0; i < 1000; ++i) {
      fleet.push_back(std::make_unique<Worker>("w" + std::to_string(i), 64, 8));
      fleet.back()->Template("yes", Shape(1));
      fleet.back()->Template("no", {{"requests", {Request("gpu", 9)}}});
    }
  }
  const char* name = state.range(0) ? "yes" : "no";
  const auto judge_all = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& worker : fleet) benchmark::DoNotOptimize(worker->JudgeAll(name, 1));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  };
  const double cold = judge_all();
  std::vector<double> warm;
  for (auto _ : state) warm.push_back(judge_all());
  state.counters["cold_ms"] = cold;
  state.counters["warm_p50_ms"] = Percentile(warm, 0.5);
  state.counters["warm_p99_ms"] = Percentile(warm, 0.99);
}
BENCHMARK(BM_FleetVerdict)
    ->ArgName("fits")
    ->Arg(1)
    ->Arg(0)
    ->Iterations(100)
    ->Unit(benchmark::kMillisecond);

size_t Allocated() { return mallinfo2().uordblks; }

// A worker of 500 nodes with 8 devices, from parsed JSON to a published snapshot.
void BM_BuildFromLists(benchmark::State& state) {
  std::vector<json> slices;
  for (int node = 0; node < 500; ++node) slices.push_back(SliceOf("w", node, 8));
  size_t bytes = 0;
  for (auto _ : state) {
    const size_t before = Allocated();
    ParseContext context;
    SnapshotBuilder builder{FeaturesOf(cel::KubernetesRelease::k136)};
    for (const json& slice : slices) builder.SetSlice(*ParseSlice(slice, context));
    const auto snapshot = builder.Publish();
    bytes = Allocated() - before;
  }
  state.counters["slices/s"] =
      benchmark::Counter(500, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/device"] = static_cast<double>(bytes) / (500 * 8);
}
BENCHMARK(BM_BuildFromLists)->Unit(benchmark::kMillisecond);

// One slice event, and the new verdicts of 1,000 workloads that wait for this worker.
void BM_SliceEventToVerdicts(benchmark::State& state) {
  Worker worker("w", 64, 8);
  for (int i = 0; i < 10; ++i) worker.Template("t" + std::to_string(i), Shape(i % 3));
  json slice = SliceOf("w", 7, 8);
  int64_t generation = 1;
  for (auto _ : state) {
    slice["spec"]["pool"]["generation"] = ++generation;
    worker.builder.SetSlice(*ParseSlice(slice, worker.context));
    for (int i = 0; i < 1000; ++i)
      benchmark::DoNotOptimize(worker.JudgeAll("t" + std::to_string(i % 10), 1));
  }
}
BENCHMARK(BM_SliceEventToVerdicts)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fedra::dra
