#include "manager/text/history_view.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/placement/note_reasons.h"
#include "manager/report/job_documents.h"
#include "manager/report/row_states.h"
#include "manager/text/pod_log_text.h"
#include "manager/text/status_format.h"

namespace fedra::text {
namespace {

Table EventTable(const std::vector<store::EventRow>& events, const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  Table table({wide ? "TIME" : "AGE", "REASON", "WORKER", "MESSAGE"}, Overflow::kWrap);
  for (const store::EventRow& row : events) {
    const Tone tone = placement::notes::IsWarning(row.reason) ? Tone::kWarning : Tone::kPlain;
    table.Add({wide ? FormatRfc3339(row.at) : Since(row.at, settings.query.now),
               Cell(row.reason, tone), row.cluster.empty() ? "-" : row.cluster.value,
               IsPodLog(row) ? PodLogTitle(row) : row.message});
  }
  return table;
}

// A replica records what happens while it leads, and a new store knows nothing of before.
const char* WithoutEvents(const store::WorkloadRow& row) {
  const bool has_happened = report::HasEnded(row.state) || !row.worker.empty() || row.removed_at;
  return has_happened ? "no events are recorded here: another replica led then, or the store is "
                        "newer than they are\n"
                      : "nothing has happened to it yet\n";
}

// Without headings nothing stands on stdout but rows, of events.
std::string HistoryText(const report::WorkloadData& data,
                        const report::WorkloadData::Incarnation& incarnation,
                        const ViewSettings& settings) {
  const Table table = EventTable(incarnation.events, settings);
  std::string rows = table.empty() ? std::string() : table.Render(settings.style);
  if (!settings.style.headers) return rows;
  const Table attempts = AttemptTable(incarnation.attempts, settings);
  return Headline(data, incarnation, settings) +
         (attempts.empty() ? "" : attempts.Render(settings.style) + "\n") +
         (rows.empty() ? WithoutEvents(incarnation.row) : rows) +
         WithheldText(incarnation.withheld_of_history, settings.style) +
         PodLogText(incarnation.events, settings.style);
}

}  // namespace

Output RenderHistory(const report::WorkloadData& data, const ViewSettings& settings) {
  if (IsForPrograms(settings.format))
    return {ToText(report::HistoryDocument(data, settings.query), settings.format), {}};
  const auto text = [&](const report::WorkloadData::Incarnation& incarnation) {
    return HistoryText(data, incarnation, settings);
  };
  report::Incarnations chosen = report::Chronological(data);
  // A person looks for what runs now; rows for programs stay as it happened.
  if (IsTable(settings.format) && settings.style.headers)
    std::reverse(chosen.begin(), chosen.end());
  return RenderEach(data, chosen, settings, text);
}

}  // namespace fedra::text
