// fedra status, why, history: read the store, render, and with --watch render again.

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "config/names.h"
#include "manager/cli/commands.h"
#include "manager/cli/text/checked_output.h"
#include "manager/cli/text/history_view.h"
#include "manager/cli/text/status_view.h"
#include "manager/cli/text/view_parts.h"
#include "manager/cli/text/view_settings.h"
#include "manager/cli/text/why_view.h"
#include "manager/cli/text/workload_view.h"
#include "manager/report/job_filter.h"
#include "manager/report/row_json.h"
#include "manager/report/view_data.h"

namespace fedra::cli {
namespace {

using Render = std::function<Result<Output>(store::Reader& reader, const ViewSettings& settings)>;

// A file that changes is looked at this often.
constexpr int kWatchMilliseconds = 500;

Result<ViewSettings> Settings(const ViewOptions& options, const Terminal& terminal) {
  ViewSettings settings;
  FEDRA_ASSIGN_OR_RETURN(settings.format, ParseFormat(options.format));
  settings.style = StyleOf(terminal, options.headers);
  if (settings.format == Format::kWide) settings.style.width = 0;
  settings.query.now = SystemClock().Now();
  FEDRA_ASSIGN_OR_RETURN(settings.query.jobs, report::Checked(options.jobs));
  settings.query.ns = options.all_namespaces ? std::string() : options.ns;
  settings.query.worker_lost_timeout = options.worker_lost_timeout;
  settings.query.admission_timeout = options.admission_timeout;
  settings.query.race = options.race;
  return settings;
}

Result<Output> RenderOnce(const ViewOptions& options, const Terminal& terminal,
                          const Render& render) {
  FEDRA_ASSIGN_OR_RETURN(const ViewSettings settings, Settings(options, terminal));
  FEDRA_ASSIGN_OR_RETURN(const auto reader, store::Reader::Open(options.store));
  return render(*reader, settings);
}

// For programs a change is one line of json, or one document of yaml.
std::string OneOfMany(const std::string& out, Format format) {
  if (format == Format::kYaml) return "---\n" + out;
  if (format != Format::kJson) return out;
  return nlohmann::ordered_json::parse(out, nullptr, /*allow_exceptions=*/false).dump() + "\n";
}

// The same for programs, without what passes with time: what it differs in is news.
Result<std::string> News(const ViewOptions& options, const Terminal& terminal,
                         const Render& render) {
  ViewOptions plain = options;
  plain.format = "json";
  FEDRA_ASSIGN_OR_RETURN(const Output output, RenderOnce(plain, terminal, render));
  return report::WithoutAges(output.out);
}

// Over what is on the screen, line by line, so that nothing flickers; cut to the terminal's height.
std::string Redrawn(const std::string& text, size_t height) {
  std::string screen = "\033[H";
  size_t lines = 0;
  size_t begin = 0;
  for (; begin < text.size() && (height == 0 || lines + 1 < height); ++lines) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    screen += text.substr(begin, end - begin) + "\033[K\n";
    begin = end + 1;
  }
  const auto more = std::count(text.begin() + static_cast<ptrdiff_t>(std::min(begin, text.size())),
                               text.end(), '\n');
  if (more > 0) screen += fmt::format("... and {} more lines\033[K", more);
  return screen + "\033[J";
}

// Once, or with --watch until interrupted: on a terminal the screen is redrawn, ages included;
// elsewhere a change is one more text.
int Show(const std::string& command, const ViewOptions& options, Terminal& terminal,
         const Render& render) {
  const auto format = ParseFormat(options.format);
  const bool redraws =
      options.watch && terminal.out_is_tty && terminal.moves_cursor && format && IsTable(*format);
  std::string shown;
  while (true) {
    const Result<Output> output = RenderOnce(options, terminal, render);
    if (!output) {
      terminal.err << fmt::format("fedra {}: {}\n", command, output.error().message);
      return 1;
    }
    const std::string now =
        !options.watch || redraws ? output->out : News(options, terminal, render).value_or("");
    if (!options.watch || now != shown) {
      const std::string text = options.watch ? OneOfMany(output->out, *format) : output->out;
      terminal.out << (redraws ? Redrawn(text, terminal.height) : text) << std::flush;
      if (!output->note.empty()) terminal.err << output->note << "\n";
      shown = now;
    }
    // Whether it could be written, the command line checks.
    if (!options.watch || !terminal.out || !WaitWhileRead(kWatchMilliseconds)) return 0;
  }
}

Render OfWorkload(const ViewOptions& options,
                  Output (*render)(const report::WorkloadData&, const ViewSettings&)) {
  return [&options, render](store::Reader& reader, const ViewSettings& settings) -> Result<Output> {
    FEDRA_ASSIGN_OR_RETURN(const std::vector<report::JobName> names,
                           report::ParseWorkloadName(options.names.front(), settings.query.ns));
    FEDRA_ASSIGN_OR_RETURN(const report::WorkloadData data,
                           report::LoadWorkload(reader, names, settings.query.now));
    return render(data, settings);
  };
}

// Workers that are configured, or that jobs were on. Where none is known yet, none is wrong.
Result<void> CheckWorkers(const report::StatusData& data, const std::vector<std::string>& asked) {
  std::set<std::string> known;
  for (const store::ClusterRow& row : data.clusters) known.insert(row.name.value);
  for (const store::WorkloadRow& row : data.workloads)
    if (!row.worker.empty()) known.insert(row.worker.value);
  for (const std::string& name : asked) {
    if (known.empty() || known.contains(name)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--worker {}: there is no such worker; there are {}", name,
                            fmt::join(known, ", ")));
  }
  return {};
}

Render OfFleet(Output (*render)(const report::StatusData&, const ViewSettings&)) {
  return [render](store::Reader& reader, const ViewSettings& settings) -> Result<Output> {
    FEDRA_ASSIGN_OR_RETURN(const report::StatusData data, report::LoadStatus(reader));
    FEDRA_RETURN_IF_ERROR(CheckWorkers(data, settings.query.jobs.workers));
    return render(data, settings);
  };
}

// What may be written for the two tables.
constexpr std::array<std::string_view, 4> kWorkers = {"workers", "worker", "clusters", "cluster"};
constexpr std::array<std::string_view, 4> kJobs = {"jobs", "job", "workloads", "workload"};

bool Contains(const std::array<std::string_view, 4>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What a word behind `status` is that is no job's name; empty: nothing known.
std::string WhatElse(store::Reader& reader, const std::string& word) {
  const Result<report::StatusData> data = report::LoadStatus(reader);
  if (!data) return {};
  for (const store::ClusterRow& row : data->clusters) {
    if (row.name.value == word)
      return fmt::format("{} is a worker: `fedra status workers` shows it", word);
  }
  for (const store::WorkloadRow& row : data->workloads) {
    if (row.job.ns == word)
      return fmt::format("{} is a namespace: `fedra status -n {}` shows its jobs", word, word);
  }
  const std::string closest =
      config::ClosestName(word, {"workers", "jobs", "clusters", "workloads"});
  return closest.empty() ? "" : fmt::format("there is no job {}; did you mean {}?", word, closest);
}

}  // namespace

int Status(const ViewOptions& options, Terminal& terminal) {
  if (options.names.empty()) return Show("status", options, terminal, OfFleet(&RenderStatus));
  const std::string& what = options.names.front();
  if (Contains(kWorkers, what)) {
    if (report::IsFiltered(options.jobs)) {
      terminal.err << "fedra status: the options that choose jobs say nothing of workers: fedra "
                      "status jobs, or fedra status\n";
      return 1;
    }
    return Show("status", options, terminal, OfFleet(&RenderWorkers));
  }
  if (Contains(kJobs, what)) return Show("status", options, terminal, OfFleet(&RenderJobs));
  const Render render = OfWorkload(options, &RenderWorkload);
  return Show("status", options, terminal,
              [&](store::Reader& reader, const ViewSettings& settings) -> Result<Output> {
                Result<Output> output = render(reader, settings);
                if (output || output.error().code != ErrorCode::kNotFound) return output;
                const std::string hint = WhatElse(reader, what);
                if (hint.empty()) return output;
                return Fail(ErrorCode::kNotFound, hint);
              });
}

int Why(const ViewOptions& options, Terminal& terminal) {
  return Show("why", options, terminal, OfWorkload(options, &RenderWhy));
}

int History(const ViewOptions& options, Terminal& terminal) {
  return Show("history", options, terminal, OfWorkload(options, &RenderHistory));
}

}  // namespace fedra::cli
