#pragma once
//
// The fleet of tests/unit/manager/report/rows.h, as the views are asked for it.

#include "manager/text/view_settings.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::text {

using namespace report;  // NOLINT(google-build-using-namespace): the rows are written as there

inline ViewSettings Settings(Format format = Format::kTable) {
  ViewSettings settings;
  settings.format = format;
  settings.query.now = kNow;
  settings.query.worker_lost_timeout = std::chrono::minutes(15);
  return settings;
}

}  // namespace fedra::text
