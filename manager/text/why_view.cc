#include "manager/text/why_view.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/report/job_documents.h"
#include "manager/report/line.h"
#include "manager/report/next_step.h"
#include "manager/report/row_states.h"
#include "manager/report/setbacks.h"
#include "manager/text/capacity_text.h"
#include "manager/text/line_text.h"
#include "manager/text/order_text.h"
#include "manager/text/pod_log_text.h"
#include "manager/text/row_tones.h"
#include "manager/text/status_format.h"
#include "verdict/reason_text.h"

namespace fedra::text {
namespace {

using placement::Phase;
using store::VerdictRow;
using verdict::Outcome;

std::string PodsText(const VerdictRow& row) {
  return row.pods_wanted == 0 ? "-" : fmt::format("{}/{}", row.pods_fitting, row.pods_wanted);
}

// Workers of which there is the same to say.
struct SameVerdict {
  const VerdictRow* row = nullptr;
  std::vector<std::string> workers;
};

// In the order of the first of each.
std::vector<SameVerdict> Merged(const std::vector<VerdictRow>& verdicts) {
  const auto same = [](const VerdictRow& a, const VerdictRow& b) {
    return a.outcome == b.outcome && a.reasons_json == b.reasons_json &&
           a.pods_fitting == b.pods_fitting && a.pods_wanted == b.pods_wanted &&
           a.headroom == b.headroom && a.alternatives_json == b.alternatives_json;
  };
  std::vector<SameVerdict> merged;
  for (const VerdictRow& row : verdicts) {
    const auto found = std::find_if(merged.begin(), merged.end(),
                                    [&](const SameVerdict& one) { return same(*one.row, row); });
    if (found == merged.end())
      merged.push_back({&row, {row.cluster.value}});
    else
      found->workers.push_back(row.cluster.value);
  }
  return merged;
}

// "gpu-1, gpu-2, gpu-3 and 61 more"
std::string WorkersText(const std::vector<std::string>& workers) {
  constexpr size_t kMost = 4;
  if (workers.size() <= kMost) return fmt::format("{}", fmt::join(workers, ", "));
  return fmt::format("{} and {} more",
                     fmt::join(workers.begin(), workers.begin() + kMost - 1, ", "),
                     workers.size() - kMost + 1);
}

// One line per reason; the workers stand on the first.
void AddVerdict(Table& table, const SameVerdict& verdict, const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  const VerdictRow& row = *verdict.row;
  std::vector<verify::KeptReason> reasons = report::ReasonsOf(row);
  const auto saying = [](std::string text) {
    verify::KeptReason reason{.code = "-", .reason = {}};
    reason.reason.facts = verdict::Sentence{std::move(text)};
    return reason;
  };
  if (report::OutcomeOf(row) == Outcome::kYes) {
    const std::string ranking = RankingText(row);
    reasons.insert(reasons.begin(), saying("everything it needs is there" +
                                           (ranking.empty() ? "" : "; " + ranking)));
  } else if (reasons.empty()) {
    reasons.push_back(saying("no reason was recorded"));
  }
  bool first = true;
  const auto add = [&](const std::string& code, const std::string& object,
                       const std::string& detail) {
    std::vector<Cell> cells = {first ? WorkersText(verdict.workers) : "",
                               Cell(first ? row.outcome : "", ToneOfOutcome(row.outcome))};
    if (wide) cells.emplace_back(first ? PodsText(row) : "");
    cells.emplace_back(code);
    if (wide) cells.emplace_back(object);
    cells.emplace_back(detail);
    table.Add(std::move(cells));
    first = false;
  };
  for (const auto& [code, reason] : reasons) {
    const verdict::TwoLines lines =
        verdict::InTwoLines(reason, {.tenants_of = {}, .now = settings.query.now});
    add(code, reason.object.empty() ? "-" : reason.object, lines.text);
    if (!lines.counts.empty()) add("", "", lines.counts);
  }
}

Table VerdictTable(const std::vector<VerdictRow>& verdicts, const ViewSettings& settings) {
  const bool wide = settings.format == Format::kWide;
  Table table(
      wide ? std::vector<std::string>{"WORKER", "VERDICT", "PODS", "REASON", "OBJECT", "DETAIL"}
           : std::vector<std::string>{"WORKER", "VERDICT", "REASON", "DETAIL"},
      Overflow::kWrap);
  for (const SameVerdict& verdict : Merged(verdicts)) AddVerdict(table, verdict, settings);
  return table;
}

// Once a job has its worker no worker is judged again: the table is as old as that.
std::string JudgedLine(const report::WorkloadData::Incarnation& incarnation,
                       const ViewSettings& settings) {
  const auto phase = report::PhaseOf(incarnation.row);
  const bool chosen =
      phase == Phase::kRunning || phase == Phase::kFinished || phase == Phase::kFailed;
  if (!chosen || incarnation.verdicts.empty()) return {};
  WallTime at = incarnation.verdicts.front().checked_at;
  for (const VerdictRow& row : incarnation.verdicts) at = std::max(at, row.checked_at);
  if (!incarnation.attempts.empty()) at = incarnation.attempts.back().started_at;
  return fmt::format("judged {} ago, when it was dispatched\n", Since(at, settings.query.now));
}

// "next   ...", with line end; empty: there is nothing to say.
std::string NextText(const report::NextStep& next, const Style& style) {
  std::string text = next.text.empty() ? std::string() : LabelledLine("next", next.text, style);
  // A command stays in one piece.
  if (!next.commands.empty())
    text += fmt::format("{:<7}{}\n", text.empty() ? "next" : "", fmt::join(next.commands, "; "));
  return text + Remedies(next.remedies, 7, style);
}

// "queue  LocalQueue ml/gpu is of ClusterQueue team-gpu, which is not active: ...": of a job that
// waits for the manager's Kueue.
std::string QueueLine(const report::WorkloadData& data, const store::WorkloadRow& row,
                      const ViewSettings& settings) {
  if (report::PhaseOf(row) != Phase::kWaiting || row.removed_at || row.cluster_queue.empty())
    return {};
  std::string text = fmt::format("LocalQueue {}/{} of the manager, ClusterQueue {}", row.job.ns,
                                 row.queue, row.cluster_queue);
  const std::string why =
      data.manager ? report::WhyStopped(report::CapacityOf(*data.manager), row.cluster_queue)
                   : std::string();
  if (!why.empty()) text += ", which is not active: " + why;
  return "queue  " + Toned(text, why.empty() ? Tone::kPlain : Tone::kWarning, settings.style) +
         "\n";
}

// "end    Job has reached the specified backoff limit; its pods: exit code 1 (3 pods)", of a job
// that failed: what its last attempt says beyond the headline.
std::string EndText(const report::WorkloadData::Incarnation& incarnation,
                    const ViewSettings& settings) {
  // With policy race the last attempt may be one that lost.
  const auto& attempts = incarnation.attempts;
  const auto last = std::find_if(attempts.rbegin(), attempts.rend(), [&](const auto& attempt) {
    return attempt.cluster == incarnation.row.worker;
  });
  if (last == attempts.rend()) return {};
  const std::string& message = last->message;
  // A failed job's note is the end that Kueue reports, which the attempt may only add to.
  if (message.empty() || message == incarnation.row.note) return {};
  return LabelledLine("end", message, settings.style);
}

void AddClassesInUse(const verify::KeptReason& kept, std::set<std::string>& classes) {
  const auto& [code, reason] = kept;
  if (code != ToString(verdict::ReasonCode::kDevicesAllocated)) return;
  if (const auto* counts = std::get_if<verdict::DeviceCounts>(&reason.facts))
    classes.insert(counts->requested.device_class);
  if (const auto* request = std::get_if<verdict::AlternativeCounts>(&reason.facts)) {
    for (const auto& [in_use, counts] : request->alternatives)
      if (in_use == verdict::ReasonCode::kDevicesAllocated)
        classes.insert(counts.requested.device_class);
  }
}

// The DeviceClasses whose devices are in use where the job is in line. A worker that has some
// free, which go to the jobs ahead, names none.
std::set<std::string> ClassesWaitedFor(const report::WorkloadData::Incarnation& incarnation) {
  std::set<std::string> classes;
  for (const VerdictRow& row : incarnation.verdicts) {
    const auto& places = incarnation.places;
    if (std::ranges::find(places, row.cluster, &store::PlaceRow::cluster) == places.end()) continue;
    for (const verify::KeptReason& kept : report::ReasonsOf(row)) AddClassesInUse(kept, classes);
  }
  return classes;
}

std::string WhyText(const report::WorkloadData& data,
                    const report::WorkloadData::Incarnation& incarnation,
                    const ViewSettings& settings) {
  std::string text = ManagerLine(data.manager, settings) + Headline(data, incarnation, settings);
  if (const std::string needs = report::NeedsText(incarnation.row); !needs.empty()) {
    text += LabelledLine("needs", needs, settings.style);
  }
  text += QueueLine(data, incarnation.row, settings);
  const auto places = report::InOrderOf(incarnation.verdicts, incarnation.places);
  if (const std::string line = LineText(places, ClassesWaitedFor(incarnation)); !line.empty())
    text += LabelledLine("line", line, settings.style);
  if (const std::string order = OrderText(data, incarnation); !order.empty())
    text += LabelledLine("order", order, settings.style);
  if (report::PhaseOf(incarnation.row) == Phase::kFailed) text += EndText(incarnation, settings);
  text += JudgedLine(incarnation, settings);
  const std::vector<VerdictRow> verdicts = report::VerdictsNow(incarnation, settings.query.now);
  const Table table = VerdictTable(verdicts, settings);
  if (!table.empty())
    text += table.Render(settings.style) +
            WithheldText(incarnation.withheld_of_verdicts, settings.style);
  // The daemon remembers the verdicts that matter most, not those of a fleet of hundreds.
  if (!table.empty() && verdicts.size() < data.configured_workers) {
    text += fmt::format("shown  {} of {} configured workers\n", verdicts.size(),
                        data.configured_workers);
  }
  text += PodLogText(incarnation.events, settings.style);
  return text +
         NextText(report::NextStepOf(data, incarnation, verdicts, settings.query), settings.style);
}

}  // namespace

Output RenderWhy(const report::WorkloadData& data, const ViewSettings& settings) {
  if (IsForPrograms(settings.format))
    return {ToText(report::WhyDocument(data, settings.query), settings.format), {}};
  const auto text = [&](const report::WorkloadData::Incarnation& incarnation) {
    return WhyText(data, incarnation, settings);
  };
  return RenderEach(data, report::Current(data), settings, text);
}

}  // namespace fedra::text
