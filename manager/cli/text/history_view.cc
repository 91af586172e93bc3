#include "manager/cli/text/history_view.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/cli/text/pod_log_text.h"
#include "manager/cli/text/view_parts.h"
#include "manager/placement/note_reasons.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

// As it happened: the oldest first.
Incarnations Chronological(const WorkloadData& data) {
  Incarnations all;
  for (const WorkloadData::Incarnation& incarnation : data.incarnations)
    all.push_back(&incarnation);
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::pair(a->row.created_at, a->row.uid) < std::pair(b->row.created_at, b->row.uid);
  });
  return all;
}

Table EventTable(const std::vector<store::EventRow>& events, const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  Table table({wide ? "TIME" : "AGE", "REASON", "WORKER", "MESSAGE"});
  for (const store::EventRow& row : events) {
    const Tone tone = placement::notes::IsWarning(row.reason) ? Tone::kWarning : Tone::kPlain;
    table.Add({wide ? FormatRfc3339(row.at) : Since(row.at, settings.now), Cell(row.reason, tone),
               row.cluster.empty() ? "-" : row.cluster.value,
               IsPodLog(row) ? PodLogTitle(row) : row.message});
  }
  return table;
}

// Without headings nothing stands on stdout but rows, of events.
std::string HistoryText(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                        const ViewSettings& settings) {
  const Table table = EventTable(incarnation.events, settings);
  std::string rows = table.empty() ? std::string() : table.Render(settings.style);
  if (!settings.style.headers) return rows;
  const Table attempts = AttemptTable(incarnation.attempts, settings);
  return Headline(data, incarnation, settings) +
         (attempts.empty() ? "" : attempts.Render(settings.style) + "\n") +
         (rows.empty() ? "nothing has happened to it yet\n" : rows) +
         PodLogText(incarnation.events, settings.style);
}

ordered_json HistoryJson(const WorkloadData::Incarnation& incarnation) {
  ordered_json item = ToJson(incarnation.row);
  item["events"] = ordered_json::array();
  for (const store::EventRow& row : incarnation.events) item["events"].push_back(ToJson(row));
  item["attempts"] = ordered_json::array();
  for (const store::AttemptRow& row : incarnation.attempts) item["attempts"].push_back(ToJson(row));
  return item;
}

}  // namespace

Output RenderHistory(const WorkloadData& data, const ViewSettings& settings) {
  const auto text = [&](const WorkloadData::Incarnation& incarnation) {
    return HistoryText(data, incarnation, settings);
  };
  Incarnations chosen = Chronological(data);
  // A person looks for what runs now; rows for programs stay as it happened.
  if (IsTable(settings.format) && settings.style.headers)
    std::reverse(chosen.begin(), chosen.end());
  return RenderEach("HistoryReport", data, chosen, settings, text, HistoryJson);
}

}  // namespace fedra::cli
