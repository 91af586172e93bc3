#include "tests/tools/conformance/runner.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <optional>

#include "cel/compile.h"
#include "cel/display.h"
#include "tests/tools/conformance/textproto.h"

namespace fedra::conformance {
namespace {

using cel::Kind;
using cel::Type;
using cel::TypeKind;
using cel::Value;

// What a test binds and expects lives here.
struct Storage {
  cel::Arena arena;
  cel::TypePool types;
  cel::Evaluation evaluation{arena, UINT64_MAX};
};

int64_t ToInt(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }

double ToDouble(const std::string& text) {
  if (text == "nan") return std::nan("");
  if (text == "inf" || text == "infinity") return HUGE_VAL;
  if (text == "-inf" || text == "-infinity") return -HUGE_VAL;
  return std::strtod(text.c_str(), nullptr);
}

std::optional<Value> ToValue(const Message& message, Storage& storage);

std::optional<Value> ToList(const Message& list, Storage& storage) {
  cel::ListBuilder builder(storage.evaluation);
  for (const Field& field : list.fields) {
    const auto item = field.message == nullptr ? std::nullopt : ToValue(*field.message, storage);
    if (!item) return std::nullopt;
    builder.Add(*item);
  }
  return builder.Finish();
}

std::optional<Value> ToMap(const Message& map, Storage& storage) {
  cel::MapBuilder builder(storage.evaluation);
  for (const Field& field : map.fields) {
    const Message* key = field.message == nullptr ? nullptr : field.message->Sub("key");
    const Message* value = field.message == nullptr ? nullptr : field.message->Sub("value");
    if (key == nullptr || value == nullptr) return std::nullopt;
    const auto key_value = ToValue(*key, storage);
    const auto content = ToValue(*value, storage);
    if (!key_value || !content) return std::nullopt;
    builder.Put(*key_value, *content, cel::MapBuilder::Mode::kReplace);
  }
  return builder.Finish();
}

std::optional<Value> ToObject(const Message& object) {
  if (const Message* duration = object.Sub("[type.googleapis.com/google.protobuf.Duration]")) {
    return Value::Duration(ToInt(duration->Text("seconds", "0")) * 1'000'000'000 +
                           ToInt(duration->Text("nanos", "0")));
  }
  if (const Message* timestamp = object.Sub("[type.googleapis.com/google.protobuf.Timestamp]")) {
    return Value::Timestamp(ToInt(timestamp->Text("seconds", "0")),
                            static_cast<uint32_t>(ToInt(timestamp->Text("nanos", "0"))));
  }
  return std::nullopt;
}

// A cel.expr.Value. Nothing if it is of a kind that the engine does not have.
std::optional<Value> ToValue(const Message& message, Storage& storage) {
  if (message.fields.empty()) return std::nullopt;
  const Field& field = message.fields[0];
  if (field.name == "null_value") return Value::Null();
  if (field.name == "bool_value") return Value::Bool(field.text == "true");
  if (field.name == "int64_value") return Value::Int(ToInt(field.text));
  if (field.name == "uint64_value")
    return Value::Uint(std::strtoull(field.text.c_str(), nullptr, 10));
  if (field.name == "double_value") return Value::Double(ToDouble(field.text));
  if (field.name == "string_value") return storage.evaluation.String(field.text);
  if (field.name == "bytes_value") return storage.evaluation.Bytes(field.text);
  if (field.name == "type_value") {
    return Value::Type(storage.arena.Copy(field.text));
  }
  if (field.message == nullptr) return std::nullopt;
  if (field.name == "list_value") return ToList(*field.message, storage);
  if (field.name == "map_value") return ToMap(*field.message, storage);
  if (field.name == "object_value") return ToObject(*field.message);
  return std::nullopt;
}

const Type* ToPrimitive(const std::string& name) {
  if (name == "BOOL") return &cel::kBoolType;
  if (name == "INT64") return &cel::kIntType;
  if (name == "UINT64") return &cel::kUintType;
  if (name == "DOUBLE") return &cel::kDoubleType;
  if (name == "STRING") return &cel::kStringType;
  if (name == "BYTES") return &cel::kBytesType;
  return nullptr;
}

// A cel.expr.Type; nullptr if the engine does not have it.
const Type* ToType(const Message& message, Storage& storage) {
  if (message.fields.empty()) return nullptr;
  const Field& field = message.fields[0];
  if (field.name == "primitive") return ToPrimitive(field.text);
  if (field.name == "dyn") return &cel::kDynType;
  if (field.name == "null") return &cel::kNullType;
  if (field.name == "well_known") {
    return field.text == "TIMESTAMP"  ? &cel::kTimestampType
           : field.text == "DURATION" ? &cel::kDurationType
                                      : &cel::kAnyType;
  }
  if (field.name == "message_type") {
    if (field.text == "google.protobuf.Duration") return &cel::kDurationType;
    if (field.text == "google.protobuf.Timestamp") return &cel::kTimestampType;
    return nullptr;
  }
  if (field.message == nullptr) return nullptr;
  const auto part = [&](std::string_view name) {
    const Message* sub = field.message->Sub(name);
    return sub == nullptr ? nullptr : ToType(*sub, storage);
  };
  if (field.name == "list_type") {
    const Type* element = part("elem_type");
    return element == nullptr ? nullptr : storage.types.List(element);
  }
  if (field.name == "map_type") {
    const Type* key = part("key_type");
    const Type* value = part("value_type");
    return key == nullptr || value == nullptr ? nullptr : storage.types.Map(key, value);
  }
  return nullptr;
}

// Same kind and same content; NaN equals NaN here.
bool Identical(const Value& left, const Value& right) {
  if (left.kind() != right.kind()) return false;
  if (left.is(Kind::kDouble) && std::isnan(left.AsDouble())) return std::isnan(right.AsDouble());
  if (left.is(Kind::kDouble)) {
    return left.AsDouble() == right.AsDouble() &&
           std::signbit(left.AsDouble()) == std::signbit(right.AsDouble());
  }
  if (left.is(Kind::kList)) {
    const auto a = left.AsList();
    const auto b = right.AsList();
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!Identical(a[i], b[i])) return false;
    }
    return true;
  }
  cel::Steps steps(cel::Evaluation::kStepLimit);
  return cel::Equals(left, right, steps) == cel::Equality::kEqual;
}

class TestRun final {
 public:
  explicit TestRun(const Message& test) : test_(test) {}

  // Empty if the test passes.
  std::string Run() {
    if (std::string problem = Declare(); !problem.empty()) return problem;
    const auto compiled = cel::Compile(test_.Text("expr"), environment_);
    const bool error_expected = test_.Find("eval_error") != nullptr;
    if (!compiled) {
      in_constant_ = error_expected && compiled.error().in_constant;
      const std::string error = compiled.error().ToString();
      return in_constant_ || (error_expected && IsNamedError(error)) ? ""
                                                                     : "does not compile: " + error;
    }
    if (const Field* typed = test_.Find("typed_result"); typed != nullptr) {
      if (std::string problem = CheckType(*typed, *compiled); !problem.empty()) return problem;
    }
    if (test_.Text("check_only") == "true") return "";
    cel::Evaluation evaluation(storage_.arena, 1'000'000);
    const Value value = compiled->program->Evaluate(evaluation, variables_.data(), nullptr);
    if (error_expected)
      return value.is_error() ? "" : "expected an error, got " + cel::SourceText(value);
    return Compare(value);
  }

  // Whether the expected error came when compiling, from a constant part.
  bool in_constant() const { return in_constant_; }

 private:
  // Whether the test expects this very error of the compiler.
  bool IsNamedError(const std::string& error) const {
    const Message* set = test_.Sub("eval_error");
    const Message* expected = set == nullptr ? nullptr : set->Sub("errors");
    const std::string message = expected == nullptr ? "" : expected->Text("message");
    return message.starts_with("found no matching overload") &&
           error.find(message) != std::string::npos;
  }

  std::string Declare() {
    environment_ = cel::PlainEnvironment();
    environment_.check = test_.Text("disable_check") != "true";
    environment_.parser.macros = test_.Text("disable_macros") != "true";
    for (const Field& field : test_.fields) {
      if (field.name != "type_env" || field.message == nullptr) continue;
      const Message* ident = field.message->Sub("ident");
      const Message* type = ident == nullptr ? nullptr : ident->Sub("type");
      const Type* known = type == nullptr ? nullptr : ToType(*type, storage_);
      if (known == nullptr)
        return "a declaration of an unknown type: " + field.message->Text("name");
      environment_.variables.push_back({field.message->Text("name"), known});
    }
    variables_.assign(environment_.variables.size(), Value::Error("no such attribute(s)"));
    for (const Field& field : test_.fields) {
      if (field.name != "bindings" || field.message == nullptr) continue;
      const Message* outer = field.message->Sub("value");
      const Message* inner = outer == nullptr ? nullptr : outer->Sub("value");
      const auto value = inner == nullptr ? std::nullopt : ToValue(*inner, storage_);
      if (!value) return "a binding of an unknown kind: " + field.message->Text("key");
      Bind(field.message->Text("key"), *value);
    }
    return "";
  }

  void Bind(const std::string& name, const Value& value) {
    for (size_t i = 0; i < environment_.variables.size(); ++i) {
      if (environment_.variables[i].name == name) {
        variables_[i] = value;
        return;
      }
    }
    environment_.variables.push_back({name, &cel::kDynType});
    variables_.push_back(value);
  }

  std::string CheckType(const Field& typed, const cel::Compiled& compiled) {
    const Message* deduced =
        typed.message == nullptr ? nullptr : typed.message->Sub("deduced_type");
    const Type* expected = deduced == nullptr ? nullptr : ToType(*deduced, storage_);
    if (expected == nullptr) return "an unknown deduced type";
    cel::Steps steps(cel::TypePool::kStepLimit);
    if (cel::SameType(*expected, cel::ResultType(compiled), steps)) return "";
    return "expected the type " + cel::FormatType(*expected) + ", got " +
           cel::FormatType(cel::ResultType(compiled));
  }

  std::string Compare(const Value& value) {
    const Message* expected = test_.Sub("value");
    if (const Message* typed = test_.Sub("typed_result")) expected = typed->Sub("result");
    Value wanted = Value::Bool(true);
    if (expected != nullptr) {
      const auto converted = ToValue(*expected, storage_);
      if (!converted) return "an expected value of an unknown kind";
      wanted = *converted;
    }
    if (Identical(wanted, value)) return "";
    return "expected " + cel::SourceText(wanted) + ", got " + (value.is_error() ? "error: " : "") +
           cel::SourceText(value);
  }

  const Message& test_;
  Storage storage_;
  bool in_constant_ = false;
  cel::Environment environment_;
  std::vector<Value> variables_;
};

void RunSection(const Message& section, FileReport& report) {
  SectionReport counts;
  counts.name = section.Text("name");
  for (const Field& field : section.fields) {
    if (field.name != "test" || field.message == nullptr) continue;
    const std::string test = field.message->Text("name");
    if (const std::string_view reason = ExclusionReason(report.name, counts.name, test);
        !reason.empty()) {
      ++counts.excluded;
      report.exclusions.push_back({counts.name, test, std::string(reason)});
      continue;
    }
    TestRun run(*field.message);
    const std::string problem = run.Run();
    report.in_constants += run.in_constant() ? 1 : 0;
    problem.empty() ? ++counts.passed : ++counts.failed;
    if (!problem.empty()) report.failures.push_back({counts.name, test, problem});
  }
  report.sections.push_back(counts);
}

}  // namespace

int FileReport::passed() const {
  int sum = 0;
  for (const SectionReport& section : sections) sum += section.passed;
  return sum;
}
int FileReport::failed() const {
  int sum = 0;
  for (const SectionReport& section : sections) sum += section.failed;
  return sum;
}
int FileReport::excluded() const {
  int sum = 0;
  for (const SectionReport& section : sections) sum += section.excluded;
  return sum;
}

Result<FileReport> RunFile(std::string_view name, std::string_view text) {
  FEDRA_ASSIGN_OR_RETURN(const Message file, ParseTextproto(text));
  FileReport report;
  report.name = name;
  for (const Field& field : file.fields) {
    if (field.name == "section" && field.message != nullptr) RunSection(*field.message, report);
  }
  if (report.passed() + report.failed() + report.excluded() == 0)
    return Fail(ErrorCode::kInvalidArgument, "the file has no tests");
  return report;
}

}  // namespace fedra::conformance
