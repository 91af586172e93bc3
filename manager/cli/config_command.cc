#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "config/load.h"
#include "config/print.h"
#include "config/yaml_json.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/config_connect.h"
#include "manager/cli/fleet/discover.h"
#include "manager/report/document.h"
#include "manager/text/output.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

// Everything that `config validate` finds out.
struct Validation {
  config::Problems problems;
  bool valid = false;
  std::optional<config::Loaded> loaded;
  std::optional<std::vector<ClusterAnswer>> clusters;  // absent: they were not asked
};

bool IsFailing(const Validation& validation) {
  return !validation.valid ||
         (validation.clusters &&
          std::any_of(validation.clusters->begin(), validation.clusters->end(),
                      [](const ClusterAnswer& cluster) { return !cluster.problem.empty(); }));
}

// The daemon works without them, and says so of each worker that needs one.
void AddPluginProblems(const config::Loaded& loaded, const std::string& path,
                       Validation& validation) {
  const auto& providers = loaded.configuration.workers_from.access_providers;
  for (size_t i = 0; i < providers.size(); ++i) {
    auto problem = config::CommandProblem(providers[i].exec.command);
    if (!problem) continue;
    validation.valid = false;
    validation.problems.push_back(
        {path,
         {},
         fmt::format("workersFrom.accessProviders[{}].execConfig.command", i),
         *std::move(problem),
         providers[i].exec.install_hint});
  }
}

Validation Examine(const ValidateOptions& options, std::chrono::milliseconds timeout,
                   Terminal& terminal) {
  Validation validation;
  config::LoadOptions all_of_it = config::OptionsNow(/*manager_may_fail=*/true);
  all_of_it.look_at_store = true;
  auto loaded = config::Load(options.config, all_of_it);
  if (!loaded) {
    validation.problems = loaded.error();
    return validation;
  }
  const std::string not_discovered =
      options.connect ? DiscoverWorkers(*loaded, timeout) : std::string();
  validation.valid = config::AccessProblems(*loaded, false).empty() && not_discovered.empty();
  validation.problems = config::AccessProblems(*loaded, true);
  if (!not_discovered.empty())
    validation.problems.push_back({options.config, {}, "workersFrom", not_discovered, ""});
  AddPluginProblems(*loaded, options.config, validation);
  if (loaded->store) {
    validation.problems.push_back(loaded->store->problem);
    if (loaded->store->fatal) validation.valid = false;
  }
  if (validation.valid && options.connect)
    validation.clusters = AskClusters(*loaded, timeout, terminal);
  validation.loaded = std::move(*loaded);
  return validation;
}

ordered_json ProblemJson(const config::Problem& problem) {
  ordered_json object = {{"file", problem.file}, {"path", problem.path}};
  if (problem.mark.line > 0) {
    object["line"] = problem.mark.line;
    object["column"] = problem.mark.column;
  }
  object["about"] = problem.about;
  object["problem"] = problem.problem;
  object["hint"] = problem.hint;
  return object;
}

ordered_json AsJson(const Validation& validation, const std::string& path) {
  ordered_json document = report::Document("ConfigReport");
  document["file"] = path;
  document["valid"] = validation.valid;
  document["problems"] = ordered_json::array();
  for (const config::Problem& problem : validation.problems)
    document["problems"].push_back(ProblemJson(problem));
  if (validation.valid) {
    const config::Loaded& loaded = *validation.loaded;
    document["manager"] = config::Summary(*loaded.manager);
    document["workers"] = ordered_json::array();
    for (size_t i = 0; i < loaded.workers.size(); ++i)
      document["workers"].push_back({{"name", loaded.configuration.workers[i].name},
                                     {"access", config::Summary(*loaded.workers[i])}});
  }
  if (validation.clusters) {
    document["clusters"] = ordered_json::array();
    for (const ClusterAnswer& cluster : *validation.clusters)
      document["clusters"].push_back({{"name", cluster.name},
                                      {"release", cluster.release},
                                      {"problem", cluster.problem},
                                      {"onlyIn", cluster.only_in}});
  }
  return document;
}

std::string Granted(const ClusterAnswer& cluster) {
  std::string text = "Kubernetes " + cluster.release + ", all required permissions granted";
  if (!cluster.only_in.empty())
    text += fmt::format("; jobs in the namespaces {} only", fmt::join(cluster.only_in, ", "));
  return text;
}

void Print(const Validation& validation, const std::string& path, Terminal& terminal) {
  if (!validation.problems.empty()) terminal.err << config::ToString(validation.problems) << "\n";
  if (!validation.valid) return;
  const config::Loaded& loaded = *validation.loaded;
  terminal.out << fmt::format("{} is valid: manager {}\n", path, config::Summary(*loaded.manager));
  for (size_t i = 0; i < loaded.workers.size(); ++i) {
    terminal.out << fmt::format("  worker {}: {}\n", loaded.configuration.workers[i].name,
                                config::Summary(*loaded.workers[i]));
  }
  if (config::DiscoversWorkers(loaded.configuration.workers_from)) {
    if (!validation.clusters)
      terminal.out << "  and those of workersFrom, on the manager (--connect asks for them)\n";
  } else if (loaded.workers.empty()) {
    terminal.out
        << "  no worker: every job waits (add name and kubeconfig of each below workers)\n";
  }
  if (!validation.clusters) return;
  // One report on one stream: in a file, too, the cluster that fails is among the others.
  for (const ClusterAnswer& cluster : *validation.clusters)
    terminal.out << cluster.name << ": "
                 << (cluster.problem.empty() ? Granted(cluster) : cluster.problem) << "\n";
}

}  // namespace

int ConfigValidate(const ValidateOptions& options, Terminal& terminal) {
  const auto timeout = ParseDuration(options.timeout);
  if (!timeout) {
    terminal.err << "--timeout: " << timeout.error().message << "\n";
    return kFailed;
  }
  const Validation validation = Examine(options, *timeout, terminal);
  if (const auto format = text::ParseFormat(options.format); format)
    terminal.out << text::ToText(AsJson(validation, options.config), *format);
  else
    Print(validation, options.config, terminal);
  return IsFailing(validation) ? kFailed : 0;
}

int ConfigPrintDefaults(Terminal& terminal) {
  terminal.out << config::PrintDefaults();
  return 0;
}

int ConfigView(const std::string& path, const std::string& format, Terminal& terminal) {
  const auto loaded = config::Load(path, config::OptionsNow(/*manager_may_fail=*/true));
  if (!loaded) {
    terminal.err << config::ToString(loaded.error()) << "\n";
    return kFailed;
  }
  const std::string yaml = config::View(loaded->configuration);
  if (format != "json") {
    terminal.out << yaml;
    return 0;
  }
  const auto documents = config::YamlToJson(yaml);
  if (!documents || documents->size() != 1) {
    terminal.err << path << ": " << (documents ? "is empty" : documents.error().message) << "\n";
    return kFailed;
  }
  terminal.out << text::ToText(ordered_json::parse(documents->front()), text::Format::kJson);
  return 0;
}

}  // namespace fedra::cli
