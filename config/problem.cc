#include "config/problem.h"

#include <fmt/format.h>

namespace fedra::config {

std::string ToString(const Problem& problem) {
  std::string text = problem.file;
  if (problem.mark.line > 0) text += fmt::format(":{}:{}", problem.mark.line, problem.mark.column);
  for (const std::string& part : {problem.about, problem.path, problem.problem}) {
    if (part.empty()) continue;
    if (!text.empty()) text += ": ";
    text += part;
  }
  if (!problem.hint.empty()) text += fmt::format(" ({})", problem.hint);
  return text;
}

std::string ToString(const Problems& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += ToString(problem);
  }
  return text;
}

}  // namespace fedra::config
