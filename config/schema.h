#pragma once
//
// The description of the configuration file: every key once, with its meaning, its rule and where
// its value lives in a Configuration. Decoding, hints, defaults, `config view` and the reference
// page walk this description, so they cannot disagree. Private to this folder.
//
// Lifetime: Fields point into the Configuration they were made for, which must outlive them and
// stay in place. Thread rules: plain values.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/configuration.h"

namespace fedra::config {

struct Field;
using Fields = std::vector<Field>;

enum class TextRule {
  kAny,
  kDnsLabel,
  kDnsSubdomain,
  kControllerName,  // "domain/name"
  kSecret,          // never printed
  kLabelSelector,   // base/label_selector.h
  kCommand,         // a path, made absolute like kPath, or a name without a slash for PATH
  kVariableName,    // of the environment
  kPath,            // made absolute from the file's folder while decoding
  kSocketPath,      // the same, short enough for a Unix socket
  kAddress,         // "IP:port"
  kGroupVersion,    // "group/version"
  kKind,            // "JobSet"
  kConditionType,   // the same form
  kQualifiedName,   // a label's key
  kFieldPath,       // base/field_path.h
  kPlainFieldPath,  // one that can be written to
  kFieldTests,      // base/field_rules.h
  kFieldTest,       // exactly one
  kPodCount,        // base/field_rules.h
};

// A key with one allowed value: apiVersion and kind.
struct ConstantRef {
  std::string_view value;
};
struct FlagRef {
  bool* value;
};
struct TextRef {
  std::string* value;
  TextRule rule;
};
inline bool IsPath(TextRule rule) {
  return rule == TextRule::kPath || rule == TextRule::kSocketPath;
}
struct NumberRef {
  int* value;
  int min;
  int max;
};
struct DurationRef {
  std::chrono::milliseconds* value;
  std::chrono::milliseconds min;
  std::chrono::milliseconds max;
};
struct ChoiceRef {
  std::vector<std::string_view> names;  // what may be written
  std::function<size_t()> get;          // index into `names`
  std::function<void(size_t)> set;
};
struct LabelsRef {
  std::map<std::string, std::string>* value;
};
// A list of qualified names.
struct NamesRef {
  std::vector<std::string>* value;
};
// A list of texts of one rule.
struct TextsRef {
  std::vector<std::string>* value;
  TextRule rule;
};
// Any map, kept as JSON text.
struct JsonRef {
  std::string* value;
};
struct ObjectRef {
  Fields fields;
};
struct ListRef {
  size_t size;
  std::function<void(size_t)> resize;  // invalidates the fields of every element
  std::function<Fields(size_t)> at;
};

using Binding = std::variant<ConstantRef, FlagRef, TextRef, NumberRef, DurationRef, ChoiceRef,
                             LabelsRef, NamesRef, TextsRef, JsonRef, ObjectRef, ListRef>;

// std::visit(Overloaded{...}, field.binding).
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

struct Field {
  std::string_view key;
  std::string_view meaning;  // one line for people
  Binding binding;
  std::string_view example;  // for required keys and those without a default; YAML text
  bool required = false;
};

// The whole file, bound to `configuration`.
Fields Describe(Configuration& configuration);

}  // namespace fedra::config
