#pragma once
//
// The views of the rows of a fleet, loaded from a store as the query says.

#include "manager/text/job_counts_view.h"
#include "manager/text/status_view.h"
#include "tests/unit/manager/report/stored.h"

namespace fedra::text::from_rows {

inline Output RenderStatus(const report::FleetRows& rows, const ViewSettings& settings) {
  return text::RenderStatus(report::Loaded(rows, settings.query), settings);
}
inline Output RenderWorkers(const report::FleetRows& rows, const ViewSettings& settings) {
  return text::RenderWorkers(report::Loaded(rows, settings.query), settings);
}
inline Output RenderJobs(const report::FleetRows& rows, const ViewSettings& settings) {
  return text::RenderJobs(report::Loaded(rows, settings.query), settings);
}
inline Output RenderJobCounts(const report::FleetRows& rows, const ViewSettings& settings) {
  return text::RenderJobCounts(report::Loaded(rows, settings.query), settings);
}

}  // namespace fedra::text::from_rows
