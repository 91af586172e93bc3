#include <ostream>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/time.h"
#include "config/load.h"
#include "config/print.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/config_connect.h"

namespace fedra::cli {
namespace {

config::LoadOptions LoadNow() {
  return {.now = SystemClock().Now(),
          .in_cluster = config::InClusterFromEnvironment(),
          .manager_may_fail = true};
}

}  // namespace

int ConfigValidate(const ValidateOptions& options, Terminal& terminal) {
  const auto timeout = ParseDuration(options.timeout);
  if (!timeout) {
    terminal.err << "--timeout: " << timeout.error().message << "\n";
    return 1;
  }
  config::LoadOptions all_of_it = LoadNow();
  all_of_it.look_at_store = true;
  const auto loaded = config::Load(options.config, all_of_it);
  if (!loaded) {
    terminal.err << config::ToString(loaded.error()) << "\n";
    return 1;
  }
  bool failed = !config::AccessProblems(*loaded, false).empty();
  config::Problems all = config::AccessProblems(*loaded, true);
  if (loaded->store) {
    all.push_back(loaded->store->problem);
    failed |= loaded->store->fatal;
  }
  if (!all.empty()) terminal.err << config::ToString(all) << "\n";
  if (failed) return 1;
  terminal.out << fmt::format("{} is valid: manager {}\n", options.config,
                              config::Summary(*loaded->manager));
  for (size_t i = 0; i < loaded->workers.size(); ++i) {
    terminal.out << fmt::format("  worker {}: {}\n", loaded->configuration.workers[i].name,
                                config::Summary(*loaded->workers[i]));
  }
  if (loaded->workers.empty())
    terminal.out
        << "  no worker: every job waits (add name and kubeconfig of each below workers)\n";
  if (options.connect && !ConnectAndReport(*loaded, *timeout, terminal)) return 1;
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
