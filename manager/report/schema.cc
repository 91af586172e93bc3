#include "manager/report/schema.h"

#include <utility>

namespace fedra::report::schema {

Schema Text() { return {{"type", "string"}}; }
Schema Number() { return {{"type", "integer"}}; }
Schema Fraction() { return {{"type", "number"}}; }
Schema Flag() { return {{"type", "boolean"}}; }
Schema Time() { return {{"type", "string"}, {"format", "date-time"}}; }

Schema Always(std::string_view text) { return {{"type", "string"}, {"const", text}}; }

Schema OneOf(const std::vector<std::string_view>& words) {
  return {{"type", "string"}, {"x-extensible-enum", words}};
}

Schema ListOf(Schema item) { return {{"type", "array"}, {"items", std::move(item)}}; }

Schema MapOf(Schema value) {
  return {{"type", "object"}, {"additionalProperties", std::move(value)}};
}

Schema Ref(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

Schema Object(std::string_view meaning, const std::vector<Field>& fields) {
  Schema schema = {{"type", "object"}, {"description", meaning}};
  Schema required = Schema::array();
  Schema& properties = schema["properties"] = Schema::object();
  for (const Field& field : fields) {
    Schema& property = properties[std::string(field.name)] = field.schema;
    if (!field.meaning.empty()) property["description"] = field.meaning;
    if (!field.is_optional) required.push_back(field.name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Field Maybe(std::string_view name, Schema schema, std::string meaning) {
  return {name, std::move(schema), std::move(meaning), /*is_optional=*/true};
}

std::vector<Field> operator+(std::vector<Field> first, const std::vector<Field>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace fedra::report::schema
