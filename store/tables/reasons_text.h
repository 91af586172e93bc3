#pragma once
//
// WorkloadRow::reasons in one column: " A B ", with a blank on each side of each, so that a
// statement finds one without splitting the text.
//
// Pure functions.

#include <string>
#include <string_view>
#include <vector>

namespace fedra::store {

// No reasons: an empty text.
inline std::string ReasonsText(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? " " : "") + reason + " ";
  return text;
}

// What instr() looks for in such a text.
inline std::string ReasonInText(const std::string& reason) { return " " + reason + " "; }

// Calls `each` with every reason of such a text, in their order.
void ForEachReason(std::string_view text, const auto& each) {
  for (size_t end = text.find(' ', 1); end != text.npos; end = text.find(' ', 1)) {
    each(text.substr(1, end - 1));
    text.remove_prefix(end);
  }
}

}  // namespace fedra::store
