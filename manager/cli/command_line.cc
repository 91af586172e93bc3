#include "manager/cli/command_line.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/ascii.h"
#include "base/log.h"
#include "manager/cli/command_options.h"
#include "manager/cli/command_pages.h"
#include "manager/cli/complaint.h"
#include "manager/cli/complete.h"
#include "manager/cli/terminal/checked_output.h"

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

// "`-o`, `--output`"
std::string InCode(std::string names) {
  for (size_t at = names.find(", "); at != std::string::npos; at = names.find(", ", at + 4))
    names.replace(at, 2, "`, `");
  return "`" + names + "`";
}

std::string OptionLine(const OptionPage& option) {
  std::string meaning = option.meaning;
  if (!option.default_value.empty()) meaning += fmt::format("; default `{}`", option.default_value);
  if (option.is_required) meaning += "; required";
  return fmt::format("| {} | {} |\n", InCode(option.names), Escaped(meaning));
}

std::string PageOf(const CommandPage& command) {
  std::string page = fmt::format("\n## {}\n\n{}.\n", command.name, command.summary);
  if (!command.more.empty()) page += fmt::format("\n{}\n", command.more);
  if (!command.options.empty()) page += "\n| option | meaning |\n|---|---|\n";
  for (const OptionPage& option : command.options) page += OptionLine(option);
  for (const CommandPage& below : command.commands) page += PageOf(below);
  return page;
}

// "fedra config validate", of what was given.
std::string NameOf(const CLI::App& app) {
  std::string name = "fedra";
  for (const CLI::App* at = &app; !at->get_subcommands().empty(); name += " " + at->get_name())
    at = at->get_subcommands().front();
  return name;
}

// The user has pressed a key and waits: how long a look at the cluster may take.
constexpr std::chrono::milliseconds kCompletionLimit{300};

// What a command prints. Silent about what goes wrong: the shell would show it as a completion.
std::string Printed(const std::vector<std::string>& arguments) {
  CLI::App app;
  Parsed parsed;
  Command command;
  AddCommands(app, parsed, command);
  std::ostringstream out, err;
  Terminal terminal{out, err};
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
    app.parse(reversed);
    command(terminal);
  } catch (const std::exception&) {
    return {};
  }
  return std::move(out).str();
}

// The line that ends the list, when what was asked for does not come in time.
void GiveUp(int) {
  const char* const line = DirectiveLine(false);
  if (write(STDOUT_FILENO, line, 3) != 3) _exit(kFailed);
  _exit(0);
}

void SetAlarm(std::chrono::milliseconds delay) {
  itimerval timer{};
  timer.it_value.tv_usec = std::chrono::microseconds(delay).count();
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// fedra __complete WORDS...: not listed, for shells and kubectl only.
int Complete(const CLI::App& app, const std::vector<std::string>& line) {
  log::SetLevel(log::Level::kError);
  const Candidates next = CandidatesFor(RootWord(app), CompletionWordsOf(app), line);
  std::cout << CandidateLines(next.words, next.typed) << std::flush;
  if (!next.asked.empty()) {
    std::signal(SIGALRM, GiveUp);
    SetAlarm(kCompletionLimit);
    std::istringstream printed(Printed(next.asked));
    SetAlarm(std::chrono::milliseconds(0));
    std::vector<Candidate> more;
    for (std::string word; std::getline(printed, word);) more.push_back({word, {}});
    std::cout << CandidateLines(more, next.typed);
  }
  std::cout << DirectiveLine(next.files);
  return 0;
}

// "-n=ml" is "-n ml", as kubectl has it: CLI11 takes the sign for a part of the value.
std::vector<std::string> WithoutSigns(const std::vector<std::string>& arguments) {
  std::vector<std::string> plain;
  bool options_may_come = true;
  for (const std::string& argument : arguments) {
    if (argument == "--") options_may_come = false;
    const bool has_sign = options_may_come && argument.size() > 2 && argument[0] == '-' &&
                          IsLetter(argument[1]) && argument[2] == '=';
    plain.push_back(has_sign ? argument.substr(0, 2) : argument);
    if (has_sign) plain.push_back(argument.substr(3));
  }
  return plain;
}

// As Main; `name` becomes that of the command, for what is said of it.
int Run(int argc, const char* const* argv, std::string& name) {
  CLI::App app;
  Parsed parsed;
  parsed.is_plugin = argc > 0 && std::string_view(argv[0]).ends_with("kubectl-fedra");
  Command command;
  AddCommands(app, parsed, command);
  const std::vector<std::string> arguments =
      WithHelpAsOption(WithoutSigns({argv + std::min(argc, 1), argv + argc}));
  if (!arguments.empty() && arguments.front() == "__complete")
    return Complete(app, {arguments.begin() + 1, arguments.end()});
  // kubectl runs its plugins under the name of their file.
  if (parsed.is_plugin) app.name("kubectl fedra");
  if (const std::string complaint = UnknownCommand(app, arguments); !complaint.empty()) {
    std::cerr << complaint << "\n";
    return 1;
  }
  try {
    std::vector<const char*> line{argc > 0 ? argv[0] : "fedra"};
    for (const std::string& argument : arguments) line.push_back(argument.c_str());
    app.parse(static_cast<int>(line.size()), line.data());
  } catch (const CLI::ParseError& error) {
    name = NameOf(app);
    // CLI11 prints help with code 0, and complaints without saying who complains.
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << fmt::format("{}: {}\n`{} --help` says more\n", name,
                             ComplaintOf(app, error, arguments), name);
    return 1;
  }
  name = NameOf(app);
  // Until the daemon sets up its own, only what went wrong is worth a line among a command's
  // output.
  log::SetLevel(log::Level::kError);
  Terminal terminal = StandardTerminal(parsed.color);
  try {
    return command(terminal);
  } catch (const std::exception& error) {
    terminal.err << "fedra: unexpected failure: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace

int Main(int argc, const char* const* argv) {
  OccupyStandardFiles();
  // A closed pipe is an error of write() then, also where libcurl meets it.
  std::signal(SIGPIPE, SIG_IGN);
  CheckedOutput output(std::cout);
  std::string name = "fedra";
  const int code = Run(argc, argv, name);
  return Conclude(output, name, code);
}

std::string CommandsPage() {
  std::string page =
      "# Commands\n\nOne program, `fedra`. Generated from `manager/cli/*_options.cc` by "
      "`make "
      "docs`.\n\nExit codes: 0 success, 1 error or wrong usage, unless a command says otherwise.\n";
  for (const CommandPage& command : CommandPages().commands) page += PageOf(command);
  return page;
}

}  // namespace fedra::cli
