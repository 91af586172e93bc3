#pragma once
//
// docs/openapi.json, as it is in the source: what the API has, for programs. `make docs` makes it
// of the routes and of the documents' schemas. Plain values.

#include <span>
#include <string_view>

namespace fedra::api {

struct BuiltInFile {
  std::string_view name;
  std::string_view text;
};

// One file.
std::span<const BuiltInFile> OpenApi();

}  // namespace fedra::api
