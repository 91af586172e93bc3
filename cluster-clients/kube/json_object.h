#pragma once
//
// JSON text of one object to a nlohmann::json.
//
// Read by Boost.JSON's parser, because this text is the largest part of what a job costs
// (docs/performance.md); nlohmann's own gives the same values (tests/fuzz/json_object_fuzz.cc).

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fedra::kube {

// Exactly one object, with white space around it at most. Nothing: it is none, is broken, or is
// nested deeper than kMaxDepth.
//
// Its metadata.managedFields are left out: who wrote which field is of no interest to fedra, and
// often half of an object.
std::optional<nlohmann::json> ParseObject(std::string_view text);

}  // namespace fedra::kube
