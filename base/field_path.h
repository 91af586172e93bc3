#pragma once
//
// The name of a place in a JSON object, as tables of kinds and the configuration write it:
// "spec.replicatedJobs[*].template.spec.template".
//
//   key          the member of that name
//   [*]          every element of a list, every value of a map
//   [key=text]   of a list the elements, of an object itself, whose member `key` is that text:
//                status.conditions[type=Complete].status; [key?=text]: or has no `key`
//
// Thread rules: plain values and pure functions.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fedra {

class FieldPath final {
 public:
  struct Step {
    enum class Kind { kMember, kEach, kWhere };
    Kind kind = Kind::kMember;
    std::string key;    // kMember, kWhere
    std::string value;  // kWhere
    bool operator==(const Step&) const = default;
  };

  FieldPath() = default;  // the object itself
  // For rows that are written in the code: a path that cannot be read aborts.
  FieldPath(const char* text);  // NOLINT(google-explicit-constructor): rows are tables of literals
  // kInvalidArgument with what is wrong at which character.
  static Result<FieldPath> Parse(std::string_view text);

  const std::vector<Step>& steps() const { return steps_; }
  bool empty() const { return steps_.empty(); }
  // As it was written.
  const std::string& text() const { return text_; }
  // Whether it names one place in every object, so that something can be written there.
  bool IsPlain() const;

  bool operator==(const FieldPath&) const = default;

 private:
  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace fedra
