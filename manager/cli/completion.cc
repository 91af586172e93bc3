// Completion scripts, generated from the commands themselves, so that they cannot fall behind.

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/commands.h"

namespace fedra::cli {
namespace {

std::string Join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// What the daemon's store knows is asked when the key is pressed; errors stay silent.
std::string AskedInBash(const std::string& command) {
  return "$(fedra " + command + " 2>/dev/null)";
}

// What can come after each option that takes a value.
void BashValues(const CompletionWord& word, std::ostream& out) {
  for (const CompletionOption& option : word.options) {
    if (option.names.empty() || !option.takes_value) continue;
    out << fmt::format("        {}) COMPREPLY=(", fmt::join(option.names, "|"));
    if (option.takes_file) {
      out << "$(compgen -f -- \"$current\")";
    } else if (!option.from.empty()) {
      out << fmt::format("$(compgen -W \"{}\" -- \"$current\")", AskedInBash(option.from));
    } else if (!option.values.empty()) {
      out << fmt::format("$(compgen -W \"{}\" -- \"$current\")", Join(option.values));
    }
    out << ") ;;\n";
  }
}

// What can come where no value is due: commands, the values of positional arguments, options.
std::vector<std::string> NextWords(const CompletionWord& word) {
  std::vector<std::string> next = word.commands;
  std::vector<std::string> options;
  for (const CompletionOption& option : word.options) {
    if (option.names.empty()) {
      next.insert(next.end(), option.values.begin(), option.values.end());
      if (!option.from.empty()) next.push_back(AskedInBash(option.from));
    } else {
      options.push_back(option.names.back());
    }
  }
  next.insert(next.end(), options.begin(), options.end());
  return next;
}

void Bash(std::vector<CompletionWord> words, std::ostream& out) {
  out << "_fedra() {\n  local current=${COMP_WORDS[COMP_CWORD]} "
         "previous=${COMP_WORDS[COMP_CWORD-1]} "
         "line=\"${COMP_WORDS[*]:1:$((COMP_CWORD-1))}\"\n"
         "  case \"$line\" in\n";
  std::string commands;
  for (const CompletionWord& word : words) {
    if (word.command.find(' ') == std::string::npos)
      commands += (commands.empty() ? "" : " ") + word.command;
  }
  // "config validate" also begins with "config": the longer one must be asked first.
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return std::pair(b.command.size(), a.command) < std::pair(a.command.size(), b.command);
  });
  for (const CompletionWord& word : words) {
    out << fmt::format("    \"{0}\"|\"{0} \"*)\n      case \"$previous\" in\n", word.command);
    BashValues(word, out);
    out << fmt::format(
        "        *) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n      esac ;;\n",
        Join(NextWords(word)));
  }
  out << fmt::format("    *) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n  esac\n}}\n",
                     commands)
      << "complete -F _fedra fedra\n";
}

void Zsh(const std::vector<CompletionWord>& words, std::ostream& out) {
  out << "#compdef fedra\nautoload -U +X bashcompinit && bashcompinit\n";
  Bash(words, out);
  // As a file of $fpath it runs for the first time when something is to be completed.
  out << "if [[ $funcstack[1] == _fedra ]]; then _bash_complete -F _fedra; fi\n";
}

std::string FishOption(const CompletionOption& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_file) return text + " -r -F";
  if (!option.from.empty())
    return text + fmt::format(" -x -a '(fedra {} 2>/dev/null)'", option.from);
  if (!option.values.empty()) return text + fmt::format(" -x -a '{}'", Join(option.values));
  return option.takes_value && !option.names.empty() ? text + " -x" : text;
}

// Between single quotes fish knows \\ and \'.
std::string FishQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

void Fish(const std::vector<CompletionWord>& words, std::ostream& out) {
  out << "complete -c fedra -f\n";
  for (const CompletionWord& word : words) {
    const size_t space = word.command.find(' ');
    const std::string seen = "__fish_seen_subcommand_from " +
                             word.command.substr(space == std::string::npos ? 0 : space + 1);
    if (space == std::string::npos)
      out << fmt::format("complete -c fedra -n __fish_use_subcommand -a {} -d {}\n", word.command,
                         FishQuoted(word.help));
    if (!word.commands.empty())
      out << fmt::format("complete -c fedra -n '{}' -a '{}'\n", seen, Join(word.commands));
    for (const CompletionOption& option : word.options) {
      if (const std::string text = FishOption(option); !text.empty())
        out << fmt::format("complete -c fedra -n '{}'{}\n", seen, text);
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
