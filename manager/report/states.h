#pragma once
//
// The words in the columns STATE, VERDICT and OUTCOME: a closed list, for `fedra explain` and
// docs/states.md, which is generated from it.

#include <span>
#include <string_view>

namespace fedra::report {

struct StateEntry {
  std::string_view name;   // as it is shown: "Blocked"
  std::string_view group;  // "Job", "Worker", "Verdict", "Attempt"
  std::string_view meaning;
  std::string_view next;  // what ends the state, and what to do
};

// By group, in the order in which people meet them.
std::span<const StateEntry> StateEntries();

}  // namespace fedra::report
