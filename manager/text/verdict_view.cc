#include "manager/text/verdict_view.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "manager/placement/rank.h"
#include "manager/report/row_facts.h"
#include "manager/text/display_text.h"
#include "manager/text/row_tones.h"
#include "manager/text/status_format.h"
#include "verdict/reason_text.h"
#include "verdict/remedy.h"

namespace fedra::text {
namespace {

using dra::PodSetReport;
using dra::RequestReport;
using verdict::Outcome;

constexpr size_t kMaxNodesNamed = 8;
constexpr size_t kMaxWorkersNamed = 4;  // in the first line of a report

// "24 devices" and below it what rules out how many of them.
void AddCounts(std::string& text, size_t indent, const RequestReport& request, const Style& style) {
  if (request.devices == 0) {
    text += Paragraph("no devices", indent, style);
    return;
  }
  const std::string total = std::to_string(request.devices);
  text += Paragraph(Counted(request.devices, "device"), indent, style);
  for (const verdict::CountedCause& part : request.Parts())
    text += Paragraph(fmt::format("{:>{}} {}", part.devices, total.size(), verdict::WhatOf(part)),
                      indent, style);
}

// What is said below the table about the pod sets that do not fit. Without devices the table has
// said it all.
std::vector<const PodSetReport*> Explained(const report::JobVerdict& item) {
  std::vector<const PodSetReport*> pod_sets;
  if (!item.devices_judged || item.verdict.outcome == Outcome::kYes) return pod_sets;
  for (const PodSetReport& pod_set : item.pod_sets)
    if (pod_set.fitting < pod_set.wanted) pod_sets.push_back(&pod_set);
  return pod_sets;
}

bool IsCountedBelow(const report::JobVerdict& item, const verdict::DeviceCounts& counts) {
  return std::ranges::any_of(Explained(item), [&](const PodSetReport* pod_set) {
    return std::ranges::any_of(pod_set->requests, [&](const RequestReport& request) {
      return request.Requested() == counts.requested;
    });
  });
}

// Whether the devices that the reason counts are counted below the table, where they are easier to
// read: each in a line.
bool IsCountedBelow(const report::JobVerdict& item, const verdict::Reason& reason) {
  if (const auto* counts = std::get_if<verdict::DeviceCounts>(&reason.facts))
    return IsCountedBelow(item, *counts);
  const auto* request = std::get_if<verdict::AlternativeCounts>(&reason.facts);
  return request != nullptr && std::ranges::all_of(request->alternatives, [&](const auto& each) {
           return IsCountedBelow(item, each.counts);
         });
}

bool IsAskedInTable(const report::JobVerdict& item, const RequestReport& request) {
  return std::ranges::any_of(item.verdict.reasons, [&](const verdict::Reason& reason) {
    const auto* counts = std::get_if<verdict::DeviceCounts>(&reason.facts);
    return counts != nullptr && counts->requested == request.Requested();
  });
}

std::string RequestLine(const report::JobVerdict& item, const RequestReport& request) {
  std::string line = verdict::SubjectOf(request.Requested()) + ": ";
  if (!IsAskedInTable(item, request))
    line += fmt::format("{} of class {} per pod, ",
                        request.all ? "all devices" : Counted(request.wanted, "device"),
                        request.device_class);
  if (request.most_on_one_node == 0) return line + "none free on any node";
  return line + fmt::format("at most {} free on one node", request.most_on_one_node);
}

// "node-1, node-2", "12 nodes"; empty: none.
std::string NodesText(const PodSetReport& pod_set) {
  const std::set<std::string> nodes(pod_set.nodes.begin(), pod_set.nodes.end());
  if (nodes.size() > kMaxNodesNamed) return fmt::format("{} nodes", nodes.size());
  return fmt::format("{}", fmt::join(nodes, ", "));
}

// "pod set main: 1 of 2 pods fit, on node-2; node node-1 comes closest to one more". That no pod of
// a job's only pod set fits the table has said.
std::string PodSetLine(const report::JobVerdict& item, const PodSetReport& pod_set) {
  const std::string nodes = NodesText(pod_set);
  std::string said;
  if (item.pod_sets.size() > 1 || pod_set.fitting > 0)
    said = fmt::format("{} of {} pods fit{}{}", pod_set.fitting, pod_set.wanted,
                       nodes.empty() ? "" : ", on ", nodes);
  if (!pod_set.nearest.empty())
    said += fmt::format("{}node {} comes closest to one more", said.empty() ? "" : "; ",
                        pod_set.nearest);
  return fmt::format("pod set {}{}{}", pod_set.name, said.empty() ? "" : ": ", said);
}

// What is known about a refusal beyond the table: the counts of each request, and where the pods
// that fit would go.
std::string Explain(const report::JobVerdict& item, const Style& style) {
  std::string text;
  for (const PodSetReport* pod_set : Explained(item)) {
    text += Paragraph(PodSetLine(item, *pod_set), 2, style);
    for (const RequestReport& request : pod_set->requests) {
      text += Paragraph(RequestLine(item, request), 4, style);
      AddCounts(text, 6, request, style);
    }
  }
  return text;
}

// Workers about which there is the same to say are named together, where the first of them is.
std::string Explanations(const report::JobReport& report, const Style& style) {
  std::vector<std::pair<std::string, std::string>> told;  // explanation, workers
  for (const report::JobVerdict& item : report.verdicts) {
    const std::string explanation = Explain(item, style);
    if (explanation.empty()) continue;
    const std::string worker = Printable(item.worker.value, style.utf8);
    const auto same = std::find_if(told.begin(), told.end(),
                                   [&](const auto& entry) { return entry.first == explanation; });
    if (same == told.end())
      told.emplace_back(explanation, worker);
    else
      same->second += ", " + worker;
  }
  std::string text;
  for (const auto& [explanation, workers] : told) text += "\n" + workers + "\n" + explanation;
  return text;
}

// Why this worker would come before or after another one that can run the job, too.
std::string RankingOf(const report::JobVerdict& item) {
  if (!item.devices_judged || item.verdict.outcome != Outcome::kYes) return {};
  const auto is_of_another = [&](const report::NamedAlternative& chosen) {
    return chosen.pod_set != item.alternatives.front().pod_set;
  };
  const bool of_several = std::ranges::any_of(item.alternatives, is_of_another);
  std::string text;
  for (const report::NamedAlternative& chosen : item.alternatives) {
    const std::string of = of_several ? " of " + chosen.pod_set : "";
    if (chosen.request.empty()) {
      text += fmt::format("{} alternative{}; ", Ordinal(chosen.index), of);
    } else {
      text += fmt::format("request {}{} gets {}, the {} of {} alternatives; ", chosen.request, of,
                          chosen.name, Ordinal(chosen.index), chosen.of);
    }
  }
  return text + Counted(item.verdict.headroom, "device") + " to spare";
}

// What would help, when no worker can run it: against each reason, the most frequent ones first.
std::string Help(const report::JobReport& report, const Style& style) {
  std::vector<report::ReasonCount> counts;
  for (const report::JobVerdict& item : report.verdicts) {
    std::set<std::string> codes;  // a request each may have the same one
    for (const verdict::Reason& reason : item.verdict.reasons) {
      const std::string_view remedy = verdict::RemedyOf(reason);
      const std::string code(verdict::ToString(reason.code));
      if (!remedy.empty() && codes.insert(code).second) report::CountReason(code, remedy, counts);
    }
  }
  const std::string remedies = Remedies(std::move(counts), 2, style);
  return remedies.empty() ? std::string() : "\nwhat would help\n" + remedies;
}

// "; it would wait for gpu-east": whose devices are only in use. Empty: there is none.
std::string WouldWait(const report::JobReport& report) {
  std::vector<std::string> busy;
  for (const report::JobVerdict& item : report.verdicts) {
    std::vector<verdict::ReasonCode> codes;
    for (const verdict::Reason& reason : item.verdict.reasons) codes.push_back(reason.code);
    if (item.verdict.outcome == Outcome::kNo &&
        verify::ProspectOf(codes) == verify::Prospect::kWaits)
      busy.push_back(item.worker.value);
  }
  if (busy.empty()) return {};
  if (busy.size() > kMaxWorkersNamed)
    return fmt::format("; it would wait for {} of them", busy.size());
  return fmt::format("; it would wait for {}", fmt::join(busy, ", "));
}

// "1 of 3 workers can run it, 1 after scaling, 1 unknown".
std::string Tally(const report::JobReport& report) {
  const auto count = [&](Outcome outcome) {
    return std::count_if(
        report.verdicts.begin(), report.verdicts.end(),
        [&](const report::JobVerdict& item) { return item.verdict.outcome == outcome; });
  };
  const auto yes = count(Outcome::kYes);
  const auto scaling = count(Outcome::kMayScale);
  const auto unknown = count(Outcome::kUnknown);
  const bool only_scaling = yes == 0 && scaling > 0;
  std::string text = fmt::format("{} of {} can run it", only_scaling ? scaling : yes,
                                 Counted(report.verdicts.size(), "worker"));
  if (only_scaling) text += " after scaling";
  if (!only_scaling && scaling > 0) text += fmt::format(", {} after scaling", scaling);
  if (unknown > 0) text += fmt::format(", {} unknown", unknown);
  const std::vector<ClusterName> preferred = report::PreferredWorkers(report);
  if (preferred.empty()) return text + WouldWait(report);
  text += fmt::format("; it would go to {}", preferred.front().value);
  for (size_t i = 1; i < preferred.size() && i < kMaxWorkersNamed; ++i)
    text += (i == 1 ? ", then " : ", ") + preferred[i].value;
  return text;
}

std::string PodsText(const report::JobVerdict& verdict) {
  if (!verdict.devices_judged) return "-";
  return fmt::format("{}/{}", verdict.verdict.pods_fitting, verdict.verdict.pods_wanted);
}

// REASON and DETAIL of a worker, line by line.
using Details = std::vector<std::pair<std::string, std::string>>;

Details DetailsOf(const report::JobVerdict& item, std::optional<WallTime> now) {
  const verdict::Rendering rendering{.tenants_of = {}, .now = now};
  Details details;
  const std::string ranking = RankingOf(item);
  if (item.verdict.outcome == Outcome::kYes)
    details.emplace_back("-", ranking.empty() ? "everything it needs is there" : ranking);
  for (const verdict::Reason& reason : item.verdict.reasons) {
    const std::string code(verdict::ToString(reason.code));
    if (IsCountedBelow(item, reason)) {
      details.emplace_back(code, verdict::WithoutCounts(reason, rendering));
      continue;
    }
    const verdict::TwoLines lines = verdict::InTwoLines(reason, rendering);
    details.emplace_back(code, lines.text);
    if (!lines.counts.empty()) details.emplace_back("", lines.counts);
  }
  for (const report::VerdictNote& note : item.notes) details.emplace_back("note", note.message);
  return details;
}

// Workers of which the table says the same share a row.
struct Row {
  std::string workers;
  Outcome outcome = Outcome::kNo;
  std::string pods;
  Details details;

  bool SaysTheSameAs(const Row& other) const {
    return outcome == other.outcome && pods == other.pods && details == other.details;
  }
};

void AddRow(Table& table, const Row& row) {
  const std::string outcome(verdict::ToString(row.outcome));
  std::vector<Cell> first = {row.workers, Cell(outcome, ToneOfOutcome(outcome)), row.pods};
  for (const auto& [reason, detail] : row.details) {
    std::vector<Cell> cells = std::exchange(first, {"", "", ""});
    cells.emplace_back(reason);
    cells.emplace_back(detail);
    table.Add(std::move(cells));
  }
}

// A shared row is where the first of its workers is.
void AddAllRows(Table& table, const report::JobReport& report) {
  std::vector<Row> rows;
  for (const report::JobVerdict& item : report.verdicts) {
    Row row{item.worker.value, item.verdict.outcome, PodsText(item), DetailsOf(item, report.now)};
    const auto same =
        std::ranges::find_if(rows, [&](const Row& each) { return each.SaysTheSameAs(row); });
    if (same == rows.end())
      rows.push_back(std::move(row));
    else
      same->workers += ", " + item.worker.value;
  }
  for (const Row& row : rows) AddRow(table, row);
}

// What to do about the notes in the table, once each.
std::string NoteRemedies(const report::JobReport& report, const Style& style) {
  std::set<std::string> told;
  std::string text;
  for (const report::JobVerdict& item : report.verdicts) {
    for (const report::VerdictNote& note : item.notes)
      if (told.insert(note.remedy).second) text += Paragraph(note.remedy, 2, style);
  }
  return text.empty() ? text : "\nwhat to do about the notes\n" + text;
}

}  // namespace

std::string RenderReport(const report::JobReport& report, const Style& style) {
  std::string text =
      Printable(fmt::format("{} {}: {}", report.kind, report.job.ToString(),
                            report.judged ? Tally(report) : "not judged: fix the errors first"),
                style.utf8) +
      "\n";
  if (!report.judged) return text;
  if (!report.note.empty()) text += Paragraph(report.note, 0, style);
  Table table({"WORKER", "VERDICT", "PODS", "REASON", "DETAIL"}, Overflow::kWrap);
  AddAllRows(table, report);
  text += table.Render(style) + WithheldText(report.withheld, style);
  text += Explanations(report, style) + NoteRemedies(report, style);
  return report::BestOutcome(report) <= Outcome::kMayScale ? text : text + Help(report, style);
}

}  // namespace fedra::text
