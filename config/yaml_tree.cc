#include "config/yaml_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/utf8.h"
#include "config/text_check.h"

namespace fedra::config {
namespace {

Mark FromYaml(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Our own reason to stop; thrown through yaml-cpp's parser and caught in ParseYaml.
struct Refusal {
  Mark mark;
  std::string problem;
  std::string hint;
};

size_t MemoryOf(const YamlNode& node) {
  size_t bytes = sizeof(YamlNode) + node.scalar.size();
  for (const YamlNode& item : node.items) bytes += MemoryOf(item);
  for (const YamlEntry& entry : node.entries) bytes += MemoryOf(entry.key) + MemoryOf(entry.value);
  return bytes;
}

bool IsMergeKey(const YamlNode& key) {
  return key.kind == YamlNode::Kind::kScalar && key.plain && key.scalar == "<<";
}

using KeySet = std::set<std::string, std::less<>>;

// Appends the entries of a merged map that the map does not have yet.
void MergeInto(std::vector<YamlEntry>& entries, KeySet& known, const YamlNode& source) {
  if (source.kind != YamlNode::Kind::kMap) {
    throw Refusal{source.mark, "\"<<\" merges a map or a list of maps only", ""};
  }
  for (const YamlEntry& entry : source.entries) {
    if (known.insert(entry.key.scalar).second) entries.push_back(entry);
  }
}

void ApplyMergeKeys(YamlNode& map) {
  const auto is_merge = [](const YamlEntry& entry) { return IsMergeKey(entry.key); };
  if (std::none_of(map.entries.begin(), map.entries.end(), is_merge)) return;
  std::vector<YamlEntry> own;
  std::vector<YamlNode> sources;
  for (YamlEntry& entry : map.entries) {
    if (!is_merge(entry)) {
      own.push_back(std::move(entry));
    } else if (entry.value.kind == YamlNode::Kind::kList) {
      for (YamlNode& item : entry.value.items) sources.push_back(std::move(item));
    } else {
      sources.push_back(std::move(entry.value));
    }
  }
  KeySet known;
  for (const YamlEntry& entry : own) known.insert(entry.key.scalar);
  for (const YamlNode& source : sources) MergeInto(own, known, source);
  map.entries = std::move(own);
}

// Builds the trees of a text from yaml-cpp's events, one document after the other. The limits count
// over all documents.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

  std::vector<YamlNode> Take() { return std::move(documents_); }

  // yaml-cpp 0.7 does not consume a stray "," or "]" after a document, and would find an empty
  // document there for ever.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == document_start_)
      throw Refusal{FromYaml(mark), "not valid YAML: unexpected text", ""};
    document_start_ = mark.pos;
    anchors_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Finish(NewNode(YamlNode::Kind::kNull, mark, ""), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    // yaml-cpp 0.7 turns these two escapes into single bytes that are no UTF-8.
    if (!IsUtf8(value)) {
      throw Refusal{FromYaml(mark), R"(the escapes \N and \_ are not supported)",
                    R"(write \x85 or \xa0)"};
    }
    YamlNode node = NewNode(YamlNode::Kind::kScalar, mark, tag);
    node.plain = tag == "?";
    node.scalar = value;
    Finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Refusal{FromYaml(mark), "an alias inside its own anchor", ""};
    Spend(MemoryOf(found->second), mark);
    Attach(found->second);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(NewNode(YamlNode::Kind::kList, mark, tag), anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(NewNode(YamlNode::Kind::kMap, mark, tag), anchor);
  }
  void OnMapEnd() override {
    ApplyMergeKeys(open_.back().node);
    Close();
  }

 private:
  // A list or map whose end has not come yet.
  struct OpenNode {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // the last entry of a map waits for its value
  };

  YamlNode NewNode(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    if (++nodes_ > limits_.nodes) {
      throw Refusal{FromYaml(mark), fmt::format("more than {} values", limits_.nodes), ""};
    }
    YamlNode node;
    node.kind = kind;
    node.mark = FromYaml(mark);
    if (tag != "?" && tag != "!") node.tag = tag;
    return node;
  }

  void Spend(size_t bytes, const YAML::Mark& mark) {
    alias_bytes_ += bytes;
    if (alias_bytes_ > limits_.alias_bytes) {
      throw Refusal{FromYaml(mark), "aliases make the document too large", "write the values out"};
    }
  }

  void Open(YamlNode node, YAML::anchor_t anchor) {
    if (open_.size() >= limits_.depth) {
      throw Refusal{node.mark, fmt::format("nested more than {} levels deep", limits_.depth), ""};
    }
    open_.push_back({std::move(node), anchor, false});
  }

  void Close() {
    OpenNode closed = std::move(open_.back());
    open_.pop_back();
    Finish(std::move(closed.node), closed.anchor);
  }

  void Finish(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      Spend(MemoryOf(node), YAML::Mark());
      anchors_[anchor] = node;
    }
    Attach(std::move(node));
  }

  void Attach(YamlNode node) {
    if (open_.empty()) {
      documents_.push_back(std::move(node));
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.node.entries.back().value = std::move(node);
      parent.has_key = false;
    } else {
      parent.node.entries.push_back({std::move(node), YamlNode()});
      parent.has_key = true;
    }
  }

  const YamlLimits limits_;
  std::vector<OpenNode> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::vector<YamlNode> documents_;
  int document_start_ = -1;
  size_t nodes_ = 0;
  size_t alias_bytes_ = 0;
};

// yaml-cpp's messages may end in text of the file ("unknown escape character: x"): that part is
// dropped.
std::string WithoutContent(const std::string& message) {
  return message.substr(0, message.find(": "));
}

// Most of what the parser rejects.
constexpr const char* kYamlHint = "check the indentation (spaces, no tabs), brackets and quotes";

Problem InFile(const std::string& filename, Mark mark, std::string problem, std::string hint = "") {
  return {filename, mark, "", std::move(problem), std::move(hint)};
}

std::vector<YamlNode> ParseDocuments(std::string_view text, const YamlLimits& limits) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder builder(limits);
  while (parser.HandleNextDocument(builder)) {
  }
  return builder.Take();
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const YamlEntry& entry) {
    return entry.key.kind == Kind::kScalar && entry.key.scalar == key;
  });
  return found == entries.end() ? nullptr : &found->value;
}

tl::expected<std::vector<YamlNode>, Problem> ParseYaml(std::string_view text,
                                                       const std::string& filename,
                                                       const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    return tl::make_unexpected(
        InFile(filename, {}, fmt::format("larger than {} KiB", limits.bytes / 1024)));
  }
  if (auto bad = CheckText(text)) {
    return tl::make_unexpected(
        InFile(filename, bad->mark, bad->why, "the file must be UTF-8 text"));
  }
  try {
    return ParseDocuments(text, limits);
  } catch (const Refusal& refusal) {
    return tl::make_unexpected(InFile(filename, refusal.mark, refusal.problem, refusal.hint));
  } catch (const YAML::Exception& error) {
    return tl::make_unexpected(InFile(filename, FromYaml(error.mark),
                                      "not valid YAML: " + WithoutContent(error.msg), kYamlHint));
  } catch (const std::exception&) {
    return tl::make_unexpected(InFile(filename, {}, "not valid YAML", kYamlHint));
  }
}

}  // namespace fedra::config
