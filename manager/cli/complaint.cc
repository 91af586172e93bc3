#include "manager/cli/complaint.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "base/ascii.h"
#include "config/names.h"
#include "manager/cli/command_options.h"

namespace fedra::cli {
namespace {

using Texts = std::vector<std::string>;
using Pair = std::pair<std::string_view, std::string_view>;

// What other programs, kubectl above all, call what we have.
constexpr std::array kOtherCommands = {
    Pair{"workers", "status workers"},
    Pair{"worker", "status workers"},
    Pair{"clusters", "status workers"},
    Pair{"cluster", "status workers"},
    Pair{"jobs", "status jobs"},
    Pair{"job", "status jobs"},
    Pair{"workloads", "status jobs"},
    Pair{"workload", "status jobs"},
    Pair{"queue", "status --sort-by line"},
    Pair{"line", "status --sort-by line"},
    Pair{"get", "status"},
    Pair{"list", "status"},
    Pair{"ls", "status"},
    Pair{"describe", "why"},
    Pair{"events", "history"},
    Pair{"nodes", "devices -o wide"},
    Pair{"validate", "config validate"},
    Pair{"diff", "templates diff"},
};
constexpr std::array kOtherOptions = {
    Pair{"--cluster", "--worker"},     Pair{"--clusters", "--worker"},
    Pair{"--context", "--worker"},     Pair{"--ns", "--namespace"},
    Pair{"--format", "--output"},      Pair{"--sort", "--sort-by"},
    Pair{"--follow", "--watch"},       Pair{"-f", "--watch"},
    Pair{"--label", "--selector"},     Pair{"--labels", "--selector"},
    Pair{"--priority", "--sort-by"},   Pair{"--order", "--sort-by"},
    Pair{"--device-class", "--class"},
};

template <size_t N>
std::string InOurWords(const std::array<Pair, N>& others, std::string_view word) {
  const auto found = std::ranges::find(others, word, &Pair::first);
  return found == others.end() ? std::string() : std::string(found->second);
}

Texts CommandsOf(const CLI::App& app) {
  Texts names;
  for (const CLI::App* sub : ShownCommands(app)) names.push_back(sub->get_name());
  return names;
}

// Whether or not it is shown; null: there is none.
const CLI::App* CommandNamed(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// The command that was given, with those above it, the program first.
std::vector<const CLI::App*> Given(const CLI::App& app) {
  std::vector<const CLI::App*> given = {&app};
  while (!given.back()->get_subcommands().empty())
    given.push_back(given.back()->get_subcommands().front());
  return given;
}

bool LooksLikeOption(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' && (argument[1] == '-' || IsLetter(argument[1]));
}

// "--worker" of "--worker=a", "-n" of "-nml".
std::string NameIn(const std::string& argument) {
  if (!argument.starts_with("--")) return argument.substr(0, 2);
  return argument.substr(0, argument.find('='));
}

bool Has(const CLI::App& app, const std::string& option) {
  return app.get_option_no_throw(option) != nullptr;
}

// Those that are shown, as "--worker".
Texts LongOptionsOf(const CLI::App& app) {
  Texts names;
  for (const CLI::Option* option : ShownOptions(app))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The first option that neither the command nor one above it has; empty: there is none.
std::string FirstUnknown(const std::vector<const CLI::App*>& given, const Texts& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!LooksLikeOption(argument)) continue;
    const std::string name = NameIn(argument);
    if (std::ranges::none_of(given, [&](const CLI::App* each) { return Has(*each, name); }))
      return name;
  }
  return {};
}

std::string OptionMeant(const CLI::App& app, const std::string& name) {
  std::string ours = InOurWords(kOtherOptions, name);
  if (!ours.empty() && Has(app, ours)) return ours;
  return name.starts_with("--") ? config::ClosestName(name, LongOptionsOf(app)) : std::string();
}

std::string UnknownOption(const CLI::App& command, const std::string& name) {
  const std::string meant = OptionMeant(command, name);
  // It writes, and a daemon is only read.
  if (name == "--server" && Has(command, "--kubeconfig"))
    return fmt::format(
        "unknown option {}: it asks no daemon, but the manager, with your kubeconfig "
        "(--kubeconfig, --context)",
        name);
  return fmt::format("unknown option {}{}", name,
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

// What belongs to no option and has no place of its own.
std::string UnexpectedWords(const CLI::App& command, const Texts& extra) {
  Texts quoted;
  for (const std::string& word : extra) quoted.push_back(fmt::format("\"{}\"", word));
  // The only value that must be given is what a lone word is.
  for (const CLI::Option* option : ShownOptions(command)) {
    if (!option->get_required() || option->get_positional() || option->count() > 0) continue;
    const std::string name =
        option->get_snames().empty() ? option->get_name() : "-" + option->get_snames().front();
    return fmt::format("unexpected {}; did you mean {} {}?", fmt::join(quoted, " "), name,
                       extra.front());
  }
  return fmt::format("unexpected {}", fmt::join(quoted, " "));
}

// "of workers, jobs and the name of a job" where some words have a meaning, else "JOB".
std::string NounOf(const std::string& name) {
  return name == kWhat ? "of workers, jobs and the name of a job" : ToUpper(name);
}

// More values than the argument takes. "job train", as kubectl has it, is "train".
std::string TooMany(const std::vector<const CLI::App*>& given, const std::string& name) {
  const CLI::Option* const option = given.back()->get_option_no_throw(name);
  if (option == nullptr || !option->get_positional()) return {};
  const Texts& values = option->results();
  std::string text = fmt::format("expected one {}, got {}: {}", NounOf(name), values.size(),
                                 fmt::join(values, " "));
  const bool is_job = InOurWords(kOtherCommands, values.front()) == "status jobs";
  if (is_job && values.size() == 2)
    text += fmt::format("; did you mean {} {}?", given.back()->get_name(), values.back());
  return text;
}

// CLI11's words, where they are not those of a person.
std::string Plain(const std::string& said) {
  if (!said.ends_with(" is required") || said.find(' ') != said.rfind(" is required")) return said;
  const std::string name = said.substr(0, said.find(' '));
  return name.starts_with('-') ? name + " is missing"
                               : fmt::format("expected one {}, got none", NounOf(name));
}

// Of a word at the place of one of the commands `known`.
std::string NoCommand(const std::string& word, const Texts& known) {
  if (word == "help") return "fedra: unknown command \"help\"; did you mean \"--help\"?";
  std::string meant = InOurWords(kOtherCommands, word);
  const std::string closest = config::ClosestName(word, known);
  // Nested commands have few neighbours: what the program calls otherwise is not meant there.
  if (std::ranges::find(known, meant.substr(0, meant.find(' '))) == known.end()) meant = closest;
  return fmt::format("fedra: unknown command \"{}\"; {}", word,
                     meant.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                   : fmt::format("did you mean \"{}\"?", meant));
}

}  // namespace

std::vector<std::string> WithHelpAsOption(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

std::string UnknownCommand(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* at = &app;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Texts known = CommandsOf(*at);
    if (known.empty()) return {};
    const std::string& word = arguments[i];
    if (word.starts_with("-")) {
      const std::string name = LooksLikeOption(word) ? NameIn(word) : word;
      if (at == &app && LooksLikeOption(word) && !Has(app, name))
        return fmt::format(
            "fedra: unknown option {} before the command; options of a command "
            "come after it: fedra COMMAND {}",
            name, name);
      // Nor is the value of an option a command.
      if (word == "--color" || word == "--config" || word == "-c") ++i;
      continue;
    }
    const CLI::App* const named = CommandNamed(*at, word);
    if (named == nullptr) return NoCommand(word, known);
    at = named;
  }
  return {};
}

std::string ComplaintOf(const CLI::App& app, const CLI::ParseError& error,
                        const std::vector<std::string>& arguments) {
  const std::vector<const CLI::App*> given = Given(app);
  if (const std::string name = FirstUnknown(given, arguments); !name.empty())
    return UnknownOption(*given.back(), name);
  const std::string said = error.what();
  // Also where CLI11 complains first that something else is missing.
  if (const Texts extra = app.remaining(/*recurse=*/true); !extra.empty())
    return extra.front().starts_with("-") ? UnknownOption(*given.back(), extra.front())
                                          : UnexpectedWords(*given.back(), extra);
  if (const size_t most = said.find(": At Most 1 required but received ");
      most != std::string::npos) {
    if (std::string text = TooMany(given, said.substr(0, most)); !text.empty()) return text;
  }
  return Plain(said);
}

}  // namespace fedra::cli
