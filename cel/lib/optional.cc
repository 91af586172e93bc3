#include <algorithm>

#include "cel/interpreter.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

// Whether cel-go counts the value as zero: numbers 0, empty texts and containers, null,
// optional.none().
bool IsZero(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !value.AsBool();
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration:
      return value.AsInt() == 0;
    case Kind::kDouble:
      return value.AsDouble() == 0;
    case Kind::kString:
    case Kind::kBytes:
      return value.AsText().empty();
    case Kind::kTimestamp:
      return value.seconds() == -62135596800 && value.nanoseconds() == 0;
    case Kind::kList:
      return value.AsList().empty();
    case Kind::kMap:
      return value.AsMap().entries.empty();
    default:
      return false;
  }
}

Value Of(Evaluation& evaluation, const Value* args) { return evaluation.Optional(args[0]); }
Value OfNonZeroValue(Evaluation& evaluation, const Value* args) {
  return IsZero(args[0]) ? Value::Optional(nullptr) : evaluation.Optional(args[0]);
}
Value None(Evaluation&, const Value*) { return Value::Optional(nullptr); }
Value Content(Evaluation&, const Value* args) {
  return args[0].AsOptional() == nullptr ? Value::Error("optional.none() dereference")
                                         : *args[0].AsOptional();
}
Value HasValue(Evaluation&, const Value* args) {
  return Value::Bool(args[0].AsOptional() != nullptr);
}

Value First(Evaluation& evaluation, const Value* args) {
  const auto items = args[0].AsList();
  return items.empty() ? Value::Optional(nullptr) : evaluation.Optional(items.front());
}
Value Last(Evaluation& evaluation, const Value* args) {
  const auto items = args[0].AsList();
  return items.empty() ? Value::Optional(nullptr) : evaluation.Optional(items.back());
}

Value Unwrap(Evaluation& evaluation, const Value* args) {
  ListBuilder list(evaluation);
  for (const Value& item : args[0].AsList()) {
    if (!item.is(Kind::kOptional))
      return evaluation.Error("value " + ErrorText(item) + " is not optional");
    if (item.AsOptional() != nullptr) list.Add(*item.AsOptional());
  }
  return list.Finish();
}

constexpr Type kListOfOptionalA{TypeKind::kList, "list", &kOptionalOfA};

constexpr Overload kOptionalOverloads[] = {
    Global("optional.of", "optional_of", {&kParamA}, kOptionalOfA, Of),
    Global("optional.ofNonZeroValue", "optional_ofNonZeroValue", {&kParamA}, kOptionalOfA,
           OfNonZeroValue),
    Global("optional.none", "optional_none", {}, kOptionalOfA, None),
    Member("value", "optional_value", {&kOptionalOfA}, kParamA, Content),
    Member("hasValue", "optional_hasValue", {&kOptionalOfA}, kBoolType, HasValue),
    // The evaluator does these two: the right side is evaluated only when it is needed.
    Member("or", "optional_or_optional", {&kOptionalOfA, &kOptionalOfA}, kOptionalOfA, nullptr),
    Member("orValue", "optional_orValue_value", {&kOptionalOfA, &kParamA}, kParamA, nullptr),
};

constexpr Overload kListOverloads[] = {
    Member("first", "list_first", {&kListOfA}, kOptionalOfA, First),
    Member("last", "list_last", {&kListOfA}, kOptionalOfA, Last),
    Global("optional.unwrap", "optional_unwrap", {&kListOfOptionalA}, kListOfA, Unwrap),
    Member("unwrapOpt", "optional_unwrapOpt", {&kListOfOptionalA}, kListOfA, Unwrap),
};

}  // namespace

std::span<const Overload> OptionalLibrary() { return kOptionalOverloads; }
std::span<const Overload> OptionalListLibrary() { return kListOverloads; }

}  // namespace fedra::cel
