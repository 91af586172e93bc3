#include "manager/app.h"

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/time.h"
#include "cluster-clients/threads.h"
#include "config/load.h"
#include "manager/api/secure_server.h"
#include "manager/api/server.h"
#include "manager/api_sources.h"
#include "manager/config_follower.h"
#include "manager/http/metrics.h"
#include "manager/http/server.h"
#include "manager/http/unix_socket.h"
#include "manager/notify.h"
#include "manager/reconcile/federation.h"
#include "manager/replica.h"
#include "manager/systemd_report.h"
#include "manager/tracking/manager_name.h"
#include "manager/version.h"
#include "manager/wiring.h"
#include "manager/worker_discovery.h"
#include "store/store.h"

namespace fedra {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{250};
constexpr milliseconds kReloadInterval{1'000};
constexpr milliseconds kHeartbeatInterval{2'000};
// From the lead to the first decision. 100,000 Workloads are listed in a tenth of that.
constexpr std::chrono::minutes kTakeOverLimit{2};

// This replica, as Events name it: "fedra-7d9f", the pod's name in a cluster. The API allows 128
// bytes.
std::string Instance() {
  char host[65] = {};
  if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') return "fedra";
  return std::string("fedra-") + host;
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

// Whether a signal that ends the daemon waits to be taken.
bool IsToEnd() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

// Everything that lives as long as the daemon, in the order in which it is made; destroyed the
// other way round.
class Daemon final {
 public:
  // `received`: the socket for the API that systemd made; null: there is none.
  Daemon(std::string path, config::Loaded loaded, std::optional<int> received)
      : received_socket_(received),
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
  void StartApi();
  void StartSecureApi();
  void FollowCertificate();
  reconcile::FederationSettings Settings();
  std::function<void(const ClusterName&, std::string_view, std::string_view,
                     std::chrono::nanoseconds)>
  OnRequest();
  std::vector<reconcile::WorkerSettings> Workers(const config::Loaded& loaded);
  pages::Pages Pages();
  std::string MetricsPage();
  void ReportCredentialExpiries();
  void Heartbeat();
  void NoteDifference(const std::string& sections);
  std::vector<WatchedPart> Watched();
  ServiceState State() const;
  // On the elector's thread.
  leader::Ability Able(milliseconds within) const;
  // Decisions are being made, or could be from one moment to the next.
  bool IsReady() const { return federation_->IsWorking() || federation_->IsStandby(); }
  void StartDiscovery();
  std::vector<std::string> RememberedWorkers();
  void Apply();

  const std::optional<int> received_socket_;
  ConfigFollower config_;
  config::Loaded used_;  // with the discovered workers, as the federation knows it
  const WallTime started_ = SystemClock().Now();

  // What the watched parts got done; counted by their own threads.
  std::atomic<uint64_t> loop_turns_{0};
  std::atomic<uint64_t> pool_turns_{0};
  std::atomic<uint64_t> store_turns_{0};

  pages::Metrics metrics_;
  std::unique_ptr<store::Store> store_;
  Threads threads_;
  std::unique_ptr<reconcile::Federation> federation_;
  std::unique_ptr<WorkerDiscovery> discovery_;  // null: all workers are configured
  SystemdReport systemd_{Watched()};
  std::unique_ptr<pages::HttpServer> http_;
  std::unique_ptr<api::Server> api_;
  std::unique_ptr<api::SecureServer>
      secure_api_;  // null: it is not configured, or cannot be served
  std::unique_ptr<Replica> replica_;

  std::atomic<bool> stopping_{false};  // the main thread does not tick any more
  SteadyTime last_heartbeat_{};
  std::string reported_lead_;  // role, leader and difference, as of the last heartbeat
  std::string differs_in_;     // as logged last
  SteadyTime last_reload_{};
};

Result<void> Daemon::OpenStore() {
  const config::StoreSettings& settings = config_.now().configuration.store;
  FEDRA_ASSIGN_OR_RETURN(
      store_, store::Store::Open({.path = settings.path,
                                  .history_retention = settings.history_retention,
                                  .on_transaction = [this](const store::TransactionReport& report) {
                                    metrics_.StoreTransaction(report.ok, report.duration);
                                    ++store_turns_;
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

std::vector<reconcile::WorkerSettings> Daemon::Workers(const config::Loaded& loaded) {
  std::vector<reconcile::WorkerSettings> workers = ToWorkers(loaded);
  for (reconcile::WorkerSettings& worker : workers) {
    worker.cluster.options.on_request = OnRequest();
    worker.cluster.options.gate = replica_->gate();
  }
  return workers;
}

Result<void> Daemon::Start() {
  used_ = config_.now();
  ReportCredentialExpiries();
  metrics_.SetConfigRead(true, started_);
  FEDRA_RETURN_IF_ERROR(OpenStore());
  replica_ = std::make_unique<Replica>(config_.now(), Instance(),
                                       [this](milliseconds within) { return Able(within); });
  FEDRA_RETURN_IF_ERROR(replica_->Check(IsToEnd));
  federation_ = std::make_unique<reconcile::Federation>(Settings(), threads_.loop, threads_.pool,
                                                        *store_, metrics_, SystemClock());
  http_ = std::make_unique<pages::HttpServer>(threads_.loop, threads_.pool, Pages());
  FEDRA_RETURN_IF_ERROR(http_->Start(config_.now().configuration.http.address));
  log::Info("listening", {{"port", std::to_string(http_->port())}});
  StartApi();
  StartSecureApi();
  Result<void> started = federation_->Start();
  if (started) StartDiscovery();
  // A page may be in the making, and what it is made from is about to be destroyed.
  if (!started) {
    Stop();
  } else {
    replica_->Start();
  }
  return started;
}

// While it stops the lead is kept: what was begun still has to be written.
leader::Ability Daemon::Able(milliseconds within) const {
  leader::Ability ability;
  if (stopping_) return ability;
  if (!systemd_.IsAlive(SystemClock().Steady(), within)) {
    ability.unable = "the daemon makes no progress: a part of it hangs, and the log names it";
    return ability;
  }
  ability.idle = !federation_->IsWorking();
  const std::string waits = ability.idle ? federation_->WhyNotReady() : std::string();
  if (waits.empty()) return ability;
  ability.cold = "it cannot begin to decide yet and waits for: " + waits;
  if (federation_->HasWaitedFor(kTakeOverLimit))
    ability.unable = fmt::format("it has the Lease for {}, could decide nothing, and waits for: {}",
                                 FormatDuration(kTakeOverLimit), waits);
  return ability;
}

void Daemon::StartDiscovery() {
  const config::WorkersFrom& from = config_.now().configuration.workers_from;
  if (!config::DiscoversWorkers(from)) return;
  discovery_ = std::make_unique<WorkerDiscovery>(from, federation_->manager(),
                                                 [this] { return RememberedWorkers(); });
  discovery_->Start();
}

// Those that were discovered by the last run, as far as the store knows.
std::vector<std::string> Daemon::RememberedWorkers() {
  std::vector<std::string> names;
  const auto reader = store_->Read();
  const auto rows = reader ? (*reader)->Clusters() : Fail(reader.error());
  if (!rows) {
    log::Warn("the workers of the last run are not known", {{"error", rows.error().message}});
    return names;
  }
  for (const store::ClusterRow& row : *rows) {
    const auto& workers = config_.now().configuration.workers;
    const bool is_configured = std::any_of(workers.begin(), workers.end(), [&](const auto& one) {
      return one.name == row.name.value;
    });
    if (!is_configured && !row.is_removed && row.name.value != tracking::kManagerName)
      names.push_back(row.name.value);
  }
  return names;
}

// Jobs do not wait for those who look on: without the API the daemon works all the same.
void Daemon::StartApi() {
  const config::Configuration& configuration = config_.now().configuration;
  if (!configuration.api.enabled) {
    if (received_socket_) close(*received_socket_);
    return;
  }
  api::Sources sources = ToSources(configuration, *store_, *federation_, *replica_);
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
  auto server = api::SecureServer::Start(ToSecureSettings(configuration.api.secure),
                                         ToSources(configuration, *store_, *federation_, *replica_),
                                         access::ReviewsBy(federation_->manager().cluster()));
  if (!server) {
    log::Fault("the secure API is not served", {{"error", server.error().message}});
    return;
  }
  secure_api_ = *std::move(server);
}

void Daemon::FollowCertificate() {
  if (secure_api_ == nullptr) return;
  if (const Result<void> followed = secure_api_->Follow(); !followed)
    log::Fault("the secure API is not served", {{"error", followed.error().message}});
}

pages::Pages Daemon::Pages() {
  const auto store_problem = [this] {
    const store::StoreStats stats = store_->Stats();
    return pages::HealthCheck{"store", stats.failing ? stats.failing->message : std::string()};
  };
  return {
      // Only what a restart can mend: the store's disk, for one, would stay full.
      .livez =
          [this] {
            const bool hangs = systemd_.IsOverdue(SystemClock().Steady());
            return std::vector<pages::HealthCheck>{
                {"progress", hangs ? "a part of the daemon hangs; the log names it" : ""}};
          },
      .readyz =
          [this, store_problem] {
            std::vector checks{store_problem()};
            const reconcile::ManagerCluster& manager = federation_->manager();
            checks.push_back({"manager", manager.Problem()});
            for (const reconcile::Gap& gap : manager.Gaps())
              checks.push_back({"manager/" + gap.resource, gap.why, true});
            const auto replica = replica_->Now();
            checks.push_back({replica && !replica->leads ? "standby-warm" : "reconciler",
                              IsReady() ? "" : "waits for " + federation_->WhyNotReady()});
            checks.push_back({"lease", replica_->Problem(), true});
            const std::string differs = replica_->ConfigDifference();
            checks.push_back({"same-configuration",
                              differs.empty() ? "" : "not the leader's in " + differs, true});
            const auto workers = federation_->workers();
            for (const auto& worker : *workers) {
              checks.push_back({"worker/" + worker->name().value, worker->Problem(), true});
            }
            return checks;
          },
      .metrics = [this] { return MetricsPage(); },
      .version =
          [] { return nlohmann::json{{"version", kVersion}, {"commit", kCommit}}.dump() + "\n"; }};
}

std::string Daemon::MetricsPage() {
  metrics_.SetManager(federation_->manager().IsUsable());
  metrics_.SetLeader(ToGauges(*replica_));
  std::vector<pages::ClusterGauges> clusters;
  const auto workers = federation_->workers();
  const std::string manager_uid = federation_->manager().uid();
  const auto lines = federation_->LinesNow();
  for (const auto& worker : *workers) {
    const auto line = lines.find(worker->name());
    const reconcile::LineFacts facts = line == lines.end() ? reconcile::LineFacts{} : line->second;
    clusters.push_back({.name = worker->name(),
                        .is_up = worker->contact() == placement::Contact::kFull,
                        .clones = worker->our_clones(manager_uid),
                        .in_line = facts.length,
                        .head_waits = facts.head_waits});
    const verify::DeviceState* devices = worker->objects().devices();
    if (devices != nullptr && clusters.back().is_up) clusters.back().devices = devices->Stock();
  }
  metrics_.SetClusters(clusters);
  // A standby's wait for it to lead.
  metrics_.SetQueueDepth(federation_->IsWorking() ? federation_->queue_depth() : 0);
  for (const auto& [kind_and_phase, count] : federation_->WorkloadsByPhase())
    metrics_.SetWorkloads(kind_and_phase.first, kind_and_phase.second, count);
  metrics_.SetBlocked(federation_->BlockedByReason());
  const store::StoreStats stats = store_->Stats();
  metrics_.SetStoreSize(stats.file_bytes + stats.wal_bytes);
  if (const auto process = pages::ReadProcessStats()) metrics_.SetProcess(*process);
  return metrics_.Text();
}

void Daemon::ReportCredentialExpiries() {
  const auto tell = [&](const std::string& cluster, const config::ClusterAccess& access) {
    metrics_.SetCredentialExpiry(ClusterName(cluster), access ? access->credential_expiry
                                                              : access.error().credential_expiry);
  };
  tell(std::string(tracking::kManagerName), used_.manager);
  for (size_t i = 0; i < used_.workers.size(); ++i)
    tell(used_.configuration.workers[i].name, used_.workers[i]);
}

void Daemon::Heartbeat() {
  store::HeartbeatRow row{.at = SystemClock().Now(),
                          .pid = getpid(),
                          .version = kVersion,
                          .started_at = started_,
                          .dispatch_order = std::string(placement::ToString(federation_->order())),
                          .restart_needed = config_.restart_needed()};
  PutReplica(row, *replica_);
  NoteDifference(row.config_differs);
  // A change of the leader is stored at once.
  const std::string lead = row.role + " " + row.leader + " " + row.config_differs;
  const SteadyTime now = SystemClock().Steady();
  if (lead == reported_lead_ && now - last_heartbeat_ < kHeartbeatInterval) return;
  reported_lead_ = lead;
  last_heartbeat_ = now;
  store_->Enqueue(store::SetHeartbeat{std::move(row)});
}

// Of this standby's configuration and the leader's.
void Daemon::NoteDifference(const std::string& sections) {
  if (std::exchange(differs_in_, sections) == sections) return;
  if (sections.empty()) {
    log::Info("the configuration is the leader's again, or another one leads");
  } else {
    log::Warn(
        "the configuration is not the leader's: if this replica led, it would decide otherwise",
        {{"sections", sections}});
  }
}

void Daemon::Tick() {
  federation_->Tick();
  Heartbeat();
  Reload(false);
  if (discovery_ != nullptr && discovery_->Update()) Apply();
  systemd_.Tick(SystemClock().Steady(), State());
}

// The loop and the pool are asked and have answered by the next look, the store by its heartbeat's
// transaction, failed ones included: a full disk is nothing that a restart could mend.
std::vector<WatchedPart> Daemon::Watched() {
  return {{"network loop",
           [this] {
             const uint64_t answered = loop_turns_;
             threads_.loop.Post([this] { ++loop_turns_; });
             return answered;
           }},
          {"worker pool",
           [this] {
             const uint64_t answered = pool_turns_;
             threads_.pool.Submit([this] { ++pool_turns_; });
             return answered;
           }},
          {"store", [this] { return store_turns_.load(); }},
          {"reconciler", [this, idle = uint64_t{0}]() mutable {
             // A standby's keys wait for it to lead.
             if (!federation_->IsWorking() || federation_->queue_depth() == 0) ++idle;
             return metrics_.reconciles() + idle;
           }}};
}

ServiceState Daemon::State() const {
  ServiceState state{.is_working = federation_->IsWorking(), .stands_by = federation_->IsStandby()};
  const auto workers = federation_->workers();
  state.workers = workers->size();
  state.connected =
      static_cast<size_t>(std::count_if(workers->begin(), workers->end(), [](const auto& worker) {
        return worker->contact() == placement::Contact::kFull;
      }));
  return state;
}

void Daemon::Reload(bool forced) {
  const SteadyTime now = SystemClock().Steady();
  if (!forced && now - last_reload_ < kReloadInterval) return;
  last_reload_ = now;
  FollowCertificate();
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
    if (!stays) metrics_.SetCredentialExpiry(ClusterName(worker.name), std::nullopt);
  }
  std::string left_out;
  for (const config::Problem& problem : now.not_used) {
    log::Warn("kubeconfig", {{"problem", config::ToString(problem)}});
    left_out += (left_out.empty() ? "" : "; ") + config::ToString(problem);
  }
  if (discovery_ == nullptr || discovery_->HasAnswered())
    federation_->SetWorkers(Workers(now), DrainsRemoved(now.configuration), std::move(left_out));
  ReportCredentialExpiries();
}

void Daemon::Stop() {
  stopping_ = true;
  NotifySystemd("STOPPING=1");
  http_->Stop();
  api_.reset();
  if (secure_api_ != nullptr) secure_api_->Stop();
  replica_->Stop(/*release=*/federation_->Stop());
  secure_api_.reset();
  if (discovery_ != nullptr) discovery_->Stop();
  threads_.Stop();
}

}  // namespace

int RunDaemon(const std::string& config_path) {
  const sigset_t signals = BlockSignals();
  const std::optional<int> received = pages::ReceivedSocket();
  auto loaded = config::Load(config_path, config::OptionsNow(/*manager_may_fail=*/false));
  if (!loaded) {
    fmt::print(stderr, "{}\n", config::ToString(loaded.error()));
    return 1;
  }
  log::Setup(loaded->configuration.logging.level, loaded->configuration.logging.format);
  log::Info("fedra starts", {{"version", kVersion}, {"commit", kCommit}, {"config", config_path}});
  for (const config::Problem& problem : config::AccessProblems(*loaded, true))
    log::Warn("kubeconfig", {{"problem", config::ToString(problem)}});
  Daemon daemon(config_path, std::move(*loaded), received);
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
