#include <ostream>

#include <fmt/format.h>

#include "base/clock.h"
#include "config/load.h"
#include "config/print.h"
#include "manager/cli/commands.h"

namespace fedra::cli {
namespace {

config::LoadOptions LoadNow() {
  return {.now = SystemClock().Now(),
          .in_cluster = config::InClusterFromEnvironment(),
          .manager_may_fail = true};
}

}  // namespace

int ConfigValidate(const std::string& path, Terminal& terminal) {
  const auto loaded = config::Load(path, LoadNow());
  if (!loaded) {
    terminal.err << config::ToString(loaded.error()) << "\n";
    return 1;
  }
  const config::Problems failures = config::AccessProblems(*loaded, false);
  if (const config::Problems all = config::AccessProblems(*loaded, true); !all.empty())
    terminal.err << config::ToString(all) << "\n";
  if (!failures.empty()) return 1;
  terminal.out << fmt::format("{} is valid: manager {}\n", path, config::Summary(*loaded->manager));
  for (size_t i = 0; i < loaded->workers.size(); ++i) {
    terminal.out << fmt::format("  worker {}: {}\n", loaded->configuration.workers[i].name,
                                config::Summary(*loaded->workers[i]));
  }
  return 0;
}

int ConfigPrintDefaults(Terminal& terminal) {
  terminal.out << config::PrintDefaults();
  return 0;
}

int ConfigView(const std::string& path, Terminal& terminal) {
  const auto loaded = config::Load(path, LoadNow());
  if (!loaded) {
    terminal.err << config::ToString(loaded.error()) << "\n";
    return 1;
  }
  terminal.out << config::View(loaded->configuration);
  return 0;
}

}  // namespace fedra::cli
