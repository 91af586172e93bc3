#pragma once
//
// Rules over the fields of a JSON object, as tables of kinds and the configuration write them:
//
//   tests   status.phase=Done|Failed and status.active>0    one of these values; a number above;
//           status.state!=|Suspended                        none of these: neither absent nor this
//   counts  replicas x min(parallelism, completions?)       a product of fields and of least
//   fields;
//           replicas?0                                      an absent one counts as 0, not as 1;
//                                                           with ? alone it does not count
//
// Thread rules: plain values and pure functions. Errors: kInvalidArgument, with what is wrong.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_path.h"
#include "base/result.h"

namespace fedra {

// Whether something at `path` is one of `values` (or is none of them), or is a number
// above `above`. What is absent counts as the empty text.
struct FieldTest {
  FieldPath path;
  std::vector<std::string> values = {};
  bool is_none_of = false;
  std::optional<int> above = std::nullopt;  // then `values` do not count
  bool operator==(const FieldTest&) const = default;
};

using AllOf = std::vector<FieldTest>;
using AnyOf = std::vector<AllOf>;

// A number at a field. Absent without `absent`: it does not count.
struct CountTerm {
  FieldPath path;
  std::optional<int> absent = 1;
  bool operator==(const CountTerm&) const = default;
};

// The least of its terms.
using CountFactor = std::vector<CountTerm>;

// "a=b and c>0". At least one test.
Result<AllOf> ParseTests(std::string_view text);
// "a x min(b, c)". At least one factor.
Result<std::vector<CountFactor>> ParseCount(std::string_view text);
// As ParseCount reads it; "1" without factors.
std::string ToString(const std::vector<CountFactor>& count);

}  // namespace fedra
