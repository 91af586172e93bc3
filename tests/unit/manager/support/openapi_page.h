#pragma once
//
// docs/openapi.json, made of the API's routes, the documents' schemas and the facts of reasons.

#include <string>
#include <vector>

#include "manager/report/schema.h"

namespace fedra::testing {

// "Facts", "NewNodes" and what they are made of. What a field means is what its header says.
std::vector<report::schema::NamedSchema> FactSchemas();

report::schema::Schema OpenApiDocument();

}  // namespace fedra::testing
