#pragma once
//
// The facts of reasons as JSON, in the store and for programs: {"type": "Missing", "kind": ...},
// with the names of verdict/fact_fields.h. What is empty, false or absent is left out; numbers are
// not. docs/facts.md lists the types.
//
// Pure; what is read back equals what was written.

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "verdict/reason.h"

namespace fedra::verify {

nlohmann::ordered_json FactsJson(const verdict::Facts& facts);
// Nothing when it is no such object: a later release may know more types.
std::optional<verdict::Facts> ParseFacts(const nlohmann::ordered_json& value);

// {"nodes": 1, "devices": {"gpu": 8}, "labels": {}}
nlohmann::ordered_json NewNodesJson(const verdict::NewNodes& nodes);
std::optional<verdict::NewNodes> ParseNewNodes(const nlohmann::ordered_json& value);

// A list of {"rule": "OtherDriver", "devices": 8, "what": "other driver"}: with the words.
nlohmann::ordered_json CountsJson(const std::vector<verdict::CountedCause>& parts);

}  // namespace fedra::verify
