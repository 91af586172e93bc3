#pragma once
//
// How status, why and history answer: what is asked, and how the answer is printed. Plain values.

#include "manager/cli/text/output.h"
#include "manager/report/query.h"

namespace fedra::cli {

struct ViewSettings {
  report::Query query = {};
  Format format = Format::kTable;
  Style style = {};
};

}  // namespace fedra::cli
