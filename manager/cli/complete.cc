#include "manager/cli/complete.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace fedra::cli {
namespace {

const CompletionOption* FindOption(const std::vector<CompletionOption>& options,
                                   const std::string& name) {
  for (const CompletionOption& option : options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
      return &option;
  return nullptr;
}

// What the words before the one that is typed have said.
struct Said {
  const CompletionWord* command;                  // the innermost; the root before the first
  const CompletionOption* wants_value = nullptr;  // the option that the typed word belongs to
  size_t positionals = 0;                         // of the command
  std::vector<std::string> source;                // --config and --store, as given
  std::vector<std::string> ns;                    // -n, as given
};

class LineReader final {
 public:
  LineReader(const CompletionWord& root, const std::vector<CompletionWord>& words)
      : root_(root), words_(words), said_{.command = &root, .source = {}, .ns = {}} {}

  void Read(const std::string& word) {
    if (said_.wants_value != nullptr) return TakeValue(word);
    if (word.starts_with("-") && word != "-") return TakeOption(word);
    const std::string name =
        said_.command->command.empty() ? word : said_.command->command + " " + word;
    for (const CompletionWord& each : words_) {
      if (each.command != name) continue;
      said_.command = &each;
      return;
    }
    ++said_.positionals;
  }

  const Said& said() const { return said_; }

 private:
  void TakeOption(const std::string& word) {
    const CompletionOption* option = Find(word.substr(0, word.find('=')));
    if (option == nullptr || !option->takes_value) return;
    said_.wants_value = option;
    if (const size_t sign = word.find('='); sign != std::string::npos)
      TakeValue(word.substr(sign + 1));
  }

  void TakeValue(const std::string& value) {
    const std::string name = said_.wants_value->names.back();
    if (name == "--config" || name == "--store")
      said_.source.insert(said_.source.end(), {name, value});
    if (name == "--namespace") said_.ns = {name, value};
    said_.wants_value = nullptr;
  }

  const CompletionOption* Find(const std::string& name) const {
    const CompletionOption* option = FindOption(said_.command->options, name);
    return option != nullptr ? option : FindOption(root_.options, name);
  }

  const CompletionWord& root_;
  const std::vector<CompletionWord>& words_;
  Said said_;
};

void AddValues(const CompletionOption& option, const Said& said, Candidates& candidates) {
  for (const std::string& value : option.values) candidates.words.push_back({value, {}});
  candidates.files = option.takes_file;
  if (option.from.empty()) return;
  std::istringstream command(option.from);
  for (std::string word; command >> word;) candidates.asked.push_back(word);
  candidates.asked.insert(candidates.asked.end(), said.source.begin(), said.source.end());
  // Which namespaces there are depends on none that was given.
  const bool is_namespace = !option.names.empty() && option.names.back() == "--namespace";
  if (!is_namespace)
    candidates.asked.insert(candidates.asked.end(), said.ns.begin(), said.ns.end());
}

void AddOptions(const CompletionWord& command, Candidates& candidates) {
  for (const CompletionOption& option : command.options)
    for (const std::string& name : option.names) candidates.words.push_back({name, option.help});
}

void AddCommandNames(const CompletionWord& command, const std::vector<CompletionWord>& words,
                     Candidates& candidates) {
  const std::string before = command.command.empty() ? "" : command.command + " ";
  for (const CompletionWord& word : words)
    if (word.command.starts_with(before) &&
        word.command.find(' ', before.size()) == std::string::npos)
      candidates.words.push_back({word.command.substr(before.size()), word.help});
}

void AddPositional(const Said& said, Candidates& candidates) {
  size_t place = 0;
  for (const CompletionOption& option : said.command->options)
    if (option.names.empty() && place++ == said.positionals) AddValues(option, said, candidates);
}

}  // namespace

Candidates CandidatesFor(const CompletionWord& root, const std::vector<CompletionWord>& words,
                         const std::vector<std::string>& line) {
  Candidates candidates;
  if (!line.empty()) candidates.typed = line.back();
  LineReader reader(root, words);
  for (size_t i = 0; i + 1 < line.size(); ++i) reader.Read(line[i]);
  const Said& said = reader.said();
  // Of --option=VALUE only the value is offered, as cobra does: shells break words at the sign.
  const size_t sign = candidates.typed.find('=');
  if (said.wants_value == nullptr && candidates.typed.starts_with("--") &&
      sign != std::string::npos) {
    const std::string name = candidates.typed.substr(0, sign);
    const CompletionOption* option = FindOption(said.command->options, name);
    if (option == nullptr) option = FindOption(root.options, name);
    candidates.typed.erase(0, sign + 1);
    if (option != nullptr) AddValues(*option, said, candidates);
    return candidates;
  }
  if (said.wants_value != nullptr) {
    AddValues(*said.wants_value, said, candidates);
  } else if (candidates.typed.starts_with("-")) {
    AddOptions(*said.command, candidates);
    if (said.command != &root) AddOptions(root, candidates);
  } else {
    if (said.positionals == 0) AddCommandNames(*said.command, words, candidates);
    AddPositional(said, candidates);
  }
  return candidates;
}

std::string CandidateLines(const std::vector<Candidate>& words, const std::string& typed) {
  std::string lines;
  for (const Candidate& each : words) {
    if (!each.word.starts_with(typed)) continue;
    lines += each.word;
    if (!each.help.empty()) lines += "\t" + each.help;
    lines += "\n";
  }
  return lines;
}

const char* DirectiveLine(bool files) { return files ? ":0\n" : ":4\n"; }

}  // namespace fedra::cli
