// What a durable commit costs alone and in company, what mirrored rows cost, and how long a reader
// takes.
//
// The disk's own sync is printed first: a commit cannot be cheaper than that, only shared.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <stdexcept>

#include "store/store.h"
#include "tests/support/temp_folder.h"

namespace fedra::store {
namespace {

template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

PlacementRow Placement(int64_t number) {
  PlacementRow row;
  row.uid = "0b8f3c1e-7d0a-4a55-9a53-" + std::to_string(number);
  row.key = {"ml", "job-train-" + std::to_string(number) + "-1a2b3"};
  row.job_kind = "Job";
  row.job = {"ml", "train-" + std::to_string(number)};
  row.attempt = 1;
  row.nominated = {ClusterName("gpu-east"), ClusterName("gpu-west")};
  row.nominated_at = WallTime(std::chrono::milliseconds(1));
  return row;
}

WorkloadRow Workload(int64_t number) {
  WorkloadRow row;
  row.uid = Placement(number).uid;
  row.key = Placement(number).key;
  row.job_kind = "Job";
  row.job = Placement(number).job;
  row.queue = "gpu";
  row.state = "Blocked";
  row.note = "no worker eligible: TemplateMissing on 2, ClusterUnreachable on 1";
  row.needs_json = R"({"claims":[],"pods":2,"templates":["one-gpu"]})";
  return row;
}

void DiskSync(benchmark::State& state) {
  const TempFolder folder;
  const int fd = open(folder.Path("fedra.db").c_str(), O_RDWR | O_CREAT, 0600);
  const std::string page(4096, 'x');
  for (auto step : state) {
    if (pwrite(fd, page.data(), page.size(), 0) < 0 || fdatasync(fd) != 0)
      state.SkipWithError("disk");
  }
  close(fd);
}
BENCHMARK(DiskSync)->UseRealTime();

// One store for all threads of a run.
struct Shared {
  TempFolder folder;
  std::unique_ptr<Store> store = Must(Store::Open({.path = folder.Path("fedra.db")}));
};
std::unique_ptr<Shared> shared;

// An intent and a placement, as before every dispatch.
void DurableCommit(benchmark::State& state) {
  if (state.thread_index() == 0) shared = std::make_unique<Shared>();
  int64_t number = state.thread_index() * 1'000'000'000LL;
  for (auto step : state) {
    ++number;
    const PlacementRow placement = Placement(number % 1000);
    const IntentRow intent{
        number, placement.uid, "CreateClone", ClusterName("gpu-east"), placement.key, {}};
    Must(shared->store->Commit({AddIntent{intent}, PutPlacement{placement}}));
    shared->store->Enqueue(EndIntent{number});
  }
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() == 0) shared.reset();
}
BENCHMARK(DurableCommit)->UseRealTime()->ThreadRange(1, 32);

// Distinct rows, so that nothing coalesces: the writer's own speed.
void MirroredRows(benchmark::State& state) {
  const TempFolder folder;
  auto store = Must(Store::Open({.path = folder.Path("fedra.db")}));
  int64_t number = 0;
  for (auto step : state) {
    for (int i = 0; i < 10'000; ++i) store->Enqueue(PutWorkload{Workload(++number % 50'000)});
    Must(store->Flush());
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
}
BENCHMARK(MirroredRows)->Unit(benchmark::kMillisecond);

// `fedra status` with many workloads: open, look, close, while the daemon has the file.
void ReadStatus(benchmark::State& state) {
  const TempFolder folder;
  auto store = Must(Store::Open({.path = folder.Path("fedra.db")}));
  for (int64_t i = 0; i < state.range(0); ++i) store->Enqueue(PutWorkload{Workload(i)});
  Must(store->Flush());
  for (auto step : state) {
    auto reader = Must(store->Read());
    benchmark::DoNotOptimize(Must(reader->Clusters()));
    benchmark::DoNotOptimize(Must(reader->Workloads()));
  }
}
BENCHMARK(ReadStatus)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fedra::store
