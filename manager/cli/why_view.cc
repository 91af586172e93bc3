#include "manager/cli/why_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/view_parts.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using store::VerdictRow;

std::string PodsText(const VerdictRow& row) {
  return row.pods_wanted == 0 ? "-" : fmt::format("{}/{}", row.pods_fitting, row.pods_wanted);
}

// One line per reason; the worker stands on the first.
void AddVerdict(Table& table, const VerdictRow& row, bool wide) {
  std::vector<ReasonText> reasons = ReasonsOf(row);
  if (row.outcome == "Yes") {
    const std::string ranking = RankingText(row);
    reasons.insert(
        reasons.begin(),
        {"-", "", "everything it needs is there" + (ranking.empty() ? "" : "; " + ranking)});
  } else if (reasons.empty()) {
    reasons.push_back({"-", "", "no reason was recorded"});
  }
  bool first = true;
  for (const ReasonText& reason : reasons) {
    std::vector<Cell> cells = {first ? row.cluster.value : "",
                               Cell(first ? row.outcome : "", ToneOfOutcome(row.outcome))};
    if (wide) cells.emplace_back(first ? PodsText(row) : "");
    cells.emplace_back(reason.code);
    if (wide) cells.emplace_back(reason.object.empty() ? "-" : reason.object);
    cells.emplace_back(reason.message);
    table.Add(std::move(cells));
    first = false;
  }
}

Table VerdictTable(const std::vector<VerdictRow>& verdicts, const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  Table table(
      wide ? std::vector<std::string>{"WORKER", "VERDICT", "PODS", "REASON", "OBJECT", "DETAIL"}
           : std::vector<std::string>{"WORKER", "VERDICT", "REASON", "DETAIL"},
      Overflow::kWrap);
  for (const VerdictRow& row : verdicts) AddVerdict(table, row, wide);
  return table;
}

// What happens next, and what a person can do about it.
std::string Next(const WorkloadData::Incarnation& incarnation, const ViewSettings& settings) {
  const std::string& state = incarnation.row.state;
  if (incarnation.row.removed_at)
    return fmt::format("next   fedra history {}\n", incarnation.row.job.ToString());
  if (state == "Dispatching")
    return "next   if it is not admitted there in time, another worker is tried\n";
  if (state != "Blocked") return {};
  const std::string text = "next   looked at again as soon as one of these changes\n";
  return text + Remedies(CountReasons(incarnation.verdicts), 7, settings.style);
}

std::string Text(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                 const ViewSettings& settings) {
  std::string text = Headline(data, incarnation, settings);
  if (!incarnation.row.needs.empty()) {
    text += "needs  " + Toned(incarnation.row.needs, Tone::kPlain, settings.style) + "\n";
  }
  const Table table = VerdictTable(incarnation.verdicts, settings);
  if (!table.empty()) text += table.Render(settings.style);
  // The daemon remembers the verdicts that matter most, not those of a fleet of hundreds.
  if (!table.empty() && incarnation.verdicts.size() < data.configured_workers) {
    text += fmt::format("shown  {} of {} configured workers\n", incarnation.verdicts.size(),
                        data.configured_workers);
  }
  return text + Next(incarnation, settings);
}

ordered_json Json(const WorkloadData::Incarnation& incarnation) {
  ordered_json item = ToJson(incarnation.row);
  item["workers"] = ordered_json::array();
  for (const VerdictRow& row : incarnation.verdicts) item["workers"].push_back(ToJson(row));
  return item;
}

}  // namespace

Output RenderWhy(const WorkloadData& data, const ViewSettings& settings) {
  const auto text = [&](const WorkloadData::Incarnation& incarnation) {
    return Text(data, incarnation, settings);
  };
  return RenderEach("WhyReport", data, Current(data), settings, text, Json);
}

}  // namespace fedra::cli
