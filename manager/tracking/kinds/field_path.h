#pragma once
//
// What is at a FieldPath of a JSON object, and how it is changed there.
//
// Thread rules: pure functions.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/field_path.h"

namespace fedra::tracking {

// What is there, in the order of the object; nulls count as absent.
std::vector<const nlohmann::json*> FindAll(const nlohmann::json& object, const FieldPath& path);
std::vector<nlohmann::json*> FindAll(nlohmann::json& object, const FieldPath& path);
// The first of them; null when there is none.
const nlohmann::json& FindFirst(const nlohmann::json& object, const FieldPath& path);
// Writes a value at a plain path, and makes the objects that lead to it.
void PutAt(nlohmann::json& object, const FieldPath& path, nlohmann::json value);
// Removes what is there; a list loses its elements.
void EraseAt(nlohmann::json& object, const FieldPath& path);

}  // namespace fedra::tracking
