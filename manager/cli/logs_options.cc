// The options of logs.

#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "manager/cli/logs/caller_on_worker.h"
#include "manager/cli/subcommands.h"
#include "manager/cli/view_source.h"

namespace fedra::cli {
namespace {

// --kubeconfig is the caller's for the worker; with https or service for the daemon, too.
void ShareKubeconfig(CLI::App& logs) {
  CLI::Option* kubeconfig = logs.get_option("--kubeconfig");
  kubeconfig->remove_needs(logs.get_option("--server"));
  kubeconfig->description("The kubeconfig, instead of $KUBECONFIG or ~/.kube/config");
}

constexpr const char* kLogsHelp =
    "Which worker that is, `fedra status JOB` says. Its API server is asked with your credentials: "
    "the context of your kubeconfig that is called as the worker is. There you need the rights to "
    "list pods and to get pods/log in the job's namespace; of a job that is a pod by itself, to "
    "get "
    "pods instead of list. Of several pods or containers each line "
    "begins with [POD/CONTAINER]. A job's pods go with its copy when it has ended: "
    "dispatch.keepFailed keeps those of a failed job for a while, and dispatch.failureLogLines "
    "puts their last lines into `fedra history`.\n\n"
    "With --follow pods that begin later are not seen, nor containers that are started again. A "
    "container that prints faster than the output is read is left off, and that is said.\n\n"
    "On a terminal only text is shown. What goes into a file or a pipe is what the container "
    "printed.\n\n"
    "Exit codes: 0 success, 3 there is nothing to read: the job has been on no worker, or has no "
    "pods there yet or any more; 4 of some containers the log could not be read (standard error "
    "says which), 1 an error.";

}  // namespace

void AddLogs(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* logs = app.add_subcommand(
      "logs", "Print what a job's pods print, from the worker where it is or was last");
  logs->footer(kLogsHelp);
  AddJob(*logs, parsed);
  LogsOptions& options = parsed.logs;
  logs->add_option("--tail", options.tail, "So many last lines of each container")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  CLI::Option* follow = logs->add_flag("-f,--follow", options.follow,
                                       "Go on with what they print, until all of them have ended");
  logs->add_option("--limit-bytes", options.limit_bytes,
                   "At most so many bytes of each container's lines, the first of them")
      ->check(CLI::Range(size_t{1}, kMaxLogBytes))
      ->excludes(follow)
      ->capture_default_str();
  logs->add_option("--pod", options.pod, "Only this pod of the job")->type_name("NAME");
  logs->add_option("-c,--container", options.container,
                   "Only containers of this name; an init container's log is printed so only")
      ->type_name("NAME");
  logs->add_option("--worker-context", options.worker.context,
                   "The kubeconfig's context for the worker, instead of the one that has its name")
      ->type_name("NAME");
  logs->add_option("--timeout", options.timeout, "How long to wait for each answer")
      ->capture_default_str();
  AddSource(*logs, parsed, "--config");  // -c is the container's, as with kubectl
  ShareKubeconfig(*logs);
  logs->callback([&] {
    std::string& file = parsed.server.context.kubeconfig;
    parsed.logs.worker.kubeconfig = file;
    // Alone it is for the worker, and says nothing of where the daemon is.
    std::string given = std::exchange(file, {});
    const std::string& server = parsed.server.server;
    if (server.starts_with("https://") || server.starts_with("service") || MeansService(parsed))
      file = std::move(given);
    command = [&](Terminal& terminal) {
      const auto run = [&] {
        parsed.logs.view = parsed.view;
        parsed.logs.config = parsed.config;
        return Logs(parsed.logs, terminal);
      };
      return WithStoreOrDaemon(parsed, terminal, run, /*reads_config=*/true);  // for its kinds
    };
  });
}

}  // namespace fedra::cli
