#include "manager/cli/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"

namespace fedra::cli {
namespace {

// What no option says, below the commands that need it.
struct Supplement {
  std::string_view command;
  std::string_view text;  // roff
};
constexpr Supplement kSupplements[] = {
    {"fedra", R"(.SH EXIT STATUS
0 success, 1 error or wrong usage, unless the page of a command says otherwise.
.SH ENVIRONMENT
.TP
.B FEDRA_CONFIG
The configuration file, where the option \-\-config is not given.
.SH FILES
.TP
.I /etc/fedra/fedra.yaml
The daemon's configuration, see
.BR fedra.yaml (5).
.TP
.I /var/lib/fedra/fedra.db
The daemon's store. Commands that read it are run as root.
)"},
    {"fedra run", R"(.SH SIGNALS
.TP
.BR SIGTERM ", " SIGINT
Stop. Requests that are under way may end first; no job is disturbed.
.TP
.B SIGHUP
Read the configuration and the kubeconfigs again at once. They are also read when they change.
.SH SYSTEMD
Under a unit of
.B Type=notify
the daemon reports that it is ready when it makes decisions, says in the unit's status how many workers are
connected, and pings the watchdog
.RB ( WatchdogSec= )
while each of its parts makes progress.
)"},
};

// "fedra config" -> "fedra-config"
std::string PageName(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string Header(const std::string& name, int section, std::string_view version,
                   std::string_view date, std::string_view summary) {
  return fmt::format(".TH {} {} {} \"fedra {}\" \"{}\"\n.nh\n.SH NAME\n{} \\- {}\n",
                     RoffText(ToUpper(name)), section, date, version,
                     section == 5 ? "Configuration of fedra" : "Commands of fedra", RoffText(name),
                     RoffText(summary));
}

std::string Argument(const OptionPage& option) {
  const std::string name =
      fmt::format("\\fI{}\\fR{}", RoffText(option.names), option.is_list ? "..." : "");
  return option.is_required ? " " + name : fmt::format(" [{}]", name);
}

// "\fBfedra why\fR [\fIOPTIONS\fR] \fIjob\fR"
std::string Synopsis(const CommandPage& page) {
  std::string line = fmt::format("\\fB{}\\fR", RoffText(page.name));
  const bool has_options =
      std::any_of(page.options.begin(), page.options.end(),
                  [](const OptionPage& option) { return !option.is_positional; });
  if (has_options) line += " [\\fIOPTIONS\\fR]";
  if (!page.commands.empty()) line += " \\fICOMMAND\\fR";
  for (const OptionPage& option : page.options)
    if (option.is_positional) line += Argument(option);
  return line + "\n";
}

std::string Option(const OptionPage& option) {
  std::string text =
      fmt::format(".TP\n\\f{}{}\\fR", option.is_positional ? 'I' : 'B', RoffText(option.names));
  if (!option.value.empty() && !option.is_positional)
    text += fmt::format(" \\fI{}\\fR", RoffText(option.value));
  text += "\n" + RoffText(option.meaning);
  if (!option.default_value.empty())
    text += fmt::format("; default {}", RoffText(option.default_value));
  if (option.is_required) text += "; required";
  return text + ".\n";
}

std::string Options(const CommandPage& page) {
  std::string text;
  for (const OptionPage& option : page.options) text += Option(option);
  return text;
}

// An empty line begins a paragraph; indented lines are examples and stay lines.
std::string Paragraphs(const std::string& text) {
  std::string roff;
  bool begins = true;  // with the next line, a paragraph
  bool is_example = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); begins = line.empty()) {
    const bool is_indented = line.starts_with(' ');
    if (is_example && !is_indented) roff += ".EE\n";
    if (begins && !line.empty()) roff += ".PP\n";
    if (!is_example && is_indented) roff += ".EX\n";
    is_example = is_indented;
    if (!line.empty()) roff += RoffText(line) + "\n";
  }
  return is_example ? roff + ".EE\n" : roff;
}

// A command below the page's own: "fedra config validate".
std::string Subsection(const CommandPage& page) {
  std::string text = fmt::format(".SS {}\n{}.\n", RoffText(page.name), RoffText(page.summary));
  if (!page.more.empty()) text += Paragraphs(page.more);
  text += Options(page);
  for (const CommandPage& below : page.commands) text += Subsection(below);
  return text;
}

std::string_view SupplementOf(const CommandPage& page) {
  for (const Supplement& supplement : kSupplements)
    if (supplement.command == page.name) return supplement.text;
  return {};
}

std::string Body(const CommandPage& page) {
  std::string text = ".SH SYNOPSIS\n" + Synopsis(page);
  text += fmt::format(".SH DESCRIPTION\n{}.\n", RoffText(page.summary));
  if (!page.more.empty()) text += Paragraphs(page.more);
  if (!page.options.empty()) text += ".SH OPTIONS\n" + Options(page);
  return text;
}

ManPage PageOfCommand(const CommandPage& command, std::string_view version, std::string_view date) {
  const std::string name = PageName(command.name);
  std::string text = Header(name, 1, version, date, command.summary) + Body(command);
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const CommandPage& below : command.commands) text += Subsection(below);
  text += SupplementOf(command);
  text += ".SH SEE ALSO\n.BR fedra (1),\n.BR fedra.yaml (5)\n";
  return {name + ".1", std::move(text)};
}

ManPage PageOfProgram(const CommandPage& program, std::string_view version, std::string_view date) {
  std::string text = Header("fedra", 1, version, date, program.summary) + Body(program);
  text += ".SH COMMANDS\n";
  std::string see_also;
  for (const CommandPage& command : program.commands) {
    const std::string name = RoffText(PageName(command.name));
    text += fmt::format(".TP\n.BR {} (1)\n{}.\n", name, RoffText(command.summary));
    see_also += fmt::format(".BR {} (1),\n", name);
  }
  text += SupplementOf(program);
  text += ".SH SEE ALSO\n" + see_also + ".BR fedra.yaml (5)\n";
  return {"fedra.1", std::move(text)};
}

}  // namespace

std::string RoffText(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    // A request begins a line with one of these; \& is a character of no width.
    if ((c == '.' || c == '\'') && (roff.empty() || roff.back() == '\n')) roff += "\\&";
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";  // else a typographic hyphen is shown, which a shell does not take
    } else {
      roff += c;
    }
  }
  return roff;
}

std::vector<ManPage> ManPages(const CommandPage& program, std::string_view version,
                              std::string_view date) {
  std::vector<ManPage> pages{PageOfProgram(program, version, date)};
  for (const CommandPage& command : program.commands)
    pages.push_back(PageOfCommand(command, version, date));
  return pages;
}

ManPage ConfigurationManPage(std::string_view defaults, std::string_view version,
                             std::string_view date) {
  std::string text = Header("fedra.yaml", 5, version, date, "configuration of the fedra daemon");
  text += R"(.SH DESCRIPTION
One YAML file, read strictly: an unknown key, a wrong type or a value that this version does not support is an
error with its line.
.B fedra config validate
reports every problem at once. A running daemon takes over changes of
.IR workers ,
.IR dispatch.removedWorkers ,
.I logging.level
and of the kubeconfigs; the other keys need a restart, which disturbs no job.
.SH EVERY KEY, WITH ITS DEFAULT
.EX
)" + RoffText(defaults);
  text += R"(.EE
.SH FILES
.TP
.I /etc/fedra/fedra.yaml
Where the daemon looks for it. Kubeconfigs may lie beside it; relative paths start from this folder.
.SH SEE ALSO
.BR fedra (1),
.BR fedra\-run (1),
.BR fedra\-config (1)
)";
  return {"fedra.yaml.5", std::move(text)};
}

}  // namespace fedra::cli
