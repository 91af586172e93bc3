#include "manager/cli/why_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/line_text.h"
#include "manager/cli/view_parts.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using store::VerdictRow;

std::string PodsText(const VerdictRow& row) {
  return row.pods_wanted == 0 ? "-" : fmt::format("{}/{}", row.pods_fitting, row.pods_wanted);
}

// "request gpu of claim ml/g wants 1 of class x: 24 devices: 8 other driver, 16 allocated": what is
// missing, and the counts, which go on a line of their own. Empty: there are none.
std::pair<std::string, std::string> AtCounts(const std::string& message) {
  for (const std::string_view word : {" devices: ", " device: "}) {
    size_t begin = message.find(word);
    if (begin == std::string::npos) continue;
    while (begin > 0 && message[begin - 1] >= '0' && message[begin - 1] <= '9') --begin;
    if (begin > 2 && message.compare(begin - 2, 2, ": ") == 0)
      return {message.substr(0, begin - 2), message.substr(begin)};
  }
  return {message, {}};
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
  const auto add = [&](const std::string& code, const std::string& object,
                       const std::string& detail) {
    std::vector<Cell> cells = {first ? row.cluster.value : "",
                               Cell(first ? row.outcome : "", ToneOfOutcome(row.outcome))};
    if (wide) cells.emplace_back(first ? PodsText(row) : "");
    cells.emplace_back(code);
    if (wide) cells.emplace_back(object);
    cells.emplace_back(detail);
    table.Add(std::move(cells));
    first = false;
  };
  for (const ReasonText& reason : reasons) {
    const auto [what, counts] = AtCounts(reason.message);
    add(reason.code, reason.object.empty() ? "-" : reason.object, what);
    if (!counts.empty()) add("", "", counts);
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

// Once a job has its worker nobody is judged again: the table is as old as that.
std::string JudgedLine(const WorkloadData::Incarnation& incarnation, const ViewSettings& settings) {
  const std::string& state = incarnation.row.state;
  const bool chosen = state == "Running" || state == "Finished" || state == "Failed";
  if (!chosen || incarnation.verdicts.empty()) return {};
  WallTime at = incarnation.verdicts.front().checked_at;
  for (const VerdictRow& row : incarnation.verdicts) at = std::max(at, row.checked_at);
  if (!incarnation.attempts.empty()) at = incarnation.attempts.back().started_at;
  return fmt::format("judged {} ago, when it was sent\n", Since(at, settings.now));
}

// Whether a worker that the job was not sent to could run it. With policy race there is none: all
// that can are tried at once.
bool AnotherCanRunIt(const WorkloadData::Incarnation& incarnation, const ViewSettings& settings) {
  if (settings.race) return false;
  const auto sent_to = [&](const ClusterName& worker) {
    return worker == incarnation.row.worker ||
           std::any_of(
               incarnation.attempts.begin(), incarnation.attempts.end(),
               [&](const auto& attempt) { return attempt.cluster == worker && !attempt.ended_at; });
  };
  return std::any_of(
      incarnation.verdicts.begin(), incarnation.verdicts.end(),
      [&](const VerdictRow& row) { return row.outcome == "Yes" && !sent_to(row.cluster); });
}

// What happens next, and what a person can do about it.
std::string Next(const WorkloadData::Incarnation& incarnation, const ViewSettings& settings) {
  const std::string& state = incarnation.row.state;
  if (incarnation.row.removed_at)
    return fmt::format("next   fedra history {}\n", incarnation.row.job.ToString());
  if (state == "Dispatching" && AnotherCanRunIt(incarnation, settings))
    return "next   if it is not admitted there in time, another worker is tried\n";
  if (state != "Blocked") return {};
  const std::string text = "next   looked at again as soon as one of these changes\n";
  return text + Remedies(CountReasons(incarnation.verdicts), 7, settings.style);
}

std::string WhyText(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                    const ViewSettings& settings) {
  std::string text = ManagerLine(data.manager, settings) + Headline(data, incarnation, settings);
  if (!incarnation.row.needs.empty()) {
    text += "needs  " + Toned(incarnation.row.needs, Tone::kPlain, settings.style) + "\n";
  }
  if (const std::string line = LineText(incarnation.places); !line.empty())
    text += "line   " + Toned(line, Tone::kPlain, settings.style) + "\n";
  text += JudgedLine(incarnation, settings);
  const Table table = VerdictTable(incarnation.verdicts, settings);
  if (!table.empty()) text += table.Render(settings.style);
  // The daemon remembers the verdicts that matter most, not those of a fleet of hundreds.
  if (!table.empty() && incarnation.verdicts.size() < data.configured_workers) {
    text += fmt::format("shown  {} of {} configured workers\n", incarnation.verdicts.size(),
                        data.configured_workers);
  }
  return text + Next(incarnation, settings);
}

ordered_json WhyJson(const WorkloadData::Incarnation& incarnation) {
  ordered_json item = ToJson(incarnation.row);
  if (!incarnation.places.empty()) item["line"] = LineJson(incarnation.places);
  item["workers"] = ordered_json::array();
  for (const VerdictRow& row : incarnation.verdicts) item["workers"].push_back(ToJson(row));
  return item;
}

}  // namespace

Output RenderWhy(const WorkloadData& data, const ViewSettings& settings) {
  const auto text = [&](const WorkloadData::Incarnation& incarnation) {
    return WhyText(data, incarnation, settings);
  };
  return RenderEach("WhyReport", data, Current(data), settings, text, WhyJson);
}

}  // namespace fedra::cli
