#include "manager/report/setbacks.h"

#include <algorithm>
#include <utility>
#include <variant>

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

// Who goes first there changes with every device, so verdicts that are kept do not name it.
void NameFirst(const WorkloadData::Incarnation& incarnation, store::VerdictRow& row) {
  const auto place = std::ranges::find(incarnation.places, row.cluster, &store::PlaceRow::cluster);
  if (place == incarnation.places.end()) return;
  const auto first = incarnation.first.find(place->first);
  if (first == incarnation.first.end()) return;
  bool is_named = false;
  ordered_json reasons = ordered_json::array();
  for (verify::KeptReason& kept : verify::ParseKeptReasons(row.reasons_json)) {
    auto* line = std::get_if<verdict::InLine>(&kept.reason.facts);
    if (line != nullptr && !line->first) {
      line->first = first->second.row.job;
      line->priority = first->second.row.priority;
      line->order = first->second.dispatch_order;
      is_named = true;
    }
    reasons.push_back(verify::KeptJson(kept.reason));
    reasons.back()["code"] = kept.code;
  }
  if (is_named)
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
    NameFirst(incarnation, row);
    if (const auto setback = placement::SetbackOf(record, row.cluster, now))
      PutInRow(*setback, row);
  }
  return rows;
}

}  // namespace fedra::report
