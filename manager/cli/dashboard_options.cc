// The options of `fedra dashboard`, which asks a daemon on this machine.

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "config/load.h"
#include "manager/cli/remote.h"
#include "manager/cli/subcommands.h"
#include "manager/cli/view_source.h"

namespace fedra::cli {
namespace {

// Where a daemon listens that this user may ask: as given, as configured, or where it usually is.
Result<std::string> DaemonSocket(const Parsed& parsed) {
  if (parsed.server.server.starts_with("https://"))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the daemon at {} has these pages itself: open that address in a "
                            "browser, which asks for a token",
                            parsed.server.server));
  if (!parsed.server.server.empty()) {
    FEDRA_ASSIGN_OR_RETURN(DaemonAddress daemon, NamedDaemon(parsed));
    if (daemon.socket.empty())
      return Fail(ErrorCode::kInvalidArgument,
                  "the dashboard asks a daemon on this machine: --server unix:PATH");
    // Where none is yet it may come; one that is refused stays so.
    if (FindForbiddenSocket({daemon.socket}))
      return Fail(ErrorCode::kForbidden,
                  fmt::format("the daemon's socket {} is not for this user: {}", daemon.socket,
                              WhoMayAsk(daemon.socket)));
    return std::move(daemon.socket);
  }
  std::vector<std::string> sockets;
  if (const auto loaded =
          config::Load(parsed.config, config::OptionsNow(/*manager_may_fail=*/true)))
    sockets.push_back(config::ApiSocket(loaded->configuration));
  if (auto socket = FindDaemon(sockets)) return *std::move(socket);
  if (std::string why = WhyNoDaemon(std::move(sockets)); !why.empty())
    return Fail(ErrorCode::kForbidden, std::move(why));
  return Fail(ErrorCode::kConnection,
              "no daemon listens on a socket that this user may use: start it, or name its socket "
              "with --server unix:PATH");
}

}  // namespace

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

}  // namespace fedra::cli
