#pragma once
//
// Label selectors as kubectl's -l takes them: "app=train,tier!=test,size in (s,m),!old,gpu".
//
// Source: Parse in staging/src/k8s.io/apimachinery/pkg/labels/selector.go of Kubernetes v1.36.3,
// without its operators < and >. Pure; plain values.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fedra::cli {

using Labels = std::map<std::string, std::string, std::less<>>;

class LabelSelector final {
 public:
  // Matches everything.
  LabelSelector() = default;
  // kInvalidArgument, with the place, for what is no selector.
  static Result<LabelSelector> Parse(std::string_view text);

  bool Matches(const Labels& labels) const;
  bool empty() const { return requirements_.empty(); }

 private:
  struct Requirement {
    std::string key;
    bool exists = true;  // the label must be there, unless `in` is false or `values` are absent
    bool in = true;      // its value must be one of `values`; else it must not
    std::vector<std::string> values;  // empty: any
  };
  friend class SelectorParser;
  std::vector<Requirement> requirements_;  // all of them
};

}  // namespace fedra::cli
