// fedra join: account, rights and token on the worker, a Secret with its kubeconfig on the manager.

#include "manager/cli/join.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "base/time.h"
#include "base/write_file.h"
#include "manager/cli/commands.h"
#include "manager/cli/membership/account_notes.h"
#include "manager/cli/membership/account_token.h"
#include "manager/cli/membership/grant_rights.h"
#include "manager/cli/membership/member_clusters.h"
#include "manager/cli/membership/worker_rights.h"
#include "manager/cli/membership/worker_secret.h"
#include "manager/reconcile/manager_cluster.h"
#include "manager/text/display_text.h"
#include "manager/text/yaml_text.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr size_t kWorkerAt = 0;
constexpr size_t kManagerAt = 1;

// What is to be done, all of it known before anything is asked.
struct JoinPlan {
  std::string worker;
  std::vector<ClusterSettings> clusters;  // the worker, and the manager unless a file is written
  WantedRights wanted;
  std::vector<RightsObject> rights;
  kube::AccessSettings published;  // how fedra is to reach the worker; without credentials
  std::chrono::seconds lifetime{0};
  std::chrono::milliseconds timeout{0};
  ObjectKey secret;

  bool writes_secret() const { return clusters.size() > kManagerAt; }
};

Result<std::string> WorkerNameFor(const JoinOptions& options, const std::string& context) {
  if (options.names.size() > 1)
    return Fail(ErrorCode::kInvalidArgument, "one --name at a time, unless with --rotate");
  std::string name = options.names.empty() ? context : options.names.front();
  const Result<void> fits = IsWorkerName(name);
  if (fits) return name;
  if (!options.names.empty()) return Fail(fits.error());
  return Fail(fits.error().code,
              fmt::format("the context is not named as a worker can be ({}): add --name",
                          fits.error().message));
}

// Only what says where the server is and how it is known.
kube::AccessSettings PublishedAccess(const config::KubeAccess& access, const std::string& server,
                                     const std::optional<std::string>& proxy_url) {
  kube::AccessSettings published;
  published.server = server.empty() ? access.server : server;
  published.ca_pem = access.ca_pem;
  published.tls_server_name = access.tls_server_name;
  published.proxy_url = proxy_url ? *proxy_url : access.proxy_url;
  return published;
}

// Where the kubeconfig goes, others read it: the administrator's name and password at a proxy are
// not fedra's.
Result<void> PublishesNoPassword(const kube::AccessSettings& published) {
  const size_t user = published.proxy_url.find('@');
  if (user == std::string::npos) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "the proxy's address has a user, who would be published: name fedra's proxy "
              "without one with --proxy-url, or \"\" for none");
}

// A file that is there may be another worker's, or the administrator's own.
Result<void> IsFree(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {};
  return Fail(ErrorCode::kConflict, file + ": exists; add --overwrite to replace it");
}

struct Joined {
  AccountToken token;
  std::vector<std::string> others;  // managers that use the account, too
};

Result<WantedRights> WantedOf(const JoinOptions& options) {
  WantedRights wanted{options.optional, options.mode == "dispatcher", options.namespaces};
  if (wanted.only_reads && !wanted.namespaces.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "--in is not for --mode dispatcher, in which fedra makes no job on a worker");
  for (const std::string& ns : wanted.namespaces)
    if (!IsDnsLabel(ns))
      return Fail(ErrorCode::kInvalidArgument, fmt::format("--in {}: not a namespace's name", ns));
  wanted.namespaces = Merged(wanted.namespaces, {});
  return wanted;
}

Result<JoinPlan> PlanJoin(const JoinOptions& options) {
  const MembershipOptions& where = options.where;
  JoinPlan plan;
  FEDRA_ASSIGN_OR_RETURN(plan.lifetime, TokenLifetime(options.token_lifetime));
  FEDRA_ASSIGN_OR_RETURN(plan.timeout, ParseDuration(where.timeout));
  FEDRA_ASSIGN_OR_RETURN(plan.wanted, WantedOf(options));
  FEDRA_ASSIGN_OR_RETURN(plan.rights, RightsFor(plan.wanted));
  if (!options.server.empty() && !options.server.starts_with("https://"))
    return Fail(ErrorCode::kInvalidArgument, "--server is an address as https://HOST:PORT");
  if (!options.proxy_url.value_or("").empty() && !config::IsProxyUrl(*options.proxy_url))
    return Fail(ErrorCode::kInvalidArgument,
                "--proxy-url is an address as http://HOST:PORT, https:// or socks5://");
  if (where.worker.context.empty())
    return Fail(ErrorCode::kInvalidArgument, "--context is needed: the worker's administrator");
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess worker, WorkerContext(where));
  FEDRA_ASSIGN_OR_RETURN(plan.worker, WorkerNameFor(options, worker.context));
  plan.published = PublishedAccess(worker, options.server, options.proxy_url);
  FEDRA_RETURN_IF_ERROR(PublishesNoPassword(plan.published));
  plan.clusters.push_back(MemberSettings(plan.worker, worker));
  plan.secret = SecretKeyOf(where.ns, plan.worker);
  if (!options.kubeconfig_out.empty()) {
    if (!options.overwrite) FEDRA_RETURN_IF_ERROR(IsFree(options.kubeconfig_out));
    return plan;
  }
  FEDRA_ASSIGN_OR_RETURN(ClusterSettings manager, ManagerSettings(where));
  plan.clusters.push_back(std::move(manager));
  return plan;
}

// The manager's UID. A manager that is its own worker would copy each job onto itself.
Result<std::string> OtherClustersUid(MemberClusters& clusters) {
  FEDRA_ASSIGN_OR_RETURN(const std::string worker, reconcile::ReadClusterUid(clusters[kWorkerAt]));
  FEDRA_ASSIGN_OR_RETURN(std::string manager, reconcile::ReadClusterUid(clusters[kManagerAt]));
  if (worker != manager) return manager;
  return Fail(ErrorCode::kInvalidArgument,
              "both contexts lead to the same cluster, which cannot be its own worker: name the "
              "manager's with --manager-context");
}

Result<void> PutSecret(Cluster& manager, const JoinPlan& plan, const std::string& kubeconfig,
                       const AccountToken& token) {
  const auto applied = manager.Apply(
      kSecrets, plan.secret, SecretDocument(plan.secret, plan.worker, kubeconfig, &token.ends), {});
  if (applied) return {};
  if (applied.error().code != ErrorCode::kNotFound) return Fail(applied.error());
  return Fail(ErrorCode::kNotFound,
              fmt::format("{}; `kubectl create namespace {}` on the manager, or name fedra's with "
                          "--namespace",
                          ToString(applied.error()), plan.secret.ns));
}

// The new token is tried where that is possible: not at an address, or by a proxy, that only fedra
// can reach.
Result<void> TryToken(const JoinPlan& plan, const AccountToken& token, const Terminal& terminal) {
  const kube::AccessSettings& ours = plan.clusters[kWorkerAt].access;
  if (plan.published.server != ours.server || plan.published.proxy_url != ours.proxy_url) return {};
  ClusterSettings settings = plan.clusters[kWorkerAt];
  settings.access = plan.published;
  settings.access.token = token.token;
  const MemberClusters cluster({settings}, plan.timeout, terminal);
  const Result<void> reached = cluster.Reached(kWorkerAt);
  if (reached) return {};
  return Fail(reached.error().WithContext("with the account's new token"));
}

Result<Joined> ExecuteJoin(const JoinPlan& plan, const JoinOptions& options,
                           const Terminal& terminal) {
  MemberClusters clusters(plan.clusters, plan.timeout, terminal);
  for (size_t i = 0; i < plan.clusters.size(); ++i) FEDRA_RETURN_IF_ERROR(clusters.Reached(i));
  std::string uid;  // of the manager
  if (plan.writes_secret()) {
    FEDRA_ASSIGN_OR_RETURN(uid, OtherClustersUid(clusters));
    // Before anything is written: a Secret of that name that is not ours stays as it is.
    FEDRA_RETURN_IF_ERROR(FindSecretOf(clusters[kManagerAt], plan.secret, plan.worker));
  }
  Cluster& worker = clusters[kWorkerAt];
  Joined joined;
  FEDRA_ASSIGN_OR_RETURN(joined.others,
                         GrantRights(worker, plan.wanted, uid, options.force_conflicts));
  FEDRA_ASSIGN_OR_RETURN(joined.token, RequestAccountToken(worker, plan.lifetime));
  const AccountToken& token = joined.token;
  FEDRA_RETURN_IF_ERROR(TryToken(plan, token, terminal));
  const std::string kubeconfig = TokenKubeconfig(plan.worker, plan.published, token.token);
  FEDRA_RETURN_IF_ERROR(plan.writes_secret()
                            ? PutSecret(clusters[kManagerAt], plan, kubeconfig, token)
                            : WritePrivateFile(options.kubeconfig_out, kubeconfig));
  return joined;
}

int ShowPlan(const JoinPlan& plan, Terminal& terminal) {
  const auto show = [&](const std::string& where, const std::string& object) {
    terminal.out << fmt::format("---\n# {}\n{}", where,
                                text::ToYaml(nlohmann::ordered_json::parse(object)));
  };
  const kube::AccessSettings& access = plan.clusters[kWorkerAt].access;
  for (const RightsObject& object : plan.rights)
    show(text::Printable(fmt::format("on {} ({})", plan.worker, access.server)), object.json);
  if (plan.writes_secret()) {
    const std::string kubeconfig =
        fmt::format("(a kubeconfig for {}, with a token for {})", plan.published.server,
                    FormatDuration(plan.lifetime));
    show("on the manager", SecretDocument(plan.secret, plan.worker, kubeconfig, nullptr));
  }
  return 0;
}

// kind, minikube and tunnels: right for the one who types, and for no pod.
bool IsLoopback(const std::string& server) {
  return server.find("://127.") != std::string::npos ||
         server.find("://localhost") != std::string::npos ||
         server.find("://[::1]") != std::string::npos;
}

void ReportJoined(const JoinPlan& plan, const JoinOptions& options, const Joined& joined,
                  Terminal& terminal) {
  std::string files = plan.wanted.only_reads ? "dispatcher-worker-rbac.yaml" : "worker-rbac.yaml";
  files += ", worker-rbac-token-renewal.yaml";
  for (const std::string& each : options.optional)
    files += fmt::format(", worker-rbac-{}.yaml", each);
  const std::vector<std::string>& in = plan.wanted.namespaces;
  terminal.err << fmt::format(
      "{}: account {}/{} with the rights of {}{}\n", plan.worker, kAccountNamespace, kAccountName,
      files,
      in.empty() ? ""
                 : fmt::format("; it makes jobs in the namespaces {} only", fmt::join(in, ", ")));
  if (!joined.others.empty())
    terminal.err << fmt::format(
        "note: {} (UID {}) uses this account, too: what it was granted for that stays\n",
        plan.writes_secret() ? "another manager"
                             : "a manager, which may be this one if it joined with a Secret before",
        fmt::join(joined.others, ", "));
  const std::string place = plan.writes_secret() ? SecretName(plan.secret) : options.kubeconfig_out;
  terminal.err << fmt::format(
      "{} has its kubeconfig; the token ends {}, renew it before by `fedra join --rotate`\n", place,
      FormatRfc3339(joined.token.ends));
  if (plan.writes_secret() && IsLoopback(plan.published.server)) {
    terminal.err << fmt::format(
        "note: {} is this machine's own address; for a fedra in a pod join again with --server\n",
        plan.published.server);
  }
}

// What the administrator adds, to the chart's values or to fedra.yaml, which looks for a relative
// file beside itself.
std::string NextLine(const JoinPlan& plan, const JoinOptions& options) {
  nlohmann::ordered_json worker = {{"name", plan.worker}};
  if (plan.writes_secret())
    worker["secretName"] = plan.secret.name;
  else
    worker["kubeconfig"] = options.kubeconfig_out;
  return text::ToYaml({{"workers", nlohmann::ordered_json::array({worker})}});
}

}  // namespace

Result<std::chrono::seconds> TokenLifetime(const std::string& text) {
  FEDRA_ASSIGN_OR_RETURN(const std::chrono::milliseconds lifetime, ParseDuration(text));
  if (lifetime < kShortestToken)
    return Fail(ErrorCode::kInvalidArgument, "--token-lifetime: at least 10m, says Kubernetes");
  return std::chrono::duration_cast<std::chrono::seconds>(lifetime);
}

Result<void> IsWorkerName(const std::string& name) {
  if (IsDnsSubdomain(name) && name.size() <= kMaxDnsLabel) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\": a worker's name has at most {} lower-case letters, digits, - "
                          "and dots, and begins and ends with a letter or digit",
                          name, kMaxDnsLabel));
}

Result<config::KubeAccess> WorkerContext(const MembershipOptions& where) {
  auto access = FindContext(where.worker);
  if (!access) return Fail(access.error().WithContext("the worker's context"));
  return access;
}

Result<ClusterSettings> ManagerSettings(const MembershipOptions& where) {
  const auto access = FindManagerContext({where.worker.kubeconfig, where.manager_context});
  if (!access) return Fail(access.error().WithContext("the manager's context"));
  return MemberSettings("manager", *access);
}

int Failed(const char* command, const Error& error, Terminal& terminal) {
  terminal.err << fmt::format("fedra {}: {}\n", command,
                              text::Printable(ToString(error), terminal.utf8));
  return kFailed;
}

int Join(const JoinOptions& options, Terminal& terminal) {
  if (options.rotate) return Rotate(options, terminal);
  const Result<JoinPlan> plan = PlanJoin(options);
  if (!plan) return Failed("join", plan.error(), terminal);
  if (options.where.dry_run) return ShowPlan(*plan, terminal);
  const Result<Joined> joined = ExecuteJoin(*plan, options, terminal);
  if (!joined) return Failed("join", joined.error(), terminal);
  ReportJoined(*plan, options, *joined, terminal);
  terminal.err << (plan->writes_secret()
                       ? "next: add it to the values of the chart, and `helm upgrade`\n"
                       : "next: add it to fedra.yaml, and `fedra config validate --connect`\n");
  terminal.out << NextLine(*plan, options) << std::flush;
  return 0;
}

}  // namespace fedra::cli
