// fedra check: the preflight. Reads the workers as the daemon does, judges, and writes nothing.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/check_input.h"
#include "manager/cli/commands.h"
#include "manager/cli/display_text.h"
#include "manager/cli/fleet.h"
#include "manager/cli/output.h"
#include "manager/cli/snapshot_names.h"
#include "manager/cli/verdict_view.h"

namespace fedra::cli {
namespace {

constexpr int kPlaceable = 0;
constexpr int kFailed = 1;
constexpr int kNowhere = 3;
constexpr int kUnknown = 4;

int ExitCode(dra::Outcome best) {
  if (best == dra::Outcome::kNo) return kNowhere;
  return best == dra::Outcome::kUnknown ? kUnknown : kPlaceable;
}

// Whatever the workers say: a mistake is an error.
int ExitCode(const std::vector<Finding>& findings, int of_jobs) {
  Severity worst = Severity::kWarning;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  if (worst == Severity::kError) return kFailed;
  return worst == Severity::kNowhere ? std::max(of_jobs, kNowhere) : of_jobs;
}

std::vector<JobReport> JudgeAll(const CheckInput& input, const CheckOptions& options,
                                const Fleet& fleet) {
  std::optional<AssumedTemplates> assumed;
  if (options.assume_templates) assumed.emplace(input, options.ns, fleet.redacted, fleet.workers);
  std::vector<JobReport> reports;
  for (const tracking::SubmittedJob& job : input.jobs) {
    const tracking::SubmittedJob& asked = fleet.redacted ? WithPseudonyms(job) : job;
    JobReport report{job.adapter->resource().kind, job.key, JudgeEverywhere(asked, fleet.workers)};
    if (assumed)
      for (JobVerdict& verdict : report.verdicts) assumed->Note(asked, verdict);
    reports.push_back(std::move(report));
  }
  return reports;
}

void Print(const std::vector<Finding>& findings, const std::vector<JobReport>& reports,
           Format format, Terminal& terminal) {
  if (!IsTable(format)) {
    nlohmann::ordered_json document = Document("CheckReport");
    document["findings"] = ToJson(findings);
    auto& items = document["items"] = nlohmann::ordered_json::array();
    for (const JobReport& report : reports) items.push_back(ToJson(report));
    terminal.out << ToText(document, format);
    return;
  }
  const Style style = StyleOf(terminal);
  std::string text = RenderFindings(findings, style);
  for (const JobReport& report : reports)
    text += (text.empty() ? "" : "\n") + RenderReport(report, style);
  terminal.out << text;
}

}  // namespace

int Check(const CheckOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra check: " << message << "\n";
    return kFailed;
  };
  const auto format = ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  Result<CheckInput> input = ReadCheckInput(options.files, options.ns);
  if (!input) return fail(input.error().message);
  for (const std::string& line : input->skipped) terminal.err << Printable(line) << "\n";
  const auto fleet = OpenFleet({.config = options.config,
                                .snapshot = options.snapshot,
                                .workers = options.workers,
                                .timeout = options.timeout},
                               terminal);
  if (!fleet) {
    // Mistakes are worth knowing although nobody could be asked.
    Print(input->findings, {}, *format, terminal);
    return fail(fleet.error().message);
  }
  CheckAgainstWorkers((*fleet)->workers, options.ns, *input);
  const std::vector<JobReport> reports = JudgeAll(*input, options, **fleet);
  Print(input->findings, reports, *format, terminal);
  int code = kPlaceable;
  for (const JobReport& report : reports) code = std::max(code, ExitCode(BestOutcome(report)));
  return ExitCode(input->findings, code);
}

}  // namespace fedra::cli
