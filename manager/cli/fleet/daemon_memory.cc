#include "manager/cli/fleet/daemon_memory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "manager/placement/remembered.h"
#include "manager/report/freshness.h"
#include "manager/report/row_states.h"
#include "manager/report/setbacks.h"
#include "manager/text/status_format.h"

namespace fedra::cli {
namespace {

// The one that is on the manager, rather one that has not ended; nothing: there is none.
std::optional<store::WorkloadRow> Existing(store::Reader& memory, const ObjectKey& job) {
  auto rows = memory.FindWorkloads(job);
  if (!rows) return std::nullopt;
  std::optional<store::WorkloadRow> ended;
  for (store::WorkloadRow& row : *rows) {
    if (row.job != job || row.removed_at) continue;
    if (!report::HasEnded(row.state)) return std::move(row);
    ended = std::move(row);
  }
  return ended;
}

void PutInVerdict(const verdict::Setback& setback, verdict::Verdict& verdict) {
  verdict::Reason reason{verdict::ReasonCode::kRecentlyFailed, "", setback};
  if (!setback.paused_until) {
    verdict.reasons.push_back(std::move(reason));
    return;
  }
  verdict.outcome = verdict::Outcome::kNo;
  verdict.reasons.insert(verdict.reasons.begin(), std::move(reason));
}

}  // namespace

std::unique_ptr<store::Reader> OpenMemory(const std::string& store) {
  if (store.empty()) return nullptr;
  auto reader = store::Reader::Open(store);
  return reader ? *std::move(reader) : nullptr;
}

MemoryAge AgeOf(store::Reader& memory, WallTime now) {
  auto heartbeat = memory.Heartbeat();
  if (!heartbeat || !*heartbeat) return {};
  const WallTime as_of = (*heartbeat)->at;
  const report::Daemon daemon{*std::move(heartbeat), memory.is_in_use()};
  return {as_of, report::StaleText(daemon, now)};
}

std::string MemoryAgeLine(const MemoryAge& age, std::string_view of_workers,
                          const text::Style& style) {
  if (age.why_stale.empty()) return {};
  const std::string rendered = fmt::format(
      "DAEMON  {}. Lines and dispatched jobs are from its store{}", age.why_stale, of_workers);
  return text::Toned(rendered, text::Tone::kWarning, style) + "\n";
}

void AddMemory(store::Reader& memory, WallTime now, report::JobReport& report) {
  const std::optional<store::WorkloadRow> row = Existing(memory, report.job);
  if (!row) return;
  if (report::HasEnded(row->state)) {
    report.note = fmt::format("{} is still on the manager, where it {}: delete it first",
                              report.job.ToString(), report::Predicate(*row));
    return;
  }
  report.note =
      fmt::format("{} has been submitted already: it {}; devices that it holds count as free here",
                  report.job.ToString(), report::Predicate(*row));
  const auto failures = memory.Failures(row->uid);
  if (!failures) return;
  placement::PlacementRecord record;
  record.failures = placement::FailuresOf(*failures);
  report.now = now;
  for (report::JobVerdict& item : report.verdicts) {
    if (const auto setback = placement::SetbackOf(record, item.worker, now))
      PutInVerdict(*setback, item.verdict);
  }
}

}  // namespace fedra::cli
