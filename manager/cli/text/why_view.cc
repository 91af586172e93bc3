#include "manager/cli/text/why_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/cli/text/capacity_text.h"
#include "manager/cli/text/line_text.h"
#include "manager/cli/text/order_text.h"
#include "manager/cli/text/pod_log_text.h"
#include "manager/cli/text/row_states.h"
#include "manager/cli/text/setback_text.h"
#include "manager/cli/text/view_parts.h"
#include "verdict/reason_text.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
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
  std::vector<verify::KeptReason> reasons = ReasonsOf(row);
  const auto saying = [](std::string text) {
    verify::KeptReason reason{.code = "-", .reason = {}};
    reason.reason.facts = verdict::Sentence{std::move(text)};
    return reason;
  };
  if (OutcomeOf(row) == Outcome::kYes) {
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
        verdict::InTwoLines(reason, {.tenants_of = {}, .now = settings.now});
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
std::string JudgedLine(const WorkloadData::Incarnation& incarnation, const ViewSettings& settings) {
  const auto phase = PhaseOf(incarnation.row);
  const bool chosen =
      phase == Phase::kRunning || phase == Phase::kFinished || phase == Phase::kFailed;
  if (!chosen || incarnation.verdicts.empty()) return {};
  WallTime at = incarnation.verdicts.front().checked_at;
  for (const VerdictRow& row : incarnation.verdicts) at = std::max(at, row.checked_at);
  if (!incarnation.attempts.empty()) at = incarnation.attempts.back().started_at;
  return fmt::format("judged {} ago, when it was dispatched\n", Since(at, settings.now));
}

// Whether a worker that the job was not dispatched to could run it. With policy race there is none:
// all that can are tried at once.
bool AnotherCanRunIt(const WorkloadData::Incarnation& incarnation,
                     const std::vector<VerdictRow>& verdicts, const ViewSettings& settings) {
  if (settings.race) return false;
  const auto dispatched_to = [&](const ClusterName& worker) {
    return worker == incarnation.row.worker ||
           std::any_of(
               incarnation.attempts.begin(), incarnation.attempts.end(),
               [&](const auto& attempt) { return attempt.cluster == worker && !attempt.ended_at; });
  };
  return std::any_of(verdicts.begin(), verdicts.end(), [&](const VerdictRow& row) {
    return OutcomeOf(row) == Outcome::kYes && !dispatched_to(row.cluster);
  });
}

// What happens next with a job, and what a person can do.
struct NextStep {
  std::string text;                   // empty: nothing is to be said
  std::vector<std::string> commands;  // that show more
  std::vector<ReasonCount> remedies;  // of these reasons
};

// "another worker is tried in 43s, if it is not admitted there until then".
NextStep UntilTimeOut(const WorkloadData::Incarnation& incarnation, const ViewSettings& settings) {
  constexpr std::chrono::milliseconds kNow{0};
  if (!settings.admission_timeout || incarnation.attempts.empty())
    return {"if it is not admitted there in time, another worker is tried", {}, {}};
  const auto left =
      incarnation.attempts.back().started_at + *settings.admission_timeout - settings.now;
  const std::string when = left > kNow ? "in " + FormatAge(left) : std::string("now");
  return {"if it is not admitted there, another worker is tried " + when, {}, {}};
}

// What a blocked job has to wait for: "wait" and "never" are different news.
std::string Outlook(const WorkloadData::Incarnation& incarnation,
                    const std::vector<VerdictRow>& verdicts) {
  std::vector<std::string> busy;
  std::vector<std::string> behind;  // others stand before it there
  bool none_ever = !verdicts.empty();
  for (const VerdictRow& row : verdicts) {
    const verify::Prospect prospect = ProspectOf(row);
    none_ever &= prospect == verify::Prospect::kNever;
    if (prospect != verify::Prospect::kWaits) continue;
    const auto& places = incarnation.places;
    const auto place = std::ranges::find(places, row.cluster, &store::PlaceRow::cluster);
    if (place != places.end() && place->place > 1) {
      behind.push_back(fmt::format("{} ({} in line)", row.cluster.value, PlaceText(place->place)));
    } else {
      busy.push_back(row.cluster.value);
    }
  }
  if (!behind.empty()) {
    const std::string also =
        busy.empty() ? std::string()
                     : fmt::format(", and for enough to be free on {}", fmt::join(busy, ", "));
    return fmt::format("it waits for its turn on {}: jobs ahead in line are served first{}",
                       fmt::join(behind, ", "), also);
  }
  if (!busy.empty()) {
    return fmt::format("it waits for {}, and is dispatched in its turn, once enough is free there",
                       fmt::join(busy, ", "));
  }
  return none_ever ? "waiting does not help: one of these has to change"
                   : "the job is judged again as soon as one of these changes";
}

// Who decides before fedra looks for a worker.
NextStep WhoDecides(const WorkloadData& data, const store::WorkloadRow& row) {
  const std::string workload =
      fmt::format("kubectl describe workload -n {} {}", row.key.ns, row.key.name);
  const auto waits_for = placement::ParseWaitsFor(row.waits_for);
  if (waits_for == placement::WaitsFor::kAdmissionCheck)
    return {
        "the controller of that AdmissionCheck decides: no worker is asked before", {workload}, {}};
  if (waits_for != placement::WaitsFor::kQuota) return {};
  const bool known = !row.cluster_queue.empty();
  if (known && data.manager && !WhyStopped(CapacityOf(*data.manager), row.cluster_queue).empty()) {
    return {fmt::format("ClusterQueue {} of the manager has to be active first: until then Kueue "
                        "reserves no quota",
                        row.cluster_queue),
            {"kubectl describe clusterqueue " + row.cluster_queue},
            {}};
  }
  const std::string queue =
      known ? "ClusterQueue " + row.cluster_queue
            : fmt::format("the ClusterQueue behind LocalQueue {}/{}", row.job.ns, row.queue);
  return {fmt::format("the manager's Kueue decides, by the quota of {}: no worker is asked before",
                      queue),
          {workload, known ? "kubectl describe clusterqueue " + row.cluster_queue
                           : fmt::format("kubectl get localqueue -n {} {}", row.job.ns, row.queue)},
          {}};
}

NextStep Next(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
              const std::vector<VerdictRow>& verdicts, const ViewSettings& settings) {
  const store::WorkloadRow& row = incarnation.row;
  const auto phase = PhaseOf(row);
  const std::string history = "fedra history " + row.job.ToString();
  if (row.removed_at) return {"", {history}, {}};
  if (phase == Phase::kDispatching && AnotherCanRunIt(incarnation, verdicts, settings))
    return UntilTimeOut(incarnation, settings);
  if (phase == Phase::kWaiting) return WhoDecides(data, row);
  if (phase == Phase::kFailed) {
    const std::string job =
        fmt::format("kubectl describe job -n {} {} (on the manager)", row.job.ns, row.job.name);
    return {"", {job, history}, {}};
  }
  if (phase != Phase::kBlocked) return {};
  return {Outlook(incarnation, verdicts), {}, CountReasons(verdicts)};
}

// "next   ...", with line end; empty: there is nothing to say.
std::string NextText(const NextStep& next, const Style& style) {
  std::string text = next.text;
  if (!next.commands.empty())
    text += fmt::format("{}{}", text.empty() ? "" : "\n       ", fmt::join(next.commands, "; "));
  return (text.empty() ? "" : "next   " + text + "\n") + Remedies(next.remedies, 7, style);
}

ordered_json NextJson(const NextStep& next) {
  ordered_json remedies = ordered_json::array();
  for (const ReasonCount& count : next.remedies) {
    const std::string remedy = RemedyOf(count.code);
    if (!remedy.empty())
      remedies.push_back({{"code", count.code}, {"workers", count.workers}, {"remedy", remedy}});
  }
  return {{"text", next.text}, {"commands", next.commands}, {"remedies", std::move(remedies)}};
}

// "queue  LocalQueue ml/gpu is of ClusterQueue team-gpu, which is not active: ...": of a job that
// waits for the manager's Kueue.
std::string QueueLine(const WorkloadData& data, const store::WorkloadRow& row,
                      const ViewSettings& settings) {
  if (PhaseOf(row) != Phase::kWaiting || row.removed_at || row.cluster_queue.empty()) return {};
  std::string text = fmt::format("LocalQueue {}/{} of the manager, ClusterQueue {}", row.job.ns,
                                 row.queue, row.cluster_queue);
  const std::string why =
      data.manager ? WhyStopped(CapacityOf(*data.manager), row.cluster_queue) : std::string();
  if (!why.empty()) text += ", which is not active: " + why;
  return "queue  " + Toned(text, why.empty() ? Tone::kPlain : Tone::kWarning, settings.style) +
         "\n";
}

std::string WhyText(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                    const ViewSettings& settings) {
  std::string text = ManagerLine(data.manager, settings) + Headline(data, incarnation, settings);
  if (const std::string needs = NeedsText(incarnation.row); !needs.empty()) {
    text += "needs  " + Toned(needs, Tone::kPlain, settings.style) + "\n";
  }
  text += QueueLine(data, incarnation.row, settings);
  if (const std::string line = LineText(incarnation.places); !line.empty())
    text += "line   " + Toned(line, Tone::kPlain, settings.style) + "\n";
  if (const std::string order = OrderText(data, incarnation); !order.empty())
    text += "order  " + Toned(order, Tone::kPlain, settings.style) + "\n";
  text += JudgedLine(incarnation, settings);
  const std::vector<VerdictRow> verdicts = VerdictsNow(incarnation, settings);
  const Table table = VerdictTable(verdicts, settings);
  if (!table.empty()) text += table.Render(settings.style);
  // The daemon remembers the verdicts that matter most, not those of a fleet of hundreds.
  if (!table.empty() && verdicts.size() < data.configured_workers) {
    text += fmt::format("shown  {} of {} configured workers\n", verdicts.size(),
                        data.configured_workers);
  }
  text += PodLogText(incarnation.events, settings.style);
  return text + NextText(Next(data, incarnation, verdicts, settings), settings.style);
}

// With what waiting would do: "Waits", "Never" or "Unclear"; only beside a No.
ordered_json JudgedJson(const VerdictRow& row) {
  ordered_json object = ToJson(row);
  if (OutcomeOf(row) != Outcome::kNo) return object;
  switch (ProspectOf(row)) {
    case verify::Prospect::kWaits:
      object["prospect"] = "Waits";
      break;
    case verify::Prospect::kNever:
      object["prospect"] = "Never";
      break;
    case verify::Prospect::kUnclear:
      object["prospect"] = "Unclear";
      break;
  }
  return object;
}

ordered_json WhyJson(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                     const ViewSettings& settings) {
  ordered_json item = ToJson(incarnation.row);
  const FindJob find = [&](const std::string& name) -> const store::WorkloadRow* {
    const auto first = incarnation.first.find(name);
    return first == incarnation.first.end() ? nullptr : &first->second.row;
  };
  if (!incarnation.places.empty()) item["line"] = LineJson(incarnation.places, find);
  item["workers"] = ordered_json::array();
  const std::vector<VerdictRow> verdicts = VerdictsNow(incarnation, settings);
  for (const VerdictRow& row : verdicts) item["workers"].push_back(JudgedJson(row));
  item["next"] = NextJson(Next(data, incarnation, verdicts, settings));
  return item;
}

}  // namespace

Output RenderWhy(const WorkloadData& data, const ViewSettings& settings) {
  const auto text = [&](const WorkloadData::Incarnation& incarnation) {
    return WhyText(data, incarnation, settings);
  };
  const auto json = [&](const WorkloadData::Incarnation& incarnation) {
    return WhyJson(data, incarnation, settings);
  };
  return RenderEach("WhyReport", data, Current(data), settings, text, json);
}

}  // namespace fedra::cli
