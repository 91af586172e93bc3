#pragma once
//
// Documents held against docs/openapi.json, strictly: a field that the schema does not know is a
// mistake, though the API's version rules let clients meet one. Also remembers which fields were
// shown. The scenarios do the same with python3-jsonschema (tests/scenarios/contract.py).

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace fedra::testing {

class Contract final {
 public:
  // Of the file.
  Contract();

  // "jobs[0].sate: no such field"; empty: the document is what the schema says. `schema`: the name.
  std::vector<std::string> MistakesIn(const std::string& schema,
                                      const nlohmann::ordered_json& document);
  // Of all schemas: "Worker.removed", that no document so far had.
  std::set<std::string> Unseen() const;

 private:
  using Json = nlohmann::ordered_json;

  void Hold(const Json& value, const Json& schema, const std::string& place);
  void HoldObject(const Json& value, const Json& schema, const std::string& place);
  void HoldText(const std::string& text, const Json& schema, const std::string& place);
  void HoldChoice(const Json& value, const Json& schema, const std::string& place);
  void HoldNamed(const Json& value, const Json& ref, const std::string& place);
  void Complain(const std::string& place, const std::string& what);

  const Json schemas_;
  std::string inside_;  // the named schema that is looked at
  std::set<std::string> seen_;
  std::vector<std::string> mistakes_;
};

// What a command prints as JSON, parsed. Fails the test with every mistake against the schema that
// its kind has.
nlohmann::json HeldDocument(const std::string& text);

}  // namespace fedra::testing
