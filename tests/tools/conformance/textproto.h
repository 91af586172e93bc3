#pragma once
//
// A small reader of protobuf text format: enough for the conformance vectors of cel-spec.
//
// It knows no schema: a message is a list of fields with texts or messages as values, in the order
// of the file. Thread rules: a pure function.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fedra::conformance {

struct Message;

struct Field {
  std::string name;                  // "[type.googleapis.com/...]" for an extension or Any
  std::string text;                  // of a scalar: the number, word, or decoded string
  bool quoted = false;               // whether the scalar was a string literal
  std::unique_ptr<Message> message;  // set for messages
};

struct Message {
  std::vector<Field> fields;

  // The first field of that name; nullptr if there is none.
  const Field* Find(std::string_view name) const;
  // Its text, or the fallback.
  std::string Text(std::string_view name, std::string_view fallback = "") const;
  // Its message; nullptr if there is none.
  const Message* Sub(std::string_view name) const;
};

// kInvalidArgument with a line number if the text is malformed.
Result<Message> ParseTextproto(std::string_view text);

}  // namespace fedra::conformance
