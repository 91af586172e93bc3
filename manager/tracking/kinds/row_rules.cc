#include "manager/tracking/kinds/row_rules.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/field_path.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;

// As a rule writes it: a text bare, everything else as JSON.
std::string Bare(const json& value) {
  return value.is_string() ? value.get<std::string>() : Dump(value);
}

bool IsAbove(const json& value, int limit) {
  return value.is_number() && value.get<double>() > limit;
}

Result<std::optional<int>> ReadTerm(const CountTerm& term, const json& pod_set) {
  if (FindFirst(pod_set, term.path).is_null()) return term.absent;
  FEDRA_ASSIGN_OR_RETURN(const int number, NumberAt(pod_set, term.path, 0));
  return std::optional(number);
}

Result<int> CountOf(const std::vector<CountFactor>& factors, const json& pod_set) {
  int64_t count = 1;
  for (const CountFactor& factor : factors) {
    std::optional<int> least;
    for (const CountTerm& term : factor) {
      FEDRA_ASSIGN_OR_RETURN(const std::optional<int> number, ReadTerm(term, pod_set));
      if (number) least = std::min(*number, least.value_or(*number));
    }
    count *= least.value_or(1);
    if (count > std::numeric_limits<int>::max() || count < std::numeric_limits<int>::min())
      return Fail(ErrorCode::kBadResponse, "its counts of pods make more than can be counted");
  }
  return static_cast<int>(count);
}

}  // namespace

Result<int> NumberAt(const json& object, const FieldPath& path, int absent) {
  const json& value = FindFirst(object, path);
  if (value.is_null()) return absent;
  // The last step's name makes the message: "replicas must be a whole number, not "3"".
  const std::string& name = path.steps().back().key;
  return ReadNumber(json{{name, value}}, name, absent);
}

bool Holds(const FieldTest& test, const json& object) {
  const auto passes = [&](const std::string& text) {
    const bool listed =
        std::find(test.values.begin(), test.values.end(), text) != test.values.end();
    return listed != test.is_none_of;
  };
  const auto found = FindAll(object, test.path);
  if (test.above)
    return std::any_of(found.begin(), found.end(),
                       [&](const json* value) { return IsAbove(*value, *test.above); });
  if (found.empty()) return passes({});
  return std::any_of(found.begin(), found.end(),
                     [&](const json* value) { return passes(Bare(*value)); });
}

bool Holds(const AnyOf& alternatives, const json& object) {
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const AllOf& tests) {
    return std::all_of(tests.begin(), tests.end(),
                       [&](const FieldTest& test) { return Holds(test, object); });
  });
}

bool HoldsAny(const std::vector<FieldTest>& tests, const json& object) {
  return std::any_of(tests.begin(), tests.end(),
                     [&](const FieldTest& test) { return Holds(test, object); });
}

int SumOf(const std::vector<FieldTest>& tests, const json& object) {
  int64_t sum = 0;
  for (const FieldTest& test : tests) {
    if (!test.above) continue;
    for (const json* value : FindAll(object, test.path))
      if (value->is_number_integer()) sum += std::clamp<int64_t>(*value, 0, 1'000'000);
  }
  return static_cast<int>(std::min<int64_t>(sum, std::numeric_limits<int>::max()));
}

Result<bool> IsSuspended(const SuspendRule& rule, const json& object) {
  const json suspended = json::parse(rule.suspended, nullptr, false);
  const json& value = FindFirst(object, rule.path);
  if (value.is_null()) return false;
  if (value.type() != suspended.type())
    return Fail(ErrorCode::kBadResponse,
                fmt::format("{} must be {}, not {}", rule.path.text(),
                            suspended.is_boolean() ? "true or false" : "text", Dump(value)));
  return value == suspended;
}

std::vector<PodTemplate> PodTemplatesOf(const std::vector<PodSetRule>& rules, const json& object) {
  std::vector<PodTemplate> templates;
  for (const PodSetRule& rule : rules) {
    for (const json* pod_set : FindAll(object, rule.at)) {
      const json& name = FindFirst(*pod_set, rule.name_at);
      const bool is_named = rule.name.empty() && name.is_string();
      templates.push_back({is_named ? ToLower(name.get<std::string>()) : rule.name,
                           CountOf(rule.count, *pod_set), &FindFirst(*pod_set, rule.pod_template)});
    }
  }
  return templates;
}

json SizesOf(const std::optional<ScaleRule>& rule, const json& object) {
  if (!rule || rule->fields.empty()) return nullptr;
  json sizes = json::object();
  for (const json* element : FindAll(object, rule->each)) {
    json& size = sizes[Text(*element, rule->name)];
    for (const std::string& field : rule->fields) size[field] = Member(*element, field);
  }
  return sizes;
}

void CopySizes(const std::optional<ScaleRule>& rule, const json& from, json& to) {
  if (!rule || rule->fields.empty()) return;
  const json sizes = SizesOf(rule, from);
  for (json* found : FindAll(to, rule->each)) {
    json& element = *found;
    const auto size = sizes.find(Text(element, rule->name));
    if (size == sizes.end()) continue;
    for (const std::string& field : rule->fields) {
      if (const json& value = Member(*size, field); !value.is_null())
        element[field] = value;
      else if (element.is_object())
        element.erase(field);
    }
  }
}

void SetCounts(const std::vector<PodSetRule>& rules, const std::vector<int>& counts, json& object) {
  if (PodTemplatesOf(rules, object).size() != counts.size()) return;
  auto wanted = counts.begin();
  for (const PodSetRule& rule : rules) {
    for (json* pod_set : FindAll(object, rule.at)) {
      const int pods = *wanted++;
      const auto has = CountOf(rule.count, *pod_set);
      if (rule.count.empty() || (has && *has == pods)) continue;
      const std::vector<CountFactor> others(rule.count.begin() + 1, rule.count.end());
      const auto each = CountOf(others, *pod_set);
      if (each && *each > 0 && pods % *each == 0)
        PutAt(*pod_set, rule.count.front().front().path, pods / *each);
    }
  }
}

std::vector<Reference> ReferencesOf(const std::vector<ReferenceRule>& rules, const json& object,
                                    const std::string& ns) {
  std::vector<Reference> references;
  for (const ReferenceRule& rule : rules) {
    const json& name = FindFirst(object, rule.name);
    if (!name.is_string() || name.get_ref<const std::string&>().empty()) continue;
    const bool said = std::all_of(rule.when.begin(), rule.when.end(),
                                  [&](const FieldTest& test) { return Holds(test, object); });
    if (said)
      references.push_back(
          {rule.resource, {rule.resource.namespaced ? ns : "", name.get<std::string>()}});
  }
  return references;
}

std::vector<std::string> EssentialStatusOf(const KindRow& row) {
  std::vector<std::string> fields = row.required_status;
  fields.push_back("conditions");
  const auto add = [&](const FieldPath& path) {
    const auto& steps = path.steps();
    if (steps.size() < 2 || steps[0].key != "status") return;
    if (std::find(fields.begin(), fields.end(), steps[1].key) == fields.end())
      fields.push_back(steps[1].key);
  };
  for (const AnyOf* rule : {&row.succeeded, &row.failed}) {
    for (const AllOf& tests : *rule)
      for (const FieldTest& test : tests) add(test.path);
  }
  for (const FieldTest& test : row.active) add(test.path);
  return fields;
}

}  // namespace fedra::tracking
