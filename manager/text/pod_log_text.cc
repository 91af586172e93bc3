#include "manager/text/pod_log_text.h"

#include <algorithm>
#include <sstream>

#include "manager/placement/note_reasons.h"
#include "manager/text/display_text.h"

namespace fedra::text {

bool IsPodLog(const store::EventRow& event) {
  return event.reason == placement::notes::kPodLog.name;
}

std::string PodLogTitle(const store::EventRow& event) {
  return event.message.substr(0, event.message.find('\n'));
}

std::string PodLogText(std::span<const store::EventRow> events, const Style& style) {
  const auto event = std::ranges::find_if(events, IsPodLog);
  if (event == events.end()) return {};
  std::string text;
  std::istringstream lines(event->message);
  // The job's words: what a terminal would obey becomes blank.
  for (std::string line; std::getline(lines, line);)
    text += (text.empty() ? "log    " : "       ") + Printable(line, style.utf8) + "\n";
  return text;
}

}  // namespace fedra::text
