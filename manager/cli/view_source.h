#pragma once
//
// Internal to the command line: where a command learns of a job, from the store or from a daemon.
//
// Thread rules: one thread, at start.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli/command_options.h"
#include "manager/cli/daemon_address.h"

namespace fedra::cli {

// The job that a command is about.
void AddJob(CLI::App& app, Parsed& parsed);

// --server and who asks there, for a command that a daemon may answer. `instead`: of what it is
// asked, for the help. The option --server itself.
CLI::Option* AddServer(CLI::App& app, Parsed& parsed, const std::string& instead);

// Runs it with the daemon that --server names in `daemon`, or without one. The exit code.
int WithNamedDaemon(const Parsed& parsed, DaemonAddress& daemon, Terminal& terminal,
                    const std::function<int()>& run);

// Where a view comes from, and of which namespace. `config`: as of AddConfig.
void AddSource(CLI::App& app, Parsed& parsed, const char* config = "-c,--config");

// The store's file alone. `config`: as of AddConfig.
void AddStore(CLI::App& app, Parsed& parsed, const char* config = "-c,--config");

// Runs it with the store's path, given or what the configuration says. `may_ask`: a daemon's answer
// does as well, where the configuration cannot be read. The exit code.
int WithStore(Parsed& parsed, Terminal& terminal, const std::function<int()>& run,
              bool may_ask = false);

// Whether kubectl runs us and the daemon behind the Service of the user's cluster is meant,
// although
// --server is not given: a context is, or another option of that daemon; or there is neither a
// configuration nor a daemon on this machine.
bool MeansService(const Parsed& parsed);

// The daemon that --server names. kInvalidArgument: also where --config, which would not be read,
// is named as well.
Result<DaemonAddress> NamedDaemon(const Parsed& parsed);

// Runs it with the store, or the daemon, that `parsed.view` names then. The exit code.
// `reads_config`: the command reads the configuration file with --server, too.
int WithStoreOrDaemon(Parsed& parsed, Terminal& terminal, const std::function<int()>& run,
                      bool reads_config = false);

// The first of these sockets, or of those where a daemon usually listens, at which this user may
// ask one.
std::optional<std::string> FindDaemon(std::vector<std::string> sockets);
// Why this user may ask none of them: "the daemon's socket ... is not for this user: members of
// ...". Empty: none of them is there.
std::string WhyNoDaemon(std::vector<std::string> sockets);

}  // namespace fedra::cli
