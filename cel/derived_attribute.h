#pragma once
//
// Derived attributes of claims: an expression over a device whose value counts in constraints like
// an attribute of that device (gate DRADerivedAttributes, alpha in Kubernetes 1.37).
//
// Source: EvaluateDerivedAttribute and validateOutputType in
// k8s.io/dynamic-resource-allocation/cel/compile.go of 1.37.2. An evaluation error makes the
// scheduler abort the whole pod, as a selector's does.
//
// Thread rules: as for Selector.

#include <memory>
#include <string>
#include <string_view>

#include "cel/selector.h"

namespace fedra::cel {

struct DerivedValue {
  AttributeValue value;  // monostate only with an error
  std::string error;     // in the words of cel-go and of the scheduler; empty: there is a value

  bool failed() const { return !error.empty(); }
};

class DerivedAttribute final {
 public:
  DerivedValue Evaluate(const Device& device) const;

 private:
  friend tl::expected<DerivedAttribute, CompileFailure> CompileDerivedAttribute(
      std::string_view, const SelectorOptions&);
  struct Impl;
  explicit DerivedAttribute(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

// As a scheduler does. The result type must be bool, int, string, a version or unknown, or a list
// of one of these.
tl::expected<DerivedAttribute, CompileFailure> CompileDerivedAttribute(
    std::string_view expression, const SelectorOptions& options = {});

}  // namespace fedra::cel
