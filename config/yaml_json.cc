#include "config/yaml_json.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "config/yaml_scalar.h"
#include "config/yaml_tree.h"

namespace fedra::config {
namespace {

// Thrown and caught inside this file only.
struct CannotConvert {
  Mark mark;
  std::string why;
};

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  out += '"';
}

ScalarValue Resolve(const YamlNode& node) {
  auto value = ResolveScalar(node);
  if (!value) throw CannotConvert{node.mark, "the value does not fit its tag " + node.tag};
  return *std::move(value);
}

// The key as sigs.k8s.io/yaml writes it: "yes: 1" has the key "true".
std::string KeyText(const YamlNode& key) {
  if (key.kind == YamlNode::Kind::kList || key.kind == YamlNode::Kind::kMap) {
    throw CannotConvert{key.mark, "a key must be a scalar"};
  }
  const ScalarValue value = Resolve(key);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value);
      number != nullptr && std::isfinite(*number)) {
    return fmt::format("{}", static_cast<float>(*number));
  }
  throw CannotConvert{key.mark, "a key must be a string, a number or a boolean"};
}

void AppendScalar(std::string& out, const YamlNode& node) {
  const ScalarValue value = Resolve(node);
  if (std::holds_alternative<std::monostate>(value)) {
    out += "null";
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    AppendJsonString(out, *text);
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (const auto* large = std::get_if<uint64_t>(&value)) {
    out += std::to_string(*large);
  } else if (const double real = std::get<double>(value); std::isfinite(real)) {
    out += fmt::format("{}", real);
  } else {
    throw CannotConvert{node.mark, "JSON has no infinite numbers"};
  }
}

void AppendNode(std::string& out, const YamlNode& node);

void AppendMap(std::string& out, const YamlNode& node) {
  std::set<std::string> seen;
  out += '{';
  for (const YamlEntry& entry : node.entries) {
    std::string key = KeyText(entry.key);
    if (!seen.empty()) out += ',';
    AppendJsonString(out, key);
    out += ':';
    AppendNode(out, entry.value);
    if (const auto [at, fresh] = seen.insert(std::move(key)); !fresh) {
      throw CannotConvert{entry.key.mark, fmt::format("key \"{}\" is there twice", *at)};
    }
  }
  out += '}';
}

void AppendList(std::string& out, const YamlNode& node) {
  out += '[';
  for (size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out += ',';
    AppendNode(out, node.items[i]);
  }
  out += ']';
}

// Recursion is bounded by the depth limit of the parser.
void AppendNode(std::string& out, const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kMap:
      return AppendMap(out, node);
    case YamlNode::Kind::kList:
      return AppendList(out, node);
    case YamlNode::Kind::kNull:
    case YamlNode::Kind::kScalar:
      return AppendScalar(out, node);
  }
}

size_t ValuesIn(const YamlNode& node) {
  size_t values = 1;
  for (const YamlNode& item : node.items) values += ValuesIn(item);
  for (const YamlEntry& entry : node.entries) values += ValuesIn(entry.key) + ValuesIn(entry.value);
  return values;
}

std::string Describe(Mark mark, std::string_view problem) {
  if (mark.line == 0) return std::string(problem);
  return fmt::format("line {}, column {}: {}", mark.line, mark.column, problem);
}

}  // namespace

Result<std::vector<YamlDocument>> ReadYaml(std::string_view text, const YamlBounds& bounds) {
  if (text.size() > kMostYaml)
    return Fail(ErrorCode::kTooLarge, fmt::format("larger than {} MiB", kMostYaml >> 20));
  auto trees = ParseYaml(text, "",
                         {.bytes = kMostYaml,
                          .nodes = bounds.values,
                          .depth = 100,
                          .alias_bytes = bounds.alias_bytes});
  if (!trees) {
    return Fail(ErrorCode::kInvalidArgument, Describe(trees.error().mark, trees.error().problem));
  }
  std::vector<YamlDocument> documents;
  try {
    for (YamlNode& tree : *trees) {
      if (tree.IsNull()) continue;
      YamlDocument& document = documents.emplace_back();
      AppendNode(document.json, tree);
      document.values = ValuesIn(tree);
      document.places = YamlPlaces(std::make_shared<const YamlNode>(std::move(tree)));
    }
  } catch (const CannotConvert& error) {
    return Fail(ErrorCode::kInvalidArgument, Describe(error.mark, error.why));
  }
  return documents;
}

Result<std::string> TreeToJson(const YamlNode& tree) {
  std::string json;
  try {
    AppendNode(json, tree);
  } catch (const CannotConvert& error) {
    return Fail(ErrorCode::kInvalidArgument, Describe(error.mark, error.why));
  }
  return json;
}

Result<std::vector<std::string>> YamlToJson(std::string_view text) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<YamlDocument> documents, ReadYaml(text));
  std::vector<std::string> texts;
  for (YamlDocument& document : documents) texts.push_back(std::move(document.json));
  return texts;
}

}  // namespace fedra::config
