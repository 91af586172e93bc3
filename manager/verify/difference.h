#pragma once
//
// Two JSON values compared field by field.
//
// Pure functions. Lists are compared element by element; a member that one side lacks is one
// difference, however much is below it.

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "verdict/object_facts.h"

namespace fedra::verify {

// `path` is put before every path. Keeps the first `limit` in the order of the fields' names,
// counts all; whose they are is left open.
verdict::Drift Compare(const nlohmann::json& there, const nlohmann::json& here,
                       std::string_view path, size_t limit);

// How a worker's template spec differs from the manager's: both as canonical text
// (template_canonical.h), which is not equal.
verdict::Drift TemplateDrift(const std::string& there, const std::string& here);
// The same in words, as verdict::DifferencesText().
std::string TemplateDifference(const std::string& there, const std::string& here);

}  // namespace fedra::verify
