#pragma once
//
// What lists of jobs are sorted by and counted by, as options and documents name it. Pure.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/job_query.h"

namespace fedra::report {

// "state", "line", "name", "age", "worker", "queue", "ended".
std::string_view ToString(store::JobOrder order);
// "state", "reason", "worker", "queue", "namespace".
std::string_view ToString(store::JobGrouping grouping);

// nullopt: nothing is called that. In lower case.
std::optional<store::JobOrder> ParseJobOrder(std::string_view name);
std::optional<store::JobGrouping> ParseJobGrouping(std::string_view name);

// As options list them.
inline constexpr std::array kJobOrders = {store::JobOrder::kState,  store::JobOrder::kLine,
                                          store::JobOrder::kName,   store::JobOrder::kAge,
                                          store::JobOrder::kWorker, store::JobOrder::kQueue,
                                          store::JobOrder::kEnded};
inline constexpr std::array kJobGroupings = {
    store::JobGrouping::kState, store::JobGrouping::kReason, store::JobGrouping::kWorker,
    store::JobGrouping::kQueue, store::JobGrouping::kNamespace};
// Their names: what --sort-by and --group-by take.
std::vector<std::string> SortColumns();
std::vector<std::string> GroupColumns();

}  // namespace fedra::report
