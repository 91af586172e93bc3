#include "manager/text/yaml_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/ascii.h"

namespace fedra::text {
namespace {

using nlohmann::ordered_json;

bool IsReserved(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords = {"true", "false", "null", "yes", "no",
                                                      "on",   "off",   "y",    "n"};
  return std::find(kWords.begin(), kWords.end(), ToLower(text)) != kWords.end();
}

// Begins with a letter, so it is no number, time or indicator; and has only what means nothing to
// YAML.
bool IsPlain(std::string_view text) {
  if (text.empty() || !IsLetter(text.front()) || text.back() == ' ' || text.back() == ':')
    return false;
  if (IsReserved(text)) return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos)
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsAlphanumeric(c) ||
           std::string_view(" -_./:#@+=,;()").find(c) != std::string_view::npos;
  });
}

std::string Scalar(const ordered_json& value) {
  if (value.is_string() && IsPlain(value.get_ref<const std::string&>()))
    return value.get<std::string>();
  // A JSON string is a double-quoted YAML string; numbers, true, false and null are themselves.
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

bool IsBlock(const ordered_json& value) { return value.is_structured() && !value.empty(); }

void Append(std::string& out, const ordered_json& value, size_t indent);

// What follows "key:" or "-".
void AppendValue(std::string& out, const ordered_json& value, size_t indent) {
  if (IsBlock(value)) {
    out += '\n';
    Append(out, value, indent);
  } else {
    out += ' ' + Scalar(value) + '\n';
  }
}

void Append(std::string& out, const ordered_json& value, size_t indent) {
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      out.append(indent, ' ');
      out += Scalar(key) + ':';
      AppendValue(out, item, item.is_array() ? indent : indent + 2);
    }
    return;
  }
  for (const ordered_json& item : value) {
    // The item's first line takes the place of the two spaces behind the dash.
    std::string block;
    if (IsBlock(item)) {
      Append(block, item, indent + 2);
      block.replace(indent, 1, "-");
    } else {
      block = std::string(indent, ' ') + "- " + Scalar(item) + '\n';
    }
    out += block;
  }
}

}  // namespace

std::string ToYaml(const ordered_json& document) {
  if (!IsBlock(document)) return Scalar(document) + '\n';
  std::string out;
  Append(out, document, 0);
  return out;
}

}  // namespace fedra::text
