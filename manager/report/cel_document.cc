#include "manager/report/cel_document.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "manager/report/document.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;

ordered_json CelReportOf(const CelQuestion& question) {
  ordered_json document = Document("CelReport");
  document["expression"] = question.expression;
  document["kubernetes"] = question.release;
  return document;
}

}  // namespace

std::string_view OutcomeName(cel::Outcome outcome) {
  switch (outcome) {
    case cel::Outcome::kTrue:
      return "match";
    case cel::Outcome::kFalse:
      return "no match";
    case cel::Outcome::kError:
      break;
  }
  return "error";
}

std::vector<CelAnswer> AskAll(const cel::Selector& selector,
                              const std::vector<CelCandidate>& candidates) {
  std::vector<CelAnswer> answers;
  for (const CelCandidate& candidate : candidates) {
    const cel::Device& device = candidate.device;
    CelAnswer answer;
    answer.candidate = &candidate;
    answer.place = candidate.driver + "/" + candidate.pool + "/" + candidate.name;
    answer.result = selector.Evaluate(device);
    if (answer.result.false_operand >= 0) {
      answer.operand = selector.operands()[static_cast<size_t>(answer.result.false_operand)];
    }
    answer.advice = selector.Advice(device, answer.result);
    answers.push_back(std::move(answer));
  }
  return answers;
}

CelSummary CountAnswers(const std::vector<CelAnswer>& answers) {
  CelSummary summary;
  for (const CelAnswer& answer : answers) {
    summary.matching += answer.result.matches() ? 1 : 0;
    summary.errors += answer.result.failed() ? 1 : 0;
    summary.not_matching += !answer.result.matches() && !answer.result.failed() ? 1 : 0;
  }
  return summary;
}

ordered_json CelDocument(const CelQuestion& question, const cel::Selector& selector) {
  ordered_json document = CelReportOf(question);
  document["operands"] = selector.operands();
  document["warnings"] = selector.warnings();
  return document;
}

ordered_json CelDocument(const CelQuestion& question, const cel::Selector& selector,
                         const std::vector<CelAnswer>& answers, const CelSummary& summary) {
  ordered_json document = CelDocument(question, selector);
  document["summary"] = {{"matching", summary.matching},
                         {"notMatching", summary.not_matching},
                         {"errors", summary.errors}};
  document["devices"] = ordered_json::array();
  for (const CelAnswer& answer : answers) {
    ordered_json device = {{"slice", answer.candidate->slice},
                           {"driver", answer.candidate->driver},
                           {"pool", answer.candidate->pool},
                           {"device", answer.candidate->name},
                           {"outcome", OutcomeName(answer.result.outcome)},
                           {"cost", answer.result.cost}};
    if (answer.result.false_operand >= 0) device["falseOperand"] = answer.result.false_operand;
    if (answer.result.failed()) device["error"] = answer.result.error;
    if (!answer.advice.empty()) device["advice"] = answer.advice;
    document["devices"].push_back(std::move(device));
  }
  return document;
}

ordered_json CelDocument(const CelQuestion& question, const cel::CompileFailure& failure) {
  ordered_json document = CelReportOf(question);
  document["issues"] = ordered_json::array();
  for (const cel::CompileIssue& issue : failure.issues) {
    document["issues"].push_back(
        {{"line", issue.line}, {"column", issue.column}, {"message", issue.message}});
  }
  if (!failure.advice.empty()) document["advice"] = failure.advice;
  return document;
}

}  // namespace fedra::report
