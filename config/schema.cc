#include "config/schema.h"

#include <filesystem>
#include <utility>

#include "config/schema_choice.h"
#include "config/schema_kinds.h"
#include "config/schema_workers_from.h"

namespace fedra::config {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

ChoiceRef HttpVersions(HttpVersion* target) {
  return Choice<HttpVersion>(target, {{"2", HttpVersion::k2}, {"1.1", HttpVersion::k11}});
}

Fields DescribeManager(ManagerSettings& manager) {
  return {
      {"kubeconfig",
       "Kubeconfig file of the management cluster, where Kueue and the users' jobs are. Relative "
       "paths start from this file's folder.",
       TextRef{&manager.kubeconfig, TextRule::kPath}, "/etc/fedra/manager.kubeconfig"},
      {"inCluster",
       "Use the service account of the pod that fedra runs in, instead of a kubeconfig.",
       FlagRef{&manager.in_cluster}, ""},
      {"context", "Context of the kubeconfig; without it, its current-context.",
       TextRef{&manager.context, TextRule::kAny}, "admin@manager"},
      {"httpVersion", "HTTP version spoken to the API server; 1.1 where a proxy cannot do 2.",
       HttpVersions(&manager.http_version), ""},
  };
}

Fields DescribeScalablePool(ScalablePool& pool) {
  return {
      {"class", "DeviceClass whose devices such a node has.",
       TextRef{&pool.device_class, TextRule::kDnsSubdomain}, "gpu.example.com", true},
      {"devices", "How many of them one node has.", NumberRef{&pool.devices, 1, 10'000}, "8", true},
      {"maxNodes", "How many such nodes may still be added; 0 is no limit.",
       NumberRef{&pool.max_nodes, 0, 100'000}, ""},
      {"nodeLabels", "Labels of such a node; they must satisfy the pods' node selectors.",
       LabelsRef{&pool.node_labels}, "{pool: h100}"},
  };
}

ListRef ScalablePools(std::vector<ScalablePool>& pools) {
  return {pools.size(), [&pools](size_t size) { pools.resize(size); },
          [&pools](size_t index) { return DescribeScalablePool(pools.at(index)); }};
}

Fields DescribeWorker(WorkerSettings& worker) {
  return {
      {"name",
       "Unique name, as in MultiKueueConfig, status and metrics. A renamed worker is another "
       "worker.",
       TextRef{&worker.name, TextRule::kDnsSubdomain}, "gpu-east", true},
      {"kubeconfig",
       "Kubeconfig file of this worker. It and the files it names are read again when they change.",
       TextRef{&worker.kubeconfig, TextRule::kPath}, "/etc/fedra/gpu-east.kubeconfig", true},
      {"context", "Context of the kubeconfig; without it, its current-context.",
       TextRef{&worker.context, TextRule::kAny}, "admin@gpu-east"},
      {"capabilities", "What the cluster can do but no API shows, as qualified names.",
       NamesRef{&worker.capabilities}, "[gpu.nvidia.com/MPSSupport]"},
      {"nodeResources",
       "Whether a node must also have room for the pods' cpu, memory and other resources. The "
       "worker's pods are listed either way: they show which jobs have theirs placed.",
       FlagRef{&worker.node_resources}, ""},
      {"scalablePools", "Nodes with devices that the worker's autoscaler could add.",
       ScalablePools(worker.scalable_pools), "[{class: gpu.example.com, devices: 8}]"},
      {"allowInsecure",
       "Accept insecure-skip-tls-verify and plain http in this worker's kubeconfig.",
       FlagRef{&worker.allow_insecure}, ""},
      {"httpVersion", "HTTP version spoken to the API server; 1.1 where a proxy cannot do 2.",
       HttpVersions(&worker.http_version), ""},
  };
}

Fields DescribeKueue(KueueSettings& kueue) {
  return {
      {"mode",
       "How fedra joins in: admissionCheck is an AdmissionCheck controller beside Kueue's "
       "MultiKueue; multikueue serves MultiKueue's own AdmissionChecks in its place; dispatcher "
       "nominates workers to MultiKueue, which copies and mirrors.",
       Choice<KueueMode>(&kueue.mode, {{"admissionCheck", KueueMode::kAdmissionCheck},
                                       {"multikueue", KueueMode::kMultiKueue},
                                       {"dispatcher", KueueMode::kDispatcher}}),
       ""},
      {"controllerName",
       "The spec.controllerName of the AdmissionChecks that fedra serves. In the other modes "
       "these are MultiKueue's, and this only names fedra in Events.",
       TextRef{&kueue.controller_name, TextRule::kControllerName}, ""},
      {"multiKueueOrigin",
       "In the modes multikueue and dispatcher: multiKueue.origin of Kueue's configuration, the "
       "label value by which MultiKueue's copies, and fedra's in its place, are known on the "
       "workers.",
       TextRef{&kueue.multi_kueue_origin, TextRule::kDnsLabel}, ""},
      {"pods",
       "Whether pods that Kueue manages (its integration pod) are dispatched, and so the replicas "
       "of Deployments, groups of pods, StatefulSets and LeaderWorkerSets. Not with mode "
       "dispatcher, where MultiKueue copies them. Needs "
       "deploy/manager-rbac-pods.yaml on the manager and deploy/worker-rbac-pods.yaml on the "
       "workers.",
       FlagRef{&kueue.pods}, ""},
  };
}

Fields DescribeTemplates(VerificationSettings& verification) {
  return {
      {"drift",
       "What a ResourceClaimTemplate, or the runtime of a TrainJob, that differs from the "
       "manager's means: nothing, a note, or "
       "not "
       "eligible.",
       Choice<Drift>(
           &verification.template_drift,
           {{"Ignore", Drift::kIgnore}, {"Warn", Drift::kWarn}, {"Require", Drift::kRequire}}),
       ""},
      {"sync",
       "Whether the manager's templates are copied: never; IfMissing: with a job to its worker "
       "when that has none; Reconcile: and the copies follow the manager's. Needs "
       "deploy/worker-rbac-template-sync.yaml on the workers.",
       Choice<SyncPolicy>(&verification.template_sync, {{"Never", SyncPolicy::kNever},
                                                        {"IfMissing", SyncPolicy::kIfMissing},
                                                        {"Reconcile", SyncPolicy::kReconcile}}),
       ""},
  };
}

Fields DescribeVerification(VerificationSettings& verification) {
  return {
      {"templates", "ResourceClaimTemplates on the workers.",
       ObjectRef{DescribeTemplates(verification)}, ""},
      {"devices",
       "Whether a job is dispatched only where its device claims will be allocated, as the "
       "worker's "
       "scheduler would.",
       Choice<DeviceCheck>(&verification.devices,
                           {{"Off", DeviceCheck::kOff}, {"Enforce", DeviceCheck::kEnforce}}),
       ""},
      {"capabilities",
       "What it means when a claim needs a capability that its worker does not declare: a note, or "
       "not eligible.",
       Choice<Undeclared>(&verification.capabilities,
                          {{"Warn", Undeclared::kWarn}, {"Require", Undeclared::kRequire}}),
       ""},
      {"queueQuota",
       "Whether to refuse a worker whose ClusterQueue can never admit the job: it does not cover "
       "a resource, or has less quota than the pods ask for. Ignore it where Kueue's configuration "
       "excludes or transforms resources.",
       Choice<QueueQuotaCheck>(&verification.queue_quota, {{"Enforce", QueueQuotaCheck::kEnforce},
                                                           {"Ignore", QueueQuotaCheck::kIgnore}}),
       ""},
      {"sharedClaims",
       "What it means for a job that names a ResourceClaim when the claim is in use on a worker: "
       "that worker is preferred, or no other is eligible. The annotation fedra.dev/shared on a "
       "claim overrides it for that claim.",
       Choice<SharedClaims>(&verification.shared_claims,
                            {{"PreferTogether", SharedClaims::kPreferTogether},
                             {"RequireTogether", SharedClaims::kRequireTogether}}),
       ""},
      {"dependencies",
       "What other missing objects that the pods name (ConfigMaps, PersistentVolumeClaims, "
       "ServiceAccounts, PriorityClasses, RuntimeClasses, PodGroups) mean: nothing, a note, or not "
       "eligible. Pods with claims need their PodGroup in any case. Whether another scheduler runs "
       "there that pods name (schedulerName) cannot be seen: nothing, a note, or Unknown.",
       Choice<DependencyCheck>(&verification.dependencies,
                               {{"Off", DependencyCheck::kOff},
                                {"Warn", DependencyCheck::kWarn},
                                {"Enforce", DependencyCheck::kEnforce}}),
       ""},
      {"secrets",
       "Whether Secrets count among the dependencies; needs the right to list them (only their "
       "names are read).",
       FlagRef{&verification.secrets}, ""},
      {"unknown",
       "What happens with a worker that cannot be verified: tried when no other can run the job, "
       "or "
       "never.",
       Choice<UnknownPolicy>(&verification.unknown, {{"TryLast", UnknownPolicy::kTryLast},
                                                     {"Never", UnknownPolicy::kNever}}),
       ""},
  };
}

Fields DescribeBackfill(BackfillSettings& backfill) {
  return {
      {"maxPasses", "How many jobs may be dispatched past the first in line.",
       NumberRef{&backfill.max_passes, 0, 100'000}, ""},
      {"maxWait", "For how long after its quota was reserved a job may be passed.",
       DurationRef{&backfill.max_wait, seconds(0), hours(8760)}, ""},
  };
}

Fields DescribeDispatch(DispatchSettings& dispatch) {
  return {
      {"policy",
       "best: the best workers, then the next ones; race: all eligible workers at once, the first "
       "to admit wins.",
       Choice<DispatchPolicy>(&dispatch.policy,
                              {{"best", DispatchPolicy::kBest}, {"race", DispatchPolicy::kRace}}),
       ""},
      {"candidates", "Policy best: how many workers are tried at the same time.",
       NumberRef{&dispatch.candidates, 1, 1000}, ""},
      {"admissionTimeout",
       "How long a worker's Kueue may take to admit a job, and the job then to be created there, "
       "before other workers are tried.",
       DurationRef{&dispatch.admission_timeout, seconds(1), hours(168)}, ""},
      {"order",
       "Which waiting job gets free devices: Strict: the first in line, the others wait; "
       "Backfill: "
       "others may pass it on workers that it does not wait for, within bounds; BestEffort: any "
       "that fits.",
       Choice<OrderPolicy>(&dispatch.order, {{"Strict", OrderPolicy::kStrict},
                                             {"Backfill", OrderPolicy::kBackfill},
                                             {"BestEffort", OrderPolicy::kBestEffort}}),
       ""},
      {"backfill", "The bounds of order Backfill.", ObjectRef{DescribeBackfill(dispatch.backfill)},
       ""},
      {"removedWorkers",
       "What happens to the jobs of a worker that is removed from this file while the daemon "
       "runs. Keep: it gets no new jobs, and stays connected until those that run there have "
       "ended. "
       "Drain: they are taken back and queued again. A restart ends both: jobs of workers that "
       "are "
       "not configured then are queued again.",
       Choice<RemovedWorkers>(&dispatch.removed_workers,
                              {{"Keep", RemovedWorkers::kKeep}, {"Drain", RemovedWorkers::kDrain}}),
       ""},
      {"rejectedWorkers",
       "What happens to the jobs of a worker that rejects fedra's credentials (401), or whose "
       "kubeconfig cannot be used any more, longer than workerLostTimeout. Keep: they stay, for "
       "the worker answers and they run on; new jobs go "
       "elsewhere; if it does not answer at all later, the time begins then. Move: they are queued "
       "again, as those of a worker that does not answer.",
       Choice<RejectedWorkers>(&dispatch.rejected_workers, {{"Keep", RejectedWorkers::kKeep},
                                                            {"Move", RejectedWorkers::kMove}}),
       ""},
      {"keepFailed",
       "How long the job and pods of a job that failed stay on its worker, counted from its end, "
       "so that their logs can be read there. They go earlier with the job on the manager. 0s: "
       "they are removed at once.",
       DurationRef{&dispatch.keep_failed, seconds(0), hours(168)}, ""},
      {"failureLogLines",
       "How many of the last lines that a pod of a failed job has printed `fedra history` keeps, "
       "at most 4 KiB. Anyone with read access to fedra's store can read them. Needs "
       "verification.devices: "
       "Enforce, without which no pods are watched, and deploy/worker-rbac-logs.yaml. 0: none.",
       NumberRef{&dispatch.failure_log_lines, 0, 100}, ""},
  };
}

Fields DescribeHighAvailability(HighAvailabilitySettings& replicas) {
  using std::chrono::milliseconds;
  using std::chrono::minutes;
  return {
      {"enabled",
       "Whether other fedras with the same configuration may run: one leads, the others stand by. "
       "Without it a fedra keeps the Lease as well, and refuses to run beside another one. With "
       "deploy/placement-records.yaml and deploy/manager-rbac-replicas.yaml on the manager a new "
       "leader knows what the last one has tried.",
       FlagRef{&replicas.enabled}, ""},
      {"leaseNamespace", "Namespace of the Lease on the manager; it must exist.",
       TextRef{&replicas.lease_namespace, TextRule::kDnsLabel}, ""},
      {"leaseName",
       "Name of the Lease; another one for each installation on a manager. With \"-outages\" "
       "behind "
       "it, of a ConfigMap.",
       TextRef{&replicas.lease_name, TextRule::kDnsSubdomain}, ""},
      {"leaseDuration",
       "How long a standby sees the Lease unchanged before it takes over. Whole seconds, more than "
       "renewDeadline. The difference is how long a worker's or the manager's API server may take "
       "for a write.",
       DurationRef{&replicas.lease_duration, seconds(2), hours(1)}, ""},
      {"renewDeadline",
       "How long after its last renewal a leader may still write; then it ends, and starts again "
       "as a standby. More than 1.2 times retryPeriod.",
       DurationRef{&replicas.renew_deadline, seconds(1), hours(1)}, ""},
      {"retryPeriod", "How often the leader renews; a standby looks four times as often.",
       DurationRef{&replicas.retry_period, milliseconds(100), minutes(10)}, ""},
  };
}

Fields DescribeStore(StoreSettings& store) {
  return {
      {"path",
       "The SQLite file; its folder must exist and be writable. Relative paths start from this "
       "file's "
       "folder.",
       TextRef{&store.path, TextRule::kPath}, ""},
      {"historyRetention", "How long the history of finished jobs is kept.",
       DurationRef{&store.history_retention, hours(1), hours(87'600)}, ""},
  };
}

Fields DescribeHttp(HttpSettings& http) {
  return {
      {"address", "IP address and port to listen on; port 0 lets the system choose.",
       TextRef{&http.address, TextRule::kAddress}, ""},
      {"health",
       "IP address and port of a second listener, for kubelets: it has /livez, /healthz and "
       "/readyz and nothing else, and names no cluster, so that http.address may stay on loopback. "
       "Without "
       "it, kubelets ask at http.address.",
       TextRef{&http.health, TextRule::kAddress}, "0.0.0.0:8081"},
  };
}

Fields DescribeSecureApi(SecureApiSettings& secure) {
  return {
      {"address",
       "IP address and port to listen on. Without it, the API is not served over the network.",
       TextRef{&secure.address, TextRule::kAddress}, "0.0.0.0:8443"},
      {"certFile",
       "PEM file of the certificate, with those that signed it behind it. Read again when it "
       "changes. Without certFile and keyFile a certificate is made at the start and kept in "
       "memory: clients cannot verify it.",
       TextRef{&secure.certificate_file, TextRule::kPath}, "/etc/fedra/tls/tls.crt"},
      {"keyFile", "PEM file of the certificate's private key, without a passphrase.",
       TextRef{&secure.key_file, TextRule::kPath}, "/etc/fedra/tls/tls.key"},
      {"hosts",
       "DNS names by which clients reach it, beside localhost, IP addresses and the names in the "
       "certificate. Requests for other names are refused (421).",
       TextsRef{&secure.hosts, TextRule::kDnsSubdomain}, "[fedra.fedra-system.svc]"},
  };
}

Fields DescribeApi(ApiSettings& api) {
  return {
      {"enabled", "Whether the API is served (docs/api.md).", FlagRef{&api.enabled}, ""},
      {"socket",
       "The Unix socket; its folder must exist and be writable. Relative paths start from this "
       "file's folder. Without it, fedra.sock in the folder of store.path; where systemd hands a "
       "socket over (fedra.socket), that one.",
       TextRef{&api.socket, TextRule::kSocketPath}, "/run/fedra/fedra.sock"},
      {"group",
       "Group whose members may connect, beside the user who runs fedra and root. They see every "
       "namespace. \"\", or a group that does not exist: no other user may.",
       TextRef{&api.group, TextRule::kAny}, ""},
      {"secure",
       "The API over TLS, for users of the manager's API server: each sees what their rights there "
       "cover (docs/api.md). Needs deploy/manager-rbac-secure-api.yaml.",
       ObjectRef{DescribeSecureApi(api.secure)}, ""},
  };
}

Fields DescribeLogging(LoggingSettings& logging) {
  using log::Format;
  using log::Level;
  return {
      {"level", "Lines below this level are not written.",
       Choice<Level>(&logging.level, {{"debug", Level::kDebug},
                                      {"info", Level::kInfo},
                                      {"warn", Level::kWarn},
                                      {"error", Level::kError}}),
       ""},
      {"format", "Form of the lines on stderr.",
       Choice<Format>(&logging.format, {{"text", Format::kText}, {"json", Format::kJson}}), ""},
  };
}

ListRef Workers(std::vector<WorkerSettings>& workers) {
  return {workers.size(), [&workers](size_t size) { workers.resize(size); },
          [&workers](size_t index) { return DescribeWorker(workers.at(index)); }};
}

ListRef Kinds(std::vector<KindSettings>& kinds) {
  return {kinds.size(), [&kinds](size_t size) { kinds.resize(size); },
          [&kinds](size_t index) { return DescribeKind(kinds.at(index)); }};
}

}  // namespace

std::string ApiSocket(const Configuration& configuration) {
  if (!configuration.api.socket.empty()) return configuration.api.socket;
  const std::filesystem::path store(configuration.store.path);
  return (store.parent_path() / "fedra.sock").string();
}

Fields Describe(Configuration& c) {
  return {
      {"apiVersion", "Version of this file's form.", ConstantRef{"fedra.dev/v1alpha1"},
       "fedra.dev/v1alpha1", true},
      {"kind", "Always Configuration.", ConstantRef{"Configuration"}, "Configuration", true},
      {"manager", "The management cluster: kubeconfig or inCluster is required.",
       ObjectRef{DescribeManager(c.manager)}, ""},
      {"workers", "The worker clusters.", Workers(c.workers), ""},
      {"workersFrom", "Where workers are discovered, beside those of the list.",
       ObjectRef{DescribeWorkersFrom(c.workers_from)}, ""},
      {"kueue", "How fedra joins in with Kueue on the manager.", ObjectRef{DescribeKueue(c.kueue)},
       ""},
      {"kinds", "Kinds of jobs beside the built-in ones, see docs/kinds.md.", Kinds(c.kinds), ""},
      {"origin",
       "Label value that marks what this installation creates on workers; unique per manager.",
       TextRef{&c.origin, TextRule::kDnsLabel}, ""},
      {"verification", "What is checked on a worker before a job is dispatched there.",
       ObjectRef{DescribeVerification(c.verification)}, ""},
      {"dispatch", "How a job is dispatched to the workers that can run it.",
       ObjectRef{DescribeDispatch(c.dispatch)}, ""},
      {"workerLostTimeout",
       "How long a worker may be out of contact before its jobs are moved elsewhere.",
       DurationRef{&c.worker_lost_timeout, seconds(1), hours(8'760)}, ""},
      {"highAvailability", "Several replicas, of which one leads (docs/operations.md).",
       ObjectRef{DescribeHighAvailability(c.high_availability)}, ""},
      {"store", "Durable memory: attempts, lost workers, history.",
       ObjectRef{DescribeStore(c.store)}, ""},
      {"http", "The server of /livez, /readyz and /metrics.", ObjectRef{DescribeHttp(c.http)}, ""},
      {"api", "The read-only API that `fedra status` and others ask without root.",
       ObjectRef{DescribeApi(c.api)}, ""},
      {"logging", "The log on stderr.", ObjectRef{DescribeLogging(c.logging)}, ""},
  };
}

}  // namespace fedra::config
