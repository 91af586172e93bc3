// The options of join and leave, and of cordon, drain and uncordon.

#include <CLI/CLI.hpp>

#include "manager/cli/cordon.h"
#include "manager/cli/join.h"
#include "manager/cli/membership/worker_rights.h"
#include "manager/cli/subcommands.h"

namespace fedra::cli {
namespace {

void AddMembershipOptions(CLI::App& app, MembershipOptions& where) {
  app.add_option("--context", where.worker.context,
                 "The kubeconfig's context for the worker, of its administrator");
  app.add_option("--kubeconfig", where.worker.kubeconfig,
                 "The kubeconfig, instead of $KUBECONFIG or ~/.kube/config")
      ->type_name("FILE");
  app.add_option("--manager-context", where.manager_context,
                 "The context for the manager, instead of current-context; in a pod that has no "
                 "kubeconfig, its own cluster");
  app.add_option("-n,--namespace", where.ns, "The namespace of fedra on the manager")
      ->capture_default_str();
  app.add_option("--timeout", where.timeout, "How long to wait for the clusters")
      ->capture_default_str();
  app.add_flag("--dry-run", where.dry_run, "Print what would be applied or deleted, and end");
}

constexpr const char* kJoinHelp =
    "Makes fedra's account on the worker, with the rights of deploy/worker-rbac.yaml and those of "
    "--with, and asks for a token of it; puts a kubeconfig with that token into the Secret "
    "fedra-worker-NAME on the manager, or into a file; prints the worker's line for the chart's "
    "values or fedra.yaml. May be repeated: what is there already is brought up to date; a file "
    "only with --overwrite.\n\n"
    "Who may make jobs in a namespace makes pods with any ServiceAccount and any Secret of it: "
    "without --in the kubeconfig is to be treated as an administrator's. With --in, jobs of other "
    "namespaces do not come to this worker. What is read is read in all namespaces.\n\n"
    "The token ends. With --rotate the present one asks for the next, so no administrator's "
    "credentials are needed: run it more often than --token-lifetime, by a CronJob or a timer "
    "(docs/operations.md). The daemon takes up the changed Secret or file at once.\n\n"
    "Examples:\n"
    "  fedra join --context gpu-east-admin --name gpu-east\n"
    "  fedra join --context gpu-east-admin --name gpu-east --in team-a --in team-b\n"
    "  fedra join --context gpu-east-admin --name gpu-east --kubeconfig-out gpu-east.kubeconfig\n"
    "  fedra join --rotate --name gpu-east --name gpu-west\n"
    "  fedra join --rotate --kubeconfig-out /etc/fedra/gpu-east.kubeconfig";

constexpr const char* kCordonHelp =
    "Recorded as an annotation of the manager's AdmissionChecks, cordon.fedra.dev/WORKER or "
    "drain.fedra.dev/WORKER, with the reason as its value: kubectl annotate does the same. Every "
    "replica reads it there, and it outlives restarts. You need the right to list and patch "
    "admissionchecks.kueue.x-k8s.io on the manager. A name is refused that is no worker's, as far "
    "as these AdmissionChecks name their workers, or a configuration of that manager's fedra is on "
    "this machine.\n\n"
    "Jobs that are dispatched to the worker and wait for its quota are taken back from it. Those "
    "that it has admitted stay when it is cordoned; when it is drained they are evicted, queued "
    "again and dispatched elsewhere, from their beginning. With kueue.mode dispatcher they stay, "
    "for they are Kueue's.";

constexpr const char* kLeaveHelp =
    "Deletes fedra's account and rights on the worker, and the Secret on the manager. Refused "
    "while workloads that a fedra made there have not ended. Take the worker out of the chart's "
    "values or fedra.yaml first (docs/operations.md). The namespace stays, for it may hold what is "
    "not fedra's. Where another manager has joined the worker, too, account and rights stay for "
    "it, unless with --force; one that joined with --kubeconfig-out is not known.\n\n"
    "Exit codes: 0 success, 4 the worker could not be reached and --force left what is there, 1 "
    "error.";

}  // namespace

void AddJoin(CLI::App& app, Command& command) {
  CLI::App* join = app.add_subcommand(
      "join", "Make a cluster a worker: its account, rights and token, and a Secret with them");
  join->footer(kJoinHelp);
  const auto options = std::make_shared<JoinOptions>();
  AddMembershipOptions(*join, options->where);
  join->add_option("--name", options->names,
                   "The worker's name, instead of the context's; with --rotate may be repeated")
      ->allow_extra_args(false)
      ->type_name("WORKER");
  join->add_option("--with", options->optional,
                   "Further rights, for verification.dependencies, dispatch.failureLogLines or "
                   "verification.templates.sync (may be repeated)")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(OptionalRights()));
  join->add_option("--mode", options->mode,
                   "kueue.mode of the fedra that it is for, admissionCheck, multikueue or "
                   "dispatcher, in which it only reads there")
      ->check(CLI::IsMember({"admissionCheck", "multikueue", "dispatcher"}))
      ->capture_default_str();
  join->add_option("--in", options->namespaces,
                   "Let it make jobs in this namespace of the worker only, not in all (may be "
                   "repeated); replaces those of the last join")
      ->allow_extra_args(false)
      ->type_name("NAMESPACE");
  join->add_option("--server", options->server,
                   "The worker's address as fedra reaches it, where the kubeconfig's is another")
      ->type_name("URL");
  join->add_option("--proxy-url", options->proxy_url,
                   "The proxy by which fedra reaches the worker, instead of the kubeconfig's, "
                   "without user and password; \"\" for none")
      ->type_name("URL");
  join->add_option("--token-lifetime", options->token_lifetime,
                   "For how long the token is to be good; an API server may give less")
      ->capture_default_str();
  join->add_option("--kubeconfig-out", options->kubeconfig_out,
                   "Write the kubeconfig to this file (mode 0600), and no Secret")
      ->type_name("FILE");
  join->add_flag("--overwrite", options->overwrite,
                 "The file of --kubeconfig-out may be there: replace it");
  join->add_flag("--rotate", options->rotate, "Only renew the token");
  join->add_flag("--force-conflicts", options->force_conflicts,
                 "Take over fields that another field manager applied");
  join->callback([options, &command] {
    if (options->rotate && options->where.dry_run)
      throw CLI::ValidationError("--dry-run", "not with --rotate");
    command = [options](Terminal& terminal) { return Join(*options, terminal); };
  });
}

void AddLeave(CLI::App& app, Command& command) {
  CLI::App* leave = app.add_subcommand(
      "leave", "Take back what join made: a worker's account and rights, and its Secret");
  leave->footer(kLeaveHelp);
  const auto options = std::make_shared<LeaveOptions>();
  AddMembershipOptions(*leave, options->where);
  leave->add_option("--name", options->name, "The worker's name")->required()->type_name("WORKER");
  leave->add_flag("--force", options->force,
                  "Also when workloads have not ended there, another manager uses it, or it cannot "
                  "be reached");
  leave->add_flag("--worker-only", options->worker_only,
                  "There is no Secret: it joined with --kubeconfig-out");
  leave->callback([options, &command] {
    if (options->where.worker.context.empty()) throw CLI::RequiredError("--context");
    command = [options](Terminal& terminal) { return Leave(*options, terminal); };
  });
}

void AddCordons(CLI::App& app, Parsed& parsed, Command& command) {
  struct Row {
    Service wanted;
    const char* name;
    const char* summary;
  };
  for (const Row& row :
       {Row{Service::kCordoned, "cordon", "Give a worker no new jobs; those that it has stay"},
        Row{Service::kDrained, "drain", "Give a worker no new jobs, and move those that it has"},
        Row{Service::kRestored, "uncordon", "Put a worker back that was cordoned or drained"}}) {
    CLI::App* sub = app.add_subcommand(row.name, row.summary);
    const auto options = std::make_shared<CordonOptions>();
    options->wanted = row.wanted;
    sub->footer(
        row.wanted == Service::kRestored
            ? "Removes both annotations from every AdmissionCheck that has one, also those of a "
              "worker that there is not any more."
            : kCordonHelp);
    sub->add_option("worker", options->worker, "The worker's name, as in fedra status workers")
        ->required();
    if (row.wanted != Service::kRestored)
      sub->add_option("--reason", options->reason, "Why, for those who look: firmware until 18:00")
          ->type_name("WORDS");
    sub->add_option("--check", options->checks,
                    "The AdmissionCheck to record it on (may be repeated), instead of all that "
                    "fedra may serve")
        ->allow_extra_args(false)
        ->type_name("NAME");
    sub->add_option("--context", options->manager.context,
                    "The kubeconfig's context for the manager, instead of current-context");
    sub->add_option("--kubeconfig", options->manager.kubeconfig,
                    "The kubeconfig, instead of $KUBECONFIG or ~/.kube/config")
        ->type_name("FILE");
    sub->add_option("--timeout", options->timeout, "How long to wait for the manager")
        ->capture_default_str();
    AddConfig(*sub, parsed);
    sub->callback([options, &parsed, &command] {
      options->config = parsed.config;
      command = [options](Terminal& terminal) { return Cordon(*options, terminal); };
    });
  }
}

}  // namespace fedra::cli
