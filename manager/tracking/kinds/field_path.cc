#include "manager/tracking/kinds/field_path.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "manager/tracking/json_fields.h"

namespace fedra::tracking {
namespace {

using nlohmann::json;
using Step = FieldPath::Step;
using Steps = std::span<const Step>;

bool Matches(const json& object, const Step& where) {
  if (!object.is_object()) return false;
  std::string_view key = where.key;
  const bool or_absent = key.ends_with('?');  // no field's name does
  if (or_absent) key.remove_suffix(1);
  if (or_absent && Member(object, key).is_null()) return true;
  return Text(object, key) == where.value;
}

// `Json`: json, or const json.
template <class Json>
void Walk(Json& value, Steps steps, std::vector<Json*>& found) {
  if (value.is_null()) return;
  if (steps.empty()) return found.push_back(&value);
  const Step& step = steps.front();
  const Steps rest = steps.subspan(1);
  switch (step.kind) {
    case Step::Kind::kMember:
      if (!value.is_object()) return;
      if (const auto member = value.find(step.key); member != value.end())
        Walk(*member, rest, found);
      return;
    case Step::Kind::kEach:
      if (value.is_structured())
        for (Json& each : value) Walk(each, rest, found);
      return;
    case Step::Kind::kWhere:
      if (value.is_object() && Matches(value, step)) Walk(value, rest, found);
      if (!value.is_array()) return;
      for (Json& each : value)
        if (Matches(each, step)) Walk(each, rest, found);
  }
}

void Erase(json& value, Steps steps);

// Whether `value` itself is meant, so that who holds it must let it go.
bool IsMeant(json& value, Steps rest) {
  if (rest.empty()) return true;
  if (rest.size() == 1 && rest.front().kind == Step::Kind::kWhere && value.is_object())
    return Matches(value, rest.front());
  Erase(value, rest);
  return false;
}

void Erase(json& value, Steps steps) {
  const Step& step = steps.front();
  const Steps rest = steps.subspan(1);
  if (step.kind == Step::Kind::kMember) {
    if (!value.is_object()) return;
    const auto member = value.find(step.key);
    if (member != value.end() && IsMeant(*member, rest)) value.erase(member);
    return;
  }
  const bool all = step.kind == Step::Kind::kEach;
  if (value.is_array()) {
    std::erase_if(value.get_ref<json::array_t&>(),
                  [&](json& each) { return (all || Matches(each, step)) && IsMeant(each, rest); });
  } else if (value.is_object() && all) {
    for (auto each = value.begin(); each != value.end();)
      each = IsMeant(*each, rest) ? value.erase(each) : std::next(each);
  } else if (value.is_object() && Matches(value, step) && !rest.empty()) {
    Erase(value, rest);
  }
}

}  // namespace

std::vector<const json*> FindAll(const json& object, const FieldPath& path) {
  std::vector<const json*> found;
  Walk(object, path.steps(), found);
  return found;
}

std::vector<json*> FindAll(json& object, const FieldPath& path) {
  std::vector<json*> found;
  Walk(object, path.steps(), found);
  return found;
}

const json& FindFirst(const json& object, const FieldPath& path) {
  static const json none;
  const auto found = FindAll(object, path);
  return found.empty() ? none : *found.front();
}

void PutAt(json& object, const FieldPath& path, json value) {
  FEDRA_ASSERT(path.IsPlain(), "only a plain path can be written to");
  json* place = &object;
  for (const Step& step : path.steps()) {
    if (!place->is_object()) *place = json::object();
    place = &(*place)[step.key];
  }
  *place = std::move(value);
}

void EraseAt(json& object, const FieldPath& path) {
  if (!path.empty()) Erase(object, path.steps());
}

}  // namespace fedra::tracking
