#pragma once
//
// A key of which the file may have one of some words. Private to this folder.
//
// Lifetime: as of schema.h.

#include <string_view>
#include <vector>

#include "config/schema.h"

namespace fedra::config {

// A word of the file and the value it stands for.
template <class Enum>
struct Word {
  std::string_view name;
  Enum value;
};

template <class Enum>
ChoiceRef Choice(Enum* target, const std::vector<Word<Enum>>& words) {
  ChoiceRef choice;
  std::vector<Enum> values;
  for (const Word<Enum>& word : words) {
    choice.names.push_back(word.name);
    values.push_back(word.value);
  }
  choice.get = [target, values] {
    size_t index = 0;
    while (index + 1 < values.size() && values[index] != *target) ++index;
    return index;
  };
  choice.set = [target, values](size_t index) { *target = values[index]; };
  return choice;
}

}  // namespace fedra::config
