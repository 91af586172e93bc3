#include "manager/report/setbacks.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "manager/placement/remembered.h"
#include "manager/report/row_states.h"
#include "manager/verify/reason_json.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;

void PutInRow(const verdict::Setback& setback, store::VerdictRow& row) {
  ordered_json reasons = ordered_json::parse(row.reasons_json, nullptr, /*allow_exceptions=*/false);
  if (!reasons.is_array()) reasons = ordered_json::array();
  ordered_json reason = verify::KeptJson({verdict::ReasonCode::kRecentlyFailed, "", setback});
  if (setback.paused_until) {
    row.outcome = verdict::ToString(verdict::Outcome::kNo);
    reasons.insert(reasons.begin(), std::move(reason));
  } else {
    reasons.push_back(std::move(reason));
  }
  row.reasons_json = reasons.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::vector<store::VerdictRow> VerdictsNow(const WorkloadData::Incarnation& incarnation,
                                           WallTime now) {
  std::vector<store::VerdictRow> rows = incarnation.verdicts;
  if (!LooksForWorker(incarnation.row)) return rows;
  placement::PlacementRecord record;
  record.failures = placement::FailuresOf(incarnation.failures);
  for (store::VerdictRow& row : rows) {
    if (const auto setback = placement::SetbackOf(record, row.cluster, now))
      PutInRow(*setback, row);
  }
  return rows;
}

}  // namespace fedra::report
