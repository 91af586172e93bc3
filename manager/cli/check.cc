// fedra check: the preflight. Reads the workers as the daemon does, judges, and writes nothing.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/assumed_templates.h"
#include "manager/cli/fleet/daemon_memory.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/cli/fleet/fleet_facts.h"
#include "manager/cli/fleet/input_drift.h"
#include "manager/cli/fleet/line_memory.h"
#include "manager/cli/fleet/referenced_pods.h"
#include "manager/cli/manifests/check_input.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/report/as_of.h"
#include "manager/report/document.h"
#include "manager/report/job_report.h"
#include "manager/text/as_of_text.h"
#include "manager/text/display_text.h"
#include "manager/text/output.h"
#include "manager/text/status_format.h"
#include "manager/text/verdict_view.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr int kPlaceable = 0;
constexpr int kNowhere = 3;

// What is certain about one job outweighs what could not be found out about another.
int ExitCode(const std::vector<report::JobReport>& reports) {
  int code = kPlaceable;
  for (const report::JobReport& report : reports) {
    if (!report.judged) continue;  // its mistakes decide
    const verdict::Outcome best = report::BestOutcome(report);
    if (best == verdict::Outcome::kNo) return kNowhere;
    if (best == verdict::Outcome::kUnknown) code = kUnknown;
  }
  return code;
}

// Whatever the workers say: a mistake is an error.
int ExitCode(const std::vector<Finding>& findings, int of_jobs) {
  Severity worst = Severity::kWarning;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  if (worst == Severity::kError) return kFailed;
  return worst == Severity::kNowhere ? kNowhere : of_jobs;
}

// Whether where a claim is allocated matters.
bool NameClaims(const std::vector<InputJob>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const InputJob& job) {
    return job.submitted && !job.submitted->requirement.ClaimNames().empty();
  });
}

std::vector<const tracking::JobAdapter*> KindsOf(const CheckInput& input) {
  std::vector<const tracking::JobAdapter*> kinds;
  for (const InputJob& job : input.jobs)
    if (job.submitted) kinds.push_back(job.submitted->adapter);
  return kinds;
}

ObjectForm FormOf(const Fleet& fleet) {
  if (fleet.redacted) return ObjectForm::kRedacted;
  return fleet.as_of.snapshot.empty() ? ObjectForm::kWhole : ObjectForm::kReduced;
}

std::vector<report::JobReport> JudgeAll(const CheckInput& input, const CheckOptions& options,
                                        const Fleet& fleet, const FleetFacts& facts,
                                        store::Reader* memory, const MemoryAge& age) {
  const ObjectForm form = FormOf(fleet);
  std::optional<AssumedTemplates> assumed;
  if (options.assume_templates) assumed.emplace(input, options.ns, form, fleet.workers);
  std::optional<LineMemory> line;
  if (memory != nullptr) line.emplace(*memory, age.is_current());
  const InputDrift drift(input, options.ns, form);
  std::vector<report::JobReport> reports;
  for (const InputJob& job : input.jobs) {
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

// "3000 jobs, each judged as if it were alone: 2998 can run". Empty: there is no set.
std::string AboutTheSet(const std::vector<report::JobReport>& reports) {
  size_t judged = 0;
  size_t placeable = 0;
  for (const report::JobReport& report : reports) {
    if (!report.judged) continue;
    ++judged;
    if (report::BestOutcome(report) <= verdict::Outcome::kMayScale) ++placeable;
  }
  if (judged < 2) return {};
  std::string text =
      fmt::format("{} of {} jobs can run, each judged as if it were alone", placeable, judged);
  if (placeable >= 2)
    text += ": together they may need more devices than are free, and then wait for each other";
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
std::string Hint(const CheckInput& input, const CheckOptions& options,
                 const std::vector<report::JobReport>& reports) {
  if (options.assume_templates) return {};
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

// `as_of`: null when nothing could be read. `age`: of what the daemon's store says of lines.
void Print(const CheckInput& input, const std::vector<report::JobReport>& reports,
           const report::AsOf* as_of, const MemoryAge& age, text::Format format,
           Terminal& terminal) {
  const text::Style style = StyleOf(terminal);
  const std::string age_line = MemoryAgeLine(age, style);
  const std::string note = input.jobs.empty() ? WithoutJob(input) : AboutTheSet(reports);
  if (!text::IsTable(format)) {
    nlohmann::ordered_json document = as_of != nullptr ? report::Document("CheckReport", *as_of)
                                                       : report::Document("CheckReport");
    if (age.as_of) {
      auto& lines = document["lines"];
      report::PutTime(lines, "asOf", age.as_of);
      lines["current"] = age.is_current();
    }
    if (!note.empty()) document["note"] = note;
    document["findings"] = ToJson(input.findings);
    auto& items = document["items"] = nlohmann::ordered_json::array();
    for (const report::JobReport& report : reports) items.push_back(ToJson(report));
    terminal.out << text::ToText(document, format);
    terminal.err << age_line;
    return;
  }
  std::string rendered = RenderFindings(input.findings, style);
  rendered.insert(0, age_line);
  if (as_of != nullptr) rendered.insert(0, text::SnapshotLine(*as_of, SystemClock().Now(), style));
  for (const report::JobReport& report : reports)
    rendered += (rendered.empty() ? "" : "\n") + text::RenderReport(report, style);
  if (!note.empty()) rendered += (reports.empty() ? "" : "\n") + note + "\n";
  terminal.out << rendered;
}

// What is wrong with the file is said when the workers are opened. A snapshot names no kinds of its
// own; one whose fedra runs no pods holds none of their copies.
tracking::JobKindsPtr KindsOf(const CheckOptions& options) {
  if (!options.snapshot.empty()) return tracking::BuiltInKindsAndPods();
  const auto loaded = config::Load(options.config, config::OptionsNow(/*manager_may_fail=*/true));
  return loaded ? ToKinds(loaded->configuration) : tracking::BuiltInKinds();
}

}  // namespace

int Check(const CheckOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra check: " << message << "\n";
    return kFailed;
  };
  const auto format = text::ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  const tracking::JobKindsPtr kinds = KindsOf(options);
  Result<CheckInput> input = ReadCheckInput(options.files, *kinds, options.ns);
  if (!input) return fail(input.error().message);
  for (const std::string& line : input->skipped) terminal.err << text::Printable(line) << "\n";
  const auto fleet = OpenFleet({.config = options.config,
                                .snapshot = options.snapshot,
                                .workers = options.workers,
                                .timeout = options.timeout,
                                .kinds = KindsOf(*input),
                                .claims_of_others = NameClaims(input->jobs)},
                               terminal);
  if (!fleet) {
    // Mistakes are worth knowing although no worker could be asked.
    Print(*input, {}, nullptr, {}, *format, terminal);
    return fail(fleet.error().message);
  }
  const FleetFacts facts = FactsOf((*fleet)->workers);
  CheckAgainstWorkers(facts, options.ns, *input);
  const auto memory = OpenMemory((*fleet)->store);
  const bool of_jobs = memory != nullptr && !input->jobs.empty();
  const MemoryAge age = of_jobs ? AgeOf(*memory, (*fleet)->as_of.at) : MemoryAge{};
  const std::vector<report::JobReport> reports =
      JudgeAll(*input, options, **fleet, facts, memory.get(), age);
  Print(*input, reports, &(*fleet)->as_of, age, *format, terminal);
  terminal.err << Hint(*input, options, reports);
  return ExitCode(input->findings, ExitCode(reports));
}

}  // namespace fedra::cli
