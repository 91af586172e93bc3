#pragma once
//
// Two JSON values compared field by field, in words for a person.
//
// Pure functions. Lists are compared element by element; a member that one side lacks is one
// difference, however much is below it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fedra::verify {

struct FieldDifference {
  std::string path;  // "spec.spec.devices.requests[0].exactly.count"
  // Compact JSON, cut when it is long; absent: there is no such field on that side.
  std::optional<std::string> there;
  std::optional<std::string> here;
};

struct Differences {
  std::vector<FieldDifference> first;  // in the order of the fields' names, a few of them
  size_t total = 0;
};

// `path` stands before every path. Keeps the first `limit`, counts all.
Differences Compare(const nlohmann::json& there, const nlohmann::json& here, std::string_view path,
                    size_t limit);

// "spec.a: 2 there, 1 on the manager; spec.b: absent there, 1 on the manager; and 3 more".
std::string ToString(const Differences& differences);

// How a worker's template spec differs from the manager's: both as canonical text (claim_form.h),
// which is not equal.
std::string TemplateDifference(const std::string& there, const std::string& here);

}  // namespace fedra::verify
