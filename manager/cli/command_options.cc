#include "manager/cli/command_options.h"

#include <cstdlib>
#include <sstream>

#include <CLI/CLI.hpp>

#include "manager/cli/fleet/daemon_check.h"
#include "manager/cli/subcommands.h"
#include "manager/daemon/app.h"
#include "manager/report/job_filter.h"
#include "verdict/reason.h"

namespace fedra::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  fedra status                          the workers and the jobs\n"
    "  fedra status jobs --state Blocked     only what waits for a worker\n"
    "  fedra why ml/train                    why a job runs where it does, or nowhere\n"
    "  fedra check -f job.yaml               the same before it is submitted\n"
    "  fedra devices --class gpu.example.com  what is free, worker by worker\n"
    "  fedra explain TemplateMissing         cause and remedy of a reason\n"
    "\n"
    "Environment:\n"
    "  FEDRA_CONFIG     the configuration file, where --config is not given\n"
    "  FEDRA_NAMESPACE  the namespace, where -n or -A is not given\n"
    "  NO_COLOR, TERM, COLUMNS  no colours; what the terminal can do; its width\n"
    "\n"
    "Durations are written as 15s, 2m or 1h30m. Each command's --help names its exit codes.";

// The type of options whose value is a file's name.
constexpr const char* kFile = "FILE";
// Of those whose value is for people, in any words.
constexpr const char* kWords = "WORDS";

// "{table,wide}", as CLI11 describes IsMember, as a list.
std::vector<std::string> ValuesIn(const std::string& description) {
  std::vector<std::string> values;
  if (!description.starts_with('{') || !description.ends_with('}')) return values;
  std::istringstream list(description.substr(1, description.size() - 2));
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

CompletionOption ToCompletion(const CLI::Option& option) {
  CompletionOption completion;
  for (const std::string& name : option.get_snames()) completion.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) completion.names.push_back("--" + name);
  completion.takes_value = option.get_items_expected_max() > 0;
  completion.help = option.get_description();
  // An option with allowed values has their list at the end of its type.
  const std::string type = option.get_type_name();
  completion.takes_file = type == kFile;
  if (const size_t list = type.find('{'); list != std::string::npos)
    completion.values = ValuesIn(type.substr(list));
  const std::string name = completion.names.empty() ? option.get_name(true) : "";
  if (name == "job" || name == kWhat) completion.from = "status jobs --all -o name";
  if (name == kWhat) completion.values = {"workers", "jobs"};
  if (option.check_lname("state")) completion.values = report::JobStates();
  if (option.check_lname("reason") && type != kWords)
    for (const auto& entry : verdict::ReasonCatalogue()) completion.values.emplace_back(entry.name);
  if (option.check_lname("sort-by")) completion.values = report::SortColumns();
  if (name == "worker" || option.check_lname("worker") || option.check_lname("to"))
    completion.from = "status workers -o name";
  // One with a default is fedra's own, on the manager.
  if (option.check_lname("namespace") && option.get_default_str().empty())
    completion.from = "status jobs --all -A --group-by namespace -o name";
  if (name == "reason") completion.values = ExplainableWords();
  return completion;
}

std::vector<CompletionWord> CompletionWordsBelow(const CLI::App& app, const std::string& prefix) {
  std::vector<CompletionWord> words;
  for (const CLI::App* sub : ShownCommands(app)) {
    CompletionWord word{prefix + sub->get_name(), {}, {}, sub->get_description()};
    for (const CLI::App* nested : ShownCommands(*sub)) word.commands.push_back(nested->get_name());
    for (const CLI::Option* option : ShownOptions(*sub))
      word.options.push_back(ToCompletion(*option));
    words.push_back(word);
    const auto nested = CompletionWordsBelow(*sub, word.command + " ");
    words.insert(words.end(), nested.begin(), nested.end());
  }
  return words;
}

void AddCel(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* cel = app.add_subcommand("cel", "Evaluate a device selector against ResourceSlices");
  cel->footer(
      "Exit codes: 0 something matches, 3 nothing matches, 5 evaluation error, 1 usage or compile "
      "error.");
  cel->add_option("expression", parsed.cel.options.expression, "The selector")->required();
  CLI::Option* slices =
      cel->add_option("--slices", parsed.cel.slices,
                      "File with ResourceSlices (YAML or JSON); - for standard input")
          ->type_name(kFile);
  cel->add_option("--driver", parsed.cel.options.driver, "Only devices of this driver");
  cel->add_option("--kubernetes-version", parsed.cel.options.release,
                  "Kubernetes release whose CEL environment is used");
  cel->add_option("--k8s", parsed.cel.options.release)->group(kHidden);
  cel->add_option("-o,--output", parsed.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  cel->add_flag("--explain", parsed.cel.options.explain,
                "Print the syntax tree with types; text only");
  cel->add_flag("--check", parsed.cel.options.check, "Compile only")->excludes(slices);
  cel->callback([&] {
    if (parsed.cel.options.explain && parsed.format == "json")
      throw CLI::ValidationError("--explain", "not with -o json");
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
  validate->add_flag(
      "--connect", parsed.validate.connect,
      "Also ask every cluster whether it answers, and which rights fedra lacks there");
  validate
      ->add_option("--timeout", parsed.validate.timeout,
                   "With --connect: how long to wait for the clusters")
      ->capture_default_str();
  validate->add_option("-o,--output", parsed.validate.format, "text, json or yaml")
      ->check(CLI::IsMember({"text", "json", "yaml"}));
  validate->callback([&] {
    command = [&](Terminal& terminal) {
      parsed.validate.config = parsed.config;
      return ConfigValidate(parsed.validate, terminal);
    };
  });
  CLI::App* defaults =
      config->add_subcommand("print-defaults", "Print a commented file with every default");
  defaults->callback(
      [&] { command = [](Terminal& terminal) { return ConfigPrintDefaults(terminal); }; });
  CLI::App* view =
      config->add_subcommand("view", "Print the effective configuration, without secrets");
  AddConfig(*view, parsed);
  view->add_option("-o,--output", parsed.format, "yaml or json")
      ->check(CLI::IsMember({"yaml", "json"}));
  view->callback([&] {
    command = [&](Terminal& terminal) {
      return ConfigView(parsed.config, parsed.format, terminal);
    };
  });
}

void AddExplain(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* explain = app.add_subcommand(
      "explain", "Explain a reason, a state or an event: what causes it, what to do");
  explain->add_option("reason", parsed.reason,
                      "For example TemplateMissing or Blocked; without it all are listed");
  explain->add_option("-o,--output", parsed.format, "text, json or yaml")
      ->check(CLI::IsMember({"text", "json", "yaml"}));
  explain->callback([&] {
    command = [&](Terminal& terminal) { return Explain(parsed.reason, parsed.format, terminal); };
  });
}

void AddSmallCommands(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* run = app.add_subcommand("run", "Run the daemon");
  run->footer(
      "Exit codes: 0 after SIGTERM or SIGINT, 1 it could not start, or found no memory, 4 it led "
      "(highAvailability) and does not any more, or has met another fedra on its manager: start it "
      "again.");
  AddConfig(*run, parsed);
  run->callback(
      [&] { command = [&](Terminal&) { return RunDaemon(parsed.config, &DaemonCheck); }; });

  CLI::App* version = app.add_subcommand("version", "Print version, commit and library versions");
  version->add_option("-o,--output", parsed.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  version->callback(
      [&] { command = [&](Terminal& terminal) { return Version(parsed.format, terminal); }; });

  CLI::App* completion = app.add_subcommand("completion", "Print a completion script");
  completion->add_option("shell", parsed.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&] {
    command = [&](Terminal& terminal) {
      return Completion(parsed.shell, CompletionWordsOf(app), terminal);
    };
  });
}

}  // namespace

// CLI11's envname() is not for an option that several subcommands have: it reads the variable for
// each of them that was not given, and the last one to write wins.
void AddConfig(CLI::App& app, Parsed& parsed, const char* names) {
  app.add_option(names, parsed.config,
                 "The daemon's configuration file, instead of $FEDRA_CONFIG or "
                 "/etc/fedra/fedra.yaml")
      ->type_name(kFile)
      ->each([&parsed](const std::string&) { parsed.names_config = true; });
}

std::vector<const CLI::App*> ShownCommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return each->get_group() != kHidden; });
}

std::vector<const CLI::Option*> ShownOptions(const CLI::App& app) {
  return app.get_options([](const CLI::Option* each) { return each->get_group() != kHidden; });
}

std::vector<CompletionWord> CompletionWordsOf(const CLI::App& app) {
  return CompletionWordsBelow(app, "");
}

CompletionWord RootWord(const CLI::App& app) {
  CompletionWord root;
  for (const CLI::Option* option : app.get_options()) root.options.push_back(ToCompletion(*option));
  return root;
}

void AddCommands(CLI::App& app, Parsed& parsed, Command& command) {
  if (const char* const path = std::getenv("FEDRA_CONFIG"); path != nullptr && *path != '\0')
    parsed.config = path;
  if (const char* const ns = std::getenv("FEDRA_NAMESPACE"); ns != nullptr)
    parsed.view.ns = parsed.check.ns = ns;
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
  AddConfig(app, parsed);
  // In the order in which help lists them: what people look at, what they try, what they run.
  AddStatus(app, parsed, command);
  AddWhy(app, parsed, command);
  AddHistory(app, parsed, command);
  AddWait(app, parsed, command);
  AddLogs(app, parsed, command);
  AddDashboard(app, parsed, command);
  AddExplain(app, parsed, command);
  AddCheck(app, parsed, command);
  AddDevices(app, parsed, command);
  AddCel(app, parsed, command);
  AddTemplates(app, parsed, command);
  AddSnapshot(app, parsed, command);
  AddOrphans(app, parsed, command);
  AddMigrate(app, parsed, command);
  AddBackup(app, parsed, command);
  AddSupportBundle(app, parsed, command);
  AddRetry(app, parsed, command);
  AddMove(app, parsed, command);
  AddCordons(app, parsed, command);
  AddJoin(app, command);
  AddLeave(app, command);
  AddConfigCommands(app, parsed, command);
  AddSmallCommands(app, parsed, command);
  // --color and --config may stand before the command or behind it.
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) {
    sub->fallthrough();
    for (CLI::App* nested : sub->get_subcommands([](CLI::App*) { return true; }))
      nested->fallthrough();
  }
  app.footer(kExamples);
}

}  // namespace fedra::cli
