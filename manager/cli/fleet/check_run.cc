#include "manager/cli/fleet/check_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "manager/cli/fleet/assumed_templates.h"
#include "manager/cli/fleet/fleet_facts.h"
#include "manager/cli/fleet/input_drift.h"
#include "manager/cli/fleet/line_memory.h"
#include "manager/cli/fleet/referenced_pods.h"
#include "manager/cli/manifests/skipped.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/report/document.h"
#include "manager/report/exit_code.h"
#include "manager/text/as_of_text.h"
#include "manager/text/display_text.h"
#include "manager/text/status_format.h"
#include "manager/text/verdict_view.h"

namespace fedra::cli {
namespace {

// What is certain about one job outweighs what could not be found out about another.
int ExitCode(const std::vector<report::JobReport>& reports) {
  int code = 0;
  for (const report::JobReport& report : reports) {
    if (!report.judged) continue;  // its mistakes decide
    const verdict::Outcome best = report::BestOutcome(report);
    if (best == verdict::Outcome::kNo) return report::kNowhere;
    if (best == verdict::Outcome::kUnknown) code = report::kUnknown;
  }
  return code;
}

// Whatever the workers say: a mistake is an error.
int ExitCode(const std::vector<Finding>& findings, int of_jobs) {
  Severity worst = Severity::kWarning;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  if (worst == Severity::kError) return report::kFailed;
  return worst == Severity::kNowhere ? report::kNowhere : of_jobs;
}

ObjectForm FormOf(const Fleet& fleet) {
  if (fleet.redacted) return ObjectForm::kRedacted;
  return fleet.as_of.snapshot.empty() ? ObjectForm::kWhole : ObjectForm::kReduced;
}

Result<void> StillGoesOn(const JudgeOptions& options) {
  return options.goes_on ? options.goes_on() : Result<void>();
}

Result<std::vector<report::JobReport>> JudgeAll(const CheckInput& input,
                                                const JudgeOptions& options, const Fleet& fleet,
                                                const FleetFacts& facts, store::Reader* memory,
                                                const MemoryAge& age) {
  const ObjectForm form = FormOf(fleet);
  std::optional<AssumedTemplates> assumed;
  if (options.assume_templates) assumed.emplace(input, options.ns, form, fleet.workers);
  std::optional<LineMemory> line;
  if (memory != nullptr) line.emplace(*memory, age.is_current());
  const InputDrift drift(input, options.ns, form);
  std::vector<report::JobReport> reports;
  for (const InputJob& job : input.jobs) {
    FEDRA_RETURN_IF_ERROR(StillGoesOn(options));
    report::JobReport report{job.kind, job.key, {}, job.submitted.has_value()};
    if (!report.judged) {
      reports.push_back(std::move(report));
      continue;
    }
    const tracking::SubmittedJob& asked =
        fleet.redacted ? WithPseudonyms(*job.submitted) : WithReferencedPods(*job.submitted, fleet);
    report.verdicts = JudgeEverywhere(asked, fleet.workers, fleet.others);
    if (assumed)
      for (report::JobVerdict& verdict : report.verdicts) assumed->Note(asked, verdict);
    for (size_t i = 0; i < report.verdicts.size(); ++i) {
      drift.Note(asked, *fleet.workers[i], report.verdicts[i]);
      NoteSelectorTypos(asked, *fleet.workers[i], facts, input.defined, report.verdicts[i]);
      if (!fleet.redacted) NoteNameTypos(asked, *fleet.workers[i], report.verdicts[i]);
    }
    if (line) line->AddTo(asked, job.has_priority, report);
    if (memory != nullptr && !job.is_generated) AddMemory(*memory, fleet.as_of.at, report);
    reports.push_back(std::move(report));
  }
  return reports;
}

// "2998 of 3000 judged jobs can run, each judged as if it were alone; 2 were not judged". Empty:
// there is no set.
std::string AboutTheSet(const std::vector<report::JobReport>& reports) {
  size_t judged = 0;
  size_t placeable = 0;
  for (const report::JobReport& report : reports) {
    if (!report.judged) continue;
    ++judged;
    if (report::BestOutcome(report) <= verdict::Outcome::kMayScale) ++placeable;
  }
  const size_t skipped = reports.size() - judged;
  if (judged == 0 || reports.size() < 2) return {};
  std::string text =
      fmt::format("{} of {} {} can run", placeable, judged, skipped > 0 ? "judged jobs" : "jobs");
  if (judged > 1) text += ", each judged as if it were alone";
  if (placeable >= 2)
    text += ": together they may need more devices than are free, and then wait for each other";
  if (skipped > 0)
    text += fmt::format("; {} {} not judged", skipped, skipped == 1 ? "was" : "were");
  return text;
}

// Checking manifests alone is useful, but its success says nothing of any job.
std::string WithoutJob(const CheckInput& input) {
  const bool has_mistakes = std::ranges::any_of(
      input.findings, [](const Finding& finding) { return finding.severity == Severity::kError; });
  return fmt::format("no job in the input, so nothing to judge; {} checked, {} found",
                     Counted(input.dra.size(), "manifest"),
                     has_mistakes             ? "mistakes"
                     : input.findings.empty() ? "no mistake"
                                              : "no mistake, only warnings,");
}

// Said of what could be judged otherwise.
std::string Hint(const CheckInput& input, const JudgeOptions& options,
                 const std::vector<report::JobReport>& reports) {
  // The daemon assumes nothing.
  if (options.assume_templates || options.judge == Judge::kDaemon) return {};
  for (const Manifest& manifest : input.dra) {
    const std::string object =
        "ResourceClaimTemplate " + KeyOf(*manifest.object, options.ns).ToString();
    for (const report::JobReport& report : reports) {
      for (const report::JobVerdict& verdict : report.verdicts) {
        for (const verdict::Reason& reason : verdict.verdict.reasons) {
          if (reason.code != verdict::ReasonCode::kTemplateMissing || reason.object != object)
            continue;
          return text::Printable(object) +
                 " is in the input: --assume-templates judges as if it were created on the workers "
                 "that lack it\n";
        }
      }
    }
  }
  return {};
}

std::string WithoutLineEnd(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string AgeLine(const JudgeOptions& options, const MemoryAge& age, const text::Style& style) {
  return MemoryAgeLine(age, options.judge == Judge::kCommand ? "; workers were asked just now" : "",
                       style);
}

nlohmann::ordered_json CheckDocument(const CheckInput& input, const Checked& checked,
                                     const report::AsOf* as_of, const std::string& note) {
  nlohmann::ordered_json document =
      as_of != nullptr ? report::Document("CheckReport", *as_of) : report::Document("CheckReport");
  if (checked.age.as_of) {
    auto& lines = document["lines"];
    report::PutTime(lines, "asOf", checked.age.as_of);
    lines["current"] = checked.age.is_current();
  }
  if (!note.empty()) document["note"] = note;
  if (!checked.skipped.empty()) document["skipped"] = checked.skipped;
  document["findings"] = ToJson(input.findings);
  auto& items = document["items"] = nlohmann::ordered_json::array();
  for (const report::JobReport& report : checked.reports) items.push_back(ToJson(report));
  return document;
}

std::string CheckText(const CheckInput& input, const JudgeOptions& options, const Checked& checked,
                      const report::AsOf* as_of, const std::string& note,
                      const text::Style& style) {
  std::string rendered = RenderFindings(input.findings, style);
  rendered.insert(0, AgeLine(options, checked.age, style));
  if (as_of != nullptr) rendered.insert(0, text::SnapshotLine(*as_of, SystemClock().Now(), style));
  for (const report::JobReport& report : checked.reports)
    rendered += (rendered.empty() ? "" : "\n") + text::RenderReport(report, style);
  if (!note.empty()) rendered += (checked.reports.empty() ? "" : "\n") + note + "\n";
  return rendered;
}

}  // namespace

Result<Checked> JudgeInput(CheckInput& input, const JudgeOptions& options, const Fleet& fleet,
                           store::Reader* memory) {
  const FleetFacts facts = FactsOf(fleet.workers);
  const auto goes_on = [&options] { return StillGoesOn(options).has_value(); };
  if (options.tells_of_workers) CheckAgainstWorkers(facts, options.ns, input, goes_on);
  FEDRA_RETURN_IF_ERROR(StillGoesOn(options));
  Checked checked{.skipped = SkippedLines(input.skipped)};
  const bool of_jobs = memory != nullptr && !input.jobs.empty();
  if (of_jobs) checked.age = AgeOf(*memory, fleet.as_of.at);
  FEDRA_ASSIGN_OR_RETURN(checked.reports,
                         JudgeAll(input, options, fleet, facts, memory, checked.age));
  return checked;
}

text::Output RenderCheck(const CheckInput& input, const JudgeOptions& options,
                         const Checked& checked, const report::AsOf* as_of, text::Format format,
                         const text::Style& style) {
  const std::string note = input.jobs.empty() ? WithoutJob(input) : AboutTheSet(checked.reports);
  text::Output output;
  output.code = ExitCode(input.findings, ExitCode(checked.reports));
  output.note = Hint(input, options, checked.reports);
  if (text::IsTable(format)) {
    output.out = CheckText(input, options, checked, as_of, note, style);
  } else {
    output.out = text::ToText(CheckDocument(input, checked, as_of, note), format);
    output.note.insert(0, AgeLine(options, checked.age, style));
  }
  output.note = WithoutLineEnd(std::move(output.note));
  return output;
}

}  // namespace fedra::cli
