// The options of check, templates, devices, snapshot, support-bundle, orphans and migrate.

#include <CLI/CLI.hpp>

#include "manager/cli/subcommands.h"
#include "manager/cli/view_source.h"

namespace fedra::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 success, 4 a worker could not be read (standard error says which; what the "
    "others "
    "have is printed), 1 error.";

constexpr const char* kSnapshotHelp =
    "A file of `fedra snapshot` instead of the workers themselves; - for standard input";

constexpr const char* kInsteadOfWorkers =
    "the workers: it says what it sees of them now, and no configuration is read";

void AddFleetOptions(CLI::App& app, std::vector<std::string>& workers, std::string& timeout) {
  app.add_option("--worker", workers, "Only this worker (may be repeated)");
  app.add_option("--timeout", timeout,
                 "How long to wait for the workers; one that does not answer a first request is "
                 "given 5s, or all of it when it is more than 15s")
      ->capture_default_str();
}

void AddMap(CLI::App& devices, DevicesOptions& options) {
  CLI::Option* const map = devices.add_flag(
      "--map", options.map,
      "The devices of one worker, one by one, by node: who holds each, its taints and counters");
  for (const char* name : {"--class", "--selector"}) map->excludes(devices.get_option(name));
  devices.add_option("--node", options.node, "Of a map: only this node")->needs(map);
  devices
      .add_option("--limit", options.limit,
                  "Of a map: at most so many nodes; 0, or more than 200: 200")
      ->needs(map);
  devices
      .add_option("--continue", options.go_on,
                  "Of a map: the page behind the one that named this word")
      ->needs(map);
}

}  // namespace

void AddDevices(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* devices =
      app.add_subcommand("devices", "Count the workers' devices: total, free, allocated, tainted");
  devices->footer(
      "Free are devices that no claim holds. Some of them may be reserved for jobs that are "
      "dispatched and hold none yet: `fedra why` of another job counts these. Tainted counts every "
      "device with a taint that keeps claims away, allocated ones too, as `fedra why` "
      "does.\n\nExit codes: 0 success, "
      "4 a worker could not be read (standard error says which; what the others have is printed), "
      "5 nothing matches and the selector is an error on some device, 1 error.");
  AddConfig(*devices, parsed);
  AddFleetOptions(*devices, parsed.devices.workers, parsed.devices.timeout);
  devices->add_option("--snapshot", parsed.devices.snapshot, kSnapshotHelp)->type_name("FILE");
  devices->add_option("--class", parsed.devices.device_class,
                      "Only devices that this DeviceClass means, as it is on each worker");
  devices->add_option("--selector", parsed.devices.selector,
                      "Only devices that this CEL selector matches");
  devices
      ->add_option("-o,--output", parsed.devices.format,
                   "table: by class; wide: by pool and node, with attributes; json or yaml. Of a "
                   "map: table, json or yaml")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml"}));
  devices->add_flag("--no-headers", parsed.no_headers, "Tables without headers");
  AddMap(*devices, parsed.devices);
  AddServer(*devices, parsed, kInsteadOfWorkers)->excludes("--snapshot")->excludes("--timeout");
  devices->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.devices.config = parsed.config;
      parsed.devices.headers = !parsed.no_headers;
      return WithNamedDaemon(parsed, parsed.devices.daemon, terminal,
                             [&] { return Devices(parsed.devices, terminal); });
    };
  });
}

void AddSnapshot(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* snapshot = app.add_subcommand(
      "snapshot", "Save what decides placement on the workers, for check and devices --snapshot");
  snapshot->footer(
      std::string(
          "No annotations, images, commands, environments or driver parameters get into the "
          "file; labels of nodes and attributes of devices do.\n\n") +
      kExitCodes);
  AddConfig(*snapshot, parsed);
  AddFleetOptions(*snapshot, parsed.snapshot.workers, parsed.snapshot.timeout);
  snapshot
      ->add_option("-f,--file", parsed.snapshot.file, "The file, required; - for standard output")
      ->type_name("FILE");
  snapshot->add_option("-o,--output", parsed.snapshot.file)->type_name("FILE")->group(kHidden);
  snapshot->add_flag("--redact-names", parsed.snapshot.redact_names,
                     "Pseudonyms for namespaces, claims, templates, nodes, pods, pools and jobs");
  snapshot->callback([&] {
    // Not CLI11's required(): its older spelling will do.
    if (parsed.snapshot.file.empty()) throw CLI::RequiredError("--file");
    command = [&](Terminal& terminal) {
      parsed.snapshot.config = parsed.config;
      return Snapshot(parsed.snapshot, terminal);
    };
  });
}

void AddSupportBundle(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* bundle = app.add_subcommand(
      "support-bundle", "Collect what others need to help you, in one archive without secrets");
  bundle->footer(
      "The archive holds versions, the configuration, what config validate --connect says, status, "
      "why and history of jobs that have not ended, a snapshot, the daemon's pages and the logs "
      "that are named. Namespaces, jobs, claims, templates, pods, nodes and pools have pseudonyms, "
      "the same everywhere but for nodes and pools in the snapshot. Credentials of the kubeconfigs "
      "are taken out wherever they stand, and what pods printed is left out. Its README.txt says "
      "what could not be read. Look through it before you send it.\n\n"
      "With the log of the service:\n"
      "  journalctl -u fedra --since -1d | fedra support-bundle --log -\n\n"
      "From a pod, whose root cannot be written, with the pod's log:\n"
      "  kubectl -n fedra-system logs fedra-0 | kubectl -n fedra-system exec -i fedra-0 -- "
      "/usr/bin/fedra support-bundle --log - -o - > support.tar.gz\n\n"
      "Exit codes: 0 success, 4 something could not be read (standard error says what; the rest is "
      "written), 1 error.");
  AddConfig(*bundle, parsed);
  bundle
      ->add_option("-o,--output", parsed.support.file,
                   "The file, instead of fedra-support-TIME.tar.gz here; - for standard output")
      ->type_name("FILE");
  bundle
      ->add_option("--log", parsed.support.logs,
                   "A log of fedra to put in, its last 20 MiB (may be repeated); - for standard "
                   "input")
      ->allow_extra_args(false)
      ->type_name("FILE");
  bundle->add_flag("--keep-names", parsed.support.keep_names, "No pseudonyms");
  bundle->add_option("--timeout", parsed.support.timeout, "How long to wait for the clusters")
      ->capture_default_str();
  bundle->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.support.config = parsed.config;
      return SupportBundle(parsed.support, terminal);
    };
  });
}

void AddOrphans(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* orphans = app.add_subcommand(
      "orphans", "List objects fedra created on workers whose Workload no longer exists");
  orphans->footer(
      std::string(
          "The daemon removes such objects where it knows of them. Objects without "
          "our origin label and the UID of a Workload, or with the mark of another manager, are "
          "never listed and never deleted. With kueue.mode multikueue copies that Kueue's "
          "MultiKueue made are listed, too, when there is no Workload of the name that they are "
          "of. With dispatcher nothing is: Kueue removes its own copies.\n\n") +
      kExitCodes);
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

void AddMigrate(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* migrate = app.add_subcommand(
      "migrate", "Say what becomes of each job when fedra takes the place of Kueue's MultiKueue");
  migrate->footer(
      "Reads the manager and the workers with the configuration that fedra is to run with "
      "(kueue.mode "
      "multikueue), and asks the daemon's own decision about every Workload of a MultiKueue "
      "AdmissionCheck that has not finished. With --back it says what MultiKueue would do with "
      "what "
      "fedra has placed. Nothing is written.\n\n"
      "A job goes on (its remote job stays as it is), has ended (that is mirrored), waits, is "
      "dispatched anew (nothing of it runs), restarts, is rejected, is left behind (what runs "
      "has no controller any more), runs twice (what runs there goes on, and the job begins "
      "elsewhere as well; what to do first stands beside it), or is unknown (a worker could not be "
      "read). Below the table "
      "stands what must be done first, and then.\n\n"
      "-o json is a MigrationReport: direction (ToFedra or ToMultiKueue); counts by outcome; "
      "before: "
      "what must be done (text; blocks: whether something is lost without it); workloads: "
      "namespace, "
      "workload, workloadUid, kind and name of the job, outcome (GoesOn, Ends, Waits, Dispatched, "
      "Restarts, Rejected, LeftBehind, RunsTwice, Unknown), worker, why, and copies: for each "
      "worker that has "
      "some their uid, ownership (ours, oursEarlier, otherManager or foreign, for who takes over), "
      "and whether they are removed; unreadWorkers.\n\n"
      "Exit codes: 0 nothing is lost, 1 something would be, or run twice, or an error, 4 it is not "
      "completely "
      "known, because a worker could not be read.");
  AddConfig(*migrate, parsed);
  migrate->add_flag("--check", parsed.migrate.check, "Required: say it, and switch nothing");
  migrate->add_flag("--back", parsed.migrate.back,
                    "What becomes of the jobs when MultiKueue takes them back from fedra");
  migrate->add_option("-o,--output", parsed.migrate.format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}));
  migrate->add_flag("--no-headers", parsed.no_headers, "Tables without headers");
  migrate->add_option("--timeout", parsed.migrate.timeout, "How long to wait for the clusters")
      ->capture_default_str();
  migrate->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.migrate.config = parsed.config;
      parsed.migrate.headers = !parsed.no_headers;
      return Migrate(parsed.migrate, terminal);
    };
  });
}

void AddCheck(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* check = app.add_subcommand(
      "check", "Say where jobs could run, before they are submitted (read-only)");
  check->footer(
      "Exit codes: 0 every job can run somewhere, perhaps after nodes were added (MayScale), 3 one "
      "can run nowhere, 4 it could not be found out, 1 error or a mistake in a manifest; a job "
      "with mistakes is not judged.");
  AddConfig(*check, parsed);
  check
      ->add_option("-f,--filename", parsed.check.files,
                   "Manifests: jobs, and the ResourceClaimTemplates, ResourceClaims and "
                   "DeviceClasses that belong to them, or a folder of them; - for standard input")
      ->type_name("FILE")
      ->required();
  AddFleetOptions(*check, parsed.check.workers, parsed.check.timeout);
  check->add_option("--snapshot", parsed.check.snapshot, kSnapshotHelp)->type_name("FILE");
  check->add_option("-n,--namespace", parsed.check.ns, "Namespace of documents that name none");
  check->add_flag("--assume-templates", parsed.check.assume_templates,
                  "Judge as if the ResourceClaimTemplates in the files existed on every worker, "
                  "but not those with mistakes");
  check->add_option("-o,--output", parsed.check.format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}));
  CLI::Option* const server = AddServer(*check, parsed, kInsteadOfWorkers);
  for (const char* name : {"--snapshot", "--assume-templates", "--timeout"}) server->excludes(name);
  check->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.check.config = parsed.config;
      return WithNamedDaemon(parsed, parsed.check.daemon, terminal,
                             [&] { return Check(parsed.check, terminal); });
    };
  });
}

namespace {

void AddTemplatesDiff(CLI::App& diff, Parsed& parsed, Command& command) {
  diff.footer(
      "What would be created, refreshed, replaced or deleted now, and where. The daemon does it, "
      "as "
      "verification.templates.sync says; this command never writes. A copy is made when a job that "
      "needs it is dispatched to a worker: a template that several workers lack is listed under "
      "each of them.\n\n" +
      std::string(kExitCodes));
  AddConfig(diff, parsed);
  diff.add_option("--mode", parsed.templates_diff.mode,
                  "IfMissing or Reconcile, instead of what the configuration says")
      ->check(CLI::IsMember({"IfMissing", "Reconcile"}));
  diff.add_option("-o,--output", parsed.templates_diff.format, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}));
  diff.add_option("--timeout", parsed.templates_diff.timeout, "How long to wait for the clusters")
      ->capture_default_str();
  AddServer(diff, parsed, kInsteadOfWorkers)->excludes("--timeout");
  diff.callback([&] {
    command = [&](Terminal& terminal) {
      parsed.templates_diff.config = parsed.config;
      return WithNamedDaemon(parsed, parsed.templates_diff.daemon, terminal,
                             [&] { return TemplatesDiff(parsed.templates_diff, terminal); });
    };
  });
}

}  // namespace

void AddTemplates(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* templates =
      app.add_subcommand("templates", "Look at the copies of ResourceClaimTemplates");
  templates->require_subcommand(1);
  AddTemplatesDiff(
      *templates->add_subcommand(
          "diff", "Show how the workers' ResourceClaimTemplates differ from what they should be"),
      parsed, command);
  // Its older name, which never synchronized anything either.
  CLI::App* sync = app.add_subcommand("sync", "As templates diff")->group(kHidden);
  AddTemplatesDiff(*sync, parsed, command);
  sync->add_flag("--dry-run")->group(kHidden);  // as without it
}

}  // namespace fedra::cli
