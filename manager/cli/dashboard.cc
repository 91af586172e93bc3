// fedra dashboard: the daemon's answers as pages, for the browser of this user.

#include <ostream>

#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "manager/cli/terminal/checked_output.h"
#include "manager/dashboard/server.h"

namespace fedra::cli {
namespace {

constexpr int kLookMilliseconds = 1'000;

}  // namespace

int Dashboard(const DashboardOptions& options, Terminal& terminal) {
  const auto server = dashboard::Server::Start(options.socket, options.port);
  if (!server) {
    terminal.err << fmt::format("fedra dashboard: {}; choose another --port\n",
                                server.error().message);
    return kFailed;
  }
  terminal.out << (*server)->Address() << "\n" << std::flush;
  if (!terminal.out) return kFailed;
  terminal.err
      << "Open it in a browser on this machine. Anyone who has it sees what you may see, until "
         "this command ends (Ctrl-C).\n";
  // Whether it could be written, the command line checks.
  while (terminal.out && WaitWhileRead(kLookMilliseconds)) {
  }
  return 0;
}

}  // namespace fedra::cli
