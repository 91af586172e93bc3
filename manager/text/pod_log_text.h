#pragma once
//
// What the pod of a failed job printed last, as the history keeps it. Pure.

#include <span>
#include <string>

#include "manager/text/output.h"
#include "store/rows.h"

namespace fedra::text {

bool IsPodLog(const store::EventRow& event);

// The first line of the event: whose log it is, or why there is none.
std::string PodLogTitle(const store::EventRow& event);

// "log    last lines of container main of pod ml/train-x7k2:" and the lines, indented; empty
// without a log among the events.
std::string PodLogText(std::span<const store::EventRow> events, const Style& style);

}  // namespace fedra::text
