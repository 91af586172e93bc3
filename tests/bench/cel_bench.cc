// Device selectors: evaluations per second for the ten shapes that are seen in the wild,
// a realistic mix, compile time and bytes per compiled selector, and the conversion of a device.

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "cel/device.h"
#include "cel/selector.h"

namespace {

using fedra::cel::CompileSelector;
using fedra::cel::Device;
using fedra::cel::DeviceInput;
using fedra::cel::Selector;
using fedra::cel::VersionText;

// A GPU as the NVIDIA driver publishes it.
DeviceInput Gpu() {
  DeviceInput input;
  input.driver = "gpu.nvidia.com";
  input.attributes = {{"type", std::string("gpu")},
                      {"uuid", std::string("gpu-93d37703-997c-c46f-a531-755e3e0dc2ac")},
                      {"productName", std::string("NVIDIA A100-SXM4-80GB")},
                      {"brand", std::string("Nvidia")},
                      {"architecture", std::string("Ampere")},
                      {"cudaComputeCapability", VersionText{"8.0.0"}},
                      {"driverVersion", VersionText{"580.65.6"}},
                      {"cudaDriverVersion", VersionText{"13.0.0"}},
                      {"index", int64_t{3}},
                      {"rdma", true},
                      {"resource.kubernetes.io/pciBusID", std::string("0000:17:00.0")},
                      {"resource.kubernetes.io/pcieRoot", std::string("pci0000:17")},
                      {"resource.kubernetes.io/numaNode", int64_t{0}}};
  input.capacity = {{"memory", "81920Mi"}, {"multiprocessors", "108"}};
  return input;
}

struct Shape {
  const char* name;
  const char* expression;
};

constexpr Shape kShapes[] = {
    {"driver equality", "device.driver == 'gpu.nvidia.com'"},
    {"attribute equality",
     "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA A100-SXM4-80GB'"},
    {"bare bool", "device.attributes['gpu.nvidia.com'].rdma"},
    {"integer comparison", "device.attributes['gpu.nvidia.com'].index < 4"},
    {"guarded has",
     "has(device.attributes['gpu.nvidia.com'].type) && device.attributes['gpu.nvidia.com'].type == "
     "'gpu'"},
    {"in list",
     "device.attributes['resource.kubernetes.io'].pciBusID in ['0000:17:00.0', '0000:65:00.0']"},
    {"capacity compareTo",
     "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0"},
    {"semver compare",
     "device.attributes['gpu.nvidia.com'].driverVersion.isGreaterThan(semver('570.0.0'))"},
    {"regular expression",
     "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*a100.*$')"},
    {"bind", "cel.bind(d, device.attributes['gpu.nvidia.com'], d.type == 'gpu' && d.index < 4)"},
};

void BM_Evaluate(benchmark::State& state) {
  const Shape& shape = kShapes[static_cast<size_t>(state.range(0))];
  const auto selector = CompileSelector(shape.expression);
  const Device device(Gpu());
  for (auto _ : state) benchmark::DoNotOptimize(selector->Evaluate(device));
  state.SetLabel(shape.name);
  state.SetItemsProcessed(state.iterations());
  state.counters["bytes"] = static_cast<double>(selector->bytes());
}
BENCHMARK(BM_Evaluate)->DenseRange(0, std::size(kShapes) - 1);

void BM_Compile(benchmark::State& state) {
  const Shape& shape = kShapes[static_cast<size_t>(state.range(0))];
  for (auto _ : state) benchmark::DoNotOptimize(CompileSelector(shape.expression));
  state.SetLabel(shape.name);
}
BENCHMARK(BM_Compile)->DenseRange(0, std::size(kShapes) - 1);

// Half of the checks are class selectors, the rest what claims ask for; eight devices of two kinds.
void BM_RealisticMix(benchmark::State& state) {
  std::vector<Selector> selectors;
  for (int i = 0; i < 5; ++i) {
    selectors.push_back(*CompileSelector(
        "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"));
  }
  for (const size_t shape : {size_t{1}, size_t{4}, size_t{6}, size_t{7}, size_t{8}}) {
    selectors.push_back(*CompileSelector(kShapes[shape].expression));
  }
  std::vector<Device> devices;
  for (int i = 0; i < 8; ++i) {
    DeviceInput input = Gpu();
    if (i % 2 == 1) input.attributes[0].second = std::string("mig");
    input.attributes[8].second = int64_t{i};
    devices.emplace_back(input);
  }
  int64_t checks = 0;
  for (auto _ : state) {
    for (const Device& device : devices) {
      for (const Selector& selector : selectors)
        benchmark::DoNotOptimize(selector.Evaluate(device));
    }
    checks += static_cast<int64_t>(devices.size() * selectors.size());
  }
  state.SetItemsProcessed(checks);
}
BENCHMARK(BM_RealisticMix);

void BM_ConvertDevice(benchmark::State& state) {
  const DeviceInput input = Gpu();
  for (auto _ : state) benchmark::DoNotOptimize(Device(input));
}
BENCHMARK(BM_ConvertDevice);

}  // namespace
