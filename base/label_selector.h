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

namespace fedra {

class LabelSelector final {
 public:
  using Labels = std::map<std::string, std::string, std::less<>>;

  // Matches everything.
  LabelSelector() = default;
  // kInvalidArgument, with the place, for what is no selector.
  static Result<LabelSelector> Parse(std::string_view text);

  bool Matches(const Labels& labels) const;
  bool empty() const { return requirements_.empty(); }

 private:
  struct Requirement {
    std::string key;
    std::vector<std::string> values;  // empty: any
    bool wanted = true;  // there must be a label with one of the values; else there must be none
  };
  friend class SelectorParser;
  std::vector<Requirement> requirements_;  // all of them
};

}  // namespace fedra
