#include "manager/daemon/config_follower.h"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "config/changes.h"
#include "config/file_stamp.h"
#include "manager/daemon/reload.h"

namespace fedra {
namespace {

std::set<std::string> WorkersOf(const config::Configuration& configuration) {
  std::set<std::string> names;
  for (const config::WorkerSettings& worker : configuration.workers) names.insert(worker.name);
  return names;
}

// Those of `some` that are not among the others.
std::string OnlyIn(const std::set<std::string>& some, const std::set<std::string>& others) {
  std::vector<std::string> names;
  for (const std::string& name : some)
    if (!others.contains(name)) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

ConfigFollower::ConfigFollower(std::string path, config::Loaded loaded,
                               std::function<void(bool)> on_read)
    : path_(std::move(path)), now_(std::move(loaded)), on_read_(std::move(on_read)) {}

std::optional<config::Loaded> ConfigFollower::Follow(bool forced) {
  auto fresh = Read(forced);
  if (!fresh) return std::nullopt;
  TakeOverFrom(*fresh, forced);
  PublishWorkers(fresh->configuration);
  return std::exchange(now_, std::move(*fresh));
}

std::optional<config::Loaded> ConfigFollower::Read(bool forced) {
  config::FileStamp stamp = config::StampFiles(now_.files);
  if (!forced && stamp == now_.stamp) return std::nullopt;
  now_.stamp = std::move(stamp);  // a file that stays unreadable is reported once
  // The manager's broken kubeconfig must not hold back a worker's new one.
  auto fresh = config::Load(path_, config::OptionsNow(/*manager_may_fail=*/true));
  on_read_(fresh.has_value());
  if (!fresh) {
    is_broken_ = true;
    log::Fault("the changed configuration is not used",
               {{"problems", config::ToString(fresh.error())}});
    return std::nullopt;
  }
  if (std::exchange(is_broken_, false))
    log::Info("the configuration can be used again", {{"path", path_}});
  return std::move(*fresh);
}

// Workers, credentials, addresses and the log level change at once; what shapes the daemon needs a
// restart and says so.
void ConfigFollower::TakeOverFrom(config::Loaded& fresh, bool forced) {
  config::Configuration merged = TakeOver(now_.configuration, fresh.configuration);
  const std::string keys =
      fmt::format("{}", fmt::join(config::ChangedKeys(merged, fresh.configuration), ", "));
  // Once for each set of keys, not again at each further edit.
  const bool is_new = std::exchange(restart_needed_, keys) != keys;
  if ((is_new || forced) && !keys.empty()) {
    log::Warn(
        "the configuration has changed in parts that need a restart; workers, credentials, "
        "addresses and the log level are applied",
        {{"path", path_}, {"keys", keys}});
  }
  fresh.configuration = std::move(merged);
  for (const config::Problem& problem : config::AccessProblems(fresh, true))
    log::Warn("kubeconfig", {{"problem", config::ToString(problem)}});
  KeepManager(fresh);
}

void ConfigFollower::KeepManager(config::Loaded& fresh) const {
  if (!fresh.manager) fresh.manager = now_.manager;
  if (fresh.manager->server == now_.manager->server) return;
  // Everything of ours on the workers would look as if its workload were gone.
  log::Fault(
      "the manager's kubeconfig leads to another server now; it is not used before a restart",
      {{"path", path_}, {"server", fresh.manager->server}});
  fresh.manager = now_.manager;
}

void ConfigFollower::PublishWorkers(const config::Configuration& fresh) const {
  const std::set<std::string> before = WorkersOf(now_.configuration), after = WorkersOf(fresh);
  if (before == after) return;
  log::Info("the configured workers have changed", {{"added", OnlyIn(after, before)},
                                                    {"removed", OnlyIn(before, after)},
                                                    {"workers", std::to_string(after.size())}});
}

}  // namespace fedra
