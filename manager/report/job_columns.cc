#include "manager/report/job_columns.h"

namespace fedra::report {
namespace {

template <typename Column>
std::optional<Column> Find(const auto& columns, std::string_view name) {
  for (const Column column : columns)
    if (ToString(column) == name) return column;
  return std::nullopt;
}

std::vector<std::string> NamesOf(const auto& columns) {
  std::vector<std::string> names;
  for (const auto column : columns) names.emplace_back(ToString(column));
  return names;
}

}  // namespace

std::string_view ToString(store::JobOrder order) {
  switch (order) {
    case store::JobOrder::kState:
      return "state";
    case store::JobOrder::kLine:
      return "line";
    case store::JobOrder::kName:
      return "name";
    case store::JobOrder::kAge:
      return "age";
    case store::JobOrder::kWorker:
      return "worker";
    case store::JobOrder::kQueue:
      return "queue";
    case store::JobOrder::kEnded:
      return "ended";
  }
  return "";
}

std::string_view ToString(store::JobGrouping grouping) {
  switch (grouping) {
    case store::JobGrouping::kState:
      return "state";
    case store::JobGrouping::kReason:
      return "reason";
    case store::JobGrouping::kWorker:
      return "worker";
    case store::JobGrouping::kQueue:
      return "queue";
    case store::JobGrouping::kNamespace:
      return "namespace";
  }
  return "";
}

std::optional<store::JobOrder> ParseJobOrder(std::string_view name) {
  return Find<store::JobOrder>(kJobOrders, name);
}

std::optional<store::JobGrouping> ParseJobGrouping(std::string_view name) {
  return Find<store::JobGrouping>(kJobGroupings, name);
}

std::vector<std::string> SortColumns() { return NamesOf(kJobOrders); }
std::vector<std::string> GroupColumns() { return NamesOf(kJobGroupings); }

}  // namespace fedra::report
