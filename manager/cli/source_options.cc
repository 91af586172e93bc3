// Where a command learns of jobs: the options, and how the store or a daemon is found.

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "config/load.h"
#include "manager/cli/remote.h"
#include "manager/cli/subcommands.h"
#include "manager/cli/view_source.h"
#include "manager/report/exit_code.h"

namespace fedra::cli {
namespace {

// Where the unit's socket is, and where the daemon makes one by default.
constexpr std::array kUsualSockets = {"/run/fedra/fedra.sock", "/var/lib/fedra/fedra.sock"};

// Where the daemon of the usual configuration listens; empty: another configuration is meant, or
// this user may ask none there.
std::string UsualDaemon(const Parsed& parsed, bool may_ask) {
  if (!may_ask || parsed.config != kUsualConfig) return {};
  return FindDaemon({}).value_or(std::string());
}

// That it is not there is said where it is opened.
bool IsForbidden(const std::string& path) {
  return access(path.c_str(), R_OK) != 0 && errno == EACCES;
}

// Who may not read the store, or the configuration that names it, asks the daemon.
void AskInstead(Parsed& parsed, std::vector<std::string> sockets) {
  if (auto socket = FindDaemon(std::move(sockets))) parsed.view.daemon.socket = *std::move(socket);
}

// Who may read neither the store nor ask the daemon. Where the configuration cannot be loaded, its
// socket is not known.
int RefuseStore(const Parsed& parsed, Terminal& terminal) {
  std::string why = WhyNoDaemon({parsed.api_socket});
  if (why.empty()) why = "name the daemon's socket with --server unix:PATH: " + WhoMayAsk({});
  terminal.err << fmt::format("fedra: the store {} is not for this user; {}\n", parsed.view.store,
                              why);
  return report::kFailed;
}

ServerOptions Server(const Parsed& parsed) {
  ServerOptions server = parsed.server;
  if (MeansService(parsed)) server.server = "service";
  return server;
}

}  // namespace

std::optional<std::string> FindDaemon(std::vector<std::string> sockets) {
  sockets.insert(sockets.end(), kUsualSockets.begin(), kUsualSockets.end());
  return FindSocket(sockets);
}

std::string WhyNoDaemon(std::vector<std::string> sockets) {
  sockets.insert(sockets.end(), kUsualSockets.begin(), kUsualSockets.end());
  const auto socket = FindForbiddenSocket(sockets);
  if (!socket) return {};
  return fmt::format("the daemon's socket {} is not for this user: {}", *socket,
                     WhoMayAsk(*socket));
}

int WithStore(Parsed& parsed, Terminal& terminal, const std::function<int()>& run, bool may_ask) {
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
        const std::string socket = FindForbiddenSocket({kUsualSockets.begin(), kUsualSockets.end()})
                                       .value_or(std::string());
        terminal.err << "(name the daemon's file with --config, its store with --store"
                     << (may_ask ? ", or its socket with --server unix:PATH" : "")
                     << (may_ask && IsForbidden(parsed.config) ? ": " + WhoMayAsk(socket) : "")
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
    parsed.view.sockets = {parsed.api_socket};
    parsed.view.worker_lost_timeout = loaded->configuration.worker_lost_timeout;
    parsed.view.admission_timeout = loaded->configuration.dispatch.admission_timeout;
    parsed.view.race = loaded->configuration.dispatch.policy == config::DispatchPolicy::kRace;
  }
  return run();
}

bool MeansService(const Parsed& parsed) {
  if (!parsed.is_plugin || !parsed.server.server.empty()) return false;
  if (!parsed.check.snapshot.empty() || !parsed.devices.snapshot.empty()) return false;
  if (HasTlsOptions(parsed.server)) return true;
  return parsed.store.empty() && !parsed.names_config && parsed.config == kUsualConfig &&
         !std::filesystem::exists(parsed.config) && !FindDaemon({});
}

Result<DaemonAddress> NamedDaemon(const Parsed& parsed) {
  if (parsed.names_config)
    return Fail(ErrorCode::kInvalidArgument,
                "--config is not read with --server: the daemon that is asked has its own "
                "configuration; leave one of them out");
  const ContextChoice& context = parsed.server.context;
  if (parsed.server.server.starts_with("https://") && !parsed.server.token_file.empty() &&
      (!context.kubeconfig.empty() || !context.context.empty()))
    return Fail(ErrorCode::kInvalidArgument,
                "--token-file says who you are, and so does a kubeconfig: leave one of them out");
  if (!parsed.store.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "--store is not read when a daemon is asked; leave it or the context out");
  return AddressIn(Server(parsed));
}

int WithStoreOrDaemon(Parsed& parsed, Terminal& terminal, const std::function<int()>& run,
                      bool reads_config) {
  parsed.view.headers = !parsed.no_headers;
  parsed.view.format = parsed.format;
  if (!parsed.server.server.empty() || MeansService(parsed)) {
    auto daemon = reads_config ? AddressIn(Server(parsed)) : NamedDaemon(parsed);
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
        if (parsed.store.empty() && IsForbidden(parsed.view.store)) {
          AskInstead(parsed, {parsed.api_socket});
          if (parsed.view.daemon.empty()) return RefuseStore(parsed, terminal);
        }
        return run();
      },
      /*may_ask=*/true);
}

int WithNamedDaemon(const Parsed& parsed, DaemonAddress& daemon, Terminal& terminal,
                    const std::function<int()>& run) {
  if (!parsed.server.server.empty() || MeansService(parsed)) {
    auto address = NamedDaemon(parsed);
    if (!address) {
      terminal.err << "fedra: " << address.error().message << "\n";
      return 1;
    }
    daemon = *std::move(address);
  }
  return run();
}

void AddStore(CLI::App& app, Parsed& parsed, const char* config) {
  AddConfig(app, parsed, config);
  app.add_option("--store", parsed.store,
                 "The store's file, instead of the one the configuration names")
      ->type_name("FILE");
}

CLI::Option* AddServer(CLI::App& app, Parsed& parsed, const std::string& instead) {
  CLI::Option* server =
      app.add_option(
             "--server", parsed.server.server,
             "Ask the daemon at unix:PATH or https://HOST:PORT (api.secure), or behind "
             "service:NAMESPACE/NAME of the cluster of your kubeconfig (service alone: the one "
             "with fedra's label in fedra-system), instead of " +
                 instead)
          ->type_name("ADDRESS");
  // Of a plugin they mean the Service without it, too.
  const auto of_server = [&](const char* name, std::string& value, const char* meaning) {
    CLI::Option* const option = app.add_option(name, value, meaning);
    return parsed.is_plugin ? option : option->needs(server);
  };
  of_server("--token-file", parsed.server.token_file,
            "With https or service: a file with the token of an account on the manager, in place "
            "of the kubeconfig's")
      ->type_name("FILE");
  of_server("--certificate-authority", parsed.server.certificate_authority,
            "With https or service: the CA of the daemon's certificate; else the system's, and "
            "with service the way there is trusted")
      ->type_name("FILE");
  of_server(
      "--tls-server-name", parsed.server.tls_server_name,
      "With https or service: the name in the daemon's certificate, where that is not its address")
      ->type_name("NAME");
  of_server("--kubeconfig", parsed.server.context.kubeconfig,
            "With https or service: where your token is, instead of $KUBECONFIG or ~/.kube/config")
      ->type_name("FILE");
  of_server("--context", parsed.server.context.context,
            "With https or service: the kubeconfig's context for the manager")
      ->type_name("NAME");
  return server;
}

void AddSource(CLI::App& app, Parsed& parsed, const char* config) {
  AddStore(app, parsed, config);
  AddServer(app, parsed, "reading its store; done by itself where the store is not for this user")
      ->excludes("--store");
  app.add_option("-n,--namespace", parsed.view.ns, "Only this namespace");
}

void AddJob(CLI::App& app, Parsed& parsed) {
  app.add_option(
         "job", parsed.view.names,
         "NAMESPACE/NAME; NAME alone with -n, or where only one namespace has it; KIND/ before "
         "it where jobs of several kinds have it; "
         "job/NAME and workload/NAME, too")
      ->required()
      ->expected(1);
}

}  // namespace fedra::cli
