// Completion scripts, generated from the commands themselves, so that they cannot fall behind.

#include <ostream>

#include <fmt/format.h>

#include "manager/cli/commands.h"

namespace fedra::cli {
namespace {

std::string Join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

void Bash(const std::vector<CompletionWord>& words, std::ostream& out) {
  out << "_fedra() {\n  local current=${COMP_WORDS[COMP_CWORD]} "
         "line=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\"\n"
         "  case \"$line\" in\n";
  std::string commands;
  for (const CompletionWord& word : words) {
    out << fmt::format(
        "    \"{0}\"|\"{0} \"*) COMPREPLY=($(compgen -f -W \"{1}\" -- \"$current\")) ;;\n",
        word.command, Join(word.options));
    if (word.command.find(' ') == std::string::npos)
      commands += (commands.empty() ? "" : " ") + word.command;
  }
  out << fmt::format("    *) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n  esac\n}}\n",
                     commands)
      << "complete -F _fedra fedra\n";
}

void Zsh(const std::vector<CompletionWord>& words, std::ostream& out) {
  out << "#compdef fedra\nautoload -U +X bashcompinit && bashcompinit\n";
  Bash(words, out);
}

void Fish(const std::vector<CompletionWord>& words, std::ostream& out) {
  out << "complete -c fedra -f\n";
  for (const CompletionWord& word : words) {
    if (word.command.find(' ') != std::string::npos) continue;
    out << fmt::format("complete -c fedra -n __fish_use_subcommand -a {} -d '{}'\n", word.command,
                       word.help);
    for (const std::string& option : word.options) {
      if (!option.starts_with("--")) continue;
      out << fmt::format("complete -c fedra -n '__fish_seen_subcommand_from {}' -l {}\n",
                         word.command, option.substr(2));
    }
  }
}

}  // namespace

int Completion(const std::string& shell, const std::vector<CompletionWord>& words,
               Terminal& terminal) {
  if (shell == "bash") {
    Bash(words, terminal.out);
  } else if (shell == "zsh") {
    Zsh(words, terminal.out);
  } else if (shell == "fish") {
    Fish(words, terminal.out);
  } else {
    terminal.err << fmt::format("fedra completion: \"{}\" is not one of bash, zsh, fish\n", shell);
    return 1;
  }
  return 0;
}

}  // namespace fedra::cli
