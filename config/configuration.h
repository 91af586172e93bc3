#pragma once
//
// The configuration file (apiVersion fedra.dev/v1alpha1, kind Configuration) as plain structs.
//
// A default-constructed Configuration holds every default; config/schema.cc names each field for
// decoding, printing and the reference page, so a default is written here and nowhere else.
// The layers below the wiring do not know these structs: they take their own plain settings.
// Thread rules: plain values.

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "config/exec_access.h"

namespace fedra::config {

// What is spoken to one API server. HTTP/1.1 is the way out where a proxy or an old libcurl
// stumbles over HTTP/2; it costs about twice the memory per cluster.
enum class HttpVersion { k2, k11 };

struct ManagerSettings {
  std::string kubeconfig;   // absolute path after loading; empty only with in_cluster
  bool in_cluster = false;  // use the pod's service account instead of a kubeconfig
  std::string context;      // context of the kubeconfig; empty: its current-context
  HttpVersion http_version = HttpVersion::k2;
};

// Nodes that the worker's autoscaler could add; no API reveals them.
struct ScalablePool {
  std::string device_class;                        // DNS-1123 subdomain
  int devices = 0;                                 // that one such node brings, 1 to 10000
  int max_nodes = 0;                               // that may still be added; 0: no limit
  std::map<std::string, std::string> node_labels;  // Kubernetes label syntax
};

struct WorkerSettings {
  std::string name;                       // DNS-1123 subdomain, unique, not "manager"
  std::string kubeconfig;                 // absolute path after loading; required
  std::string context;                    // context of the kubeconfig; empty: its current-context
  std::vector<std::string> capabilities;  // such as "gpu.nvidia.com/MPSSupport"
  bool node_resources = true;             // devices need a node with room for the pod, too
  std::vector<ScalablePool> scalable_pools;
  bool allow_insecure = false;  // permits insecure-skip-tls-verify and plain http
  HttpVersion http_version = HttpVersion::k2;
  bool discovered = false;  // from an object of the manager (WorkersFrom), not from the file
};

// ClusterProfiles of the manager that are workers without a MultiKueueCluster.
struct ClusterProfilesFrom {
  std::string ns;        // DNS-1123 label; empty: none are
  std::string selector;  // of their labels (base/label_selector.h); empty: all
};

// Gives the credentials for clusters whose ClusterProfile lists a provider of this name.
struct AccessProvider {
  std::string name;  // unique
  ExecAccess exec;
};

// Where workers come from beside the list.
struct WorkersFrom {
  bool multi_kueue_clusters = false;  // every MultiKueueCluster of the manager is a worker
  // Kueue's own: their Secrets and ClusterProfiles are there.
  std::string secret_namespace = "kueue-system";
  // Files that they name (locationType Path) must be in it; absolute after loading. The default is
  // Kueue's.
  std::string kubeconfig_folder = "/etc/multikueue/kubeconfigs";
  ClusterProfilesFrom cluster_profiles;
  // The first that a ClusterProfile lists is used. Without any, no ClusterProfile is read.
  std::vector<AccessProvider> access_providers;
};

// Whether any are discovered.
bool DiscoversWorkers(const WorkersFrom& from);
// The namespaces whose ClusterProfiles are read for it, each once.
std::vector<std::string> ProfileNamespaces(const WorkersFrom& from);

// How fedra joins in with Kueue on the manager.
enum class KueueMode {
  kAdmissionCheck,  // it is the controller of AdmissionChecks, copies, admits and mirrors
  kMultiKueue,      // the same in place of Kueue's MultiKueue, which is switched off
  kDispatcher,      // Kueue's MultiKueue does that; fedra nominates workers to it
};

struct KueueSettings {
  KueueMode mode = KueueMode::kAdmissionCheck;
  // spec.controllerName of our AdmissionChecks; in the other modes only who reports Events.
  std::string controller_name = "fedra.dev/federation";
  // In the other modes: multiKueue.origin of Kueue's configuration; DNS-1123 label.
  std::string multi_kueue_origin = "multikueue";
  bool pods = false;  // with kAdmissionCheck: whether pods and their groups are dispatched, too
};

// What a ResourceClaimTemplate on a worker that differs from the manager's means.
enum class Drift {
  kIgnore,   // not compared
  kWarn,     // eligible, with a TemplateDrift reason
  kRequire,  // not eligible
};
// Whether the manager's ResourceClaimTemplates are copied to workers.
enum class SyncPolicy {
  kNever,      // the administrators of the workers create them
  kIfMissing,  // one that a job needs and its worker lacks is copied with the job
  kReconcile,  // and the copies follow the manager's template
};
enum class DeviceCheck {
  kOff,      // objects are verified, free devices are not counted
  kEnforce,  // a worker whose devices do not satisfy the claims is not eligible
};
// A capability that a claim needs and its worker's entry does not declare.
enum class Undeclared {
  kWarn,     // eligible, with a CapabilityUndeclared reason
  kRequire,  // not eligible
};
// Whether a worker whose ClusterQueue can never admit a job is refused for it.
enum class QueueQuotaCheck { kEnforce, kIgnore };
// What it means for a job that names a ResourceClaim when the claim is in use on a worker.
enum class SharedClaims {
  kPreferTogether,   // that worker is preferred
  kRequireTogether,  // the others are not eligible
};
// Other objects that a pod template names (ConfigMaps, PersistentVolumeClaims, ...).
enum class DependencyCheck {
  kOff,      // not looked for
  kWarn,     // eligible, with a DependencyMissing reason
  kEnforce,  // not eligible
};
// What dispatch does with a worker whose answer is Unknown.
enum class UnknownPolicy {
  kTryLast,  // only when no worker says Yes
  kNever,
};

struct VerificationSettings {
  Drift template_drift = Drift::kWarn;
  SyncPolicy template_sync = SyncPolicy::kNever;
  DeviceCheck devices = DeviceCheck::kEnforce;
  Undeclared capabilities = Undeclared::kWarn;
  QueueQuotaCheck queue_quota = QueueQuotaCheck::kEnforce;
  SharedClaims shared_claims = SharedClaims::kPreferTogether;
  DependencyCheck dependencies = DependencyCheck::kOff;
  bool secrets = false;  // Secrets count as dependencies; needs the right to list them
  UnknownPolicy unknown = UnknownPolicy::kTryLast;
};

enum class DispatchPolicy {
  kBest,  // the best `candidates` workers; after admission_timeout the next ones
  kRace,  // every eligible worker at once; the first to admit wins
};

// The jobs of a worker that is removed from the configuration while the daemon runs.
enum class RemovedWorkers {
  kKeep,   // they run on until they end
  kDrain,  // they are taken back and queued again
};

// The jobs of a worker that rejects our credentials longer than workerLostTimeout.
enum class RejectedWorkers {
  kKeep,  // they stay: the worker answers, and they run on
  kMove,  // as those of a worker that does not answer
};

// What holds between waiting jobs that compete for devices (docs/ordering.md).
enum class OrderPolicy {
  kStrict,      // none passes another
  kBackfill,    // the first in line is passed only where it does not matter, and not for long
  kBestEffort,  // what fits goes
};

// How far others may pass the first in line, with OrderPolicy::kBackfill.
struct BackfillSettings {
  int max_passes = 16;                                            // 0 to 100000
  std::chrono::milliseconds max_wait = std::chrono::minutes(10);  // 0s to 8760h
};

struct DispatchSettings {
  DispatchPolicy policy = DispatchPolicy::kBest;
  int candidates = 1;  // workers tried at the same time, 1 to 1000
  std::chrono::milliseconds admission_timeout{120'000};  // 1s to 168h
  OrderPolicy order = OrderPolicy::kBackfill;
  BackfillSettings backfill;
  RemovedWorkers removed_workers = RemovedWorkers::kKeep;
  RejectedWorkers rejected_workers = RejectedWorkers::kKeep;
  // How long the copies of a job that failed stay on its worker; 0s (not at all) to 168h.
  std::chrono::milliseconds keep_failed{0};
  int failure_log_lines = 0;  // of a failed job's pod, that the history keeps; to 100
};

// Several replicas, of which one leads. The relations of the times are client-go's:
// lease_duration > renew_deadline > 1.2 x retry_period.
struct HighAvailabilitySettings {
  bool enabled = false;
  std::string lease_namespace = "fedra-system";      // DNS-1123 label
  std::string lease_name = "fedra";                  // DNS-1123 subdomain
  std::chrono::milliseconds lease_duration{15'000};  // whole seconds, 2s to 1h
  std::chrono::milliseconds renew_deadline{10'000};  // 1s to 1h
  std::chrono::milliseconds retry_period{2'000};     // 100ms to 10m
  bool operator==(const HighAvailabilitySettings&) const = default;
};

struct StoreSettings {
  std::string path = "/var/lib/fedra/fedra.db";                           // absolute after loading
  std::chrono::milliseconds history_retention = std::chrono::hours(720);  // 1h to 87600h
};

struct HttpSettings {
  std::string address = "127.0.0.1:9480";  // IP:port or [IPv6]:port; port 0 lets the system choose
  std::string health;                      // likewise; empty: kubelets ask at `address`
};

// The API for others than root on this machine: over TLS, with the rights that the manager gives.
struct SecureApiSettings {
  std::string address;  // IP:port or [IPv6]:port; empty: it is not served
  // PEM; absolute after loading; both or none. None: a certificate is made, and no client can
  // verify it.
  std::string certificate_file;
  std::string key_file;
  std::vector<std::string> hosts;  // DNS-1123 subdomains
};

struct ApiSettings {
  bool enabled = true;
  std::string socket;  // absolute after loading, at most 107 bytes; empty: beside the store
  std::string group = "fedra-view";  // whose members may connect, too; empty: none
  SecureApiSettings secure;
};

struct LoggingSettings {
  log::Level level = log::Level::kInfo;
  log::Format format = log::Format::kText;
};

// Pods of a kind, as of tracking::PodSetRule. Paths and counts as base/field_path.h and
// base/field_rules.h read them.
struct PodSetSettings {
  std::string at;            // a pod set for each value here; required
  std::string pod_template;  // below `at`: the PodTemplateSpec; empty: `at` itself
  std::string name;          // Kueue's name of the pod set
  std::string name_at;       // or the field below `at` that has it
  std::string count;         // fields below `at`; empty: 1
  bool operator==(const PodSetSettings&) const = default;
};

// A kind of job beside the built-in ones, as of tracking::KindRow.
struct KindSettings {
  std::string api_version;                    // "group/version"; required
  std::string kind;                           // required
  std::string plural;                         // required
  std::string managed_by = "spec.managedBy";  // plain path
  std::string suspend = "spec.suspend";       // plain path
  std::string suspended = "true";             // what is there in a suspended job: a flag, or text
  std::vector<PodSetSettings> pod_sets;
  std::vector<std::string> succeeded;  // tests, one of which holds for a job that succeeded
  std::vector<std::string> failed;
  std::vector<std::string> stopped;  // tests, as of succeeded
  std::vector<std::string> active;   // single tests
  std::string cleared;               // a JSON object, merged into the status; empty: {}
  std::vector<std::string> cleared_conditions;
  std::vector<std::string> stripped;  // paths
  std::string pod_label;              // empty: its pods cannot be recognized
  std::string operator_name;          // and its version, for people; may be empty
  bool operator==(const KindSettings&) const = default;
};

// Built-in kinds with rules that no entry of `kinds` can have, so that none may take their place;
// as tracking::KindName() says them.
inline constexpr std::array<std::string_view, 10> kKindsWithRules = {
    "Job.batch",
    "StatefulSet.apps",
    "LeaderWorkerSet.leaderworkerset.x-k8s.io",
    "JAXJob.kubeflow.org",
    "RayCluster.ray.io",
    "RayJob.ray.io",
    "RayService.ray.io",
    "TrainJob.trainer.kubeflow.org",
    "AppWrapper.workload.codeflare.dev",
    "SparkApplication.sparkoperator.k8s.io"};

struct Configuration {
  ManagerSettings manager;
  std::vector<WorkerSettings> workers;  // in the file's order; may be empty
  WorkersFrom workers_from;
  KueueSettings kueue;
  std::vector<KindSettings> kinds;  // in the file's order; mostly empty
  std::string origin = "fedra";     // label value that marks our objects on workers; DNS-1123 label
  VerificationSettings verification;
  DispatchSettings dispatch;
  std::chrono::milliseconds worker_lost_timeout = std::chrono::minutes(15);  // 1s to 8760h
  HighAvailabilitySettings high_availability;
  StoreSettings store;
  HttpSettings http;
  ApiSettings api;
  LoggingSettings logging;
};

// Where the API listens: what api.socket says, or fedra.sock in the store's folder.
std::string ApiSocket(const Configuration& configuration);

}  // namespace fedra::config
