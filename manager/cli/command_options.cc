#include "manager/cli/command_options.h"

#include <ostream>

#include <CLI/CLI.hpp>

#include "config/load.h"
#include "manager/app.h"

namespace fedra::cli {
namespace {

std::vector<CompletionWord> Words(const CLI::App& app, const std::string& prefix) {
  std::vector<CompletionWord> words;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletionWord word{prefix + sub->get_name(), {}, sub->get_description()};
    for (const CLI::App* nested : sub->get_subcommands([](const CLI::App*) { return true; }))
      word.options.push_back(nested->get_name());
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) word.options.push_back("--" + name);
    }
    words.push_back(word);
    const auto nested = Words(*sub, word.command + " ");
    words.insert(words.end(), nested.begin(), nested.end());
  }
  return words;
}

// The store's path: given, or what the configuration says.
int WithStore(Parsed& parsed, Terminal& terminal, const std::function<int()>& run) {
  parsed.view.headers = !parsed.no_headers;
  parsed.view.format = parsed.format;
  parsed.view.store = parsed.store;
  if (parsed.view.store.empty()) {
    const auto loaded =
        config::Load(parsed.config, {.now = SystemClock().Now(),
                                     .in_cluster = config::InClusterFromEnvironment(),
                                     .manager_may_fail = true});
    if (!loaded) {
      terminal.err << config::ToString(loaded.error())
                   << "\n(name the daemon's file with --config, or its store with --store)\n";
      return 1;
    }
    parsed.view.store = loaded->configuration.store.path;
    parsed.view.worker_lost_timeout = loaded->configuration.worker_lost_timeout;
  }
  return run();
}

void AddConfig(CLI::App& app, Parsed& parsed) {
  app.add_option("-c,--config", parsed.config, "The daemon's configuration file")
      ->envname("FEDRA_CONFIG");
}

void AddViewOptions(CLI::App& app, Parsed& parsed) {
  AddConfig(app, parsed);
  app.add_option("--store", parsed.store,
                 "The store's file, instead of the one the configuration names");
  app.add_option("-o,--output", parsed.format, "table, wide, json, yaml or name")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "name"}));
  app.add_option("-n,--namespace", parsed.view.ns, "Only this namespace");
  app.add_flag("-A,--all-namespaces", parsed.view.all_namespaces,
               "All namespaces, the default when -n is not given");
  app.add_flag("--no-headers", parsed.no_headers, "Tables without headers");
}

void AddStatus(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* status = app.add_subcommand("status", "Show the fleet and the jobs");
  status->add_option("what", parsed.view.names, "Nothing, clusters, workloads, or NAMESPACE/NAME")
      ->expected(0, 2);
  AddViewOptions(*status, parsed);
  status->add_flag("-w,--watch", parsed.view.watch, "Show again whenever something changes");
  status->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStore(parsed, terminal, [&] { return Status(parsed.view, terminal); });
    };
  });
}

void AddWhy(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* why = app.add_subcommand("why", "Say for each worker why it can or cannot run a job");
  why->add_option("job", parsed.view.names, "NAMESPACE/NAME, or NAME with -n")
      ->required()
      ->expected(1);
  AddViewOptions(*why, parsed);
  why->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStore(parsed, terminal, [&] { return Why(parsed.view, terminal); });
    };
  });
}

void AddHistory(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* history =
      app.add_subcommand("history", "Show what happened to a job, attempt by attempt");
  history->add_option("job", parsed.view.names, "NAMESPACE/NAME, or NAME with -n")
      ->required()
      ->expected(1);
  AddViewOptions(*history, parsed);
  history->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStore(parsed, terminal, [&] { return History(parsed.view, terminal); });
    };
  });
}

constexpr const char* kSnapshotHelp =
    "A file of `fedra snapshot` instead of the workers themselves; - for standard input";

void AddFleetOptions(CLI::App& app, std::vector<std::string>& workers, std::string& timeout) {
  app.add_option("--worker", workers, "Only this worker (may be repeated)");
  app.add_option("--timeout", timeout, "How long to wait for the workers")->capture_default_str();
}

void AddDevices(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* devices =
      app.add_subcommand("devices", "Count the workers' devices: total, free, allocated, tainted");
  AddConfig(*devices, parsed);
  AddFleetOptions(*devices, parsed.devices.workers, parsed.devices.timeout);
  devices->add_option("--snapshot", parsed.devices.snapshot, kSnapshotHelp);
  devices->add_option("--class", parsed.devices.device_class,
                      "Only devices that this DeviceClass means, as it is on each worker");
  devices->add_option("--selector", parsed.devices.selector,
                      "Only devices that this CEL selector matches");
  devices
      ->add_option("-o,--output", parsed.devices.format,
                   "table: by class; wide: by pool and node, with attributes; json or yaml")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml"}));
  devices->add_flag("--no-headers", parsed.no_headers, "Tables without headers");
  devices->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.devices.config = parsed.config;
      parsed.devices.headers = !parsed.no_headers;
      return Devices(parsed.devices, terminal);
    };
  });
}

void AddSnapshot(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* snapshot = app.add_subcommand(
      "snapshot", "Save what decides placement on the workers, for check and devices --snapshot");
  snapshot->footer(
      "No annotations, images, commands, environments or driver parameters get into the file; "
      "labels of nodes and attributes of devices do.");
  AddConfig(*snapshot, parsed);
  AddFleetOptions(*snapshot, parsed.snapshot.workers, parsed.snapshot.timeout);
  snapshot->add_option("-o,--output", parsed.snapshot.file, "The file; - for standard output")
      ->required();
  snapshot->add_flag("--redact-names", parsed.snapshot.redact_names,
                     "Pseudonyms for namespaces, claims, templates, nodes, pods, pools and jobs");
  snapshot->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.snapshot.config = parsed.config;
      return Snapshot(parsed.snapshot, terminal);
    };
  });
}

void AddOrphans(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* orphans = app.add_subcommand(
      "orphans", "List what is ours on the workers and belongs to no living workload");
  orphans->footer(
      "The daemon removes such objects by itself where it knows of them. Objects without our "
      "origin "
      "label and the UID of a Workload are never listed and never deleted.");
  AddConfig(*orphans, parsed);
  orphans->add_flag("--delete", parsed.orphans.remove, "Delete them, after asking");
  orphans->add_flag("-y,--yes", parsed.orphans.yes, "With --delete: do not ask");
  orphans->add_option("-o,--output", parsed.orphans.format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}));
  orphans->add_flag("--no-headers", parsed.no_headers, "Tables without headers");
  orphans->add_option("--timeout", parsed.orphans.timeout, "How long to wait for the clusters")
      ->capture_default_str();
  orphans->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.orphans.config = parsed.config;
      parsed.orphans.headers = !parsed.no_headers;
      return Orphans(parsed.orphans, terminal);
    };
  });
}

void AddCheck(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* check = app.add_subcommand(
      "check", "Say where jobs could run, before they are submitted (read-only)");
  check->footer(
      "Exit codes: 0 every job can run somewhere, 3 one can run nowhere, 4 it could not be found "
      "out, 1 error or a mistake in a manifest.");
  AddConfig(*check, parsed);
  check
      ->add_option("-f,--filename", parsed.check.files,
                   "Manifests: jobs, and the ResourceClaimTemplates, ResourceClaims and "
                   "DeviceClasses that belong to them; - for standard input")
      ->required();
  AddFleetOptions(*check, parsed.check.workers, parsed.check.timeout);
  check->add_option("--snapshot", parsed.check.snapshot, kSnapshotHelp);
  check->add_option("-n,--namespace", parsed.check.ns, "Namespace of documents that name none");
  check->add_flag("--assume-templates", parsed.check.assume_templates,
                  "Judge as if the ResourceClaimTemplates in the files existed on every worker");
  check->add_option("-o,--output", parsed.check.format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}));
  check->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.check.config = parsed.config;
      return Check(parsed.check, terminal);
    };
  });
}

void AddSync(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* sync =
      app.add_subcommand("sync", "Show how ResourceClaimTemplates are copied to the workers");
  sync->footer(
      "The daemon does the copying, as verification.templates.sync says; this command never "
      "writes. A copy is made when a job that needs it is sent to a worker: a template that "
      "several workers lack is listed under each of them.");
  AddConfig(*sync, parsed);
  sync->add_flag("--dry-run", parsed.sync.dry_run,
                 "List what would be created, refreshed, replaced or deleted now, and where");
  sync->add_option("--mode", parsed.sync.mode,
                   "IfMissing or Reconcile, instead of what the configuration says")
      ->check(CLI::IsMember({"IfMissing", "Reconcile"}));
  sync->add_option("-o,--output", parsed.sync.format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}));
  sync->add_option("--timeout", parsed.sync.timeout, "How long to wait for the clusters")
      ->capture_default_str();
  sync->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.sync.config = parsed.config;
      return Sync(parsed.sync, terminal);
    };
  });
}

void AddCel(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* cel = app.add_subcommand("cel", "Evaluate a device selector against ResourceSlices");
  cel->footer(
      "Exit codes: 0 something matches, 3 nothing matches, 4 evaluation error, 1 usage or compile "
      "error.");
  cel->add_option("expression", parsed.cel.options.expression, "The selector")->required();
  cel->add_option("--slices", parsed.cel.slices,
                  "File with ResourceSlices (YAML or JSON); - for standard input");
  cel->add_option("--driver", parsed.cel.options.driver, "Only devices of this driver");
  cel->add_option("--k8s", parsed.cel.options.release,
                  "Kubernetes release whose CEL environment is used");
  cel->add_option("-o,--output", parsed.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  cel->add_flag("--explain", parsed.cel.options.explain, "Print the syntax tree with types");
  cel->add_flag("--check", parsed.cel.options.check, "Compile only");
  cel->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.cel.options.json = parsed.format == "json";
      return Cel(parsed.cel, terminal);
    };
  });
}

void AddConfigCommands(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* config = app.add_subcommand("config", "Look at the configuration file");
  config->require_subcommand(1);
  CLI::App* validate =
      config->add_subcommand("validate", "Report every problem of the file and its kubeconfigs");
  AddConfig(*validate, parsed);
  validate->callback([&] {
    command = [&](Terminal& terminal) { return ConfigValidate(parsed.config, terminal); };
  });
  CLI::App* defaults =
      config->add_subcommand("print-defaults", "Print a commented file with every default");
  defaults->callback(
      [&] { command = [](Terminal& terminal) { return ConfigPrintDefaults(terminal); }; });
  CLI::App* view =
      config->add_subcommand("view", "Print the effective configuration, without secrets");
  AddConfig(*view, parsed);
  view->callback(
      [&] { command = [&](Terminal& terminal) { return ConfigView(parsed.config, terminal); }; });
}

void AddSmallCommands(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* run = app.add_subcommand("run", "Run the daemon");
  AddConfig(*run, parsed);
  run->callback([&] { command = [&](Terminal&) { return RunDaemon(parsed.config); }; });

  CLI::App* explain =
      app.add_subcommand("explain", "Explain a reason: what causes it and what to do");
  explain->add_option("reason", parsed.reason,
                      "For example TemplateMissing; without it all are listed");
  explain->add_option("-o,--output", parsed.format, "text or json");
  explain->callback([&] {
    command = [&](Terminal& terminal) { return Explain(parsed.reason, parsed.format, terminal); };
  });

  CLI::App* version = app.add_subcommand("version", "Print version, commit and library versions");
  version->add_option("-o,--output", parsed.format, "text or json");
  version->callback(
      [&] { command = [&](Terminal& terminal) { return Version(parsed.format, terminal); }; });

  CLI::App* completion = app.add_subcommand("completion", "Print a completion script");
  completion->add_option("shell", parsed.shell, "bash, zsh or fish")->required();
  completion->callback([&] {
    command = [&](Terminal& terminal) { return Completion(parsed.shell, WordsOf(app), terminal); };
  });
}

}  // namespace

std::vector<CompletionWord> WordsOf(const CLI::App& app) { return Words(app, ""); }

void AddCommands(CLI::App& app, Parsed& parsed, Command& command) {
  app.description(
      "Federates Kubernetes batch jobs with Dynamic Resource Allocation over many clusters, next "
      "to Kueue.");
  app.require_subcommand(1);
  const auto version = [] {
    std::string text = VersionText();
    text.pop_back();  // CLI11 ends the line
    return text;
  };
  app.set_version_flag("--version", version, "As the command version");
  app.add_option("--color", parsed.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  AddSmallCommands(app, parsed, command);
  AddStatus(app, parsed, command);
  AddWhy(app, parsed, command);
  AddCheck(app, parsed, command);
  AddSync(app, parsed, command);
  AddDevices(app, parsed, command);
  AddSnapshot(app, parsed, command);
  AddOrphans(app, parsed, command);
  AddHistory(app, parsed, command);
  AddCel(app, parsed, command);
  AddConfigCommands(app, parsed, command);
}

}  // namespace fedra::cli
