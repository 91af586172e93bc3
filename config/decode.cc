#include "config/decode.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/object_names.h"
#include "base/time.h"
#include "config/exec_access.h"
#include "config/names.h"
#include "config/schema.h"
#include "config/text_rules.h"
#include "config/yaml_json.h"
#include "config/yaml_scalar.h"

namespace fedra::config {
namespace {

std::string Join(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

// The file's own text in a message: short, whatever it is.
std::string Quote(std::string_view text) {
  return text.size() <= 80 ? fmt::format("\"{}\"", text)
                           : fmt::format("\"{}...\"", text.substr(0, 77));
}

// Where a key that does not belong here would belong; for hints.
void FindKey(const Fields& fields, const std::string& path, std::string_view key,
             std::vector<std::string>& found) {
  for (const Field& field : fields) {
    const std::string here = Join(path, field.key);
    if (field.key == key) found.push_back(here);
    if (const auto* object = std::get_if<ObjectRef>(&field.binding))
      FindKey(object->fields, here, key, found);
  }
}

class Decoder final {
 public:
  Decoder(std::string filename, Decoded& out)
      : filename_(std::move(filename)), out_(out), root_(Describe(out.configuration)) {}

  void DecodeRoot(const YamlNode& document) { DecodeObject(document, root_, ""); }

 private:
  void Add(Mark mark, const std::string& path, std::string problem, std::string hint = "") {
    out_.problems.push_back({filename_, mark, path, std::move(problem), std::move(hint)});
  }
  void AddWrongKind(const YamlNode& node, const std::string& path, std::string_view wanted,
                    std::string hint = "") {
    Add(node.mark, path, fmt::format("must be {}, not {}", wanted, KindName(node)),
        std::move(hint));
  }

  void DecodeObject(const YamlNode& node, const Fields& fields, const std::string& path) {
    if (node.kind != YamlNode::Kind::kMap) return AddWrongKind(node, path, "a map");
    std::map<std::string_view, Mark> seen;
    for (const YamlEntry& entry : node.entries) {
      const Field* field = Known(entry.key, fields, path);
      if (field == nullptr) continue;
      const std::string here = Join(path, field->key);
      const auto [first, fresh] = seen.emplace(field->key, entry.key.mark);
      if (!fresh) {
        Add(entry.key.mark, here, "is there twice",
            fmt::format("first in line {}", first->second.line));
        continue;
      }
      // Null is what a key without a value is: as if the key were not there.
      if (entry.value.IsNull()) continue;
      out_.marks[here] = entry.value.mark;
      DecodeValue(entry.value, *field, here);
    }
    for (const Field& field : fields) {
      const YamlNode* value = node.Find(field.key);
      if (field.required && (value == nullptr || value->IsNull())) {
        Add(node.mark, Join(path, field.key), "is required",
            fmt::format("write {}: {}", field.key, field.example));
      }
    }
  }

  const Field* Known(const YamlNode& key, const Fields& fields, const std::string& path) {
    if (key.kind != YamlNode::Kind::kScalar) {
      Add(key.mark, path, "a key must be a string");
      return nullptr;
    }
    for (const Field& field : fields) {
      if (field.key == key.scalar) return &field;
    }
    Add(key.mark, path, fmt::format("unknown key {}", Quote(key.scalar)),
        UnknownHint(key.scalar, fields, path));
    return nullptr;
  }

  std::string UnknownHint(const std::string& key, const Fields& fields,
                          const std::string& path) const {
    // Files of before the first release may have it.
    if (key == "labels" && path.starts_with("workers["))
      return "it is no key any more and had no effect: remove it";
    std::vector<std::string> names;
    for (const Field& field : fields) names.emplace_back(field.key);
    if (const std::string closest = ClosestName(key, names); !closest.empty()) {
      return fmt::format("did you mean \"{}\"?", closest);
    }
    std::vector<std::string> elsewhere;
    FindKey(root_, "", key, elsewhere);
    if (!elsewhere.empty()) return fmt::format("did you mean {}?", fmt::join(elsewhere, " or "));
    return fmt::format("known here: {}", fmt::join(names, ", "));
  }

  void DecodeValue(const YamlNode& node, const Field& field, const std::string& path) {
    std::visit(Overloaded{
                   [&](const ConstantRef& ref) { DecodeConstant(node, ref, path); },
                   [&](const FlagRef& ref) { DecodeFlag(node, ref, path); },
                   [&](const TextRef& ref) { DecodeText(node, ref, path); },
                   [&](const NumberRef& ref) { DecodeNumber(node, ref, path); },
                   [&](const DurationRef& ref) { DecodeDuration(node, ref, path); },
                   [&](const ChoiceRef& ref) { DecodeChoice(node, ref, path); },
                   [&](const LabelsRef& ref) { DecodeLabels(node, ref, path); },
                   [&](const NamesRef& ref) { DecodeNames(node, ref, path); },
                   [&](const TextsRef& ref) { DecodeTexts(node, ref, path); },
                   [&](const JsonRef& ref) { DecodeJson(node, ref, path); },
                   [&](const ObjectRef& ref) { DecodeObject(node, ref.fields, path); },
                   [&](const ListRef& ref) { DecodeList(node, ref, path); },
               },
               field.binding);
  }

  // The string of a node; a problem and nullopt for anything else.
  std::optional<std::string> Text(const YamlNode& node, const std::string& path) {
    const bool scalar = node.kind == YamlNode::Kind::kScalar;
    if (scalar) {
      const auto value = ResolveScalar(node);
      if (value && std::holds_alternative<std::string>(*value)) return node.scalar;
    }
    AddWrongKind(node, path, "a string", scalar ? "put it in quotes" : "");
    return std::nullopt;
  }

  void DecodeConstant(const YamlNode& node, const ConstantRef& ref, const std::string& path) {
    const auto text = Text(node, path);
    if (text && *text != ref.value) {
      Add(node.mark, path, fmt::format("{} is not supported", Quote(*text)),
          fmt::format("write {}", ref.value));
    }
  }

  void DecodeFlag(const YamlNode& node, const FlagRef& ref, const std::string& path) {
    const auto value = ResolveScalar(node);
    if (node.kind == YamlNode::Kind::kScalar && value && std::holds_alternative<bool>(*value)) {
      *ref.value = std::get<bool>(*value);
      return;
    }
    AddWrongKind(node, path, "a boolean", "true or false, without quotes");
  }

  void DecodeText(const YamlNode& node, const TextRef& ref, const std::string& path) {
    const auto text = Text(node, path);
    if (!text) return;
    const std::string value = Resolved(*text, ref.rule);
    if (const auto bad = CheckTextRule(value, ref.rule))
      return Add(node.mark, path, bad->problem, bad->hint);
    *ref.value = value;
  }

  // A path is made absolute; one that makes no sense stays as it is.
  std::string Resolved(const std::string& text, TextRule rule) const {
    const bool is_path = IsPath(rule) || rule == TextRule::kCommand;
    if (!is_path || CheckTextRule(text, TextRule::kPath)) return text;
    return rule == TextRule::kCommand ? ResolveCommand(text, filename_)
                                      : ResolvePath(text, filename_);
  }

  void DecodeNumber(const YamlNode& node, const NumberRef& ref, const std::string& path) {
    const auto value = ResolveScalar(node);
    const bool scalar = node.kind == YamlNode::Kind::kScalar;
    if (!scalar || !value || !std::holds_alternative<int64_t>(*value)) {
      return AddWrongKind(node, path, "a whole number");
    }
    const int64_t number = std::get<int64_t>(*value);
    if (number < ref.min || number > ref.max) {
      return Add(node.mark, path, fmt::format("{} is out of range", number),
                 fmt::format("{} to {}", ref.min, ref.max));
    }
    *ref.value = static_cast<int>(number);
  }

  void DecodeDuration(const YamlNode& node, const DurationRef& ref, const std::string& path) {
    if (node.kind != YamlNode::Kind::kScalar) return AddWrongKind(node, path, "a duration");
    const auto duration = ParseDuration(node.scalar);
    if (!duration) return Add(node.mark, path, duration.error().message);
    if (*duration < ref.min || *duration > ref.max) {
      return Add(node.mark, path, fmt::format("{} is out of range", node.scalar),
                 fmt::format("{} to {}", FormatDuration(ref.min), FormatDuration(ref.max)));
    }
    *ref.value = *duration;
  }

  // By its text, because YAML takes a bare Off for a boolean and 1.1 for a number.
  void DecodeChoice(const YamlNode& node, const ChoiceRef& ref, const std::string& path) {
    if (node.kind != YamlNode::Kind::kScalar) return AddWrongKind(node, path, "a word");
    const auto found = std::find(ref.names.begin(), ref.names.end(), node.scalar);
    if (found != ref.names.end()) return ref.set(static_cast<size_t>(found - ref.names.begin()));
    Add(node.mark, path,
        fmt::format("{} is not one of {}", Quote(node.scalar), fmt::join(ref.names, ", ")),
        CaseHint(node.scalar, ref.names));
  }

  static std::string CaseHint(const std::string& text, const std::vector<std::string_view>& names) {
    const std::string closest = ClosestName(text, {names.begin(), names.end()});
    return closest.empty() ? "" : fmt::format("did you mean \"{}\"?", closest);
  }

  void DecodeLabels(const YamlNode& node, const LabelsRef& ref, const std::string& path) {
    if (node.kind != YamlNode::Kind::kMap) return AddWrongKind(node, path, "a map");
    for (const YamlEntry& entry : node.entries) {
      const std::string& key = entry.key.scalar;
      if (!IsQualifiedName(key)) {
        Add(entry.key.mark, path, fmt::format("{} is not a label key", Quote(key)));
        continue;
      }
      const std::string here = fmt::format("{}[{}]", path, key);
      const auto value = Text(entry.value, here);
      if (!value) continue;
      if (!IsLabelValue(*value)) {
        Add(entry.value.mark, here, fmt::format("{} is not a label value", Quote(*value)));
      } else if (!ref.value->emplace(key, *value).second) {
        Add(entry.key.mark, here, "is there twice");
      }
    }
  }

  void DecodeNames(const YamlNode& node, const NamesRef& ref, const std::string& path) {
    if (node.kind != YamlNode::Kind::kList) return AddWrongKind(node, path, "a list");
    for (size_t i = 0; i < node.items.size(); ++i) {
      const std::string here = fmt::format("{}[{}]", path, i);
      const auto text = Text(node.items[i], here);
      if (!text) continue;
      if (!IsQualifiedName(*text)) {
        Add(node.items[i].mark, here, fmt::format("{} is not a qualified name", Quote(*text)),
            "such as gpu.nvidia.com/MPSSupport");
      } else {
        ref.value->push_back(*text);
      }
    }
  }

  void DecodeTexts(const YamlNode& node, const TextsRef& ref, const std::string& path) {
    if (node.kind != YamlNode::Kind::kList) return AddWrongKind(node, path, "a list");
    for (size_t i = 0; i < node.items.size(); ++i)
      DecodeText(node.items[i], {&ref.value->emplace_back(), ref.rule},
                 fmt::format("{}[{}]", path, i));
  }

  void DecodeJson(const YamlNode& node, const JsonRef& ref, const std::string& path) {
    if (node.kind != YamlNode::Kind::kMap) return AddWrongKind(node, path, "a map");
    auto text = TreeToJson(node);
    if (!text) return Add(node.mark, path, text.error().message);
    *ref.value = *std::move(text);
  }

  void DecodeList(const YamlNode& node, const ListRef& ref, const std::string& path) {
    if (node.kind != YamlNode::Kind::kList) return AddWrongKind(node, path, "a list");
    ref.resize(node.items.size());
    for (size_t i = 0; i < node.items.size(); ++i) {
      const std::string here = fmt::format("{}[{}]", path, i);
      out_.marks[here] = node.items[i].mark;
      DecodeObject(node.items[i], ref.at(i), here);
    }
  }

  const std::string filename_;
  Decoded& out_;
  const Fields root_;
};

}  // namespace

Decoded Decode(const YamlNode& document, const std::string& filename) {
  Decoded decoded;
  Decoder(filename, decoded).DecodeRoot(document);
  return decoded;
}

}  // namespace fedra::config
