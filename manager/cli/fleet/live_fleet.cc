#include "manager/cli/fleet/live_fleet.h"

#include <algorithm>
#include <utility>

#include "manager/cli/fleet/wait_progress.h"
#include "manager/verify/list_bounds.h"

namespace fedra::cli {
namespace {

using std::chrono::milliseconds;

// Progress is shown at least this often.
constexpr milliseconds kAskWorkersAgain{200};

}  // namespace

void FleetSignal::Raise() {
  raised_.With([](bool& raised) { raised = true; });
  raised_.Notify();
}

void FleetSignal::Await(milliseconds limit) {
  raised_.WaitFor(limit, [](bool raised) { return raised; }, [](bool& raised) { raised = false; });
}

LiveFleet::LiveFleet(const std::vector<ClusterSettings>& clusters, FeedsOf feeds_of,
                     IsListing is_listing, FleetSignal& signal)
    : feeds_of_(std::move(feeds_of)),
      is_listing_(std::move(is_listing)),
      signal_(signal),
      fed_(std::vector<bool>(clusters.size(), false)) {
  for (const ClusterSettings& cluster : clusters) {
    clusters_.push_back(std::make_unique<Cluster>(
        cluster.name, cluster.access, cluster.options, threads_.loop, threads_.pool, SystemClock(),
        [this, i = clusters_.size()](const ConnectionState& state) { OnState(i, state); }));
  }
  for (size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i].misconfigured) clusters_[i]->SetMisconfigured(*clusters[i].misconfigured);
    clusters_[i]->Start();
  }
}

LiveFleet::~LiveFleet() { Freeze(); }

void LiveFleet::Freeze() {
  for (const auto& cluster : clusters_) cluster->Stop();
}

// Not before the first connection: only then is it known which versions can be read there.
void LiveFleet::OnState(size_t worker, const ConnectionState& state) {
  const bool first = state.phase == ConnectionPhase::kConnected &&
                     fed_.With([&](std::vector<bool>& fed) { return !fed[worker]; });
  if (first) {
    Cluster& cluster = *clusters_[worker];
    for (const verify::Input& input : feeds_of_(worker, cluster.server().get()))
      cluster.Watch(verify::WatchOf(input), *input.sink);
    fed_.With([&](std::vector<bool>& fed) { fed[worker] = true; });
  }
  signal_.Raise();
}

bool LiveFleet::HasAnswered(size_t worker) const {
  const ConnectionPhase phase = clusters_[worker]->state().phase;
  if (phase == ConnectionPhase::kConnecting) return false;
  if (phase != ConnectionPhase::kConnected) return true;
  return fed_.With([&](const std::vector<bool>& fed) { return fed[worker]; }) &&
         !is_listing_(worker);
}

void LiveFleet::Wait(milliseconds limit, const Terminal& terminal) {
  const SteadyTime begin = SystemClock().Steady();
  WaitProgress progress(terminal);
  while (true) {
    size_t answered = 0;
    for (size_t i = 0; i < clusters_.size(); ++i) answered += HasAnswered(i) ? 1 : 0;
    waited_ = std::chrono::duration_cast<milliseconds>(SystemClock().Steady() - begin);
    if (answered == clusters_.size() || waited_ > limit) break;
    progress.Show(answered, clusters_.size(), waited_);
    signal_.Await(kAskWorkersAgain);
  }
}

}  // namespace fedra::cli
