#include "manager/cli/manifests/job_schema.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/object_names.h"
#include "base/quantity.h"
#include "config/names.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;

// A value in a message is cut there.
constexpr size_t kMaxValueShown = 60;

// `the string "3"`, "2.5", "a list".
std::string Shown(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "a map";
    case json::value_t::array:
      return "a list";
    case json::value_t::null:
      return "null";
    default:
      break;
  }
  std::string text = tracking::Dump(value);
  if (text.size() > kMaxValueShown) text = text.substr(0, kMaxValueShown) + "...";
  if (value.is_string()) return "the string " + text;
  return value.is_boolean() ? text : "the number " + text;
}

// What kubectl makes a whole number of: 3, and 3.0 as well. Nothing: it is none, or far too large.
std::optional<int64_t> WholeNumber(const json& value) {
  if (value.is_number_unsigned() &&
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  if (value.is_number_integer()) return value.get<int64_t>();
  constexpr double kExact = 9007199254740992.0;  // 2^53: above it not every number exists
  if (!value.is_number_float()) return std::nullopt;
  const double real = value.get<double>();
  if (std::trunc(real) != real || std::fabs(real) > kExact) return std::nullopt;
  return static_cast<int64_t>(real);
}

class SchemaCheck final {
 public:
  explicit SchemaCheck(Findings& findings) : findings_(findings) {}

  void Object(const json& object, const std::string& path, const ObjectType& type);

 private:
  void Unknown(const std::string& member, const std::string& path, const ObjectType& type);
  void Field(const json& value, const std::string& path, const FieldType& field);
  void Value(const json& value, const std::string& path, const ValueType& type);
  void Integer(const json& value, const std::string& path, const ValueType& type);
  void Quantity(const json& value, const std::string& path);
  void String(const json& value, const std::string& path, const ValueType& type);
  void Labels(const json& value, const std::string& path, bool is_annotations);
  void WrongType(const std::string& path, std::string_view wanted, const json& value);

  Findings& findings_;
};

void SchemaCheck::WrongType(const std::string& path, std::string_view wanted, const json& value) {
  std::string hint;
  const bool is_string = value.is_string();
  const std::string text = is_string ? value.get<std::string>() : tracking::Dump(value);
  if (wanted == "a string" && !value.is_structured())
    hint = fmt::format("write \"{}\", with quotes", text.substr(0, kMaxValueShown));
  else if (is_string && wanted == "a whole number" && !text.empty() &&
           text.find_first_not_of("0123456789") == std::string::npos)
    hint = fmt::format("write {} without quotes", text.substr(0, kMaxValueShown));
  else if (wanted == "true or false")
    hint = "write true or false, without quotes";
  findings_.Error(path, fmt::format("must be {}, not {}", wanted, Shown(value)), hint);
}

void SchemaCheck::Unknown(const std::string& member, const std::string& path,
                          const ObjectType& type) {
  std::vector<std::string> names;
  for (const FieldType& field : type.fields) names.push_back(field.name);
  const std::string closest = config::ClosestName(member, names);
  const bool is_decisive = std::any_of(
      type.fields.begin(), type.fields.end(),
      [&](const FieldType& field) { return field.is_decisive && field.name == closest; });
  findings_.AddAt(is_decisive ? Severity::kError : Severity::kWarning, PathTo(path, member), path,
                  fmt::format("there is no field \"{}\"", member),
                  closest.empty() ? "an API server drops it or refuses the object, unless it is of "
                                    "a Kubernetes newer than 1.36"
                                  : fmt::format("did you mean \"{}\"?", closest));
}

void SchemaCheck::Object(const json& object, const std::string& path, const ObjectType& type) {
  for (const auto& [member, value] : object.items()) {
    const auto field = std::find_if(type.fields.begin(), type.fields.end(),
                                    [&](const FieldType& item) { return item.name == member; });
    if (field == type.fields.end())
      Unknown(member, path, type);
    else if (!value.is_null())
      Field(value, PathTo(path, member), *field);
  }
  for (const FieldType& field : type.fields) {
    if (!field.is_required) continue;
    const json& value = tracking::Member(object, field.name);
    const bool is_empty = value.is_null() || (value.is_string() && value.empty()) ||
                          (value.is_array() && value.empty());
    if (is_empty) findings_.Error(PathTo(path, field.name), "is missing");
  }
}

void SchemaCheck::Field(const json& value, const std::string& path, const FieldType& field) {
  if (field.holder == FieldType::Holder::kSingle) return Value(value, path, field.value);
  if (field.holder == FieldType::Holder::kList) {
    if (!value.is_array()) return WrongType(path, "a list", value);
    for (size_t i = 0; i < value.size(); ++i)
      Value(value[i], fmt::format("{}[{}]", path, i), field.value);
    return;
  }
  if (!value.is_object()) return WrongType(path, "a map", value);
  for (const auto& [name, item] : value.items())
    Value(item, fmt::format("{}[\"{}\"]", path, name), field.value);
}

void SchemaCheck::Value(const json& value, const std::string& path, const ValueType& type) {
  if (value.is_null()) return;  // as if it were not written
  switch (type.kind) {
    case ValueType::Kind::kAny:
      return;
    case ValueType::Kind::kObject:
      if (!value.is_object()) return WrongType(path, "a map", value);
      if (const ObjectType* known = FindType(type.name)) Object(value, path, *known);
      return;
    case ValueType::Kind::kBool:
      return value.is_boolean() ? void() : WrongType(path, "true or false", value);
    case ValueType::Kind::kInteger:
      return Integer(value, path, type);
    case ValueType::Kind::kQuantity:
      return Quantity(value, path);
    case ValueType::Kind::kIntOrString:
      if (!value.is_string() && !WholeNumber(value))
        WrongType(path, "a whole number or a string", value);
      return;
    case ValueType::Kind::kLabels:
      return Labels(value, path, false);
    case ValueType::Kind::kAnnotations:
      return Labels(value, path, true);
    case ValueType::Kind::kString:
    case ValueType::Kind::kDnsLabel:
    case ValueType::Kind::kDnsSubdomain:
    case ValueType::Kind::kEnum:
      return String(value, path, type);
  }
}

void SchemaCheck::Integer(const json& value, const std::string& path, const ValueType& type) {
  const std::optional<int64_t> number = WholeNumber(value);
  if (number && *number >= type.low && *number <= type.high) return;
  const bool is_fraction =
      value.is_number_float() && std::trunc(value.get<double>()) != value.get<double>();
  if (!value.is_number() || is_fraction) return WrongType(path, "a whole number", value);
  const bool is_low = number ? *number < type.low : value.is_number_float() && value < 0;
  findings_.Error(path, is_low
                            ? fmt::format("must be at least {}, not {}", type.low, value.dump())
                            : fmt::format("must be at most {}, not {}", type.high, value.dump()));
}

void SchemaCheck::Quantity(const json& value, const std::string& path) {
  if (!value.is_string() && !value.is_number())
    return WrongType(path, "a quantity like 500m or 20Gi", value);
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (!fedra::Quantity::Parse(text))
    findings_.Error(path, fmt::format("\"{}\" is not a quantity", text.substr(0, kMaxValueShown)),
                    "write it like 4, 500m or 20Gi");
}

void SchemaCheck::String(const json& value, const std::string& path, const ValueType& type) {
  if (!value.is_string()) return WrongType(path, "a string", value);
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty()) return;  // as if it were not written
  const std::string shown = text.substr(0, kMaxValueShown);
  if (type.kind == ValueType::Kind::kEnum &&
      std::find(type.values.begin(), type.values.end(), text) == type.values.end()) {
    const std::string closest = config::ClosestName(text, type.values);
    findings_.Error(path, fmt::format("\"{}\" is not known", shown),
                    closest.empty() ? fmt::format("write {}", fmt::join(type.values, " or "))
                                    : fmt::format("did you mean \"{}\"?", closest));
  } else if (type.kind == ValueType::Kind::kDnsLabel && !IsDnsLabel(text)) {
    findings_.Error(path, fmt::format("\"{}\" is not a valid name", shown),
                    "lower-case letters, digits and -, at most 63, with a letter or digit at both "
                    "ends");
  } else if (type.kind == ValueType::Kind::kDnsSubdomain && !IsDnsSubdomain(text)) {
    findings_.Error(path, fmt::format("\"{}\" is not a valid name", shown),
                    "lower-case letters, digits, - and ., with a letter or digit at both ends");
  }
}

void SchemaCheck::Labels(const json& value, const std::string& path, bool is_annotations) {
  if (!value.is_object()) return WrongType(path, "a map", value);
  for (const auto& [key, item] : value.items()) {
    const std::string at = fmt::format("{}[\"{}\"]", path, key);
    // Annotation keys are compared in lower case (ValidateAnnotations).
    if (!IsQualifiedName(is_annotations ? ToLower(key) : key))
      findings_.Error(at, "is not a valid key",
                      "letters, digits, -, _ and ., at most 63, after an optional prefix like "
                      "example.com/");
    if (item.is_null()) continue;
    if (!item.is_string())
      WrongType(at, "a string", item);
    else if (!is_annotations && !IsLabelValue(item.get_ref<const std::string&>()))
      findings_.Error(
          at, "is not a valid label value",
          "at most 63 letters, digits, -, _ and ., with a letter or digit at both ends");
  }
}

}  // namespace

void CheckTypes(const json& object, const std::string& path, std::string_view type,
                Findings& findings) {
  const ObjectType* known = FindType(type);
  if (known != nullptr && object.is_object()) SchemaCheck(findings).Object(object, path, *known);
}

}  // namespace fedra::cli
