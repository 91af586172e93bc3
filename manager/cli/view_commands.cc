// fedra status, why, history: read the store or ask the daemon, and with --watch again.

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/cli/commands.h"
#include "manager/cli/rendered_view.h"
#include "manager/cli/status_screen.h"
#include "manager/cli/terminal/checked_output.h"
#include "manager/report/job_filter.h"
#include "manager/report/row_json.h"
#include "manager/text/view_settings.h"

namespace fedra::cli {
namespace {

// For programs a change is one line of json, or one document of yaml.
std::string OneOfMany(const std::string& out, text::Format format) {
  if (format == text::Format::kYaml) return "---\n" + out;
  if (format != text::Format::kJson) return out;
  return nlohmann::ordered_json::parse(out, nullptr, /*allow_exceptions=*/false).dump() + "\n";
}

// The same for programs, without what passes with time: what it differs in is news.
Result<std::string> News(const ViewOptions& options, const Terminal& terminal,
                         const Render& render) {
  ViewOptions plain = options;
  plain.format = "json";
  FEDRA_ASSIGN_OR_RETURN(const text::Output output, RenderOnce(plain, terminal, render));
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
  if (more > 0)
    screen += fmt::format("... and {}\033[K", Counted(static_cast<size_t>(more), "more line"));
  return screen + "\033[J";
}

// Once, or with --watch until interrupted: on a terminal that has no screen of its own (--no-tui,
// -o wide, no keys) the text is redrawn, ages included; elsewhere a change is one more text.
int Show(const std::string& command, const ViewOptions& options, Terminal& terminal,
         const Render& render) {
  const auto format = text::ParseFormat(options.format);
  const bool redraws = options.watch && terminal.out_is_tty && terminal.moves_cursor && format &&
                       text::IsTable(*format);
  std::string shown;
  while (true) {
    // Before what is shown: what changes in between is shown twice rather than never.
    const std::string news =
        options.watch && !redraws ? News(options, terminal, render).value_or("") : std::string();
    const Result<text::Output> output = RenderOnce(options, terminal, render);
    if (!output) {
      terminal.err << fmt::format("fedra {}: {}\n", command, ToString(output.error()));
      return 1;
    }
    const std::string now = !options.watch || redraws ? output->out : news;
    if (!options.watch || now != shown) {
      const std::string rendered = options.watch ? OneOfMany(output->out, *format) : output->out;
      terminal.out << (redraws ? Redrawn(rendered, terminal.height) : rendered) << std::flush;
      if (!output->note.empty()) terminal.err << output->note << "\n";
      shown = now;
    }
    if (!options.watch) return output->code;
    // Whether it could be written, the command line checks.
    if (!terminal.out || !WaitWhileRead(LookAgainMilliseconds(options))) return 0;
  }
}

// What may be written for the two tables.
constexpr std::array<std::string_view, 4> kWorkers = {"workers", "worker", "clusters", "cluster"};
constexpr std::array<std::string_view, 4> kJobs = {"jobs", "job", "workloads", "workload"};

bool Contains(const std::array<std::string_view, 4>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A view of the store, or as a full screen that begins with it.
int ShowStatus(api::View view, const ViewOptions& options, Terminal& terminal,
               const std::string& job = {}) {
  if (HasScreen(options, terminal)) return StatusScreen(view, job, options, terminal);
  return Show("status", options, terminal, RenderBy(view, options, job));
}

}  // namespace

int Status(const ViewOptions& options, Terminal& terminal) {
  if (!options.jobs.group_by.empty()) {
    if (options.names.empty() || Contains(kJobs, options.names.front()))
      return ShowStatus(api::View::kCounts, options, terminal);
    terminal.err << "fedra status: --group-by counts jobs: fedra status jobs --group-by "
                 << options.jobs.group_by << "\n";
    return 1;
  }
  if (options.names.empty()) return ShowStatus(api::View::kStatus, options, terminal);
  const std::string& what = options.names.front();
  if (Contains(kWorkers, what)) {
    if (report::IsFiltered(options.jobs)) {
      terminal.err << "fedra status: the options that choose jobs say nothing of workers: fedra "
                      "status jobs, or fedra status\n";
      return 1;
    }
    return ShowStatus(api::View::kWorkers, options, terminal);
  }
  if (Contains(kJobs, what)) return ShowStatus(api::View::kJobs, options, terminal);
  return ShowStatus(api::View::kJob, options, terminal, what);
}

int Why(const ViewOptions& options, Terminal& terminal) {
  return Show("why", options, terminal, RenderBy(api::View::kWhy, options, options.names.front()));
}

int History(const ViewOptions& options, Terminal& terminal) {
  return Show("history", options, terminal,
              RenderBy(api::View::kHistory, options, options.names.front()));
}

}  // namespace fedra::cli
