#pragma once
//
// What becomes of a workload of MultiKueue's when fedra takes its place (kueue.mode multikueue).
//
// Asks the daemon's own decision about what the daemon would find at its first look, and puts it in
// words: no rule of it is written down here. Pure.

#include <span>
#include <string_view>

#include "manager/cli/migration/forecast.h"

namespace fedra::cli {

// `view`, `clusters`: as the Gatherer of a daemon in that mode makes them, of every worker.
// `origin`: of copies, as configured.
Forecast ForecastToFedra(const placement::WorkloadView& view,
                         std::span<const placement::ClusterView> clusters,
                         const placement::Policy& policy, std::string_view origin, WallTime now);

}  // namespace fedra::cli
