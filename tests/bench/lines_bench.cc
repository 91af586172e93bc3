// What one device that becomes free costs the lines: all that wait are looked at again, the first
// of them is dispatched. Arguments: waiting workloads, workers.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "manager/placement/lines.h"

namespace fedra::placement {
namespace {

class Fleet {
 public:
  Fleet(int64_t waiting, int64_t workers) : waiting_(waiting) {
    for (int64_t i = 0; i < workers; ++i) {
      const auto first = static_cast<uint64_t>(2 * i);
      names_.emplace_back("w" + std::to_string(i));
      devices_.push_back(
          std::make_shared<const dra::DeviceSet>(std::vector<uint64_t>{first, first + 1}));
    }
    for (int64_t i = 0; i < waiting; ++i) Look(i, Bid::Chance::kWaits);
  }

  void FreeOne() {
    ++version_;
    for (int64_t i = next_; i < next_ + waiting_; ++i) Look(i, Bid::Chance::kFits);
    const ObjectKey first = Of(next_).rank.workload;
    benchmark::DoNotOptimize(lines_.Conclude(first, {names_[0]}));
    benchmark::DoNotOptimize(lines_.Leave(first));
    Look(next_++ + waiting_, Bid::Chance::kWaits);
  }

  void Standings() { benchmark::DoNotOptimize(lines_.Standings(WallTime{})); }

 private:
  static Contender Of(int64_t number) {
    const WallTime since{std::chrono::seconds(number)};
    return {.rank = {.since = since, .workload = {"ml", "job-" + std::to_string(number)}},
            .reserved_at = since,
            .order = {}};
  }

  void Look(int64_t number, Bid::Chance on_first_worker) {
    Bids bids;
    for (size_t i = 0; i < names_.size(); ++i) {
      const auto chance = i == 0 ? on_first_worker : Bid::Chance::kWaits;
      bids[names_[i]] = {chance, i == 0 ? version_ : 1, 1, devices_[i]};
    }
    benchmark::DoNotOptimize(
        lines_.Offer(Of(number), std::move(bids), lines_.doubts(), WallTime{}));
  }

  int64_t waiting_;
  int64_t next_ = 0;
  uint64_t version_ = 1;
  std::vector<ClusterName> names_;
  std::vector<std::shared_ptr<const dra::DeviceSet>> devices_;
  Lines lines_;
};

void BM_DeviceFreed(benchmark::State& state) {
  Fleet fleet(state.range(0), state.range(1));
  for (auto _ : state) fleet.FreeOne();
}
BENCHMARK(BM_DeviceFreed)
    ->ArgsProduct({{500, 1000, 2000}, {5, 20, 100}})
    ->Unit(benchmark::kMillisecond);

void BM_Standings(benchmark::State& state) {
  Fleet fleet(state.range(0), state.range(1));
  for (auto _ : state) fleet.Standings();
}
BENCHMARK(BM_Standings)->Args({1000, 100})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fedra::placement
