#pragma once
//
// The subcommands' options, as CLI11 knows them.
//
// Thread rules: one thread, at start.

#include <functional>
#include <string>
#include <vector>

#include "manager/cli/commands.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace fedra::cli {

// Where the daemon's configuration is unless it is named.
inline constexpr const char* kUsualConfig = "/etc/fedra/fedra.yaml";

// The argument of `fedra status`: workers, jobs, or a job's name.
inline constexpr const char* kWhat = "what";

// Every option value of every command; CLI11 writes into it while parsing.
struct Parsed {
  std::string config = kUsualConfig;
  bool names_config = false;  // --config was given; $FEDRA_CONFIG alone does not count
  bool is_plugin = false;     // started as kubectl-fedra, by kubectl or by a user
  std::string color = "auto";
  std::string store;
  ServerOptions server;
  std::string api_socket;  // as configured
  std::string format = "table";
  std::string reason;
  std::string target;
  std::string shell;
  ViewOptions view;
  WaitOptions wait;
  LogsOptions logs;
  DashboardOptions dashboard;
  CheckOptions check;
  TemplatesDiffOptions templates_diff;
  DevicesOptions devices;
  SnapshotOptions snapshot;
  OrphanOptions orphans;
  SupportBundleOptions support;
  CelCommand cel;
  ValidateOptions validate;
  bool no_headers = false;
  MigrateOptions migrate;
};

// What the command line asks for.
using Command = std::function<int(Terminal&)>;

// Fills the app. While it parses, values go into `parsed`, and `command` becomes what to run; both
// must outlive the app.
void AddCommands(CLI::App& app, Parsed& parsed, Command& command);

// The commands below `app` that are shown, and its options that are: not those of earlier versions.
std::vector<const CLI::App*> ShownCommands(const CLI::App& app);
std::vector<const CLI::Option*> ShownOptions(const CLI::App& app);

// Every subcommand, nested ones as "config validate", with its options.
std::vector<CompletionWord> CompletionWordsOf(const CLI::App& app);

// What may stand before a command: the options of the app itself.
CompletionWord RootWord(const CLI::App& app);

}  // namespace fedra::cli
