#pragma once
//
// The keys, as one table: what they do, where, and what the help and the last line say of them.
// k9s' keys, where it has them. Pure.

#include <span>
#include <string_view>
#include <vector>

#include "manager/cli/screen/model.h"

namespace fedra::cli::screen {

struct Binding {
  std::vector<Key> keys;
  std::string_view shown;    // "j Down"
  std::string_view meaning;  // for the help
  std::string_view hint;     // "why": for the last line of the screen; empty: only in the help
  bool (*applies)(const View& view);
  void (*run)(Model& model);
};

// In the order of the help.
std::span<const Binding> Bindings();

// What the key does in the view that is seen; null: nothing.
const Binding* FindBinding(const Key& key, const View& view);

// Every key, for the help.
std::vector<Line> HelpLines();

}  // namespace fedra::cli::screen
