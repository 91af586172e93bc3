#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "tests/unit/manager/support/fact_comments.h"
#include "tests/unit/manager/support/openapi_page.h"
#include "verdict/fact_fields.h"

namespace fedra::testing {
namespace {

using report::schema::Field;
using report::schema::Schema;
using verdict::ForEachField;
using verdict::NamedEnum;

// "JointShortage.Found"
std::string NameOfSchema(const std::string& type) {
  const size_t colons = type.find("::");
  return colons == std::string::npos ? type
                                     : type.substr(0, colons) + "." + type.substr(colons + 2);
}

// As FactWriter of manager/verify/facts_json.cc writes them: what is empty, false or absent is left
// out; numbers, words and structs are not.
template <class T>
inline constexpr bool kMayBeLeftOut = false;
template <>
inline constexpr bool kMayBeLeftOut<std::string> = true;
template <>
inline constexpr bool kMayBeLeftOut<bool> = true;
template <class T>
inline constexpr bool kMayBeLeftOut<std::optional<T>> = true;
template <class T>
inline constexpr bool kMayBeLeftOut<std::vector<T>> = true;
template <class K, class T>
inline constexpr bool kMayBeLeftOut<std::map<K, T>> = true;

class Facts final {
 public:
  std::map<std::string, Schema> named;

  Schema Of(std::string&) { return report::schema::Text(); }
  Schema Of(bool&) { return report::schema::Flag(); }
  template <std::integral Integer>
  Schema Of(Integer&) {
    return report::schema::Number();
  }
  Schema Of(Quantity&) { return report::schema::Text(); }
  Schema Of(WallTime&) { return report::schema::Time(); }
  Schema Of(verdict::ReasonCode&) {
    std::vector<std::string_view> names;
    for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
      names.push_back(entry.name);
    return report::schema::OneOf(names);
  }
  template <NamedEnum Enum>
  Schema Of(Enum& value) {
    const auto names = NamesOf(value);
    return report::schema::OneOf({names.begin(), names.end()});
  }
  template <class T>
  Schema Of(std::optional<T>& value) {
    return Of(value.emplace());
  }
  template <class T>
  Schema Of(std::vector<T>& values) {
    return report::schema::ListOf(Of(values.emplace_back()));
  }
  template <class T>
  Schema Of(std::map<std::string, T>& values) {
    return report::schema::MapOf(Of(values[""]));
  }
  template <class T>
    requires std::is_class_v<T>
  Schema Of(T& facts) {
    const std::string type = NameOfType(typeid(T));
    const std::string name = NameOfSchema(type);
    if (!named.contains(name)) named[name] = Object(facts, {});
    return report::schema::Ref(name);
  }

  // Also with these fields in front of its own.
  template <class T>
  Schema Object(T& facts, std::vector<Field> fields) {
    const std::string type = NameOfType(typeid(T));
    ForEachField(facts, [&]<class Member>(std::string_view name, Member& field) {
      fields.push_back({name, Of(field), Meaning<Member>(type, name), kMayBeLeftOut<Member>});
    });
    return report::schema::Object(MeaningOfFacts(type).value_or(""), fields);
  }

 private:
  // What kind of text it is where JSON has no type for it.
  template <class Member>
  static std::string Meaning(const std::string& type, std::string_view name) {
    std::string meaning = MeaningOfFact(type, name).value_or("");
    if constexpr (std::is_same_v<Member, Quantity> ||
                  std::is_same_v<Member, std::optional<Quantity>>)
      meaning += meaning.empty() ? "a Kubernetes quantity" : "; a Kubernetes quantity";
    return meaning;
  }
};

// The alternative of that position with its type in front: {"type": "Missing", ...}.
template <size_t I>
void AddFacts(Facts& facts, Schema& all) {
  std::variant_alternative_t<I, verdict::Facts::Variant> empty;
  const std::string_view type = verdict::kFactTypes[I];
  const std::string name = std::string(type) + "Facts";
  facts.named[name] =
      facts.Object(empty, {{"type", report::schema::Always(type), "Which fields there are"}});
  const Schema ref = report::schema::Ref(name);
  all["anyOf"].push_back(ref);
  all["discriminator"]["mapping"][std::string(type)] = ref.at("$ref");
}

template <size_t... I>
void AddAllFacts(Facts& facts, Schema& all, std::index_sequence<I...>) {
  (AddFacts<I>(facts, all), ...);
}

}  // namespace

std::vector<report::schema::NamedSchema> FactSchemas() {
  Facts facts;
  Schema all = {{"description",
                 "What a reason's message says, for programs. docs/facts.md has an example of "
                 "each type; later versions may have more."},
                {"anyOf", Schema::array()},
                {"discriminator", {{"propertyName", "type"}, {"mapping", Schema::object()}}}};
  AddAllFacts(facts, all, std::make_index_sequence<std::variant_size_v<verdict::Facts::Variant>>());
  all["anyOf"].push_back(report::schema::Ref("LaterFacts"));
  facts.named["Facts"] = std::move(all);
  facts.named["LaterFacts"] =
      report::schema::Object("Facts of a type that a later version has.",
                             {{"type", report::schema::Text(), "None of those above"}});
  verdict::NewNodes nodes;
  facts.Of(nodes);
  std::vector<report::schema::NamedSchema> schemas;
  for (auto& [name, schema] : facts.named) schemas.push_back({name, std::move(schema)});
  return schemas;
}

}  // namespace fedra::testing
