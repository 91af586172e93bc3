#include "config/kubeconfig_section.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "config/files.h"
#include "config/text_rules.h"
#include "config/yaml_scalar.h"

namespace fedra::config {
namespace {

constexpr size_t kMaxCredentialBytes = size_t{1} << 20;

}  // namespace

KubeconfigSection::KubeconfigSection(KubeconfigReading& reading, const YamlNode& node,
                                     std::string path)
    : reading_(reading), node_(node), path_(std::move(path)) {
  if (node.kind != YamlNode::Kind::kMap) {
    Problem("", fmt::format("must be a map, not {}", KindName(node)));
    return;
  }
  std::set<std::string_view> seen;
  for (const YamlEntry& entry : node.entries) {
    if (!seen.insert(entry.key.scalar).second) {
      reading_.problems.push_back(
          {reading_.path, entry.key.mark, path_, "has a key twice", "remove one of them"});
    }
  }
}

bool KubeconfigSection::Has(std::string_view key) const { return Child(key) != nullptr; }

const YamlNode* KubeconfigSection::Child(std::string_view key) const {
  const YamlNode* child = node_.Find(key);
  return child != nullptr && child->IsNull() ? nullptr : child;
}

std::string KubeconfigSection::Text(std::string_view key) {
  const YamlNode* child = Child(key);
  if (child == nullptr) return "";
  if (child->kind == YamlNode::Kind::kScalar) {
    const auto value = ResolveScalar(*child);
    if (value && std::holds_alternative<std::string>(*value)) return child->scalar;
    Problem(key, fmt::format("must be a string, not {}", KindName(*child)), "put it in quotes");
  } else {
    Problem(key, fmt::format("must be a string, not {}", KindName(*child)));
  }
  return "";
}

bool KubeconfigSection::Flag(std::string_view key) {
  const YamlNode* child = Child(key);
  if (child == nullptr) return false;
  const auto value = child->kind == YamlNode::Kind::kScalar ? ResolveScalar(*child) : std::nullopt;
  if (value && std::holds_alternative<bool>(*value)) return std::get<bool>(*value);
  Problem(key, fmt::format("must be a boolean, not {}", KindName(*child)));
  return false;
}

std::vector<std::string> KubeconfigSection::TextList(std::string_view key) {
  std::vector<std::string> texts;
  const YamlNode* child = Child(key);
  if (child == nullptr) return texts;
  if (child->kind != YamlNode::Kind::kList) {
    Problem(key, fmt::format("must be a list, not {}", KindName(*child)));
    return texts;
  }
  for (const YamlNode& item : child->items) {
    const auto value = item.kind == YamlNode::Kind::kScalar ? ResolveScalar(item) : std::nullopt;
    if (!value || !std::holds_alternative<std::string>(*value)) {
      Problem(key, fmt::format("must be a list of strings, but holds {}", KindName(item)),
              "put it in quotes");
      continue;
    }
    texts.push_back(item.scalar);
  }
  return texts;
}

Credential KubeconfigSection::DataOrFile(std::string_view data_key, std::string_view file_key) {
  const std::string data = Text(data_key);
  if (data.empty()) return {File(file_key), Has(file_key) ? file_key : ""};
  if (Has(file_key))
    Warning(file_key, fmt::format("is not used, because {} is there too", data_key));
  auto decoded = Base64Decode(data);
  if (!decoded) {
    Problem(data_key, "is not base64", "base64 -w0 FILE");
    return {"", data_key};
  }
  return {*std::move(decoded), data_key};
}

std::string KubeconfigSection::FilePath(std::string_view key) {
  const std::string path = Text(key);
  if (path.empty()) return "";
  if (reading_.options.foreign) {
    Problem(key, "names a file, which is refused: it would be read as fedra on fedra's machine",
            key == "tokenFile" ? std::string("write the token itself, as token: TOKEN")
                               : fmt::format("write what is in it as {}-data, in base64", key));
    return "";
  }
  if (const auto bad = CheckTextRule(path, TextRule::kPath)) {
    Problem(key, bad->problem, bad->hint);
    return "";
  }
  return ResolvePath(path, reading_.path);
}

std::string KubeconfigSection::File(std::string_view key) {
  const std::string path = FilePath(key);
  if (path.empty()) return "";
  reading_.access.files.push_back(path);
  auto content = ReadSmallFile(path, kMaxCredentialBytes);
  if (!content) {
    Problem(key, fmt::format("{}: {}", path, content.error()));
    return "";
  }
  if (content->empty()) Problem(key, fmt::format("{}: the file is empty", path));
  return *std::move(content);
}

config::Problem KubeconfigSection::Make(std::string_view key, std::string problem,
                                        std::string hint) const {
  const YamlNode* child = key.empty() ? nullptr : node_.Find(key);
  const Mark mark = child != nullptr ? child->mark : node_.mark;
  std::string path = path_;
  if (!key.empty()) path += (path.empty() ? "" : ".") + std::string(key);
  return {reading_.path, mark, std::move(path), std::move(problem), std::move(hint)};
}

void KubeconfigSection::Problem(std::string_view key, std::string problem, std::string hint) {
  reading_.problems.push_back(Make(key, std::move(problem), std::move(hint)));
}

void KubeconfigSection::Warning(std::string_view key, std::string problem, std::string hint) {
  reading_.access.warnings.push_back(Make(key, std::move(problem), std::move(hint)));
}

}  // namespace fedra::config
