#pragma once
//
// A kind of job that the configuration adds, as a row of the table of kinds.
//
// Thread rules: pure function.

#include "config/configuration.h"
#include "manager/tracking/kinds/kind_row.h"

namespace fedra {

// `kind` is of a configuration that was read without problems: config/ has read its paths and rules
// before. Others abort.
tracking::KindRow ToRow(const config::KindSettings& kind);

}  // namespace fedra
