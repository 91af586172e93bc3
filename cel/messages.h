#pragma once
//
// The messages of google.protobuf that Kubernetes' CEL environment knows: Int64Value{value: 3},
// Duration{seconds: 3}, Struct{fields: {'a': 1}}. All but Empty unwrap to plain values at once, so
// no message is kept (cel-go common/types/provider.go and pb/type.go, v0.26).
//
// Thread rules: tables and pure functions.

#include <span>
#include <string_view>

#include "cel/evaluation.h"
#include "cel/type.h"
#include "cel/value.h"

namespace fedra::cel {

struct MessageField {
  std::string_view name;
  const Type* type;
};

// What a literal says of one field. Of two that say the same one, or of one choice, the last
// counts.
struct FieldValue {
  std::string_view name;
  Value value;
};

struct MessageType {
  std::string_view name;  // "google.protobuf.Int64Value"
  const Type* type;       // of a literal: wrapper(int)
  std::span<const MessageField> fields;
  // Only names of `fields` are passed. An error where a value cannot become the field's.
  Value (*make)(const MessageType& message, std::span<const FieldValue> fields,
                Evaluation& evaluation);
  bool names_type;  // the name alone is a value, too; else an expression that has it is refused

  // nullptr: there is no such field.
  const MessageField* Find(std::string_view field) const;
};

// nullptr: there is no such message.
const MessageType* FindMessage(std::string_view name);

// The one value of an enum: int 0.
inline constexpr std::string_view kNullValueName = "google.protobuf.NullValue.NULL_VALUE";

// What cel-go charges for a literal, besides its fields.
inline constexpr uint16_t kMessageCost = 40;

}  // namespace fedra::cel
