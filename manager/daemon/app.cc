#include "manager/daemon/app.h"

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "cluster-clients/threads.h"
#include "config/load.h"
#include "manager/api/secure_server.h"
#include "manager/api/server.h"
#include "manager/daemon/api_sources.h"
#include "manager/daemon/config_follower.h"
#include "manager/daemon/heartbeat.h"
#include "manager/daemon/notify.h"
#include "manager/daemon/pages.h"
#include "manager/daemon/progress.h"
#include "manager/daemon/replica.h"
#include "manager/daemon/signals.h"
#include "manager/dashboard/gate.h"
#include "manager/discovery/worker_discovery.h"
#include "manager/http/server.h"
#include "manager/http/unix_socket.h"
#include "manager/metrics/metrics.h"
#include "manager/reconcile/federation.h"
#include "manager/tracking/manager_name.h"
#include "manager/version.h"
#include "manager/wiring.h"
#include "store/store.h"

namespace fedra {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{250};
constexpr milliseconds kReloadInterval{1'000};

// This replica, as Events name it: "fedra-7d9f", the pod's name in a cluster. The API allows 128
// bytes.
std::string Instance() {
  char host[65] = {};
  if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') return "fedra";
  return std::string("fedra-") + host;
}

// Everything that lives as long as the daemon, in the order in which it is made; destroyed the
// other way round.
class Daemon final {
 public:
  // `received`: the socket for the API that systemd made; null: there is none.
  Daemon(std::string path, config::Loaded loaded, std::optional<int> received, MakeCheck make_check)
      : received_socket_(received),
        make_check_(std::move(make_check)),
        config_(std::move(path), std::move(loaded),
                [this](bool ok) { metrics_.SetConfigRead(ok, SystemClock().Now()); }),
        metrics_(kVersion, kCommit),
        threads_(std::max(4u, std::thread::hardware_concurrency())) {}

  Result<void> Start();
  void Tick();
  void Reload(bool forced);
  void Stop();

 private:
  Result<void> OpenStore();
  httpd::Pages Pages(std::string listener);
  api::Sources ApiSources(std::string listener);
  Result<void> StartHealth();
  void StartApi();
  void StartSecureApi();
  reconcile::FederationSettings Settings();
  std::function<void(const ClusterName&, std::string_view, std::string_view,
                     std::chrono::nanoseconds)>
  OnRequest();
  std::function<void(const ClusterName&, const watch::ReadVolume&)> OnRead();
  std::vector<reconcile::WorkerSettings> Workers(const config::Loaded& loaded);
  void ReportCredentials();
  void StartDiscovery();
  std::vector<std::string> RememberedWorkers() const;
  void Apply();

  const std::optional<int> received_socket_;
  const MakeCheck make_check_;
  ConfigFollower config_;
  config::Loaded used_;  // with the discovered workers, as the federation knows it
  const WallTime started_ = SystemClock().Now();

  metrics::Metrics metrics_;
  DaemonProgress progress_;
  api::ChangeFeed feed_;
  std::unique_ptr<store::Store> store_;
  Threads threads_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<reconcile::Federation> federation_;
  std::unique_ptr<DaemonHeartbeat> heartbeat_;
  std::unique_ptr<discovery::WorkerDiscovery> discovery_;  // null: all workers are configured
  std::unique_ptr<httpd::HttpServer> http_;
  std::unique_ptr<httpd::HealthServer> health_;  // null: it is not configured
  std::unique_ptr<api::Server> api_;
  std::unique_ptr<api::SecureServer>
      secure_api_;  // null: it is not configured, or cannot be served

  SteadyTime last_reload_{};
};

Result<void> Daemon::OpenStore() {
  const config::StoreSettings& settings = config_.now().configuration.store;
  FEDRA_ASSIGN_OR_RETURN(
      store_, store::Store::Open({.path = settings.path,
                                  .history_retention = settings.history_retention,
                                  .on_transaction = [this](const store::TransactionReport& report) {
                                    metrics_.StoreTransaction(report.ok, report.duration);
                                    for (const auto& [cluster, outcome] : report.ended)
                                      metrics_.AttemptEnded(cluster, outcome);
                                    feed_.Pass(report.written);
                                    progress_.StoreTurned();
                                  }}));
  if (store_->created()) {
    log::Info(
        "store created; placements are rebuilt from the clusters, earlier history is unavailable",
        {{"path", settings.path}});
  }
  return {};
}

reconcile::FederationSettings Daemon::Settings() {
  reconcile::FederationSettings settings = ToFederation(config_.now());
  settings.instance = Instance();
  settings.manager.options.on_request = OnRequest();
  settings.manager.options.on_read = OnRead();
  settings.manager.options.gate = replica_->gate();
  settings.may_decide = replica_->may_decide();
  settings.workers = Workers(used_);
  return settings;
}

std::function<void(const ClusterName&, std::string_view, std::string_view,
                   std::chrono::nanoseconds)>
Daemon::OnRequest() {
  return [this](const ClusterName& cluster, std::string_view verb, std::string_view code,
                std::chrono::nanoseconds duration) {
    metrics_.Requested(cluster, verb, code, duration);
  };
}

std::function<void(const ClusterName&, const watch::ReadVolume&)> Daemon::OnRead() {
  return [this](const ClusterName& cluster, const watch::ReadVolume& read) {
    metrics_.Read(cluster, read.bytes, read.events);
  };
}

std::vector<reconcile::WorkerSettings> Daemon::Workers(const config::Loaded& loaded) {
  std::vector<reconcile::WorkerSettings> workers = ToWorkers(loaded);
  for (reconcile::WorkerSettings& worker : workers) {
    worker.cluster.options.on_request = OnRequest();
    worker.cluster.options.on_read = OnRead();
    worker.cluster.options.gate = replica_->gate();
  }
  return workers;
}

Result<void> Daemon::Start() {
  used_ = config_.now();
  ReportCredentials();
  metrics_.SetConfigRead(true, started_);
  FEDRA_RETURN_IF_ERROR(OpenStore());
  replica_ =
      std::make_unique<Replica>(config_.now(), Instance(),
                                // On the elector's thread.
                                [this](milliseconds within) { return progress_.Able(within); });
  FEDRA_RETURN_IF_ERROR(replica_->Check(IsToEnd));
  federation_ = std::make_unique<reconcile::Federation>(Settings(), threads_.loop, threads_.pool,
                                                        *store_, metrics_, SystemClock());
  progress_.Follow(threads_, *federation_);
  heartbeat_ = std::make_unique<DaemonHeartbeat>(*store_, *federation_, *replica_, started_);
  http_ = std::make_unique<httpd::HttpServer>(threads_.loop, threads_.pool, Pages("http"));
  FEDRA_RETURN_IF_ERROR(http_->Start(config_.now().configuration.http.address));
  log::Info("listening", {{"port", std::to_string(http_->port())}});
  Result<void> started = StartHealth();
  if (started) {
    StartApi();
    StartSecureApi();
    started = federation_->Start();
  }
  if (started) StartDiscovery();
  // A page may be in the making, and what it is made from is about to be destroyed.
  if (!started) {
    Stop();
  } else {
    replica_->Start();
  }
  return started;
}

Result<void> Daemon::StartHealth() {
  const std::string& address = config_.now().configuration.http.health;
  if (address.empty()) return {};
  health_ = std::make_unique<httpd::HealthServer>(threads_.loop, Pages("health"));
  FEDRA_RETURN_IF_ERROR(health_->Start(address));
  log::Info("listening for kubelets", {{"port", std::to_string(health_->port())}});
  return {};
}

httpd::Pages Daemon::Pages(std::string listener) {
  return DaemonPages({*store_, *federation_, *replica_, progress_, metrics_}, std::move(listener));
}

api::Sources Daemon::ApiSources(std::string listener) {
  api::Sources sources =
      ToSources(config_.now().configuration, *store_, *federation_, *replica_, make_check_, feed_);
  sources.on_answer = [this, listener = std::move(listener)](std::string_view endpoint,
                                                             int status) {
    metrics_.Answered(listener, endpoint, status);
  };
  return sources;
}

void Daemon::StartDiscovery() {
  const config::WorkersFrom& from = config_.now().configuration.workers_from;
  if (!config::DiscoversWorkers(from)) return;
  discovery_ = std::make_unique<discovery::WorkerDiscovery>(from, federation_->manager(),
                                                            [this] { return RememberedWorkers(); });
  discovery_->Start();
}

// Those that were discovered by the last run, as far as the store knows.
std::vector<std::string> Daemon::RememberedWorkers() const {
  std::set<ClusterName> configured;
  for (const config::WorkerSettings& worker : config_.now().configuration.workers)
    configured.insert(ClusterName(worker.name));
  std::vector<std::string> names;
  for (const ClusterName& name : federation_->RememberedWorkers(configured))
    names.push_back(name.value);
  return names;
}

// Jobs do not wait for those who look on: without the API the daemon works all the same.
void Daemon::StartApi() {
  const config::Configuration& configuration = config_.now().configuration;
  if (!configuration.api.enabled) {
    if (received_socket_) close(*received_socket_);
    return;
  }
  api::Sources sources = ApiSources("socket");
  auto server = received_socket_ ? api::Server::OnReceived(*received_socket_, std::move(sources))
                                 : api::Server::OnSocket(
                                       {config::ApiSocket(configuration), configuration.api.group},
                                       std::move(sources));
  if (!server) {
    log::Fault("the API is not served", {{"error", server.error().message}});
    return;
  }
  api_ = *std::move(server);
}

void Daemon::StartSecureApi() {
  const config::Configuration& configuration = config_.now().configuration;
  if (!configuration.api.enabled || configuration.api.secure.address.empty()) return;
  api::SecureSettings settings = ToSecureSettings(configuration.api.secure);
  settings.metrics = Pages("secure").metrics;
  settings.page = [](const httpd::Request& request) {
    return dashboard::Guarded(dashboard::PageOf(request));
  };
  auto server = api::SecureServer::Start(std::move(settings), ApiSources("secure"),
                                         access::ReviewsBy(federation_->manager().cluster()));
  if (!server) {
    log::Fault("the secure API is not served", {{"error", server.error().message}});
    return;
  }
  secure_api_ = *std::move(server);
}

void Daemon::ReportCredentials() {
  const auto tell = [&](const std::string& cluster, const config::ClusterAccess& access) {
    const auto& times = access ? access->credential_times : access.error().credential_times;
    using Lifetime = std::optional<std::chrono::milliseconds>;
    metrics_.SetCredential(
        ClusterName(cluster), times ? std::optional(times->expires) : std::nullopt,
        times && times->issued ? Lifetime(times->expires - *times->issued) : std::nullopt);
  };
  tell(std::string(tracking::kManagerName), used_.manager);
  for (size_t i = 0; i < used_.workers.size(); ++i)
    tell(used_.configuration.workers[i].name, used_.workers[i]);
}

void Daemon::Tick() {
  federation_->Tick();
  heartbeat_->Beat(config_.restart_needed());
  Reload(false);
  if (discovery_ != nullptr && discovery_->Update()) Apply();
  progress_.Tick();
}

void Daemon::Reload(bool forced) {
  const SteadyTime now = SystemClock().Steady();
  if (!forced && now - last_reload_ < kReloadInterval) return;
  last_reload_ = now;
  if (secure_api_ != nullptr) secure_api_->Follow();
  if (config_.Follow(forced)) Apply();
}

void Daemon::Apply() {
  const config::Loaded& now = used_;
  const config::Loaded before = std::exchange(
      used_, discovery_ == nullptr ? config_.now() : discovery_->Complete(config_.now()));
  log::SetLevel(now.configuration.logging.level);
  replica_->SetConfiguration(config_.now());
  if (ToAccess(*now.manager) != ToAccess(*before.manager)) {
    federation_->manager().cluster().UpdateAccess(ToAccess(*now.manager));
    replica_->UpdateAccess(ToAccess(*now.manager));
  }
  for (const config::WorkerSettings& worker : before.configuration.workers) {
    const auto& workers = now.configuration.workers;
    const bool stays = std::any_of(workers.begin(), workers.end(),
                                   [&](const auto& one) { return one.name == worker.name; });
    if (!stays) metrics_.SetCredential(ClusterName(worker.name), std::nullopt, std::nullopt);
  }
  std::string left_out;
  for (const config::Problem& problem : now.not_used) {
    log::Warn("kubeconfig", {{"problem", config::ToString(problem)}});
    left_out += (left_out.empty() ? "" : "; ") + config::ToString(problem);
  }
  if (discovery_ == nullptr || discovery_->HasAnswered())
    federation_->SetWorkers(Workers(now), DrainsRemoved(now.configuration), std::move(left_out));
  ReportCredentials();
}

void Daemon::Stop() {
  progress_.Stopping();
  NotifySystemd("STOPPING=1");
  http_->Stop();
  if (health_ != nullptr) health_->Stop();
  api_.reset();
  if (secure_api_ != nullptr) secure_api_->Stop();
  replica_->Stop(/*release=*/federation_->Stop());
  secure_api_.reset();
  if (discovery_ != nullptr) discovery_->Stop();
  threads_.Stop();
}

}  // namespace

int RunDaemon(const std::string& config_path, const MakeCheck& make_check) {
  const sigset_t signals = BlockSignals();
  const std::optional<int> received = httpd::ReceivedSocket();
  auto loaded = config::Load(config_path, config::OptionsNow(/*manager_may_fail=*/false));
  if (!loaded) {
    fmt::print(stderr, "{}\n", config::ToString(loaded.error()));
    return 1;
  }
  log::Setup(loaded->configuration.logging.level, loaded->configuration.logging.format);
  log::Info("fedra starts", {{"version", kVersion}, {"commit", kCommit}, {"config", config_path}});
  for (const config::Problem& problem : config::AccessProblems(*loaded, true))
    log::Warn("kubeconfig", {{"problem", config::ToString(problem)}});
  Daemon daemon(config_path, std::move(*loaded), received, make_check);
  if (const Result<void> started = daemon.Start(); !started) {
    if (started.error().code == ErrorCode::kCancelled && IsToEnd()) {
      log::Info("stopped", {{"why", started.error().message}});
      return 0;
    }
    log::Fault("cannot start", {{"error", started.error().message}});
    return 1;
  }
  int signal = 0;
  while (signal != SIGTERM && signal != SIGINT) {
    daemon.Tick();
    signal = WaitForSignal(signals, kTick);
    if (signal != SIGHUP) continue;
    log::Info("the configuration is read again", {{"signal", "SIGHUP"}});
    daemon.Reload(true);
  }
  log::Info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  daemon.Stop();
  log::Info("stopped");
  return 0;
}

}  // namespace fedra
