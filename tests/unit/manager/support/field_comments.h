#pragma once
//
// What the headers of facts say about structs and their fields, for the page about them. Reads the
// way these headers are written: a comment above a struct is about it, one above or behind a field
// is about that field.

#include <map>
#include <string>
#include <utility>

namespace fedra::testing {

struct FieldComments {
  std::map<std::string, std::string> structs;                         // "Drift::Field"
  std::map<std::pair<std::string, std::string>, std::string> fields;  // struct, name in C++
};

FieldComments ReadFieldComments(const std::string& header);

}  // namespace fedra::testing
