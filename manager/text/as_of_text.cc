#include "manager/text/as_of_text.h"

#include <fmt/format.h>

#include "base/time.h"
#include "manager/text/display_text.h"

namespace fedra::text {

std::string UnreadText(std::span<const report::UnreadWorker> workers, const Style& style) {
  std::string text;
  for (const report::UnreadWorker& one : workers)
    text += (text.empty() ? "" : "\n") + Printable(one.worker + ": " + one.problem, style.utf8);
  return text;
}

std::string SnapshotLine(const report::AsOf& as_of, WallTime now, const Style& style) {
  if (as_of.snapshot.empty()) return {};
  const std::string text = fmt::format("SNAPSHOT  taken at {}, {} ago: {}", FormatRfc3339(as_of.at),
                                       FormatAge(now - as_of.at),
                                       as_of.snapshot == "-" ? "standard input" : as_of.snapshot);
  return Toned(text, Tone::kWarning, style) + "\n";
}

std::string StandbyLine(const report::AsOf& as_of, const Style& style) {
  if (!as_of.replica || as_of.replica->role != store::kStandbyRole) return {};
  const store::HeartbeatRow& row = *as_of.replica;
  const std::string text =
      fmt::format("REPLICA  as of now, by a standby (replica {}); {}", row.identity,
                  row.leader.empty() ? "no replica leads" : "the leader is " + row.leader);
  return Toned(text, Tone::kFaint, style) + "\n";
}

}  // namespace fedra::text
