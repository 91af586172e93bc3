#include "manager/app.h"

#include <unistd.h>
#include <csignal>
#include <ctime>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "cluster-clients/threads.h"
#include "config/file_stamp.h"
#include "config/load.h"
#include "config/print.h"
#include "manager/http/metrics.h"
#include "manager/http/server.h"
#include "manager/notify.h"
#include "manager/reconcile/reconciler.h"
#include "manager/tracking/manager_name.h"
#include "manager/version.h"
#include "manager/wiring.h"
#include "store/store.h"

namespace fedra {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{250};
constexpr milliseconds kReloadInterval{1'000};
constexpr milliseconds kHeartbeatInterval{2'000};

config::LoadOptions LoadNow() {
  return {.now = SystemClock().Now(),
          .in_cluster = config::InClusterFromEnvironment(),
          .manager_may_fail = false};
}

// The manager's broken kubeconfig must not hold back a worker's new one.
config::LoadOptions LoadAgain() {
  config::LoadOptions options = LoadNow();
  options.manager_may_fail = true;
  return options;
}

// The signals that end or nudge the daemon are taken by the main thread only, between two ticks.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

// The next signal within `limit`; 0: none came.
int WaitForSignal(const sigset_t& signals, milliseconds limit) {
  const timespec timeout{0, static_cast<long>(limit.count()) * 1'000'000};
  const int number = sigtimedwait(&signals, nullptr, &timeout);
  return number > 0 ? number : 0;
}

// Everything that lives as long as the daemon, in the order in which it is made; destroyed the
// other way round.
class Daemon final {
 public:
  Daemon(std::string path, config::Loaded loaded)
      : path_(std::move(path)),
        loaded_(std::move(loaded)),
        metrics_(kVersion, kCommit),
        threads_(std::max(4u, std::thread::hardware_concurrency())) {}

  Result<void> Start();
  void Tick();
  void Reload(bool forced);
  void Stop();

 private:
  Result<void> OpenStore();
  reconcile::ReconcilerSettings Settings() const;
  server::Pages Pages();
  std::string MetricsPage();
  void TellCredentialExpiries(const config::Loaded& used);
  void Heartbeat();
  void Apply(config::Loaded fresh);

  const std::string path_;
  config::Loaded loaded_;
  const WallTime started_ = SystemClock().Now();

  server::Metrics metrics_;
  std::unique_ptr<store::Store> store_;
  Threads threads_;
  std::unique_ptr<reconcile::Reconciler> reconciler_;
  std::unique_ptr<server::HttpServer> http_;

  SteadyTime last_heartbeat_{};
  SteadyTime last_reload_{};
  bool ready_told_ = false;
};

Result<void> Daemon::OpenStore() {
  const config::StoreSettings& settings = loaded_.configuration.store;
  FEDRA_ASSIGN_OR_RETURN(
      store_, store::Store::Open({.path = settings.path,
                                  .history_retention = settings.history_retention,
                                  .on_transaction = [this](const store::TransactionReport& report) {
                                    metrics_.StoreTransaction(report.ok, report.duration);
                                  }}));
  if (store_->created()) {
    log::Info("no store was found; placements are read from the clusters, the history begins now",
              {{"path", settings.path}});
  }
  return {};
}

reconcile::ReconcilerSettings Daemon::Settings() const {
  const config::Configuration& configuration = loaded_.configuration;
  reconcile::ReconcilerSettings settings;
  settings.gather = ToGather(configuration);
  settings.templates = ToTemplates(configuration);
  settings.policy = ToPolicy(configuration);
  settings.manager_access = ToAccess(*loaded_.manager);
  settings.manager_options = ToOptions(configuration.manager.http_version);
  settings.workers = ToWorkers(loaded_);
  return settings;
}

Result<void> Daemon::Start() {
  TellCredentialExpiries(loaded_);
  FEDRA_RETURN_IF_ERROR(OpenStore());
  reconcile::ReconcilerSettings settings = Settings();
  {
    FEDRA_ASSIGN_OR_RETURN(const auto reader, store_->Read());
    FEDRA_ASSIGN_OR_RETURN(const auto remembered, reader->Clusters());
    for (const store::ClusterRow& row : remembered) {
      bool configured = false;
      for (reconcile::WorkerSettings& worker : settings.workers) {
        if (worker.name != row.name) continue;
        configured = true;
        worker.lost_since = row.lost_since;
      }
      if (!configured) store_->Enqueue(store::RemoveCluster{row.name});
    }
  }
  const auto on_request = [this](const ClusterName& cluster, std::string_view verb,
                                 std::string_view code, std::chrono::nanoseconds duration) {
    metrics_.Requested(cluster, verb, code, duration);
  };
  settings.manager_options.on_request = on_request;
  for (reconcile::WorkerSettings& worker : settings.workers) worker.options.on_request = on_request;
  reconciler_ = std::make_unique<reconcile::Reconciler>(
      std::move(settings), threads_.loop, threads_.pool, *store_, metrics_, SystemClock());
  http_ = std::make_unique<server::HttpServer>(threads_.loop, threads_.pool, Pages());
  FEDRA_RETURN_IF_ERROR(http_->Start(loaded_.configuration.http.address));
  log::Info("listening", {{"port", std::to_string(http_->port())}});
  return reconciler_->Start();
}

server::Pages Daemon::Pages() {
  const auto store_problem = [this] {
    const store::StoreStats stats = store_->Stats();
    return server::HealthCheck{"store", stats.failing ? stats.failing->message : std::string()};
  };
  return {
      // Nothing that a restart could mend: the store's disk, for one, would stay full.
      .livez = [] { return std::vector<server::HealthCheck>(); },
      .readyz =
          [this, store_problem] {
            std::vector checks{store_problem()};
            checks.push_back({"manager", reconciler_->manager().Problem()});
            checks.push_back(
                {"reconciler", reconciler_->IsWorking() ? "" : "waiting for the first lists"});
            for (const auto& worker : reconciler_->workers()) {
              const ConnectionState state = worker->connection();
              const bool connected = state.phase == ConnectionPhase::kConnected;
              checks.push_back({"worker/" + worker->name().value,
                                connected
                                    ? worker->sync_problem()
                                    : (state.why ? state.why->message : std::string("connecting")),
                                true});
            }
            return checks;
          },
      .metrics = [this] { return MetricsPage(); },
      .version =
          [] { return nlohmann::json{{"version", kVersion}, {"commit", kCommit}}.dump() + "\n"; }};
}

std::string Daemon::MetricsPage() {
  metrics_.SetManager(reconciler_->manager().Row(SystemClock().Now()).last_contact.has_value());
  for (const auto& worker : reconciler_->workers()) {
    metrics_.SetCluster(worker->name(), worker->contact() == placement::Contact::kFull,
                        worker->our_clones());
  }
  metrics_.SetQueueDepth(reconciler_->queue().depth());
  for (const auto& [phase, count] : reconciler_->WorkloadsByPhase())
    metrics_.SetWorkloads(phase, count);
  const store::StoreStats stats = store_->Stats();
  metrics_.SetStoreSize(stats.file_bytes + stats.wal_bytes);
  return metrics_.Text();
}

// Of the clusters that this daemon knows; `used` may have others already.
void Daemon::TellCredentialExpiries(const config::Loaded& used) {
  const auto tell = [&](const std::string& cluster, const config::ClusterAccess& access) {
    metrics_.SetCredentialExpiry(ClusterName(cluster), access ? access->credential_expiry
                                                              : access.error().credential_expiry);
  };
  tell(std::string(tracking::kManagerName), used.manager);
  for (const config::WorkerSettings& known : loaded_.configuration.workers) {
    for (size_t i = 0; i < used.workers.size(); ++i) {
      if (used.configuration.workers[i].name == known.name) tell(known.name, used.workers[i]);
    }
  }
}

void Daemon::Heartbeat() {
  const SteadyTime now = SystemClock().Steady();
  if (now - last_heartbeat_ < kHeartbeatInterval) return;
  last_heartbeat_ = now;
  store_->Enqueue(store::SetHeartbeat{
      {.at = SystemClock().Now(), .pid = getpid(), .version = kVersion, .started_at = started_}});
}

void Daemon::Tick() {
  reconciler_->Tick();
  Heartbeat();
  Reload(false);
  if (!ready_told_ && reconciler_->IsWorking()) {
    ready_told_ = true;
    NotifySystemd("READY=1");
  }
}

void Daemon::Reload(bool forced) {
  const SteadyTime now = SystemClock().Steady();
  if (!forced && now - last_reload_ < kReloadInterval) return;
  last_reload_ = now;
  config::FileStamp stamp = config::StampFiles(loaded_.files);
  if (!forced && stamp == loaded_.stamp) return;
  loaded_.stamp = std::move(stamp);  // a file that stays unreadable is reported once
  auto fresh = config::Load(path_, LoadAgain());
  if (!fresh) {
    log::Fault("the changed configuration is not used",
               {{"problems", config::ToString(fresh.error())}});
    return;
  }
  Apply(std::move(*fresh));
}

// Credentials, addresses and the log level change at once; what shapes the daemon needs a restart
// and says so.
void Daemon::Apply(config::Loaded fresh) {
  config::Configuration comparable = fresh.configuration;
  comparable.logging.level = loaded_.configuration.logging.level;
  if (config::View(comparable) != config::View(loaded_.configuration)) {
    log::Warn(
        "the configuration has changed in parts that need a restart; only credentials, addresses "
        "and the log "
        "level are taken over",
        {{"path", path_}});
  }
  log::SetLevel(fresh.configuration.logging.level);
  for (const config::Problem& problem : config::AccessProblems(fresh, true))
    log::Warn("kubeconfig", {{"problem", config::ToString(problem)}});
  if (!fresh.manager) fresh.manager = loaded_.manager;
  if (fresh.manager->server != loaded_.manager->server) {
    // Everything of ours on the workers would look as if its workload were gone.
    log::Fault(
        "the manager's kubeconfig leads to another server now; it is not used before a restart",
        {{"path", path_}, {"server", fresh.manager->server}});
    fresh.manager = loaded_.manager;
  }
  if (ToAccess(*fresh.manager) != ToAccess(*loaded_.manager))
    reconciler_->manager().cluster().UpdateAccess(ToAccess(*fresh.manager));
  for (const auto& worker : reconciler_->workers()) {
    for (const reconcile::WorkerSettings& settings : ToWorkers(fresh)) {
      if (settings.name == worker->name() &&
          worker->Reconfigure(settings.access, settings.misconfigured))
        log::Info("using the worker's changed kubeconfig", {{"cluster", worker->name().value}});
    }
  }
  TellCredentialExpiries(fresh);
  loaded_.manager = std::move(fresh.manager);
  loaded_.workers = std::move(fresh.workers);
  loaded_.files = std::move(fresh.files);
  loaded_.stamp = std::move(fresh.stamp);
  loaded_.configuration.logging.level = fresh.configuration.logging.level;
}

void Daemon::Stop() {
  NotifySystemd("STOPPING=1");
  http_->Stop();
  reconciler_->Stop();
  threads_.Stop();
}

}  // namespace

int RunDaemon(const std::string& config_path) {
  const sigset_t signals = BlockSignals();
  auto loaded = config::Load(config_path, LoadNow());
  if (!loaded) {
    fmt::print(stderr, "{}\n", config::ToString(loaded.error()));
    return 1;
  }
  log::Setup(loaded->configuration.logging.level, loaded->configuration.logging.format);
  log::Info("fedra starts", {{"version", kVersion}, {"commit", kCommit}, {"config", config_path}});
  for (const config::Problem& problem : config::AccessProblems(*loaded, true))
    log::Warn("kubeconfig", {{"problem", config::ToString(problem)}});
  Daemon daemon(config_path, std::move(*loaded));
  if (const Result<void> started = daemon.Start(); !started) {
    log::Fault("cannot start", {{"error", started.error().message}});
    return 1;
  }
  int signal = 0;
  while (signal != SIGTERM && signal != SIGINT) {
    daemon.Tick();
    signal = WaitForSignal(signals, kTick);
    if (signal == SIGHUP) daemon.Reload(true);
  }
  log::Info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  daemon.Stop();
  return 0;
}

}  // namespace fedra
