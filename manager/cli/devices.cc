// fedra devices: what the workers publish, and what of it is free.

#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/api/question.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/cli/remote.h"
#include "manager/report/device_inventory.h"
#include "manager/report/device_map.h"
#include "manager/report/device_report.h"
#include "manager/text/as_of_text.h"
#include "manager/text/device_map_view.h"
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
    if (!source.problem.empty()) continue;
    source.snapshot = worker->devices()->snapshot();
    source.jobs = worker->devices()->pods().OfClaims();
  }
  return sources;
}

// Without headings only rows go to standard output.
void PrintWhenItWasSo(const DevicesOptions& options, const Fleet& fleet, const text::Style& style,
                      Terminal& terminal) {
  (options.headers ? terminal.out : terminal.err)
      << text::SnapshotLine(fleet.as_of, SystemClock().Now(), style);
}

// The map of the one worker that was read.
int PrintMap(const DevicesOptions& options, const Fleet& fleet, text::Format format,
             Terminal& terminal) {
  const std::vector<report::DeviceSource> sources = SourcesOf(fleet);
  const auto fail = [&](int code, const std::string& message) {
    terminal.err << "fedra devices: " << message << "\n";
    return code;
  };
  if (sources.size() != 1) return fail(1, "--map is about one worker: name it with --worker");
  const report::DeviceSource& source = sources.front();
  if (!source.problem.empty())
    return fail(kUnknown, fmt::format("{}: {}", source.worker, source.problem));
  const auto map = report::MapDevices(
      source, {.node = options.node, .limit = options.limit, .go_on = options.go_on});
  if (!map) return fail(1, ToString(map.error()));
  const text::Style style = StyleOf(terminal, options.headers);
  if (text::IsTable(format)) PrintWhenItWasSo(options, fleet, style, terminal);
  const text::Output output = text::RenderDeviceMap(*map, fleet.as_of, format, style);
  terminal.out << output.out;
  if (!output.note.empty()) terminal.err << output.note << "\n";
  return 0;
}

// What the daemon is asked: the same, by its parameters' names.
api::Values ValuesOf(const DevicesOptions& options) {
  api::Values values = {{"worker", fmt::format("{}", fmt::join(options.workers, ","))}};
  if (!options.map) {
    values.emplace_back("class", options.device_class);
    values.emplace_back("selector", options.selector);
    return values;
  }
  values.emplace_back("node", options.node);
  values.emplace_back("limit", options.limit == 0 ? "" : std::to_string(options.limit));
  values.emplace_back("continue", options.go_on);
  return values;
}

int AskForDevices(const DevicesOptions& options, text::Format format, Terminal& terminal) {
  text::Style style = StyleOf(terminal, options.headers);
  if (format == text::Format::kWide) style.width = 0;
  const auto answer = RemoteDaemon(options.daemon)
                          .Ask(api::TargetOf(options.map ? "device-map" : "devices",
                                             ValuesOf(options), format, style));
  const int code = Finish("devices", answer, terminal);
  // As without a daemon: the worker could not be read.
  const bool is_unread = !answer && answer.error().code == ErrorCode::kUnavailable;
  return options.map && is_unread ? kUnknown : code;
}

}  // namespace

int Devices(const DevicesOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra devices: " << message << "\n";
    return 1;
  };
  const auto format = text::ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  if (options.map && !options.daemon.empty() && options.workers.size() != 1)
    return fail("--map is about one worker: name it with --worker");
  if (!options.daemon.empty()) return AskForDevices(options, *format, terminal);
  const auto fleet = OpenFleet({.config = options.config,
                                .snapshot = options.snapshot,
                                .workers = options.workers,
                                .timeout = options.timeout,
                                .devices_only = true},
                               terminal);
  if (!fleet) return fail(fleet.error().message);
  if (options.map) return PrintMap(options, **fleet, *format, terminal);
  const auto workers =
      report::CountDevices(SourcesOf(**fleet), {options.device_class, options.selector});
  if (!workers) return fail("--selector does not compile\n" + workers.error().message);
  text::Style style = StyleOf(terminal, options.headers);
  if (*format == text::Format::kWide) style.width = 0;
  const text::Output output =
      text::RenderDevices(*workers, (*fleet)->as_of, *format, style, options.device_class);
  if (text::IsTable(*format)) PrintWhenItWasSo(options, **fleet, style, terminal);
  terminal.out << output.out;
  if (!output.note.empty()) terminal.err << output.note << "\n";
  return report::ExitCodeOf(*workers);
}

}  // namespace fedra::cli
