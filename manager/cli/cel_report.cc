#include "manager/cli/cel_report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cel/selector.h"
#include "manager/cli/commands.h"
#include "manager/report/cel_document.h"
#include "manager/text/display_text.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using report::CelAnswer;
using report::CelSummary;
using text::Printable;

constexpr int kMatches = 0;
constexpr int kUsage = 1;
constexpr int kNoMatch = 3;

int CelExitCode(const CelSummary& summary) {
  return summary.errors > 0 ? kEvaluationError : summary.matching > 0 ? kMatches : kNoMatch;
}

// Whether `asked` ("v1.36.3+k3s1") is of the release `used` ("1.36").
bool IsRelease(std::string_view asked, std::string_view used) {
  if (asked.starts_with("v")) asked.remove_prefix(1);
  if (!asked.starts_with(used)) return false;
  return asked.size() == used.size() || asked[used.size()] < '0' || asked[used.size()] > '9';
}

// One line, whatever the selector's layout is.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  return Printable(line);
}

void PrintLines(const std::string& text, std::ostream& out) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out << Printable(line) << "\n";
}

void PrintSummary(const std::vector<CelAnswer>& answers, const CelSummary& summary,
                  std::ostream& out) {
  out << summary.matching << "/" << answers.size() << " devices match";
  std::map<std::string, int> operands;
  for (const CelAnswer& answer : answers) {
    if (!answer.operand.empty()) ++operands[OneLine(answer.operand)];
  }
  for (const auto& [operand, count] : operands) out << "; " << count << " fail " << operand;
  if (summary.errors > 0) {
    out << "; " << summary.errors << (summary.errors == 1 ? " is" : " are")
        << " an error, which makes the scheduler give up the pod";
  }
  out << "\n";
}

void PrintWarnings(const cel::Selector& selector, std::ostream& out) {
  for (const std::string& warning : selector.warnings())
    out << "warning: " << Printable(warning) << "\n";
}

void PrintText(const cel::Selector& selector, const std::vector<CelAnswer>& answers,
               const CelSummary& summary, std::ostream& out) {
  for (const CelAnswer& answer : answers) {
    out << report::OutcomeName(answer.result.outcome) << "  " << Printable(answer.place);
    if (!answer.operand.empty()) out << "  " << OneLine(answer.operand);
    if (answer.result.failed()) out << "  " << Printable(answer.result.error);
    out << "\n";
  }
  PrintSummary(answers, summary, out);
  std::map<std::string, int> advice;
  for (const CelAnswer& answer : answers) {
    if (!answer.advice.empty()) ++advice[answer.advice];
  }
  for (const auto& [text, count] : advice) {
    out << "advice (" << count << (count == 1 ? " device" : " devices") << "): " << Printable(text)
        << "\n";
  }
  PrintWarnings(selector, out);
}

report::CelQuestion QuestionOf(const CelOptions& options) {
  return {options.expression, options.release};
}

void PrintMachine(const ordered_json& document, std::ostream& out) {
  out << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
}

int ReportFailure(const CelOptions& options, const cel::CompileFailure& failure, std::ostream& out,
                  std::ostream& err) {
  if (options.json) {
    PrintMachine(report::CelDocument(QuestionOf(options), failure), out);
    return kUsage;
  }
  PrintLines(failure.ToString(), err);
  if (!failure.advice.empty()) err << "advice: " << Printable(failure.advice) << "\n";
  return kUsage;
}

int ReportCompiled(const CelOptions& options, const cel::Selector& selector, std::ostream& out) {
  if (options.json) {
    PrintMachine(report::CelDocument(QuestionOf(options), selector), out);
    return kMatches;
  }
  if (!options.explain) out << "the selector compiles for Kubernetes " << options.release << "\n";
  PrintWarnings(selector, out);
  return kMatches;
}

}  // namespace

int CelReport(const CelOptions& asked, const json& slices, std::ostream& out, std::ostream& err) {
  const auto release = cel::ParseRelease(asked.release);
  if (!release) {
    err << release.error().message << "\n";
    return kUsage;
  }
  CelOptions options = asked;
  options.release = cel::ToString(*release);
  if (!IsRelease(asked.release, options.release)) {
    err << "Kubernetes " << Printable(asked.release) << " is not known yet, judging as "
        << options.release << "\n";
  }
  cel::SelectorOptions selector_options;
  selector_options.release = *release;
  const auto compiled = cel::ExplainSelector(options.expression, selector_options);
  if (!compiled) return ReportFailure(options, compiled.error(), out, err);
  const cel::Selector& selector = compiled->selector;
  if (options.explain) PrintLines(compiled->tree, out);
  if (options.check || (options.explain && slices.is_null()))
    return ReportCompiled(options, selector, out);
  if (slices.is_null()) {
    err << "no devices to evaluate against: give a file with ResourceSlices, or --check or "
           "--explain\n";
    return kUsage;
  }
  const Result<std::vector<report::CelCandidate>> candidates =
      report::CelCandidatesOf(slices, options.driver);
  if (!candidates) {
    err << "fedra cel: " << Printable(candidates.error().message) << "\n";
    return kUsage;
  }
  if (candidates->empty()) {
    err << "the file has no devices"
        << (options.driver.empty() ? "" : " of driver " + options.driver) << "\n";
  }
  const std::vector<CelAnswer> answers = report::AskAll(selector, *candidates);
  const CelSummary summary = report::CountAnswers(answers);
  if (options.json) {
    PrintMachine(report::CelDocument(QuestionOf(options), selector, answers, summary), out);
  } else {
    PrintText(selector, answers, summary, out);
  }
  return CelExitCode(summary);
}

}  // namespace fedra::cli
