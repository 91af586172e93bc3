#include "tests/unit/manager/support/contract.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "base/time.h"
#include "manager/report/schema.h"
#include "tests/support/catch.h"

namespace fedra::testing {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchemas = "#/components/schemas/";

Json SchemasOfFile() {
  std::ifstream file(std::string(FEDRA_TEST_DATA) + "/../../docs/openapi.json");
  return Json::parse(file).at("components").at("schemas");
}

std::string NameIn(const Json& ref) { return ref.get<std::string>().substr(kSchemas.size()); }

bool HasType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return type == "number" && value.is_number();
}

}  // namespace

Contract::Contract() : schemas_(SchemasOfFile()) {}

std::vector<std::string> Contract::MistakesIn(const std::string& schema, const Json& document) {
  mistakes_.clear();
  Hold(document, report::schema::Ref(schema), "");
  return std::exchange(mistakes_, {});
}

std::set<std::string> Contract::Unseen() const {
  std::set<std::string> unseen;
  for (const auto& [name, schema] : schemas_.items()) {
    const Json fields = schema.value("properties", Json::object());
    for (const auto& [field, type] : fields.items())
      if (const std::string place = name + "." + field; !seen_.contains(place))
        unseen.insert(place);
  }
  return unseen;
}

void Contract::Complain(const std::string& place, const std::string& what) {
  mistakes_.push_back(fmt::format("{}: {}", place.empty() ? "the document" : place, what));
}

void Contract::HoldNamed(const Json& value, const Json& ref, const std::string& place) {
  const std::string outside = std::exchange(inside_, NameIn(ref));
  Hold(value, schemas_.at(inside_), place);
  inside_ = outside;
}

// The alternative that the value says it is.
void Contract::HoldChoice(const Json& value, const Json& schema, const std::string& place) {
  const Json& discriminator = schema.at("discriminator");
  const std::string name = discriminator.at("propertyName");
  const std::string type = value.is_object() ? value.value(name, "") : "";
  const Json& mapping = discriminator.at("mapping");
  if (mapping.contains(type)) return HoldNamed(value, mapping.at(type), place);
  Complain(place, fmt::format("\"{}\" is no {} that is known", type, name));
}

void Contract::Hold(const Json& value, const Json& schema, const std::string& place) {
  if (schema.contains("$ref")) return HoldNamed(value, schema.at("$ref"), place);
  if (schema.contains("anyOf")) return HoldChoice(value, schema, place);
  const std::string type = schema.at("type");
  if (!HasType(value, type)) return Complain(place, fmt::format("is no {}", type));
  if (value.is_object()) HoldObject(value, schema, place);
  if (value.is_string()) HoldText(value.get<std::string>(), schema, place);
  for (size_t i = 0; value.is_array() && i < value.size(); ++i)
    Hold(value[i], schema.at("items"), fmt::format("{}[{}]", place, i));
}

void Contract::HoldObject(const Json& value, const Json& schema, const std::string& place) {
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, item] : value.items()) {
    const std::string below = place.empty() ? name : place + "." + name;
    if (properties.contains(name)) {
      seen_.insert(inside_ + "." + name);
      Hold(item, properties.at(name), below);
    } else if (schema.contains("additionalProperties")) {
      Hold(item, schema.at("additionalProperties"), below);
    } else {
      Complain(below, "no such field");
    }
  }
  for (const Json& name : schema.value("required", Json::array()))
    if (!value.contains(name.get<std::string>()))
      Complain(place, fmt::format("{} is missing", name.get<std::string>()));
}

void Contract::HoldText(const std::string& text, const Json& schema, const std::string& place) {
  if (schema.contains("const") && schema.at("const") != text)
    Complain(place, fmt::format("is \"{}\"", text));
  if (schema.value("format", "") == "date-time" && !ParseRfc3339(text))
    Complain(place, fmt::format("\"{}\" is no time", text));
  if (schema.contains("x-extensible-enum")) {
    const Json& words = schema.at("x-extensible-enum");
    if (std::find(words.begin(), words.end(), Json(text)) == words.end())
      Complain(place, fmt::format("\"{}\" is no word that is known", text));
  }
}

nlohmann::json HeldDocument(const std::string& text) {
  static Contract contract;
  const Json document = Json::parse(text);
  std::string schema = document.at("kind");
  // Of one job it has no pages.
  if (schema == "JobReport" && !document.contains("remaining")) schema = "OneJobReport";
  const std::vector<std::string> mistakes = contract.MistakesIn(schema, document);
  CAPTURE(mistakes);
  CHECK(mistakes.empty());
  return nlohmann::json::parse(text);
}

}  // namespace fedra::testing
