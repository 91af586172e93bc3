#include "tests/unit/manager/support/fact_comments.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <boost/core/demangle.hpp>

#include "base/ascii.h"
#include "tests/unit/manager/support/field_comments.h"

namespace fedra::testing {
namespace {

const FieldComments& Comments() {
  static const FieldComments comments = [] {
    std::string headers;
    for (const char* name : {"object_facts.h", "device_facts.h", "node_facts.h"}) {
      std::ifstream file(std::string(FEDRA_TEST_DATA) + "/../../verdict/" + name);
      std::ostringstream text;
      text << file.rdbuf();
      headers += text.str();
    }
    return ReadFieldComments(headers);
  }();
  return comments;
}

// namedBy: named_by
std::string InCpp(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') text += '_';
    text += ToLower(c);
  }
  return text;
}

// Constants of enums have their names in JSON.
std::string Worded(std::string_view comment) {
  std::string text;
  for (size_t i = 0; i < comment.size(); ++i) {
    const bool begins_word = i == 0 || !IsAlphanumeric(comment[i - 1]);
    if (!begins_word || comment[i] != 'k' || i + 1 == comment.size() || !IsUpper(comment[i + 1])) {
      text += comment[i];
      continue;
    }
    size_t end = i + 1;
    while (end < comment.size() && IsAlphanumeric(comment[end])) ++end;
    text += fmt::format("`{}`", comment.substr(i + 1, end - i - 1));
    i = end - 1;
  }
  return text;
}

}  // namespace

std::string NameOfType(const std::type_info& type) {
  std::string name = boost::core::demangle(type.name());
  for (const std::string_view scope : {"fedra::", "verdict::"})
    if (name.starts_with(scope)) name.erase(0, scope.size());
  return name;
}

std::optional<std::string> MeaningOfFacts(const std::string& type) {
  const auto& structs = Comments().structs;
  const auto found = structs.find(type);
  if (found == structs.end()) return std::nullopt;
  return Worded(found->second);
}

std::optional<std::string> MeaningOfFact(const std::string& type, std::string_view field) {
  const auto& fields = Comments().fields;
  const auto found = fields.find({type, InCpp(field)});
  if (found == fields.end()) return std::nullopt;
  return Worded(found->second);
}

}  // namespace fedra::testing
