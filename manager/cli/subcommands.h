#pragma once
//
// Internal to the command line: one function per subcommand that has options of its own.
//
// Each adds its subcommand to `app`; while that parses, values go into `parsed`, and `command`
// becomes what to run. Both must outlive the app.
//
// Thread rules: one thread, at start.

#include "manager/cli/command_options.h"

namespace fedra::cli {

// view_options.cc, dashboard_options.cc and backup_options.cc: from the store.
void AddStatus(CLI::App& app, Parsed& parsed, Command& command);
void AddWhy(CLI::App& app, Parsed& parsed, Command& command);
void AddHistory(CLI::App& app, Parsed& parsed, Command& command);
void AddWait(CLI::App& app, Parsed& parsed, Command& command);
void AddDashboard(CLI::App& app, Parsed& parsed, Command& command);
void AddBackup(CLI::App& app, Parsed& parsed, Command& command);

// logs_options.cc: from the worker that the store names.
void AddLogs(CLI::App& app, Parsed& parsed, Command& command);

// fleet_options.cc: from the clusters.
void AddCheck(CLI::App& app, Parsed& parsed, Command& command);
void AddTemplates(CLI::App& app, Parsed& parsed, Command& command);
void AddDevices(CLI::App& app, Parsed& parsed, Command& command);
void AddSnapshot(CLI::App& app, Parsed& parsed, Command& command);
void AddSupportBundle(CLI::App& app, Parsed& parsed, Command& command);
void AddOrphans(CLI::App& app, Parsed& parsed, Command& command);
void AddMigrate(CLI::App& app, Parsed& parsed, Command& command);

// membership_options.cc: writes to the clusters.
void AddJoin(CLI::App& app, Command& command);
void AddLeave(CLI::App& app, Command& command);
void AddCordons(CLI::App& app, Parsed& parsed, Command& command);

// request_options.cc: writes to the manager about one job.
void AddRetry(CLI::App& app, Parsed& parsed, Command& command);
void AddMove(CLI::App& app, Parsed& parsed, Command& command);

// The group of what works and is not shown: spellings of earlier versions.
inline constexpr const char* kHidden = "";

// --config, for a subcommand that reads the configuration. `names`: without -c where that means
// something else.
void AddConfig(CLI::App& app, Parsed& parsed, const char* names = "-c,--config");

}  // namespace fedra::cli
