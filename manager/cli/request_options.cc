// The options of retry and move: what is asked about one job, on the manager.

#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "manager/cli/job_request.h"
#include "manager/cli/subcommands.h"
#include "manager/placement/move.h"
#include "manager/placement/rank.h"

namespace fedra::cli {
namespace {

std::string RetryHelp() {
  return fmt::format(
      "A worker that did not keep a job is its last choice for {} minutes; one that refused it is "
      "left alone for a pause that doubles up to {} minutes. When what was wrong there is mended, "
      "this ends both at once: what failed before now does not count any more, and the next "
      "failure counts as the first. It does not hurry what the job waits for otherwise: `fedra "
      "why` says that.\n\n"
      "Recorded as an annotation of the job's Workload on the manager, retry.fedra.dev/at, with "
      "the time as its value: kubectl annotate does the same. Every replica reads it there. The "
      "time is that of the manager's API server, where it tells; one that is to come counts once "
      "it has come by the daemon's clock. You need the right to list and patch "
      "workloads.kueue.x-k8s.io in the job's namespace on the manager; get, for workload/NAME.",
      placement::kFailureMemory.count(), placement::kLongestPause.count());
}

std::string MoveHelp() {
  return fmt::format(
      "The job starts from its beginning: as with a worker that is drained, it is evicted, queued "
      "again and dispatched anew, and has to get its quota again. It is taken back only when the "
      "verdict on another worker is Yes, its queue has room and no job in line goes first there, "
      "or on the one named by --to; until then it runs on, and `fedra why` says what is in the "
      "way. After {} minutes the request is over. Then it goes to that worker, or to any but the "
      "one that it came from, as long as there is one that can run it, for {} minutes after it "
      "was asked for. A name that is no worker's is refused where the workers are known: by the "
      "manager's AdmissionChecks, or a configuration of that manager's fedra on this machine.\n\n"
      "Recorded as annotations of the job's Workload on the manager: move.fedra.dev/at, the time; "
      "move.fedra.dev/from, the worker that has it; and move.fedra.dev/to with --to. It is carried "
      "out once: a move that is older than the job's beginning on its worker is over. --cancel "
      "removes them, as kubectl annotate can. With kueue.mode dispatcher running jobs are Kueue's, "
      "and "
      "cannot be moved so: `fedra why` says so. You need the right to list and patch "
      "workloads.kueue.x-k8s.io in the job's namespace on the manager; get, for workload/NAME.",
      placement::kMoveStands.count(), placement::kMoveMemory.count());
}

void AddRequestOptions(CLI::App& app, Parsed& parsed, JobRequestOptions& options) {
  AddConfig(app, parsed);
  app.add_option("job", options.job,
                 "NAMESPACE/NAME; NAME alone with -n; KIND/ before it where jobs of several kinds "
                 "have it; job/NAME and workload/NAME, too")
      ->required();
  app.add_option("-n,--namespace", options.ns, "The job's namespace");
  app.add_option("--context", options.manager.context,
                 "The kubeconfig's context for the manager, instead of current-context");
  app.add_option("--kubeconfig", options.manager.kubeconfig,
                 "The kubeconfig, instead of $KUBECONFIG or ~/.kube/config")
      ->type_name("FILE");
  app.add_option("--timeout", options.timeout, "How long to wait for each answer")
      ->capture_default_str();
}

}  // namespace

void AddRetry(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* retry = app.add_subcommand(
      "retry", "Forget on which workers a job has failed, so that they are tried again now");
  retry->footer(RetryHelp());
  const auto options = std::make_shared<JobRequestOptions>();
  options->ns = parsed.view.ns;
  AddRequestOptions(*retry, parsed, *options);
  retry->callback([options, &parsed, &command] {
    options->config = parsed.config;
    command = [options](Terminal& terminal) { return Retry(*options, terminal); };
  });
}

void AddMove(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* move =
      app.add_subcommand("move", "Take a running job back and run it on another worker");
  move->footer(MoveHelp());
  const auto options = std::make_shared<MoveOptions>();
  options->request.ns = parsed.view.ns;
  AddRequestOptions(*move, parsed, options->request);
  CLI::Option* to =
      move->add_option("--to", options->to, "Only to this worker")->type_name("WORKER");
  move->add_flag("--cancel", options->cancel, "Take back what was asked for and is not done yet")
      ->excludes(to);
  move->callback([options, &parsed, &command] {
    options->request.config = parsed.config;
    command = [options](Terminal& terminal) { return Move(*options, terminal); };
  });
}

}  // namespace fedra::cli
