#pragma once
//
// Label and field selectors of list and watch requests.
//
// Thread rules: plain values.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/api/status.h"

namespace fedra::sim {

using Labels = std::map<std::string, std::string, std::less<>>;

// "a=b,c!=d,e in (f,g),h notin (i),j,!k". Empty: everything matches.
class LabelSelector final {
 public:
  static Outcome<LabelSelector> Parse(std::string_view text);
  bool Matches(const Labels& labels) const;

 private:
  enum class Operator { kIn, kNotIn, kExists, kMissing };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };
  static bool ParseOne(std::string_view text, Requirement& requirement);

  std::vector<Requirement> requirements_;
};

// "metadata.name=x,metadata.namespace!=y": the two fields that every resource supports.
class FieldSelector final {
 public:
  static Outcome<FieldSelector> Parse(std::string_view text);
  bool Matches(std::string_view ns, std::string_view name) const;

 private:
  struct Requirement {
    bool name = true;  // else the namespace
    bool equal = true;
    std::string value;
  };
  std::vector<Requirement> requirements_;
};

}  // namespace fedra::sim
