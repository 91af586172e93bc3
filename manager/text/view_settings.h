#pragma once
//
// How status, why and history answer: what is asked, and how the answer is printed. Plain values.

#include "manager/report/query.h"
#include "manager/text/output.h"

namespace fedra::text {

struct ViewSettings {
  report::Query query = {};
  Format format = Format::kTable;
  Style style = {};
};

}  // namespace fedra::text
