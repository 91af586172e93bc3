// fedra join --rotate: a new token by means of the present one, in the Secret or the file.

#include <ostream>

#include <fmt/format.h>

#include "base/time.h"
#include "base/write_file.h"
#include "config/foreign_kubeconfig.h"
#include "manager/cli/commands.h"
#include "manager/cli/join.h"
#include "manager/cli/membership/account_token.h"
#include "manager/cli/membership/member_clusters.h"
#include "manager/cli/membership/worker_secret.h"
#include "manager/cli/terminal/read_input.h"
#include "manager/text/display_text.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr size_t kMostKubeconfig = size_t{1} << 20;  // bytes; a Secret holds no more

struct Renewal {
  std::chrono::seconds lifetime{0};
  std::chrono::milliseconds timeout{0};
};

struct Renewed {
  std::string kubeconfig;  // with the new token
  WallTime ends;
};

// `text` must be a kubeconfig with a token and nothing else: it comes from a cluster, and a plugin
// in it would be run here, a file in it read and sent.
Result<config::KubeAccess> TokenAccessIn(const std::string& text, const std::string& where) {
  const config::ClusterAccess access =
      config::ParseForeignKubeconfig(text, where, SystemClock().Now());
  if (!access) return Fail(ErrorCode::kInvalidArgument, config::ToString(access.error().problems));
  if (access->token.empty() || !access->client_certificate_pem.empty())
    return Fail(ErrorCode::kInvalidArgument,
                where + ": has no token that could be renewed; it was not made by `fedra join`");
  return *access;
}

Result<Renewed> RenewWith(const config::KubeAccess& access, const std::string& worker,
                          const Renewal& renewal, const Terminal& terminal) {
  MemberClusters clusters({MemberSettings(worker, access)}, renewal.timeout, terminal);
  const Result<void> reached = clusters.Reached(0);
  if (!reached)
    return Fail(reached.error().code,
                reached.error().message +
                    "; if its token has ended, join it again: fedra join --context ...");
  FEDRA_ASSIGN_OR_RETURN(const AccountToken token,
                         RequestAccountToken(clusters[0], renewal.lifetime));
  return Renewed{TokenKubeconfig(worker, ToAccess(access), token.token), token.ends};
}

Result<WallTime> RotateSecret(Cluster& manager, const std::string& ns, const std::string& worker,
                              const Renewal& renewal, const Terminal& terminal) {
  FEDRA_RETURN_IF_ERROR(IsWorkerName(worker));
  const ObjectKey key = SecretKeyOf(ns, worker);
  const std::string where = SecretName(key);
  FEDRA_ASSIGN_OR_RETURN(const std::string secret, manager.Get(kSecrets, key));
  const Result<std::string> kubeconfig = KubeconfigIn(worker, secret);
  if (!kubeconfig) return Fail(kubeconfig.error().WithContext(where));
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess access, TokenAccessIn(*kubeconfig, where));
  FEDRA_ASSIGN_OR_RETURN(const Renewed renewed, RenewWith(access, worker, renewal, terminal));
  FEDRA_RETURN_IF_ERROR(manager.Apply(
      kSecrets, key, SecretDocument(key, worker, renewed.kubeconfig, &renewed.ends), {}));
  return renewed.ends;
}

Result<WallTime> RotateFile(const std::string& file, const Renewal& renewal,
                            const Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const std::string text, ReadInput(file, kMostKubeconfig));
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess access, TokenAccessIn(text, file));
  FEDRA_ASSIGN_OR_RETURN(const Renewed renewed,
                         RenewWith(access, access.context, renewal, terminal));
  FEDRA_RETURN_IF_ERROR(WriteFile(file, renewed.kubeconfig));
  return renewed.ends;
}

// Says what became of one worker's token; whether it was renewed.
bool ReportRenewed(const std::string& what, const Result<WallTime>& ends, Terminal& terminal) {
  const std::string text =
      ends ? fmt::format("{}: its new token ends {}", what, FormatRfc3339(*ends))
           : fmt::format("fedra join: {}", ToString(ends.error()));
  terminal.err << text::Printable(text, terminal.utf8) << "\n";
  return ends.has_value();
}

Result<bool> RotateAll(const JoinOptions& options, Terminal& terminal) {
  const MembershipOptions& where = options.where;
  Renewal renewal;
  FEDRA_ASSIGN_OR_RETURN(renewal.lifetime, TokenLifetime(options.token_lifetime));
  FEDRA_ASSIGN_OR_RETURN(renewal.timeout, ParseDuration(where.timeout));
  if (!options.kubeconfig_out.empty())
    return ReportRenewed(options.kubeconfig_out,
                         RotateFile(options.kubeconfig_out, renewal, terminal), terminal);
  if (options.names.empty())
    return Fail(ErrorCode::kInvalidArgument, "--rotate needs --name WORKER or --kubeconfig-out");
  FEDRA_ASSIGN_OR_RETURN(const ClusterSettings settings, ManagerSettings(where));
  MemberClusters manager({settings}, renewal.timeout, terminal);
  FEDRA_RETURN_IF_ERROR(manager.Reached(0));
  bool all = true;
  for (const std::string& name : options.names)
    all &=
        ReportRenewed(name, RotateSecret(manager[0], where.ns, name, renewal, terminal), terminal);
  return all;
}

}  // namespace

int Rotate(const JoinOptions& options, Terminal& terminal) {
  const Result<bool> all = RotateAll(options, terminal);
  if (!all) return Failed("join", all.error(), terminal);
  return *all ? 0 : kFailed;
}

}  // namespace fedra::cli
