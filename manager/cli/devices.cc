// fedra devices: what the workers publish, and what of it is free.

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/report/device_inventory.h"
#include "manager/report/device_report.h"
#include "manager/text/as_of_text.h"
#include "manager/text/device_view.h"
#include "verdict/reason_text.h"

namespace fedra::cli {
namespace {

// Why nothing can be said about the worker's devices; empty: something can.
std::string ProblemOf(const FleetWorker& worker) {
  if (const auto silence = worker.Silence()) return verdict::MessageOf(*silence);
  const auto obstacle = worker.devices()->obstacles().Lists();
  return obstacle ? verdict::MessageOf(*obstacle) : std::string();
}

std::vector<report::DeviceSource> SourcesOf(const Fleet& fleet) {
  std::vector<report::DeviceSource> sources;
  for (const auto& worker : fleet.workers) {
    report::DeviceSource& source = sources.emplace_back();
    source.worker = worker->name().value;
    source.problem = ProblemOf(*worker);
    if (source.problem.empty()) source.snapshot = worker->devices()->snapshot();
  }
  return sources;
}

}  // namespace

int Devices(const DevicesOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra devices: " << message << "\n";
    return 1;
  };
  const auto format = text::ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  const auto fleet = OpenFleet({.config = options.config,
                                .snapshot = options.snapshot,
                                .workers = options.workers,
                                .timeout = options.timeout,
                                .devices_only = true},
                               terminal);
  if (!fleet) return fail(fleet.error().message);
  const auto workers =
      report::CountDevices(SourcesOf(**fleet), {options.device_class, options.selector});
  if (!workers) return fail("--selector does not compile\n" + workers.error().message);
  text::Style style = StyleOf(terminal, options.headers);
  if (*format == text::Format::kWide) style.width = 0;
  const text::Output output =
      text::RenderDevices(*workers, (*fleet)->as_of, *format, style, options.device_class);
  if (text::IsTable(*format)) {
    // Without headings only rows go to standard output.
    (options.headers ? terminal.out : terminal.err)
        << text::SnapshotLine((*fleet)->as_of, SystemClock().Now(), style);
  }
  terminal.out << output.out;
  if (!output.note.empty()) terminal.err << output.note << "\n";
  const bool unknown = std::any_of(workers->begin(), workers->end(),
                                   [](const auto& worker) { return !worker.problem.empty(); });
  if (!unknown && report::ClassIsNowhere(*workers)) return 1;
  if (unknown) return kUnknown;
  return report::OnlyFails(*workers) ? kEvaluationError : 0;
}

}  // namespace fedra::cli
