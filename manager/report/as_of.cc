#include "manager/report/as_of.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "manager/cli/text/display_text.h"

namespace fedra::cli {

nlohmann::ordered_json Document(std::string_view kind, const AsOf& as_of) {
  nlohmann::ordered_json document = Document(kind);
  document["asOf"] = FormatRfc3339(as_of.at);
  document["source"] = as_of.snapshot.empty() ? "Clusters" : "Snapshot";
  if (!as_of.snapshot.empty()) document["file"] = as_of.snapshot;
  return document;
}

void PutUnread(nlohmann::ordered_json& document, std::span<const UnreadWorker> workers) {
  nlohmann::ordered_json& list = document["unreadWorkers"] = nlohmann::ordered_json::array();
  for (const UnreadWorker& one : workers)
    list.push_back({{"worker", one.worker}, {"problem", one.problem}});
}

std::string UnreadText(std::span<const UnreadWorker> workers, const Style& style) {
  std::string text;
  for (const UnreadWorker& one : workers)
    text += (text.empty() ? "" : "\n") + Printable(one.worker + ": " + one.problem, style.utf8);
  return text;
}

std::string SnapshotLine(const AsOf& as_of, WallTime now, const Style& style) {
  if (as_of.snapshot.empty()) return {};
  const std::string text = fmt::format("SNAPSHOT  taken at {}, {} ago: {}", FormatRfc3339(as_of.at),
                                       FormatAge(now - as_of.at),
                                       as_of.snapshot == "-" ? "standard input" : as_of.snapshot);
  return Toned(text, Tone::kWarning, style) + "\n";
}

}  // namespace fedra::cli
