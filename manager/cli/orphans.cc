// fedra orphans: objects fedra created on workers whose workload no longer exists, and their
// removal.

#include <unistd.h>

#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/discover.h"
#include "manager/cli/fleet/orphan_list.h"
#include "manager/cli/fleet/orphan_search.h"
#include "manager/text/display_text.h"
#include "manager/text/status_format.h"

namespace fedra::cli {
namespace {

// Whether they are to be deleted; an answer that is not there is no.
bool Confirmed(const OrphanOptions& options, size_t count, Terminal& terminal) {
  if (options.yes) return true;
  if (isatty(STDIN_FILENO) != 1) {
    terminal.err << "fedra orphans: no terminal to ask on: add --yes to delete them\n";
    return false;
  }
  terminal.err << fmt::format("delete {}? [y/N] ", Counted(count, "object")) << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

int DeleteAll(OrphanSearch& search, std::span<const Orphan> orphans, Terminal& terminal) {
  int code = 0;
  for (const Orphan& orphan : orphans) {
    const std::string what = text::Printable(
        fmt::format("{} {} on {}", KindOf(orphan), orphan.key.ToString(), orphan.worker.value));
    const Result<void> deleted = search.Delete(orphan);
    if (!deleted) code = 1;
    terminal.err << (deleted ? "deleted " + what
                             : fmt::format("{} was not deleted: {}", what,
                                           text::Printable(ToString(deleted.error()))))
                 << "\n";
  }
  return code;
}

}  // namespace

int Orphans(const OrphanOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra orphans: " << message << "\n";
    return 1;
  };
  const auto format = text::ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  if (options.yes && !options.remove)
    return fail("--yes without --delete: it answers the question that --delete asks");
  const auto timeout = ParseDuration(options.timeout);
  if (!timeout) return fail("--timeout: " + timeout.error().message);
  auto loaded = config::Load(options.config, config::OptionsNow(/*manager_may_fail=*/false));
  if (!loaded) return fail(config::ToString(loaded.error()));
  if (const std::string why = DiscoverWorkers(*loaded, *timeout); !why.empty()) return fail(why);
  OrphanSearch search(*loaded, *timeout, terminal);
  if (const std::string problem = search.Problem(); !problem.empty()) return fail(problem);
  const std::vector<Orphan> orphans = search.Find();
  const OrphanGaps gaps = search.Gaps();
  const text::Output output = RenderOrphans(orphans, gaps, {SystemClock().Now(), {}}, *format,
                                            StyleOf(terminal, options.headers));
  terminal.out << output.out << std::flush;
  if (!output.note.empty()) terminal.err << output.note << "\n";
  const int known = gaps.workers.empty() && gaps.left_out.empty() ? 0 : kUnknown;
  if (!options.remove || orphans.empty()) return known;
  if (!Confirmed(options, orphans.size(), terminal)) return 1;
  const int deleted = DeleteAll(search, orphans, terminal);
  return deleted != 0 ? deleted : known;
}

}  // namespace fedra::cli
