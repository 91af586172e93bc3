// fedra migrate --check: what would become of every job when fedra takes the place of Kueue's
// MultiKueue, or gives it back.

#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/config_connect.h"
#include "manager/cli/fleet/daemon_fleet.h"
#include "manager/cli/fleet/discover.h"
#include "manager/cli/migration/migration_view.h"
#include "manager/cli/migration/to_fedra.h"
#include "manager/cli/migration/to_multi_kueue.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

Result<KueueSetup> ReadKueueSetup(Cluster& manager, const std::string& ns) {
  FEDRA_ASSIGN_OR_RETURN(const std::string text,
                         manager.Get(tracking::kConfigMaps, {ns, kKueueConfigMap}));
  const auto config_map = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return ParseKueueSetup(config_map);
}

// As MultiKueue sees them the copies are what they are for a fedra that leaves them to Kueue.
config::Loaded ForDirection(config::Loaded loaded, Direction direction) {
  if (direction == Direction::kToMultiKueue)
    loaded.configuration.kueue.mode = config::KueueMode::kDispatcher;
  return loaded;
}

std::vector<Forecast> Foretell(DaemonFleet& fleet, const config::Loaded& loaded,
                               Direction direction) {
  const placement::Policy policy = ToPolicy(loaded.configuration);
  const std::string origin = ToIdentity(loaded.configuration).origin;
  const WallTime now = SystemClock().Now();
  std::vector<Forecast> forecasts;
  for (const auto& workload : fleet.manager().jobs().workloads().cache().List()) {
    if (workload->deleting || workload->Finished()) continue;
    const reconcile::Gathered gathered = fleet.Gather(workload->key);
    if (gathered.view.workload == nullptr || gathered.view.check.empty()) continue;
    forecasts.push_back(
        direction == Direction::kToFedra
            ? ForecastToFedra(gathered.view, gathered.clusters, policy, origin, now)
            : ForecastToMultiKueue(gathered.view, gathered.clusters,
                                   fleet.gatherer().scopes().Of(gathered.view.check).problem,
                                   origin));
  }
  Sort(forecasts);
  return forecasts;
}

Found FindAround(DaemonFleet& fleet, const config::Loaded& loaded, Direction direction,
                 const std::vector<ClusterAnswer>& answers) {
  const config::Configuration& configuration = loaded.configuration;
  Found found;
  found.direction = direction;
  found.origin = configuration.kueue.multi_kueue_origin;
  found.kueue_namespace = configuration.workers_from.secret_namespace;
  found.kueue = ReadKueueSetup(fleet.manager().cluster(), found.kueue_namespace);
  for (const ClusterAnswer& answer : answers)
    if (!answer.problem.empty()) found.problems.emplace(answer.name, answer.problem);
  const verify::CheckScopes& scopes = fleet.gatherer().scopes();
  for (const auto& check : fleet.manager().checks().List()) {
    if (!scopes.IsOurs(*check)) continue;
    const verify::CheckScope scope = scopes.Of(*check);
    found.named.insert(scope.names.begin(), scope.names.end());
  }
  for (const auto& cluster : fleet.manager().worker_clusters().List())
    found.worker_clusters.insert(cluster->name);
  for (const config::WorkerSettings& worker : configuration.workers)
    found.workers.insert(worker.name);
  for (const config::KindSettings& kind : configuration.kinds) {
    const size_t slash = kind.api_version.find('/');
    found.added_kinds.push_back(fmt::format("{}.{}.{}", kind.kind,
                                            kind.api_version.substr(slash + 1),
                                            kind.api_version.substr(0, slash)));
  }
  return found;
}

int ExitCodeOf(Loss loss) {
  switch (loss) {
    case Loss::kNone:
      return 0;
    case Loss::kNotKnown:
      return kUnknown;
    case Loss::kSome:
      break;
  }
  return kFailed;
}

}  // namespace

int Migrate(const MigrateOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra migrate: " << message << "\n";
    return kFailed;
  };
  const auto format = text::ParseFormat(options.format);
  if (!format) return fail("-o: " + format.error().message);
  const auto timeout = ParseDuration(options.timeout);
  if (!timeout) return fail("--timeout: " + timeout.error().message);
  if (!options.check)
    return fail("it switches nothing: add --check, and see docs/kueue-setup.md for the switch");
  auto loaded = config::Load(options.config, config::OptionsNow(/*manager_may_fail=*/false));
  if (!loaded) return fail(config::ToString(loaded.error()));
  if (!tracking::TakesOver(ToMode(loaded->configuration)))
    return fail("kueue.mode is not multikueue in " + options.config +
                ": give it the configuration that fedra is to run with, or runs with");
  if (const std::string why = DiscoverWorkers(*loaded, *timeout); !why.empty()) return fail(why);
  Migration migration;
  migration.direction = options.back ? Direction::kToMultiKueue : Direction::kToFedra;
  // MultiKueue needs none of fedra's rights.
  const std::vector<ClusterAnswer> answers =
      options.back ? std::vector<ClusterAnswer>() : AskClusters(*loaded, *timeout, terminal);
  DaemonFleet fleet(ForDirection(*loaded, migration.direction),
                    {.judges = true, .worker_clusters = true});
  fleet.Read(*timeout, terminal);
  if (const std::string problem = fleet.Problem(); !problem.empty()) return fail(problem);
  migration.forecasts =
      Foretell(fleet, ForDirection(*loaded, migration.direction), migration.direction);
  migration.todos = ToDos(FindAround(fleet, *loaded, migration.direction, answers));
  migration.unread = fleet.UnreadWorkers();
  const text::Output output = RenderMigration(migration, {SystemClock().Now(), {}}, *format,
                                              StyleOf(terminal, options.headers));
  terminal.out << output.out << std::flush;
  if (!output.note.empty()) terminal.err << output.note << "\n";
  return ExitCodeOf(LossOf(migration));
}

}  // namespace fedra::cli
