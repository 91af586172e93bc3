#include "config/changes.h"

#include <algorithm>
#include <utility>

#include "config/schema.h"

namespace fedra::config {
namespace {

std::vector<std::string> ChangesOf(const Fields& before, const Fields& after,
                                   const std::string& section);

bool DifferIn(const ListRef& before, const ListRef& after) {
  if (before.size != after.size) return true;
  for (size_t i = 0; i < before.size; ++i)
    if (!ChangesOf(before.at(i), after.at(i), "").empty()) return true;
  return false;
}

// Of the same key, so of the same kind. Sections are none of these: they differ in their keys.
bool ValuesDiffer(const Binding& before, const Binding& after) {
  return std::visit(
      Overloaded{
          [](const ConstantRef&) { return false; }, [](const ObjectRef&) { return false; },
          [&](const ChoiceRef& ref) { return ref.get() != std::get<ChoiceRef>(after).get(); },
          [&](const ListRef& ref) { return DifferIn(ref, std::get<ListRef>(after)); },
          [&]<class Ref>(const Ref& ref) { return *ref.value != *std::get<Ref>(after).value; }},
      before);
}

// Both are made by one description: the same keys in the same order.
std::vector<std::string> ChangesOf(const Fields& before, const Fields& after,
                                   const std::string& section) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < before.size(); ++i) {
    const std::string key = section + std::string(before[i].key);
    if (const auto* object = std::get_if<ObjectRef>(&before[i].binding)) {
      const auto& other = std::get<ObjectRef>(after[i].binding);
      std::vector<std::string> below = ChangesOf(object->fields, other.fields, key + ".");
      std::move(below.begin(), below.end(), std::back_inserter(keys));
    } else if (ValuesDiffer(before[i].binding, after[i].binding)) {
      keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace

std::vector<std::string> ChangedKeys(const Configuration& before, const Configuration& after) {
  // A description can also write, so it wants them mutable.
  Configuration old_one = before;
  Configuration new_one = after;
  std::vector<std::string> keys = ChangesOf(Describe(old_one), Describe(new_one), "");
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace fedra::config
