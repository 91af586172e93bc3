#pragma once
//
// YAML text as a tree of plain values with positions. Private to this folder: the only user of
// yaml-cpp.
//
// An own tree, because yaml-cpp's Node hides what strict decoding needs: duplicate keys, whether a
// scalar was quoted, and how large aliases make the document. Merge keys ("<<") are already
// applied.
//
// Lifetime: a tree owns everything in it. Errors: one Problem with the position, never an
// exception, for any bytes. Thread rules: pure functions.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "config/problem.h"

namespace fedra::config {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Mark mark;
  std::string tag;                 // an explicit tag such as "tag:yaml.org,2002:str"; mostly empty
  bool plain = false;              // a scalar without quotes and tag: its type depends on its text
  std::string scalar;              // kScalar
  std::vector<YamlNode> items;     // kList
  std::vector<YamlEntry> entries;  // kMap, in the file's order, duplicates included

  bool IsNull() const { return kind == Kind::kNull; }
  // The value of the first entry with this key; null when absent or when this is no map.
  const YamlNode* Find(std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

struct YamlLimits {
  size_t bytes = size_t{1} << 20;
  size_t nodes = 1'000'000;
  size_t depth = 100;
  size_t alias_bytes = size_t{4} << 20;  // memory that copies for aliases may take
};

// Every document of the text, empty ones as kNull. `filename` goes into the Problem.
tl::expected<std::vector<YamlNode>, Problem> ParseYaml(std::string_view text,
                                                       const std::string& filename,
                                                       const YamlLimits& limits);

}  // namespace fedra::config
