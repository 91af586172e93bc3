#include "manager/cli/logs/log_text.h"

#include <algorithm>

#include "manager/text/display_text.h"

namespace fedra::cli {
namespace {

// What a terminal would show in the end: a carriage return begins the line again.
std::string_view LastState(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const size_t at = line.rfind('\r');
  return at == line.npos ? line : line.substr(at + 1);
}

// Tabs stand eight columns apart, as on a terminal; within text that is one column wide each.
std::string WithoutTabs(std::string_view line) {
  constexpr size_t kTab = 8;
  std::string text;
  for (const char c : line) {
    if (c == '\t')
      text.append(kTab - text.size() % kTab, ' ');
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string LogText(std::string_view log, const LogLook& look) {
  std::string text;
  text.reserve(log.size() + 1);
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    text += look.prefix;
    if (look.terminal)
      text += text::Printable(WithoutTabs(LastState(line)), look.utf8);
    else
      text += line;
    text += '\n';
  }
  return text;
}

}  // namespace fedra::cli
