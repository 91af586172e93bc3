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

std::string RequestLine(const RequestReport& request) {
  const std::string wanted = request.all ? "all devices" : Counted(request.wanted, "device");
  return fmt::format("{}: {} of class {} per pod, at most {} free on one node",
                     verdict::SubjectOf(request.Requested()), wanted, request.device_class,
                     request.most_on_one_node);
}

void AddPodSet(std::string& text, const PodSetReport& pod_set, const Style& style) {
  std::string line =
      fmt::format("pod set {}: {} of {} pods fit", pod_set.name, pod_set.fitting, pod_set.wanted);
  const std::set<std::string> nodes(pod_set.nodes.begin(), pod_set.nodes.end());
  if (!nodes.empty() && nodes.size() <= kMaxNodesNamed) {
    line += fmt::format(", on {}", fmt::join(nodes, ", "));
  } else if (!nodes.empty()) {
    line += fmt::format(", on {} nodes", nodes.size());
  }
  if (!pod_set.nearest.empty())
    line += fmt::format("; node {} comes closest to one more", pod_set.nearest);
  text += Paragraph(line, 2, style);
  if (pod_set.new_nodes)
    text += Paragraph("new nodes: " + verdict::MessageOf(*pod_set.new_nodes), 4, style);
}

// What is known about a refusal beyond the table: the counts of each request, and where the pods
// that fit would go.
std::string Explain(const report::JobVerdict& verdict, const Style& style) {
  std::string text;
  for (const PodSetReport& pod_set : verdict.pod_sets) {
    if (pod_set.fitting >= pod_set.wanted) continue;
    AddPodSet(text, pod_set, style);
    for (const RequestReport& request : pod_set.requests) {
      text += Paragraph(RequestLine(request), 4, style);
      AddCounts(text, 6, request, style);
    }
  }
  return text;
}

// Without devices the table has said it all.
bool NeedsExplanation(const report::JobVerdict& verdict) {
  return verdict.devices_judged && verdict.verdict.outcome != Outcome::kYes;
}

// Workers about which there is the same to say are named together, where the first of them is.
std::string Explanations(const report::JobReport& report, const Style& style) {
  std::vector<std::pair<std::string, std::string>> told;  // explanation, workers
  for (const report::JobVerdict& item : report.verdicts) {
    if (!NeedsExplanation(item)) continue;
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
  std::string text;
  for (const report::NamedAlternative& chosen : item.alternatives) {
    if (chosen.request.empty()) {
      text += fmt::format("{} alternative; ", Ordinal(chosen.index));
    } else {
      text += fmt::format("request {} gets {}, the {} of {} alternatives; ", chosen.request,
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

// Whether the table says the same of both.
bool SameRows(const report::JobVerdict& a, const report::JobVerdict& b) {
  return a.verdict.outcome == b.verdict.outcome && a.verdict.reasons == b.verdict.reasons &&
         PodsText(a) == PodsText(b) && RankingOf(a) == RankingOf(b) && a.notes == b.notes;
}

// `workers`: those of which `item` is true.
void AddRows(Table& table, const std::string& workers, const report::JobVerdict& item,
             std::optional<WallTime> now) {
  const std::string outcome(verdict::ToString(item.verdict.outcome));
  std::vector<Cell> first = {workers, Cell(outcome, ToneOfOutcome(outcome)), PodsText(item)};
  const auto add = [&](const std::string& reason, const std::string& detail) {
    std::vector<Cell> row = std::exchange(first, {"", "", ""});
    row.emplace_back(reason);
    row.emplace_back(detail);
    table.Add(std::move(row));
  };
  const std::string ranking = RankingOf(item);
  if (item.verdict.outcome == Outcome::kYes)
    add("-", ranking.empty() ? "everything it needs is there" : ranking);
  for (const verdict::Reason& reason : item.verdict.reasons) {
    const verdict::TwoLines lines = verdict::InTwoLines(reason, {.tenants_of = {}, .now = now});
    add(std::string(verdict::ToString(reason.code)), lines.text);
    if (!lines.counts.empty()) add("", lines.counts);
  }
  for (const report::VerdictNote& note : item.notes) add("note", note.message);
}

// Workers of which there is the same to say share a row, where the first of them is.
void AddAllRows(Table& table, const report::JobReport& report) {
  std::vector<std::pair<const report::JobVerdict*, std::string>> rows;
  for (const report::JobVerdict& item : report.verdicts) {
    const auto same = std::find_if(rows.begin(), rows.end(),
                                   [&](const auto& row) { return SameRows(*row.first, item); });
    if (same == rows.end())
      rows.emplace_back(&item, item.worker.value);
    else
      same->second += ", " + item.worker.value;
  }
  for (const auto& [item, workers] : rows) AddRows(table, workers, *item, report.now);
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
  text += table.Render(style);
  text += Explanations(report, style) + NoteRemedies(report, style);
  return report::BestOutcome(report) <= Outcome::kMayScale ? text : text + Help(report, style);
}

}  // namespace fedra::text
