#include "cel/source.h"

#include <algorithm>

#include "base/utf8.h"
#include "cel/value.h"

namespace fedra::cel {
namespace {

// Tabs would shift the caret; cel-go prints them as a space.
std::string WithoutTabs(std::string_view line) {
  std::string text(line);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

bool IsAscii(char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; }

// Dots up to the place and a caret on it; full-width ones where the line has more than ASCII.
std::string Pointer(std::string_view line, size_t at) {
  std::string text;
  for (const char c : line.substr(0, at)) {
    if (IsContinuationByte(c)) continue;
    text += IsAscii(c) ? "." : "\uFF0E";
  }
  return text + (at < line.size() && !IsAscii(line[at]) ? "\uFF3E" : "^");
}

}  // namespace

void IssueList::Add(uint32_t offset, std::string message, IssueKind kind, std::string subject) {
  const size_t at = std::min<size_t>(offset, text_.size());
  const std::string_view before = text_.substr(0, at);
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  CompileIssue issue;
  issue.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  issue.column = 1 + static_cast<int>(CodePointCount(before.substr(line_start)));
  issue.message = std::move(message);
  issue.kind = kind;
  issue.subject = std::move(subject);
  const std::string_view line = text_.substr(line_start, text_.find('\n', line_start) - line_start);
  issue.snippet = " | " + WithoutTabs(line) + "\n | " + Pointer(line, at - line_start);
  issues_.push_back({offset, std::move(issue)});
}

void IssueList::AddGlobal(std::string message) {
  CompileIssue issue;
  issue.line = -1;
  issue.column = 0;
  issue.message = std::move(message);
  issues_.push_back({0, std::move(issue)});
}

std::vector<CompileIssue> IssueList::Take() {
  std::stable_sort(issues_.begin(), issues_.end(),
                   [](const Located& a, const Located& b) { return a.offset < b.offset; });
  std::vector<CompileIssue> result;
  for (Located& located : issues_) result.push_back(std::move(located.issue));
  issues_.clear();
  return result;
}

}  // namespace fedra::cel
