#pragma once
//
// What a document may hold, as JSON Schema 2020-12, the dialect of OpenAPI 3.1. Pure functions; the
// schemas of the documents are in document_schemas.h.
//
// Objects are open, for later versions may add fields. What tests documents against a schema closes
// them: there a field that no schema knows is a mistake.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace fedra::report::schema {

using Schema = nlohmann::ordered_json;

// One field of an object.
struct Field {
  std::string_view name;
  Schema schema;
  std::string meaning;
  bool is_optional = false;  // left out where there is nothing to say
};

// A schema that others name by Ref().
struct NamedSchema {
  std::string name;
  Schema schema;
};

Schema Text();
Schema Number();  // a whole one
Schema Fraction();
Schema Flag();
Schema Time();  // RFC 3339
// This text and no other.
Schema Always(std::string_view text);
// One of these texts; later versions may have more.
Schema OneOf(const std::vector<std::string_view>& words);
// The names that ToString() gives the values of an enum, for OneOf().
template <class Values>
std::vector<std::string_view> NamesOf(const Values& values) {
  std::vector<std::string_view> names;
  for (const auto& value : values) names.push_back(ToString(value));
  return names;
}
Schema ListOf(Schema item);
// An object whose fields are called by what they are about.
Schema MapOf(Schema value);
Schema Ref(std::string_view name);
Schema Object(std::string_view meaning, const std::vector<Field>& fields);

// A field that may be left out.
Field Maybe(std::string_view name, Schema schema, std::string meaning);
// Two lists of fields, one behind the other.
std::vector<Field> operator+(std::vector<Field> first, const std::vector<Field>& more);

}  // namespace fedra::report::schema
