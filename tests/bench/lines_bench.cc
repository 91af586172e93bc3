// What one device that becomes free costs the lines: all that wait are looked at again, the first
// of them is dispatched. And what it costs to know all of them anew after a restart. Arguments:
// waiting workloads, workers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "manager/placement/lines.h"

namespace fedra::placement {
namespace {

// In which way the workloads differ from equal ones that are looked at in their order.
struct Mix {
  bool two_models = false;    // every other one wants the devices of another model
  bool in_any_order = false;  // they are looked at as many threads would
  bool by_weight = false;     // four queues share
  bool own_settings = false;  // of their ClusterQueue, not the default
};

constexpr int64_t kQueues = 4;

Contender Of(int64_t number, const Mix& mix) {
  const WallTime since{std::chrono::seconds(number)};
  Contender contender{.rank = {.since = since, .workload = {"ml", "job-" + std::to_string(number)}},
                      .reserved_at = since,
                      .order = {}};
  if (mix.own_settings) contender.order.max_passes = 4;
  if (mix.by_weight) {
    const int64_t queue = number % kQueues;
    contender.share =
        Share{.queue = "queue-" + std::to_string(queue), .weight = static_cast<double>(queue + 1)};
  }
  return contender;
}

class Fleet {
 public:
  Fleet(int64_t waiting, int64_t workers, Mix mix = {}) : mix_(mix), waiting_(waiting) {
    for (int64_t i = 0; i < workers; ++i) {
      names_.emplace_back("w" + std::to_string(i));
      for (auto& devices : devices_) devices.push_back(Devices(2));
    }
    for (int64_t i = 0; i < waiting; ++i) {
      in_line_.push_back(i);
      Look(i, Bid::Chance::kWaits);
    }
  }

  // Of the first model, on the first worker. Returns the time in the lines: bids are made without
  // their lock.
  std::chrono::duration<double> FreeOne() {
    ++version_;
    if (mix_.in_any_order) std::shuffle(in_line_.begin(), in_line_.end(), random_);
    std::vector<Bids> bids;
    for (const int64_t each : in_line_)
      bids.push_back(BidsOf(each, ModelOf(each) == 0 ? Bid::Chance::kFits : Bid::Chance::kWaits));
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < in_line_.size(); ++i) Offer(in_line_[i], std::move(bids[i]));
    const auto first = std::min_element(
        in_line_.begin(), in_line_.end(),
        [&](int64_t a, int64_t b) { return std::pair(ModelOf(a), a) < std::pair(ModelOf(b), b); });
    const ObjectKey gone = Of(*first, mix_).rank.workload;
    benchmark::DoNotOptimize(lines_.Conclude(gone, {names_[0]}));
    benchmark::DoNotOptimize(lines_.Leave(gone));
    // Another one of its kind.
    const int64_t next = *first + waiting_;
    in_line_.erase(first);
    in_line_.push_back(next);
    Look(next, Bid::Chance::kWaits);
    return std::chrono::steady_clock::now() - start;
  }

  void Standings() { benchmark::DoNotOptimize(lines_.Standings(WallTime{})); }

 private:
  size_t ModelOf(int64_t number) const {
    return mix_.two_models ? static_cast<size_t>(number % 2) : 0;
  }
  std::shared_ptr<const dra::DeviceSet> Devices(uint64_t count) {
    std::vector<uint64_t> devices(count);
    std::iota(devices.begin(), devices.end(), next_device_);
    next_device_ += count;
    return std::make_shared<const dra::DeviceSet>(devices);
  }

  Bids BidsOf(int64_t number, Bid::Chance on_first_worker) const {
    Bids bids;
    for (size_t i = 0; i < names_.size(); ++i) {
      const auto chance = i == 0 ? on_first_worker : Bid::Chance::kWaits;
      bids[names_[i]] = {chance, i == 0 ? version_ : 1, 1, devices_[ModelOf(number)][i]};
    }
    return bids;
  }
  void Offer(int64_t number, Bids bids) {
    benchmark::DoNotOptimize(
        lines_.Offer(Of(number, mix_), std::move(bids), lines_.version(), WallTime{}));
  }
  void Look(int64_t number, Bid::Chance on_first_worker) {
    Offer(number, BidsOf(number, on_first_worker));
  }

  const Mix mix_;
  const int64_t waiting_;
  uint64_t version_ = 1;
  uint64_t next_device_ = 0;
  std::mt19937 random_{7};
  std::vector<int64_t> in_line_;
  std::vector<ClusterName> names_;
  std::vector<std::shared_ptr<const dra::DeviceSet>> devices_[2];  // by model
  Lines lines_;
};

void BM_DeviceFreed(benchmark::State& state) {
  Fleet fleet(state.range(0), state.range(1));
  for (auto _ : state) state.SetIterationTime(fleet.FreeOne().count());
}
BENCHMARK(BM_DeviceFreed)
    ->ArgsProduct({{500, 1000, 2000}, {5, 20, 100}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void BM_DeviceFreedAmong(benchmark::State& state, Mix mix) {
  Fleet fleet(state.range(0), state.range(1), mix);
  for (auto _ : state) state.SetIterationTime(fleet.FreeOne().count());
}
BENCHMARK_CAPTURE(BM_DeviceFreedAmong, two_models, Mix{.two_models = true})
    ->Args({2000, 20})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_DeviceFreedAmong, in_any_order, Mix{.in_any_order = true})
    ->Args({2000, 20})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_DeviceFreedAmong, by_weight, Mix{.by_weight = true})
    ->Args({2000, 20})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_DeviceFreedAmong, own_settings, Mix{.own_settings = true})
    ->Args({2000, 20})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Every waiting workload joins: in the order of the manager's list, or in their own.
void BM_Restart(benchmark::State& state, Mix mix) {
  std::vector<Contender> all;
  for (int64_t i = 0; i < state.range(0); ++i) all.push_back(Of(i, mix));
  std::mt19937 random(7);
  if (mix.in_any_order) std::shuffle(all.begin(), all.end(), random);
  for (auto _ : state) {
    Lines lines;
    for (const Contender& each : all) benchmark::DoNotOptimize(lines.Join(each));
  }
}
BENCHMARK_CAPTURE(BM_Restart, in_any_order, Mix{.in_any_order = true})
    ->Args({10'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Restart, by_weight, Mix{.by_weight = true})
    ->Arg(2000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Restart, by_weight_in_any_order, Mix{.in_any_order = true, .by_weight = true})
    ->Arg(2000)
    ->Arg(10'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Half of them are deleted while they wait, in any order. Between any two deletions one of those
// that are left may be looked at.
void BM_Deletion(benchmark::State& state, bool looks) {
  const Mix mix{.by_weight = true};
  const int64_t waiting = state.range(0);
  std::vector<int64_t> all(static_cast<size_t>(waiting));
  std::iota(all.begin(), all.end(), 0);
  std::mt19937 random(7);
  std::shuffle(all.begin(), all.end(), random);
  for (auto _ : state) {
    state.PauseTiming();
    Lines lines;
    for (int64_t i = 0; i < waiting; ++i) lines.Join(Of(i, mix));
    lines.Standings(WallTime{});
    state.ResumeTiming();
    for (size_t i = 0; i < all.size() / 2; ++i) {
      benchmark::DoNotOptimize(lines.Leave(Of(all[i], mix).rank.workload));
      if (looks) {
        benchmark::DoNotOptimize(
            lines.Offer(Of(all[all.size() - 1 - i], mix), {}, lines.version(), WallTime{}));
      }
    }
    benchmark::DoNotOptimize(lines.Standings(WallTime{}));
  }
}
BENCHMARK_CAPTURE(BM_Deletion, by_weight, false)
    ->Arg(10'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Deletion, by_weight_with_looks, true)
    ->Arg(10'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// One of the queues gets another weight: its workloads join again, in their order.
void BM_ChangedWeight(benchmark::State& state) {
  const Mix mix{.by_weight = true};
  Lines lines;
  for (int64_t i = 0; i < state.range(0); ++i) lines.Join(Of(i, mix));
  double weight = 4;
  for (auto _ : state) {
    weight += 1;
    for (int64_t i = 0; i < state.range(0); i += kQueues) {
      Contender contender = Of(i, mix);
      contender.share->weight = weight;
      benchmark::DoNotOptimize(lines.Join(contender));
    }
    benchmark::DoNotOptimize(lines.Standings(WallTime{}));
  }
}
BENCHMARK(BM_ChangedWeight)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);

void BM_Standings(benchmark::State& state) {
  Fleet fleet(state.range(0), state.range(1));
  for (auto _ : state) fleet.Standings();
}
BENCHMARK(BM_Standings)->Args({1000, 100})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fedra::placement
