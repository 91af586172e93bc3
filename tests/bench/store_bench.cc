// What a durable commit costs alone and in company, what mirrored rows cost, and how long a reader
// takes.
//
// The disk's own sync is printed first: a commit cannot be cheaper than that, only shared.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
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

// Jobs as a large fleet has them: most are blocked, each third with another reason.
WorkloadRow ListedJob(int64_t number) {
  static const char* const states[] = {"Blocked", "Blocked", "Blocked", "Blocked", "Blocked",
                                       "Blocked", "Running", "Running", "Waiting", "Finished"};
  static const char* const reasons[] = {"DevicesAllocated", "QueueFull", "TemplateMissing"};
  WorkloadRow row = Workload(number);
  row.job.ns = row.key.ns = "team-" + std::to_string(number % 20);
  row.state = states[number % 10];
  row.queue = "gpu-" + std::to_string(number % 3);
  row.created_at = row.state_since = WallTime(std::chrono::seconds(number));
  row.labels_json = R"({"app":"train","team":"vision"})";
  if (row.state == "Blocked") row.reasons = {reasons[number % 3]};
  if (row.state == "Running") row.worker = ClusterName("gpu-" + std::to_string(number % 200));
  if (row.state == "Finished") row.finished_at = row.state_since;
  return row;
}

// Kept from one benchmark to the next: it takes longer to write than to read.
Store& StoreOf(int64_t jobs) {
  static std::map<int64_t, std::unique_ptr<Shared>> stores;
  std::unique_ptr<Shared>& known = stores[jobs];
  if (known == nullptr) {
    known = std::make_unique<Shared>();
    for (int64_t i = 0; i < jobs; ++i) known->store->Enqueue(PutWorkload{ListedJob(i)});
    Must(known->store->Flush());
  }
  return *known->store;
}

JobQuery Every(JobOrder order) {
  return {.states = {{"Blocked", 0}, {"Running", 4}, {"Waiting", 3}, {"Finished", 7}},
          .ended_before = WallTime(std::chrono::seconds(10)),
          .order = order,
          .limit = 100};
}

// What a question costs: open, look, close, while the daemon has the file.
template <class Look>
void Ask(benchmark::State& state, const Look& look) {
  Store& store = StoreOf(state.range(0));
  for (auto step : state) {
    auto reader = Must(store.Read());
    benchmark::DoNotOptimize(look(*reader));
  }
}

// All rows, as each question took until there were pages.
void ReadAll(benchmark::State& state) {
  Ask(state, [](Reader& reader) { return Must(reader.Workloads()); });
}
void ReadPage(benchmark::State& state) {
  Ask(state, [](Reader& reader) { return Must(reader.Jobs(Every(JobOrder::kState))); });
}
void ReadLaterPage(benchmark::State& state) {
  JobQuery query = Every(JobOrder::kState);
  query.after = JobKey{.ns = "team-211"};
  Ask(state, [&](Reader& reader) { return Must(reader.Jobs(query)); });
}
void ReadPageByAge(benchmark::State& state) {
  Ask(state, [](Reader& reader) { return Must(reader.Jobs(Every(JobOrder::kAge))); });
}
void ReadPageInLine(benchmark::State& state) {
  Ask(state, [](Reader& reader) { return Must(reader.Jobs(Every(JobOrder::kLine))); });
}
void ReadPageOfReason(benchmark::State& state) {
  JobQuery query = Every(JobOrder::kState);
  query.states = {{"Blocked", 0}};
  query.reasons = {"QueueFull"};
  Ask(state, [&](Reader& reader) { return Must(reader.Jobs(query)); });
}
// Of 100,000 jobs 1,000 have it in their name.
void ReadPageOfName(benchmark::State& state) {
  JobQuery query = Every(JobOrder::kState);
  query.name_parts = {"77"};
  Ask(state, [&](Reader& reader) { return Must(reader.Jobs(query)); });
}
void ReadPageOfNoName(benchmark::State& state) {
  JobQuery query = Every(JobOrder::kState);
  query.name_parts = {"team-7/train", "nothing"};
  Ask(state, [&](Reader& reader) { return Must(reader.Jobs(query)); });
}
void ReadPageOfLabel(benchmark::State& state) {
  JobQuery query = Every(JobOrder::kState);
  query.labels = [](std::string_view labels) { return labels.find("vision") != labels.npos; };
  Ask(state, [&](Reader& reader) { return Must(reader.Jobs(query)); });
}
void ReadGroupsByReason(benchmark::State& state) {
  JobQuery query = Every(JobOrder::kState);
  query.states = {{"Blocked", 0}};
  Ask(state, [&](Reader& reader) { return Must(reader.JobGroups(query, JobGrouping::kReason)); });
}
void ReadGroupsByState(benchmark::State& state) {
  Ask(state, [](Reader& reader) {
    return Must(reader.JobGroups(Every(JobOrder::kState), JobGrouping::kState));
  });
}
void ReadGroupsByQueue(benchmark::State& state) {
  Ask(state, [](Reader& reader) {
    return Must(reader.JobGroups(Every(JobOrder::kState), JobGrouping::kQueue));
  });
}

#define FEDRA_AT_EACH_SIZE(name) \
  BENCHMARK(name)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond)
FEDRA_AT_EACH_SIZE(ReadAll);
FEDRA_AT_EACH_SIZE(ReadPage);
FEDRA_AT_EACH_SIZE(ReadLaterPage);
FEDRA_AT_EACH_SIZE(ReadPageByAge);
FEDRA_AT_EACH_SIZE(ReadPageInLine);
FEDRA_AT_EACH_SIZE(ReadPageOfReason);
FEDRA_AT_EACH_SIZE(ReadPageOfName);
FEDRA_AT_EACH_SIZE(ReadPageOfNoName);
FEDRA_AT_EACH_SIZE(ReadPageOfLabel);
FEDRA_AT_EACH_SIZE(ReadGroupsByState);
FEDRA_AT_EACH_SIZE(ReadGroupsByReason);
FEDRA_AT_EACH_SIZE(ReadGroupsByQueue);

}  // namespace
}  // namespace fedra::store
