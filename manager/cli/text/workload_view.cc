#include "manager/cli/text/workload_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/text/view_parts.h"
#include "manager/report/row_states.h"
#include "manager/report/setbacks.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

std::string Facts(const store::WorkloadRow& row, const ViewSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      text += fmt::format("{:<10}{}\n", name, Toned(value, Tone::kPlain, settings.style));
  };
  add("needs", NeedsText(row));
  add("kind", row.job_kind);
  add("workload", fmt::format("{} ({})", row.key.ToString(), row.uid));
  add("created", Since(row.created_at, settings.now) + " ago");
  if (row.finished_at) add("finished", Since(*row.finished_at, settings.now) + " ago");
  return text;
}

std::string WorkloadText(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                         const ViewSettings& settings) {
  std::string text = Headline(data, incarnation, settings) + Facts(incarnation.row, settings);
  const Table attempts = AttemptTable(incarnation.attempts, settings);
  if (!attempts.empty()) text += attempts.Render(settings.style);
  const store::WorkloadRow& row = incarnation.row;
  if (PhaseOf(row) == placement::Phase::kBlocked && !row.removed_at)
    text += fmt::format("{:<10}fedra why {}\n", "more", row.job.ToString());
  return text;
}

ordered_json WorkloadJson(const WorkloadData::Incarnation& incarnation,
                          const ViewSettings& settings) {
  ordered_json item = ToJson(incarnation.row);
  item["workers"] = ordered_json::array();
  for (const store::VerdictRow& row : VerdictsNow(incarnation, settings))
    item["workers"].push_back(ToJson(row));
  item["attempts"] = ordered_json::array();
  for (const store::AttemptRow& row : incarnation.attempts) item["attempts"].push_back(ToJson(row));
  return item;
}

}  // namespace

Output RenderWorkload(const WorkloadData& data, const ViewSettings& settings) {
  const auto text = [&](const WorkloadData::Incarnation& incarnation) {
    return WorkloadText(data, incarnation, settings);
  };
  const auto json = [&](const WorkloadData::Incarnation& incarnation) {
    return WorkloadJson(incarnation, settings);
  };
  return RenderEach("JobReport", data, Current(data), settings, text, json);
}

}  // namespace fedra::cli
