#pragma once
//
// What becomes of a workload of fedra's (kueue.mode multikueue) when Kueue's MultiKueue takes it
// back: the order of pkg/controller/admissionchecks/multikueue/workload.go of Kueue 0.19.2.
//
// Whose a copy is for MultiKueue is tracking::OwnershipOf() with the mode kDispatcher. Not
// looked at: whether the spec of a copy still equals the manager's, and which names MultiKueue's
// dispatcher would nominate. Pure.

#include <span>
#include <string_view>

#include "manager/cli/migration/forecast.h"

namespace fedra::cli {

// `view`, `clusters`: as the Gatherer of a daemon in kueue.mode dispatcher makes them, of every
// worker. `config_problem`: why the parameters of the workload's check cannot be used; empty: they
// can. `origin`: of MultiKueue.
Forecast ForecastToMultiKueue(const placement::WorkloadView& view,
                              std::span<const placement::ClusterView> clusters,
                              std::string_view config_problem, std::string_view origin);

}  // namespace fedra::cli
