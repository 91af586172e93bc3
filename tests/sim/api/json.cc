#include "tests/sim/api/json.h"

#include <algorithm>
#include <array>

namespace fedra::sim {
namespace {

// Whether a byte can stand in a JSON string as it is. Bytes above 0x7f are parts of valid UTF-8
// already.
constexpr bool IsPlain(char c) {
  return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
}

void AppendEscape(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

void AppendString(const std::string& text, std::string& out) {
  out += '"';
  auto at = text.begin();
  while (at != text.end()) {
    const auto end = std::find_if_not(at, text.end(), IsPlain);
    out.append(at, end);
    at = end;
    if (at != text.end()) AppendEscape(*at++, out);
  }
  out += '"';
}

const Json& EmptyArray() {
  static const Json empty = Json::array();
  return empty;
}

}  // namespace

void AppendSerialized(const Json& value, std::string& out) {
  switch (value.type()) {
    case Json::value_t::object: {
      char separator = '{';
      for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
        out += separator;
        AppendString(key, out);
        out += ':';
        AppendSerialized(member, out);
        separator = ',';
      }
      out += separator == '{' ? "{}" : "}";
      return;
    }
    case Json::value_t::array: {
      char separator = '[';
      for (const Json& entry : value) {
        out += separator;
        AppendSerialized(entry, out);
        separator = ',';
      }
      out += separator == '[' ? "[]" : "]";
      return;
    }
    case Json::value_t::string:
      AppendString(value.get_ref<const std::string&>(), out);
      return;
    default:
      out += value.dump();
      return;
  }
}

std::string Serialize(const Json& value) {
  std::string out;
  out.reserve(2048);
  AppendSerialized(value, out);
  return out;
}

std::optional<Json> ParseJson(std::string_view text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

const Json* At(const Json& value, Path path) {
  const Json* at = &value;
  for (const std::string_view step : path) {
    if (!at->is_object()) return nullptr;
    const auto member = at->find(step);
    if (member == at->end()) return nullptr;
    at = &*member;
  }
  return at;
}

Json& Make(Json& value, Path path) {
  Json* at = &value;
  for (const std::string_view step : path) {
    if (!at->is_object()) *at = Json::object();
    at = &(*at)[std::string(step)];
  }
  return *at;
}

std::string_view StringAt(const Json& value, Path path) {
  const Json* at = At(value, path);
  if (at == nullptr || !at->is_string()) return {};
  return at->get_ref<const std::string&>();
}

int64_t IntAt(const Json& value, Path path, int64_t otherwise) {
  const Json* at = At(value, path);
  return at != nullptr && at->is_number() ? at->get<int64_t>() : otherwise;
}

bool BoolAt(const Json& value, Path path, bool otherwise) {
  const Json* at = At(value, path);
  return at != nullptr && at->is_boolean() ? at->get<bool>() : otherwise;
}

const Json& ArrayAt(const Json& value, Path path) {
  const Json* at = At(value, path);
  return at != nullptr && at->is_array() ? *at : EmptyArray();
}

const Json* EntryNamed(const Json& array, std::string_view field, std::string_view name) {
  for (const Json& entry : array) {
    if (StringAt(entry, {field}) == name) return &entry;
  }
  return nullptr;
}

bool Terminating(const Json& object) {
  return At(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

void DropNulls(Json& value) {
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end();) {
      if (member->is_null()) {
        member = value.erase(member);
      } else {
        DropNulls(*member++);
      }
    }
  } else if (value.is_array()) {
    for (Json& entry : value) DropNulls(entry);
  }
}

}  // namespace fedra::sim
