#include "manager/cli/cel_report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cel/selector.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kMatches = 0;
constexpr int kUsage = 1;
constexpr int kNoMatch = 3;
constexpr int kEvaluationError = 4;

// One device of a slice, ready to be asked.
struct Candidate {
  std::string slice;
  std::string driver;
  std::string pool;
  std::string name;
  cel::DeviceInput input;
};

std::string TextOf(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const json& Member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

template <class T>
std::optional<std::vector<T>> ListOf(const json& attribute, const char* key) {
  const json& list = Member(attribute, key);
  if (!list.is_array()) return std::nullopt;
  std::vector<T> values;
  for (const json& item : list) {
    if constexpr (std::is_same_v<T, bool>) {
      values.push_back(item.is_boolean() && item.get<bool>());
    } else if constexpr (std::is_same_v<T, int64_t>) {
      values.push_back(item.is_number_integer() ? item.get<int64_t>() : 0);
    } else if constexpr (std::is_same_v<T, std::string>) {
      values.push_back(item.is_string() ? item.get<std::string>() : std::string());
    } else {
      values.push_back({item.is_string() ? item.get<std::string>() : std::string()});
    }
  }
  return values;
}

cel::AttributeValue AttributeOf(const json& attribute) {
  if (auto list = ListOf<int64_t>(attribute, "ints")) return *list;
  if (auto list = ListOf<bool>(attribute, "bools")) return *list;
  if (auto list = ListOf<std::string>(attribute, "strings")) return *list;
  if (auto list = ListOf<cel::VersionText>(attribute, "versions")) return *list;
  if (const json& value = Member(attribute, "int"); value.is_number_integer())
    return value.get<int64_t>();
  if (const json& value = Member(attribute, "bool"); value.is_boolean()) return value.get<bool>();
  if (const json& value = Member(attribute, "string"); value.is_string())
    return value.get<std::string>();
  if (const json& value = Member(attribute, "version"); value.is_string()) {
    return cel::VersionText{value.get<std::string>()};
  }
  return std::monostate();
}

// "80Gi", 80, or {"value": "80Gi"}.
std::string QuantityOf(const json& capacity) {
  const json& value = capacity.is_object() ? Member(capacity, "value") : capacity;
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

Candidate CandidateOf(const json& slice, const json& device) {
  const json& spec = Member(slice, "spec");
  // Up to v1beta1 everything but the name is below "basic".
  const json& basic = Member(device, "basic");
  const json& fields = basic.is_object() ? basic : device;
  Candidate candidate;
  candidate.slice = TextOf(
      Member(slice, "metadata").is_object() ? Member(slice, "metadata") : json::object(), "name");
  candidate.driver = TextOf(spec, "driver");
  candidate.pool = Member(spec, "pool").is_object() ? TextOf(Member(spec, "pool"), "name") : "";
  candidate.name = TextOf(device, "name");
  candidate.input.driver = candidate.driver;
  if (const json& attributes = Member(fields, "attributes"); attributes.is_object()) {
    for (const auto& [name, value] : attributes.items()) {
      candidate.input.attributes.emplace_back(name, AttributeOf(value));
    }
  }
  if (const json& capacity = Member(fields, "capacity"); capacity.is_object()) {
    for (const auto& [name, value] : capacity.items())
      candidate.input.capacity.emplace_back(name, QuantityOf(value));
  }
  if (const json& shared = Member(fields, "allowMultipleAllocations"); shared.is_boolean()) {
    candidate.input.allow_multiple_allocations = shared.get<bool>();
  }
  return candidate;
}

// The devices of all slices in a document; other objects are passed over.
void Collect(const json& document, const std::string& driver, std::vector<Candidate>& candidates) {
  if (document.is_array()) {
    for (const json& item : document) Collect(item, driver, candidates);
    return;
  }
  if (const json& items = Member(document, "items"); items.is_array())
    return Collect(items, driver, candidates);
  const json& spec = Member(document, "spec");
  const json& devices = Member(spec, "devices");
  if (!spec.is_object() || !devices.is_array()) return;
  if (!driver.empty() && TextOf(spec, "driver") != driver) return;
  for (const json& device : devices) {
    if (device.is_object()) candidates.push_back(CandidateOf(document, device));
  }
}

// What one evaluation says to a person.
struct Answer {
  std::string place;  // pool/device
  const Candidate* candidate = nullptr;
  cel::EvalResult result;
  std::string operand;  // the false one
  std::string advice;
};

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

std::vector<Answer> AskAll(const cel::Selector& selector,
                           const std::vector<Candidate>& candidates) {
  std::vector<Answer> answers;
  for (const Candidate& candidate : candidates) {
    const cel::Device device(candidate.input);
    Answer answer;
    answer.candidate = &candidate;
    answer.place = candidate.pool + "/" + candidate.name;
    answer.result = selector.Evaluate(device);
    if (answer.result.false_operand >= 0) {
      answer.operand = selector.operands()[static_cast<size_t>(answer.result.false_operand)];
    }
    answer.advice = selector.Advice(device, answer.result);
    answers.push_back(std::move(answer));
  }
  return answers;
}

struct Summary {
  int matching = 0;
  int not_matching = 0;
  int errors = 0;

  int ExitCode() const {
    return errors > 0 ? kEvaluationError : matching > 0 ? kMatches : kNoMatch;
  }
};

Summary Count(const std::vector<Answer>& answers) {
  Summary summary;
  for (const Answer& answer : answers) {
    summary.matching += answer.result.matches() ? 1 : 0;
    summary.errors += answer.result.failed() ? 1 : 0;
    summary.not_matching += !answer.result.matches() && !answer.result.failed() ? 1 : 0;
  }
  return summary;
}

// One line, whatever the selector's layout is.
std::string OneLine(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

void PrintSummary(const std::vector<Answer>& answers, const Summary& summary, std::ostream& out) {
  out << summary.matching << "/" << answers.size() << " devices match";
  std::map<std::string, int> operands;
  for (const Answer& answer : answers) {
    if (!answer.operand.empty()) ++operands[OneLine(answer.operand)];
  }
  for (const auto& [operand, count] : operands) out << "; " << count << " fail " << operand;
  if (summary.errors > 0) {
    out << "; " << summary.errors << (summary.errors == 1 ? " is" : " are")
        << " an error, which makes the scheduler give up the pod";
  }
  out << "\n";
}

void PrintText(const cel::Selector& selector, const std::vector<Answer>& answers,
               const Summary& summary, std::ostream& out) {
  for (const Answer& answer : answers) {
    out << OutcomeName(answer.result.outcome) << "  " << answer.place;
    if (!answer.operand.empty()) out << "  " << OneLine(answer.operand);
    if (answer.result.failed()) out << "  " << answer.result.error;
    out << "\n";
  }
  PrintSummary(answers, summary, out);
  std::map<std::string, int> advice;
  for (const Answer& answer : answers) {
    if (!answer.advice.empty()) ++advice[answer.advice];
  }
  for (const auto& [text, count] : advice) {
    out << "advice (" << count << (count == 1 ? " device" : " devices") << "): " << text << "\n";
  }
  for (const std::string& warning : selector.warnings()) out << "warning: " << warning << "\n";
}

ordered_json Machine(const CelOptions& options) {
  return {{"apiVersion", "fedra.dev/v1alpha1"},
          {"kind", "CelReport"},
          {"expression", options.expression},
          {"kubernetes", options.release}};
}

void PrintMachine(ordered_json document, std::ostream& out) {
  out << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
}

void PrintJson(const CelOptions& options, const cel::Selector& selector,
               const std::vector<Answer>& answers, const Summary& summary, std::ostream& out) {
  ordered_json document = Machine(options);
  document["operands"] = selector.operands();
  document["warnings"] = selector.warnings();
  document["summary"] = {{"matching", summary.matching},
                         {"notMatching", summary.not_matching},
                         {"errors", summary.errors}};
  document["devices"] = ordered_json::array();
  for (const Answer& answer : answers) {
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
  PrintMachine(std::move(document), out);
}

int ReportFailure(const CelOptions& options, const cel::CompileFailure& failure,
                  std::ostream& out) {
  if (options.json) {
    ordered_json document = Machine(options);
    document["issues"] = ordered_json::array();
    for (const cel::CompileIssue& issue : failure.issues) {
      document["issues"].push_back(
          {{"line", issue.line}, {"column", issue.column}, {"message", issue.message}});
    }
    if (!failure.advice.empty()) document["advice"] = failure.advice;
    PrintMachine(std::move(document), out);
    return kUsage;
  }
  out << failure.ToString() << "\n";
  if (!failure.advice.empty()) out << "advice: " << failure.advice << "\n";
  return kUsage;
}

int ReportCompiled(const CelOptions& options, const cel::Selector& selector, std::ostream& out) {
  if (options.json) {
    ordered_json document = Machine(options);
    document["operands"] = selector.operands();
    document["warnings"] = selector.warnings();
    PrintMachine(std::move(document), out);
    return kMatches;
  }
  if (!options.explain) out << "the selector compiles for Kubernetes " << options.release << "\n";
  for (const std::string& warning : selector.warnings()) out << "warning: " << warning << "\n";
  return kMatches;
}

}  // namespace

int CelReport(const CelOptions& options, const json& slices, std::ostream& out, std::ostream& err) {
  const auto release = cel::ParseRelease(options.release);
  if (!release) {
    err << release.error().message << "\n";
    return kUsage;
  }
  cel::SelectorOptions selector_options;
  selector_options.release = *release;
  if (options.explain && !options.json) {
    if (const auto tree = cel::ExplainSelector(options.expression, selector_options)) out << *tree;
  }
  const auto selector = cel::CompileSelector(options.expression, selector_options);
  if (!selector) return ReportFailure(options, selector.error(), out);
  if (options.check || (options.explain && slices.is_null()))
    return ReportCompiled(options, *selector, out);
  if (slices.is_null()) {
    err << "no devices to evaluate against: give a file with ResourceSlices, or --check or "
           "--explain\n";
    return kUsage;
  }
  std::vector<Candidate> candidates;
  Collect(slices, options.driver, candidates);
  if (candidates.empty()) {
    err << "the file has no devices"
        << (options.driver.empty() ? "" : " of driver " + options.driver) << "\n";
  }
  const std::vector<Answer> answers = AskAll(*selector, candidates);
  const Summary summary = Count(answers);
  if (options.json) {
    PrintJson(options, *selector, answers, summary, out);
  } else {
    PrintText(*selector, answers, summary, out);
  }
  return summary.ExitCode();
}

}  // namespace fedra::cli
