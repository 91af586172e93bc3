#include "cel/messages.h"

#include <cstdint>
#include <limits>
#include <string>

#include "base/base64.h"
#include "cel/display.h"
#include "cel/lib/time.h"

namespace fedra::cel {
namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;
// Integers that a double holds exactly; others become texts in JSON, as protobuf's mapping says.
constexpr int64_t kLargestExactInteger = (int64_t{1} << 53) - 1;

Value ConversionError(const MessageType& message, std::string_view field, const Value& value,
                      std::string_view why, Evaluation& evaluation) {
  return evaluation.Error("field type conversion error for " + std::string(message.name) + "." +
                          std::string(field) + " value type: " + std::string(why) + " (" +
                          std::string(TypeName(value.kind())) + ")");
}

// The value of the field named last; nullptr: none is.
const FieldValue* Last(std::span<const FieldValue> fields, std::string_view name) {
  for (size_t i = fields.size(); i > 0; --i)
    if (fields[i - 1].name == name) return &fields[i - 1];
  return nullptr;
}

bool HoldsInt32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

// A wrapper's only field, which has to be of the wrapped kind.
Value MakeWrapper(const MessageType& message, std::span<const FieldValue> fields, Kind kind,
                  const Value& zero, Evaluation& evaluation) {
  const FieldValue* field = Last(fields, "value");
  if (field == nullptr) return zero;
  if (field->value.is(kind)) return field->value;
  return ConversionError(message, field->name, field->value, "unsupported native conversion",
                         evaluation);
}

Value MakeBool(const MessageType& message, std::span<const FieldValue> fields,
               Evaluation& evaluation) {
  return MakeWrapper(message, fields, Kind::kBool, Value::Bool(false), evaluation);
}
Value MakeBytes(const MessageType& message, std::span<const FieldValue> fields,
                Evaluation& evaluation) {
  return MakeWrapper(message, fields, Kind::kBytes, Value::Bytes(""), evaluation);
}
Value MakeString(const MessageType& message, std::span<const FieldValue> fields,
                 Evaluation& evaluation) {
  return MakeWrapper(message, fields, Kind::kString, Value::String(""), evaluation);
}
Value MakeDouble(const MessageType& message, std::span<const FieldValue> fields,
                 Evaluation& evaluation) {
  return MakeWrapper(message, fields, Kind::kDouble, Value::Double(0), evaluation);
}
Value MakeFloat(const MessageType& message, std::span<const FieldValue> fields,
                Evaluation& evaluation) {
  const Value value = MakeDouble(message, fields, evaluation);
  if (!value.is(Kind::kDouble)) return value;
  return Value::Double(static_cast<double>(static_cast<float>(value.AsDouble())));
}
Value MakeInt64(const MessageType& message, std::span<const FieldValue> fields,
                Evaluation& evaluation) {
  return MakeWrapper(message, fields, Kind::kInt, Value::Int(0), evaluation);
}
Value MakeInt32(const MessageType& message, std::span<const FieldValue> fields,
                Evaluation& evaluation) {
  const Value value = MakeInt64(message, fields, evaluation);
  if (!value.is(Kind::kInt) || HoldsInt32(value.AsInt())) return value;
  return ConversionError(message, "value", value, "integer overflow", evaluation);
}
Value MakeUint64(const MessageType& message, std::span<const FieldValue> fields,
                 Evaluation& evaluation) {
  return MakeWrapper(message, fields, Kind::kUint, Value::Uint(0), evaluation);
}
Value MakeUint32(const MessageType& message, std::span<const FieldValue> fields,
                 Evaluation& evaluation) {
  const Value value = MakeUint64(message, fields, evaluation);
  if (!value.is(Kind::kUint) || value.AsUint() <= std::numeric_limits<uint32_t>::max())
    return value;
  return ConversionError(message, "value", value, "unsigned integer overflow", evaluation);
}

struct Time {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;  // within an int32
  Value error;              // null: there is none
};

Time TimeOf(const MessageType& message, std::span<const FieldValue> fields,
            Evaluation& evaluation) {
  Time time;
  for (const FieldValue& field : fields) {
    if (!field.value.is(Kind::kInt)) {
      time.error = ConversionError(message, field.name, field.value,
                                   "unsupported native conversion", evaluation);
    } else if (field.name == "seconds") {
      time.seconds = field.value.AsInt();
    } else if (HoldsInt32(field.value.AsInt())) {
      time.nanoseconds = field.value.AsInt();
    } else {
      time.error =
          ConversionError(message, field.name, field.value, "integer overflow", evaluation);
    }
    if (time.error.is_error()) break;
  }
  return time;
}

// As Go's durationpb.AsDuration: what is too long is the longest.
Value MakeDuration(const MessageType& message, std::span<const FieldValue> fields,
                   Evaluation& evaluation) {
  const Time time = TimeOf(message, fields, evaluation);
  if (time.error.is_error()) return time.error;
  int64_t total = 0;
  if (!__builtin_mul_overflow(time.seconds, kNanosecondsPerSecond, &total) &&
      !__builtin_add_overflow(total, time.nanoseconds, &total))
    return Value::Duration(total);
  return Value::Duration(time.seconds < 0 ? std::numeric_limits<int64_t>::min()
                                          : std::numeric_limits<int64_t>::max());
}

Value MakeTimestamp(const MessageType& message, std::span<const FieldValue> fields,
                    Evaluation& evaluation) {
  const Time time = TimeOf(message, fields, evaluation);
  if (time.error.is_error()) return time.error;
  int64_t carried = time.nanoseconds / kNanosecondsPerSecond;
  int64_t rest = time.nanoseconds % kNanosecondsPerSecond;
  if (rest < 0) {
    rest += kNanosecondsPerSecond;
    --carried;
  }
  int64_t seconds = 0;
  // Go's time.Unix wraps around; the year of such a moment means nothing.
  if (__builtin_add_overflow(time.seconds, carried, &seconds)) seconds = time.seconds;
  return Value::Timestamp(seconds, static_cast<uint32_t>(rest));
}

// What a JSON document would hold, as a CEL value again; an error where there is no such thing.
Value ToJson(const Value& value, Evaluation& evaluation) {
  if (!evaluation.steps().Take()) return evaluation.CostLimitExceeded();
  switch (value.kind()) {
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kError:
      return value;
    case Kind::kInt:
      if (value.AsInt() >= -kLargestExactInteger && value.AsInt() <= kLargestExactInteger)
        return Value::Double(static_cast<double>(value.AsInt()));
      return evaluation.String(std::to_string(value.AsInt()));
    case Kind::kUint:
      if (value.AsUint() <= static_cast<uint64_t>(kLargestExactInteger))
        return Value::Double(static_cast<double>(value.AsUint()));
      return evaluation.String(std::to_string(value.AsUint()));
    case Kind::kBytes:
      return evaluation.String(Base64Encode(value.AsText()));
    case Kind::kDuration:
      return evaluation.String(FormatDuration(value.AsInt()));
    case Kind::kTimestamp:
      return evaluation.String(FormatTimestamp(value));
    case Kind::kList: {
      ListBuilder list(evaluation);
      for (const Value& item : value.AsList()) {
        const Value json = ToJson(item, evaluation);
        if (json.is_error()) return json;
        if (!list.Add(json)) break;
      }
      return list.Finish();
    }
    case Kind::kMap: {
      MapBuilder map(evaluation);
      for (const MapEntry& entry : value.AsMap().entries) {
        if (!entry.key.is(Kind::kString)) return evaluation.Error("a key that is no string");
        const Value json = ToJson(entry.value, evaluation);
        if (json.is_error()) return json;
        map.Put(entry.key, json, MapBuilder::Mode::kReplace);
      }
      return map.Finish();
    }
    default:
      return evaluation.Error("type conversion error");
  }
}

// The field as JSON, which has to be of that kind.
Value JsonField(const MessageType& message, const FieldValue& field, Kind kind,
                Evaluation& evaluation) {
  if (!field.value.is(kind))
    return ConversionError(message, field.name, field.value, "unsupported native conversion",
                           evaluation);
  const Value json = ToJson(field.value, evaluation);
  if (!json.is_error() || evaluation.aborted()) return json;
  return ConversionError(message, field.name, field.value, json.AsText(), evaluation);
}

Value MakeStruct(const MessageType& message, std::span<const FieldValue> fields,
                 Evaluation& evaluation) {
  const FieldValue* field = Last(fields, "fields");
  if (field == nullptr) return MapBuilder(evaluation).Finish();
  return JsonField(message, *field, Kind::kMap, evaluation);
}

Value MakeListValue(const MessageType& message, std::span<const FieldValue> fields,
                    Evaluation& evaluation) {
  const FieldValue* field = Last(fields, "values");
  if (field == nullptr) return Value::List({});
  return JsonField(message, *field, Kind::kList, evaluation);
}

struct Choice {
  std::string_view field;
  Kind kind;
};
constexpr Choice kChoices[] = {
    {"number_value", Kind::kDouble}, {"string_value", Kind::kString}, {"bool_value", Kind::kBool},
    {"struct_value", Kind::kMap},    {"list_value", Kind::kList},
};

Value MakeValue(const MessageType& message, std::span<const FieldValue> fields,
                Evaluation& evaluation) {
  Value made;
  for (const FieldValue& field : fields) {
    made = Value::Null();
    if (field.name == "null_value") {
      if (!field.value.is(Kind::kInt))
        return ConversionError(message, field.name, field.value, "unsupported native conversion",
                               evaluation);
      continue;
    }
    for (const Choice& choice : kChoices)
      if (choice.field == field.name) made = JsonField(message, field, choice.kind, evaluation);
    if (made.is_error()) return made;
  }
  return made;
}

Value MakeEmpty(const MessageType& message, std::span<const FieldValue>, Evaluation&) {
  return Value::Message(message.name);
}

// What it packs is not unpacked: an Any without a type is an error in Kubernetes, too.
Value MakeAny(const MessageType&, std::span<const FieldValue>, Evaluation&) {
  return Value::Error("unsupported conversion to ref.Val: (*dynamicpb.Message)");
}

constexpr Type kBoolWrapper{TypeKind::kBool, "bool", nullptr, nullptr, 0, true};
constexpr Type kBytesWrapper{TypeKind::kBytes, "bytes", nullptr, nullptr, 0, true};
constexpr Type kDoubleWrapper{TypeKind::kDouble, "double", nullptr, nullptr, 0, true};
constexpr Type kIntWrapper{TypeKind::kInt, "int", nullptr, nullptr, 0, true};
constexpr Type kStringWrapper{TypeKind::kString, "string", nullptr, nullptr, 0, true};
constexpr Type kUintWrapper{TypeKind::kUint, "uint", nullptr, nullptr, 0, true};
constexpr Type kStructType{TypeKind::kMap, "map", &kStringType, &kDynType};
constexpr Type kEmptyType{TypeKind::kObject, "google.protobuf.Empty"};

constexpr MessageField kBoolField[] = {{"value", &kBoolType}};
constexpr MessageField kBytesField[] = {{"value", &kBytesType}};
constexpr MessageField kDoubleField[] = {{"value", &kDoubleType}};
constexpr MessageField kIntField[] = {{"value", &kIntType}};
constexpr MessageField kStringField[] = {{"value", &kStringType}};
constexpr MessageField kUintField[] = {{"value", &kUintType}};
constexpr MessageField kTimeFields[] = {{"seconds", &kIntType}, {"nanos", &kIntType}};
constexpr MessageField kAnyFields[] = {{"type_url", &kStringType}, {"value", &kBytesType}};
constexpr MessageField kStructFields[] = {{"fields", &kStructType}};
constexpr MessageField kListFields[] = {{"values", &kListOfDyn}};
constexpr MessageField kValueFields[] = {
    {"null_value", &kIntType},  {"number_value", &kDoubleType}, {"string_value", &kStringType},
    {"bool_value", &kBoolType}, {"struct_value", &kStructType}, {"list_value", &kListOfDyn}};

constexpr MessageType kMessages[] = {
    {"google.protobuf.Any", &kAnyType, kAnyFields, MakeAny, false},
    {"google.protobuf.BoolValue", &kBoolWrapper, kBoolField, MakeBool, false},
    {"google.protobuf.BytesValue", &kBytesWrapper, kBytesField, MakeBytes, false},
    {"google.protobuf.DoubleValue", &kDoubleWrapper, kDoubleField, MakeDouble, false},
    {"google.protobuf.Duration", &kDurationType, kTimeFields, MakeDuration, true},
    {"google.protobuf.Empty", &kEmptyType, {}, MakeEmpty, true},
    {"google.protobuf.FloatValue", &kDoubleWrapper, kDoubleField, MakeFloat, false},
    {"google.protobuf.Int32Value", &kIntWrapper, kIntField, MakeInt32, false},
    {"google.protobuf.Int64Value", &kIntWrapper, kIntField, MakeInt64, false},
    {"google.protobuf.ListValue", &kListOfDyn, kListFields, MakeListValue, false},
    {"google.protobuf.StringValue", &kStringWrapper, kStringField, MakeString, false},
    {"google.protobuf.Struct", &kStructType, kStructFields, MakeStruct, false},
    {"google.protobuf.Timestamp", &kTimestampType, kTimeFields, MakeTimestamp, true},
    {"google.protobuf.UInt32Value", &kUintWrapper, kUintField, MakeUint32, false},
    {"google.protobuf.UInt64Value", &kUintWrapper, kUintField, MakeUint64, false},
    {"google.protobuf.Value", &kDynType, kValueFields, MakeValue, false},
};

}  // namespace

const MessageField* MessageType::Find(std::string_view field) const {
  for (const MessageField& each : fields)
    if (each.name == field) return &each;
  return nullptr;
}

const MessageType* FindMessage(std::string_view name) {
  for (const MessageType& message : kMessages)
    if (message.name == name) return &message;
  return nullptr;
}

}  // namespace fedra::cel
