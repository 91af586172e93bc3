// fedra leave: takes back what fedra join made.

#include <algorithm>
#include <optional>
#include <ostream>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/time.h"
#include "config/foreign_kubeconfig.h"
#include "manager/cli/commands.h"
#include "manager/cli/join.h"
#include "manager/cli/membership/account_notes.h"
#include "manager/cli/membership/account_token.h"
#include "manager/cli/membership/member_clusters.h"
#include "manager/cli/membership/worker_rights.h"
#include "manager/cli/membership/worker_secret.h"
#include "manager/reconcile/manager_cluster.h"
#include "manager/text/display_text.h"

namespace fedra::cli {
namespace {

constexpr size_t kNamedJobs = 5;

struct LeavePlan {
  std::vector<ClusterSettings> clusters;  // the worker, and the manager unless worker_only
  std::chrono::milliseconds timeout{0};
  ObjectKey secret;
};

Result<LeavePlan> PlanLeave(const LeaveOptions& options) {
  const MembershipOptions& where = options.where;
  LeavePlan plan;
  FEDRA_RETURN_IF_ERROR(IsWorkerName(options.name));
  FEDRA_ASSIGN_OR_RETURN(plan.timeout, ParseDuration(where.timeout));
  FEDRA_ASSIGN_OR_RETURN(const config::KubeAccess worker, WorkerContext(where));
  plan.clusters.push_back(MemberSettings(options.name, worker));
  plan.secret = SecretKeyOf(where.ns, options.name);
  if (options.worker_only) return plan;
  FEDRA_ASSIGN_OR_RETURN(ClusterSettings manager, ManagerSettings(where));
  plan.clusters.push_back(std::move(manager));
  return plan;
}

// What is known of the worker, as soon as it has answered.
struct OnWorker {
  AccountNotes notes;
  std::string manager;               // the UID of the one that is left; empty: not known
  std::vector<std::string> others;   // managers that use the account, too
  std::vector<RightsObject> rights;  // that go, in this order; empty: others need them
};

Result<OnWorker> LookAround(MemberClusters& clusters, const LeavePlan& plan, bool force) {
  OnWorker found;
  FEDRA_ASSIGN_OR_RETURN(found.notes, ReadAccountNotes(clusters[0]));
  if (plan.clusters.size() > 1) {
    FEDRA_ASSIGN_OR_RETURN(found.manager, reconcile::ReadClusterUid(clusters[1]));
  }
  found.others = Without(found.notes.managers, found.manager);
  if (!found.others.empty() && !force) return found;
  FEDRA_ASSIGN_OR_RETURN(found.rights, AllRights(found.notes.namespaces));
  // The namespace may hold what others have put there.
  std::erase_if(found.rights, [](const auto& each) { return each.resource.kind == "Namespace"; });
  std::ranges::reverse(found.rights);
  return found;
}

// Where others stay, theirs may go on.
Result<void> HasNoJobs(const MemberJobs& on_worker, const std::string& worker,
                       const OnWorker& found) {
  FEDRA_ASSIGN_OR_RETURN(
      std::vector<std::string> jobs,
      on_worker.UnfinishedJobs(found.rights.empty() ? found.others : std::vector<std::string>()));
  if (jobs.empty()) return {};
  const size_t count = jobs.size();
  if (count > kNamedJobs) {
    jobs.resize(kNamedJobs);
    jobs.emplace_back("...");
  }
  return Fail(ErrorCode::kConflict,
              fmt::format("{}: {} of a manager that {} not ended: {}; let them end first "
                          "(docs/operations.md, \"Taking a worker out\"), or add --force",
                          worker, Counted(count, "workload"), count == 1 ? "has" : "have",
                          fmt::join(jobs, ", ")));
}

// Whether there was something to delete.
Result<bool> DeleteIfThere(Cluster& cluster, const kube::Resource& resource, const ObjectKey& key) {
  const Result<void> deleted = cluster.Delete(resource, key);
  if (deleted) return true;
  if (deleted.error().code == ErrorCode::kNotFound) return false;
  return Fail(deleted.error());
}

void SayDeleted(bool existed, const std::string& what, Terminal& terminal) {
  terminal.err << text::Printable(what, terminal.utf8) << (existed ? " deleted" : " was not there")
               << "\n";
}

// The account is another manager's as well: it is not noted as ours any more.
Result<void> LetBe(Cluster& worker, const OnWorker& found, Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<RightsObject> all, RightsFor({}));
  const auto account = std::ranges::find(all, kAccounts, &RightsObject::resource);
  const AccountNotes notes{found.others, found.notes.namespaces};
  FEDRA_RETURN_IF_ERROR(
      worker.Apply(account->resource, account->key, WithNotes(account->json, notes), {}));
  terminal.err << text::Printable(
                      fmt::format("{}: the account {}/{} and its rights stay, for another manager "
                                  "uses them (UID {}); a token that was given out is good until it "
                                  "ends",
                                  worker.name().value, kAccountNamespace, kAccountName,
                                  fmt::join(found.others, ", ")),
                      terminal.utf8)
               << "\n";
  return {};
}

Result<void> DeleteRights(Cluster& worker, const OnWorker& found, Terminal& terminal) {
  if (found.rights.empty()) return LetBe(worker, found, terminal);
  for (const RightsObject& object : found.rights) {
    FEDRA_ASSIGN_OR_RETURN(const bool existed, DeleteIfThere(worker, object.resource, object.key));
    // Those for what this worker may never have been allowed are not worth a line.
    if (existed || object.resource.kind == "ServiceAccount")
      SayDeleted(existed,
                 fmt::format("{}: {} {}", worker.name().value, object.resource.kind,
                             object.key.ToString()),
                 terminal);
  }
  return {};
}

// Before anything is deleted: the Secret may be another's, or of another cluster than the context.
Result<void> CheckSecret(Cluster& manager, const LeaveOptions& options, const LeavePlan& plan) {
  FEDRA_ASSIGN_OR_RETURN(const std::optional<std::string> found,
                         FindSecretOf(manager, plan.secret, options.name));
  if (!found || options.force) return {};
  const std::string what = SecretName(plan.secret);
  const Result<std::string> kubeconfig = KubeconfigIn(options.name, *found);
  if (!kubeconfig) return {};
  const config::ClusterAccess access =
      config::ParseForeignKubeconfig(*kubeconfig, what, SystemClock().Now());
  const kube::AccessSettings& worker = plan.clusters.front().access;
  // An address may have several names, and an authority several clusters.
  if (!access || access->server == worker.server || access->ca_pem == worker.ca_pem) return {};
  return Fail(ErrorCode::kConflict,
              fmt::format("{} is for {}, the context is for {}: is --name or --context wrong? "
                          "Otherwise add --force",
                          what, access->server, worker.server));
}

Result<void> DeleteSecret(Cluster& manager, const ObjectKey& key, Terminal& terminal) {
  FEDRA_ASSIGN_OR_RETURN(const bool existed, DeleteIfThere(manager, kSecrets, key));
  SayDeleted(existed, SecretName(key), terminal);
  return {};
}

void ShowLeave(const LeavePlan& plan, const std::string& worker, const OnWorker& found,
               Terminal& terminal) {
  for (const RightsObject& object : found.rights)
    terminal.out << fmt::format("{}: {} {}\n", worker, object.resource.kind, object.key.ToString());
  if (plan.clusters.size() > 1) terminal.out << SecretName(plan.secret) << "\n";
}

// Whether everything is gone; false: the worker could not be asked, and was let be by force.
Result<bool> ExecuteLeave(const LeavePlan& plan, const LeaveOptions& options, Terminal& terminal) {
  MemberJobs jobs(plan.clusters, plan.timeout, terminal);
  MemberClusters& clusters = jobs.clusters();
  const bool has_manager = plan.clusters.size() > 1;
  if (has_manager) FEDRA_RETURN_IF_ERROR(clusters.Reached(1));
  const Result<void> reached = clusters.Reached(0);
  if (!reached && !options.force)
    return Fail(reached.error().code,
                reached.error().message + "; if it is gone for good, add --force");
  OnWorker found;
  if (reached) {
    FEDRA_ASSIGN_OR_RETURN(found, LookAround(clusters, plan, options.force));
  }
  if (!options.force) FEDRA_RETURN_IF_ERROR(HasNoJobs(jobs, options.name, found));
  if (options.where.dry_run) {
    ShowLeave(plan, options.name, found, terminal);
    return true;
  }
  if (has_manager) FEDRA_RETURN_IF_ERROR(CheckSecret(clusters[1], options, plan));
  if (reached) FEDRA_RETURN_IF_ERROR(DeleteRights(clusters[0], found, terminal));
  if (has_manager) FEDRA_RETURN_IF_ERROR(DeleteSecret(clusters[1], plan.secret, terminal));
  if (reached) return true;
  terminal.err << text::Printable(reached.error().message, terminal.utf8)
               << ": its account and rights are still there\n";
  return false;
}

}  // namespace

int Leave(const LeaveOptions& options, Terminal& terminal) {
  Result<bool> all = false;
  if (const Result<LeavePlan> plan = PlanLeave(options); plan)
    all = ExecuteLeave(*plan, options, terminal);
  else
    all = Fail(plan.error());
  if (!all) return Failed("leave", all.error(), terminal);
  return *all ? 0 : kUnknown;
}

}  // namespace fedra::cli
