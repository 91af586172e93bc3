#include "manager/verify/facts_json.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "verdict/fact_fields.h"
#include "verdict/reason_text.h"

namespace fedra::verify {
namespace {

using nlohmann::ordered_json;
using verdict::ForEachField;
using verdict::NamedEnum;
using verdict::NamesOf;
using verdict::ReasonCode;

// Writes one value; an empty one becomes null, which the object that it is in leaves out.
class FactWriter final {
 public:
  static ordered_json Write(const std::string& text) {
    return text.empty() ? ordered_json() : ordered_json(text);
  }
  static ordered_json Write(bool value) { return value ? ordered_json(true) : ordered_json(); }
  template <std::integral Integer>
  static ordered_json Write(Integer number) {
    return number;
  }
  static ordered_json Write(const Quantity& amount) { return amount.ToString(); }
  static ordered_json Write(WallTime time) { return FormatRfc3339Micro(time); }
  static ordered_json Write(ReasonCode code) { return ToString(code); }
  template <NamedEnum Enum>
  static ordered_json Write(Enum value) {
    return NamesOf(value)[static_cast<size_t>(value)];
  }
  // Present and empty is not absent.
  static ordered_json Write(const std::optional<std::string>& text) {
    return text ? ordered_json(*text) : ordered_json();
  }
  template <class T>
  static ordered_json Write(const std::optional<T>& value) {
    return value ? Write(*value) : ordered_json();
  }
  template <class T>
  static ordered_json Write(const std::vector<T>& values) {
    if (values.empty()) return {};
    ordered_json list = ordered_json::array();
    for (const T& value : values) {
      // An empty name is one of them.
      if constexpr (std::is_same_v<T, std::string>)
        list.push_back(value);
      else
        list.push_back(Write(value));
    }
    return list;
  }
  template <class T>
  static ordered_json Write(const std::map<std::string, T>& values) {
    if (values.empty()) return {};
    return values;
  }
  template <class T>
    requires std::is_class_v<T>
  static ordered_json Write(const T& facts) {
    ordered_json object = ordered_json::object();
    Put(facts, object);
    return object;
  }
  template <class T>
  static void Put(const T& facts, ordered_json& object) {
    ForEachField(facts, [&](std::string_view name, const auto& field) {
      ordered_json value = Write(field);
      if (!value.is_null()) object[std::string(name)] = std::move(value);
    });
  }
};

// Reads one value into a field; false: it is not like that.
class FactReader final {
 public:
  static bool Read(const ordered_json& value, std::string& text) {
    if (!value.is_string()) return false;
    text = value.get_ref<const std::string&>();
    return true;
  }
  static bool Read(const ordered_json& value, bool& flag) {
    if (!value.is_boolean()) return false;
    flag = value.get<bool>();
    return true;
  }
  template <std::integral Integer>
  static bool Read(const ordered_json& value, Integer& number) {
    if (!value.is_number_integer()) return false;
    const auto take = [&](auto stored) {
      if (!std::in_range<Integer>(stored)) return false;
      number = static_cast<Integer>(stored);
      return true;
    };
    return value.is_number_unsigned() ? take(value.get<uint64_t>()) : take(value.get<int64_t>());
  }
  static bool Read(const ordered_json& value, Quantity& amount) {
    if (!value.is_string()) return false;
    const auto parsed = Quantity::Parse(value.get_ref<const std::string&>());
    if (parsed) amount = *parsed;
    return parsed.has_value();
  }
  static bool Read(const ordered_json& value, WallTime& time) {
    if (!value.is_string()) return false;
    const auto parsed = ParseRfc3339(value.get_ref<const std::string&>());
    if (parsed) time = *parsed;
    return parsed.has_value();
  }
  static bool Read(const ordered_json& value, ReasonCode& code) {
    const auto parsed = value.is_string()
                            ? verdict::ParseReasonCode(value.get_ref<const std::string&>())
                            : std::nullopt;
    if (parsed) code = *parsed;
    return parsed.has_value();
  }
  template <NamedEnum Enum>
  static bool Read(const ordered_json& value, Enum& result) {
    if (!value.is_string()) return false;
    const auto names = NamesOf(result);
    const auto found = std::find(names.begin(), names.end(), value.get_ref<const std::string&>());
    if (found == names.end()) return false;
    result = static_cast<Enum>(found - names.begin());
    return true;
  }
  template <class T>
  static bool Read(const ordered_json& value, std::optional<T>& result) {
    return Read(value, result.emplace());
  }
  template <class T>
  static bool Read(const ordered_json& value, std::vector<T>& list) {
    return value.is_array() && std::all_of(value.begin(), value.end(), [&](const auto& item) {
             return Read(item, list.emplace_back());
           });
  }
  template <class T>
  static bool Read(const ordered_json& value, std::map<std::string, T>& result) {
    if (!value.is_object()) return false;
    for (const auto& [key, item] : value.items())
      if (!Read(item, result[key])) return false;
    return true;
  }
  // What is not there keeps its default.
  template <class T>
    requires std::is_class_v<T>
  static bool Read(const ordered_json& value, T& facts) {
    if (!value.is_object()) return false;
    bool good = true;
    ForEachField(facts, [&](std::string_view name, auto& field) {
      const auto found = value.find(std::string(name));
      if (found != value.end()) good = Read(*found, field) && good;
    });
    return good;
  }
};

// The alternative of that position, with all fields at their defaults.
template <size_t... I>
verdict::Facts EmptyFacts(size_t position, std::index_sequence<I...>) {
  verdict::Facts facts;
  static_cast<void>(((I == position && (facts.template emplace<I>(), true)) || ...));
  return facts;
}

}  // namespace

ordered_json FactsJson(const verdict::Facts& facts) {
  ordered_json object = {{"type", verdict::kFactTypes[facts.index()]}};
  std::visit([&](const auto& each) { FactWriter::Put(each, object); }, facts);
  return object;
}

std::optional<verdict::Facts> ParseFacts(const ordered_json& value) {
  if (!value.is_object()) return std::nullopt;
  const auto type = value.find("type");
  if (type == value.end() || !type->is_string()) return std::nullopt;
  const auto& types = verdict::kFactTypes;
  const auto found = std::find(types.begin(), types.end(), type->get_ref<const std::string&>());
  if (found == types.end()) return std::nullopt;
  verdict::Facts facts =
      EmptyFacts(static_cast<size_t>(found - types.begin()),
                 std::make_index_sequence<std::variant_size_v<verdict::Facts::Variant>>());
  const bool good = std::visit([&](auto& each) { return FactReader::Read(value, each); }, facts);
  return good ? std::optional(std::move(facts)) : std::nullopt;
}

ordered_json NewNodesJson(const verdict::NewNodes& nodes) { return FactWriter::Write(nodes); }

std::optional<verdict::NewNodes> ParseNewNodes(const ordered_json& value) {
  verdict::NewNodes nodes;
  if (!FactReader::Read(value, nodes)) return std::nullopt;
  return nodes;
}

ordered_json CountsJson(const std::vector<verdict::CountedCause>& parts) {
  ordered_json list = ordered_json::array();
  for (const verdict::CountedCause& part : parts) {
    ordered_json object = FactWriter::Write(part);
    object["what"] = verdict::WhatOf(part);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace fedra::verify
