// The options of the commands that read the store.

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <ostream>

#include <CLI/CLI.hpp>

#include "config/load.h"
#include "manager/cli/remote.h"
#include "manager/cli/subcommands.h"
#include "manager/cli/view_source.h"
#include "manager/report/job_filter.h"
#include "manager/report/progress.h"

namespace fedra::cli {
namespace {

// Where the unit's socket is, and where the daemon makes one by default.
constexpr std::array kUsualSockets = {"/run/fedra/fedra.sock", "/var/lib/fedra/fedra.sock"};

// The first of these, or of the usual sockets, at which this user may ask a daemon.
std::optional<std::string> FindDaemon(std::vector<std::string> sockets) {
  sockets.insert(sockets.end(), kUsualSockets.begin(), kUsualSockets.end());
  return FindSocket(sockets);
}

// Where the daemon of the usual configuration listens; empty: another configuration is meant, or
// this user may ask none there.
std::string UsualDaemon(const Parsed& parsed, bool may_ask) {
  if (!may_ask || parsed.config != kUsualConfig) return {};
  return FindDaemon({}).value_or(std::string());
}

// The store's path: given, or what the configuration says. `may_ask`: a daemon's answer does as
// well, where the configuration cannot be read.
int WithStore(Parsed& parsed, Terminal& terminal, const std::function<int()>& run,
              bool may_ask = false) {
  parsed.view.headers = !parsed.no_headers;
  parsed.view.format = parsed.format;
  parsed.view.store = parsed.store;
  if (parsed.view.store.empty()) {
    const auto loaded = config::Load(parsed.config, config::OptionsNow(/*manager_may_fail=*/true));
    if (!loaded) {
      terminal.err << config::ToString(loaded.error()) << "\n";
      // The daemon goes on with the configuration that it has, and so does what it tells.
      const auto store = config::StorePathIn(parsed.config);
      if (!store || !std::filesystem::exists(*store)) {
        parsed.view.daemon.socket = UsualDaemon(parsed, may_ask);
        if (!parsed.view.daemon.empty()) {
          terminal.err
              << "(a running daemon goes on with what it read before; this is what the one at "
              << parsed.view.daemon.Name() << " says)\n";
          return run();
        }
        terminal.err << "(name the daemon's file with --config, its store with --store"
                     << (may_ask ? ", or its socket with --server unix:PATH" : "")
                     << "; where fedra runs in a cluster: kubectl --namespace fedra-system exec "
                        "fedra-0 -- /usr/bin/fedra ...)\n";
        return 1;
      }
      terminal.err << "(a running daemon goes on with what it read before; this is what its store "
                   << *store << " says)\n";
      parsed.view.store = *store;
      return run();
    }
    parsed.view.store = loaded->configuration.store.path;
    parsed.api_socket = config::ApiSocket(loaded->configuration);
    parsed.view.worker_lost_timeout = loaded->configuration.worker_lost_timeout;
    parsed.view.admission_timeout = loaded->configuration.dispatch.admission_timeout;
    parsed.view.race = loaded->configuration.dispatch.policy == config::DispatchPolicy::kRace;
  }
  return run();
}

// That it is not there is said where it is opened.
bool IsForbidden(const std::string& path) {
  return access(path.c_str(), R_OK) != 0 && errno == EACCES;
}

// Who may not read the store, or the configuration that names it, asks the daemon.
void AskInstead(Parsed& parsed, std::vector<std::string> sockets) {
  if (auto socket = FindDaemon(std::move(sockets))) parsed.view.daemon.socket = *std::move(socket);
}

}  // namespace

int WithStoreOrDaemon(Parsed& parsed, Terminal& terminal, const std::function<int()>& run) {
  parsed.view.headers = !parsed.no_headers;
  parsed.view.format = parsed.format;
  if (!parsed.server.server.empty()) {
    auto daemon = AddressIn(parsed.server);
    if (!daemon) {
      terminal.err << "fedra: " << daemon.error().message << "\n";
      return 1;
    }
    parsed.view.daemon = *std::move(daemon);
  } else if (parsed.store.empty() && IsForbidden(parsed.config)) {
    AskInstead(parsed, {});
  }
  if (!parsed.view.daemon.empty()) return run();
  return WithStore(
      parsed, terminal,
      [&] {
        if (parsed.store.empty() && IsForbidden(parsed.view.store))
          AskInstead(parsed, {parsed.api_socket});
        return run();
      },
      /*may_ask=*/true);
}

namespace {

// Where a daemon listens that this user may ask: as given, as configured, or where it usually is.
Result<std::string> DaemonSocket(const Parsed& parsed) {
  if (!parsed.server.server.empty()) {
    FEDRA_ASSIGN_OR_RETURN(DaemonAddress daemon, AddressIn(parsed.server));
    if (!daemon.socket.empty()) return std::move(daemon.socket);
    return Fail(ErrorCode::kInvalidArgument,
                "the dashboard asks a daemon on this machine: --server unix:PATH");
  }
  std::vector<std::string> sockets;
  if (const auto loaded =
          config::Load(parsed.config, config::OptionsNow(/*manager_may_fail=*/true)))
    sockets.push_back(config::ApiSocket(loaded->configuration));
  if (auto socket = FindDaemon(std::move(sockets))) return *std::move(socket);
  return Fail(ErrorCode::kConnection,
              "no daemon listens on a socket that this user may use: start it, or name its socket "
              "with --server unix:PATH");
}

void AddStore(CLI::App& app, Parsed& parsed, const char* config = "-c,--config") {
  AddConfig(app, parsed, config);
  app.add_option("--store", parsed.store,
                 "The store's file, instead of the one the configuration names")
      ->type_name("FILE");
}

}  // namespace

void AddSource(CLI::App& app, Parsed& parsed, const char* config) {
  AddStore(app, parsed, config);
  CLI::Option* server =
      app.add_option("--server", parsed.server.server,
                     "Ask the daemon at unix:PATH or https://HOST:PORT (api.secure), instead of "
                     "reading its store; done by itself where the store is not for this user")
          ->type_name("ADDRESS")
          ->excludes("--store");
  const auto of_server = [&](const char* name, std::string& value, const char* meaning) {
    return app.add_option(name, value, meaning)->needs(server);
  };
  CLI::Option* token_file =
      of_server("--token-file", parsed.server.token_file,
                "With https: a file with the token of an account on the manager, in place of the "
                "kubeconfig's")
          ->type_name("FILE");
  of_server("--certificate-authority", parsed.server.certificate_authority,
            "With https: the CA of the daemon's certificate; else the system's")
      ->type_name("FILE");
  of_server("--tls-server-name", parsed.server.tls_server_name,
            "With https: the name in the daemon's certificate, where that is not its address")
      ->type_name("NAME");
  of_server("--kubeconfig", parsed.server.context.kubeconfig,
            "With https: where your token is, instead of $KUBECONFIG or ~/.kube/config")
      ->type_name("FILE")
      ->excludes(token_file);
  of_server("--context", parsed.server.context.context,
            "With https: the kubeconfig's context for the manager")
      ->type_name("NAME")
      ->excludes(token_file);
  app.add_option("-n,--namespace", parsed.view.ns, "Only this namespace");
}

namespace {

void AddViewOptions(CLI::App& app, Parsed& parsed) {
  AddSource(app, parsed);
  app.add_option("-o,--output", parsed.format, "table, wide, json, yaml or name")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "name"}));
  app.add_flag("--no-headers", parsed.no_headers, "Tables without headers");
}

}  // namespace

void AddJob(CLI::App& app, Parsed& parsed) {
  app.add_option(
         "job", parsed.view.names,
         "NAMESPACE/NAME; NAME alone with -n, or where only one namespace has it; KIND/ before "
         "it where jobs of several kinds have it; "
         "job/NAME and workload/NAME, too")
      ->required()
      ->expected(1);
}

namespace {

void AddFilters(CLI::App& status, report::JobFilter& filter) {
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* meaning) {
    status.add_option(name, values, meaning)->delimiter(',')->allow_extra_args(false);
  };
  add("--state", filter.states, "Only jobs in these states: Blocked,Waiting (fedra explain STATE)");
  add("--reason", filter.reasons, "Only blocked jobs with one of these reasons against a worker");
  add("--worker", filter.workers, "Only jobs that run on these workers, or are dispatched to them");
  add("--queue", filter.queues, "Only jobs of these LocalQueues: NAME or NAMESPACE/NAME");
  status
      .add_option("-l,--selector", filter.labels,
                  "Only jobs with these labels, as kubectl takes them: app=train,tier!=test")
      ->type_name("LABELS");
  status
      .add_option("--sort-by", filter.sort_by,
                  "state, line (place among those that wait for the same devices), name, age, "
                  "worker or queue")
      ->capture_default_str();
  status.add_option("--limit", filter.limit, "At most so many jobs; 0: all")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  status
      .add_option("--continue", filter.go_on,
                  "What comes behind `continue` of a JSON or YAML answer with --limit, given the "
                  "same filters and order")
      ->type_name("TOKEN");
  status
      .add_option("--group-by", filter.group_by,
                  "Count the jobs in place of listing them: by state, reason (of blocked jobs, "
                  "against any worker), worker, queue or namespace")
      ->type_name("WHAT");
  status.add_flag("--all", filter.all, "Also jobs that ended more than an hour ago");
}

}  // namespace

void AddStatus(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* status = app.add_subcommand("status", "Show the fleet and the jobs");
  status
      ->add_option(kWhat, parsed.view.names,
                   "workers, jobs, or the name of a job as for `fedra why`; omitted: both tables")
      ->expected(0, 1);
  AddViewOptions(*status, parsed);
  status
      ->add_flag("-A,--all-namespaces", parsed.view.all_namespaces,
                 "All namespaces, the default when neither -n nor $FEDRA_NAMESPACE is given")
      ->excludes("--namespace");
  status->footer(
      "Every format lists the same jobs. In JSON and YAML `remaining` counts those behind --limit, "
      "`continue` is where --continue goes on, "
      "`ended` those that only --all lists.");
  AddFilters(*status, parsed.view.jobs);
  status->add_flag("-w,--watch", parsed.view.watch, "Show again whenever something changes");
  status->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] { return Status(parsed.view, terminal); });
    };
  });
}

void AddWhy(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* why = app.add_subcommand("why", "Say for each worker why it can or cannot run a job");
  AddJob(*why, parsed);
  AddViewOptions(*why, parsed);
  why->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] { return Why(parsed.view, terminal); });
    };
  });
}

void AddHistory(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* history =
      app.add_subcommand("history", "Show what happened to a job, attempt by attempt");
  AddJob(*history, parsed);
  AddViewOptions(*history, parsed);
  history->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] { return History(parsed.view, terminal); });
    };
  });
}

void AddWait(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* wait =
      app.add_subcommand("wait", "Wait until a job is dispatched, runs or has finished");
  AddJob(*wait, parsed);
  wait->add_option("--for", parsed.wait.goal,
                   "dispatched, running or finished; a job that is further than that is, too")
      ->check(CLI::IsMember(report::GoalNames()))
      ->capture_default_str();
  wait->add_option("--timeout", parsed.wait.timeout,
                   "Give up after this time, as in 30s or 2h; 0s: never")
      ->capture_default_str();
  AddSource(*wait, parsed);
  wait->add_option("-o,--output", parsed.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  wait->footer(
      "A job that fedra does not know yet is waited for. On standard error it says what the job "
      "waits for. Of several replicas ask the one that leads: a standby does not know how far a "
      "job is, says so, and is waited for until it leads. Exit codes: 0 it is as far as that, 3 it "
      "has failed or was deleted, 4 not within the timeout, 1 an error.");
  wait->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] {
        parsed.wait.view = parsed.view;
        return Wait(parsed.wait, terminal);
      });
    };
  });
}

void AddDashboard(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* dashboard =
      app.add_subcommand("dashboard", "Show the fleet and the jobs in a browser on this machine");
  dashboard->footer(
      "Prints an address and answers there, on 127.0.0.1 only, until it is interrupted. The "
      "address holds a secret of this run: other users of the machine cannot see the pages without "
      "it. The daemon is asked over its Unix socket with this user's rights; it must run.");
  AddConfig(*dashboard, parsed);
  dashboard
      ->add_option(
          "--server", parsed.server.server,
          "Ask the daemon that listens at unix:PATH; else the one of the configuration, or "
          "the one at /run/fedra/fedra.sock or /var/lib/fedra/fedra.sock")
      ->type_name("ADDRESS");
  dashboard->add_option("--port", parsed.dashboard.port, "The port; 0: a free one")
      ->check(CLI::Range(0, 65'535))
      ->capture_default_str();
  dashboard->callback([&] {
    command = [&](Terminal& terminal) {
      const auto socket = DaemonSocket(parsed);
      if (!socket) {
        terminal.err << "fedra dashboard: " << socket.error().message << "\n";
        return kFailed;
      }
      parsed.dashboard.socket = *socket;
      return Dashboard(parsed.dashboard, terminal);
    };
  });
}

void AddBackup(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* backup = app.add_subcommand("backup", "Copy the store, also while the daemon runs");
  backup->footer(
      "The copy is a complete store of one moment, for this user only (mode 0600). To go back to "
      "it, stop the daemon and put it in the place of the store's file, without the files beside "
      "it that end in -wal and -shm.\n\n"
      "From a pod, whose root cannot be written:\n"
      "  kubectl exec fedra-0 -- /usr/bin/fedra backup - > fedra.db");
  backup->add_option("file", parsed.target, "Where to; must not exist yet; - for standard output")
      ->required()
      ->type_name("FILE");
  AddStore(*backup, parsed);
  backup->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStore(parsed, terminal,
                       [&] { return Backup(parsed.view.store, parsed.target, terminal); });
    };
  });
}

}  // namespace fedra::cli
