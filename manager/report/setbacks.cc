#include "manager/report/setbacks.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/report/row_states.h"

namespace fedra::report {
namespace {

using nlohmann::json;

void PutInRow(const placement::Setback& setback, std::optional<WallTime> now,
              store::VerdictRow& row) {
  json reasons = json::parse(row.reasons_json, nullptr, /*allow_exceptions=*/false);
  if (!reasons.is_array()) reasons = json::array();
  const std::string code(verdict::ToString(verdict::ReasonCode::kRecentlyFailed));
  const json reason{{"code", code}, {"object", ""}, {"message", SetbackText(setback, now)}};
  if (setback.paused_until) {
    row.outcome = verdict::ToString(verdict::Outcome::kNo);
    reasons.insert(reasons.begin(), reason);
  } else {
    reasons.push_back(reason);
  }
  row.reasons_json = reasons.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string SetbackText(const placement::Setback& setback, std::optional<WallTime> now) {
  const auto& until = setback.paused_until;
  if (!now) {
    return fmt::format("{} (at {}); {}", setback.words, FormatRfc3339(setback.at),
                       until ? "tried again at " + FormatRfc3339(*until)
                             : std::string("tried again after the other workers"));
  }
  return fmt::format("{} ({} ago); {}", setback.words, FormatAge(*now - setback.at),
                     until ? "tried again in " + FormatAge(*until - *now)
                           : std::string("tried again after the other workers"));
}

placement::PlacementRecord RecordOf(const std::vector<store::PlacementFailure>& failures) {
  placement::PlacementRecord record;
  for (const store::PlacementFailure& failure : failures) {
    record.failures.push_back(
        {failure.cluster,
         verdict::ParseReasonCode(failure.reason).value_or(verdict::ReasonCode::kRecentlyFailed),
         failure.at, failure.message, failure.refused, failure.times});
  }
  return record;
}

std::vector<store::VerdictRow> VerdictsNow(const WorkloadData::Incarnation& incarnation,
                                           WallTime now, TimesAs times) {
  std::vector<store::VerdictRow> rows = incarnation.verdicts;
  if (!LooksForWorker(incarnation.row)) return rows;
  const placement::PlacementRecord record = RecordOf(incarnation.failures);
  const std::optional<WallTime> ages_at =
      times == TimesAs::kAges ? std::optional(now) : std::nullopt;
  for (store::VerdictRow& row : rows) {
    if (const auto setback = placement::SetbackOf(record, row.cluster, now))
      PutInRow(*setback, ages_at, row);
  }
  return rows;
}

}  // namespace fedra::report
