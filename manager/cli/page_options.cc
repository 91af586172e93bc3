// What CLI11 knows of the commands, as data.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "manager/cli/command_options.h"
#include "manager/cli/command_pages.h"

namespace fedra::cli {
namespace {

std::string OptionNames(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) names += fmt::format("--{}, ", name);
  if (names.empty()) return option.get_name(true);
  names.resize(names.size() - 2);
  return names;
}

// CLI11 says "FILE", or "TEXT:{table,wide}" of what has a list of allowed values.
std::string ValueName(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  std::string type = option.get_type_name();
  if (const size_t list = type.find('{'); list != std::string::npos && type.ends_with('}')) {
    type = type.substr(list + 1, type.size() - list - 2);
    for (char& c : type)
      if (c == ',') c = '|';
  }
  return type;
}

OptionPage ToPage(const CLI::Option& option) {
  return {.names = OptionNames(option),
          .value = ValueName(option),
          .meaning = option.get_description(),
          .default_value = option.get_default_str(),
          .is_required = option.get_required(),
          .is_positional = option.get_positional(),
          .is_list = option.get_items_expected_max() > 1};
}

CommandPage ToPage(const CLI::App& app, const std::string& name) {
  CommandPage page{.name = name, .summary = app.get_description(), .more = app.get_footer()};
  for (const CLI::Option* option : ShownOptions(app))
    if (option != app.get_help_ptr()) page.options.push_back(ToPage(*option));
  for (const CLI::App* sub : ShownCommands(app))
    page.commands.push_back(ToPage(*sub, name + " " + sub->get_name()));
  return page;
}

}  // namespace

CommandPage CommandPages() {
  CLI::App app;
  Parsed parsed;
  Command command;
  AddCommands(app, parsed, command);
  CommandPage page = ToPage(app, "fedra");
  if (page.summary.ends_with('.')) page.summary.pop_back();
  return page;
}

}  // namespace fedra::cli
