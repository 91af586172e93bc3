#include "manager/cli/command_line.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/log.h"
#include "manager/cli/command_options.h"

namespace fedra::cli {
namespace {

// In a cell of a table of Markdown.
std::string Escaped(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

// "`-o`, `--output`", or the name of a positional argument.
std::string NamesOf(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("`-{}`, ", name);
  for (const std::string& name : option.get_lnames()) names += fmt::format("`--{}`, ", name);
  if (names.empty()) return fmt::format("`{}`", option.get_name(true));
  names.resize(names.size() - 2);
  return names;
}

std::string OptionLine(const CLI::Option& option) {
  std::string meaning = option.get_description();
  if (!option.get_default_str().empty())
    meaning += fmt::format("; default `{}`", option.get_default_str());
  if (!option.get_envname().empty()) meaning += fmt::format("; `${}`", option.get_envname());
  if (option.get_required()) meaning += "; required";
  return fmt::format("| {} | {} |\n", NamesOf(option), Escaped(meaning));
}

std::string PageOf(const CLI::App& app, const std::string& name) {
  std::string page = fmt::format("\n## {}\n\n{}.\n", name, app.get_description());
  if (!app.get_footer().empty()) page += fmt::format("\n{}\n", app.get_footer());
  std::string lines;
  for (const CLI::Option* option : app.get_options())
    if (option != app.get_help_ptr()) lines += OptionLine(*option);
  if (!lines.empty()) page += "\n| option | meaning |\n|---|---|\n" + lines;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    page += PageOf(*sub, name + " " + sub->get_name());
  return page;
}

}  // namespace

int Main(int argc, char** argv) {
  CLI::App app;
  Parsed parsed;
  Command command;
  AddCommands(app, parsed, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help with code 0 and complaints with codes of its own; ours is 1.
    return app.exit(error) == 0 ? 0 : 1;
  }
  // Until the daemon sets up its own, only what went wrong is worth a line among a command's
  // output.
  log::SetLevel(log::Level::kError);
  Terminal terminal = StandardTerminal(parsed.color);
  return command(terminal);
}

std::string CommandsPage() {
  CLI::App app;
  Parsed parsed;
  Command command;
  AddCommands(app, parsed, command);
  std::string page =
      "# Commands\n\nOne program, `fedra`. Generated from `manager/cli/command_options.cc` by "
      "`make "
      "docs`.\n\nExit codes: 0 success, 1 error or wrong usage, unless a command says otherwise.\n";
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    page += PageOf(*sub, "fedra " + sub->get_name());
  return page;
}

}  // namespace fedra::cli
