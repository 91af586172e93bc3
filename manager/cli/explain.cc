#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "config/names.h"
#include "manager/cli/commands.h"
#include "manager/cli/text/output.h"
#include "manager/cli/text/states.h"
#include "manager/placement/note_reasons.h"
#include "verdict/reason.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;

ordered_json ReasonJson(const verdict::ReasonEntry& entry) {
  return {{"name", entry.name},
          {"group", entry.group},
          {"summary", entry.summary},
          {"cause", entry.cause},
          {"remedy", entry.remedy}};
}

ordered_json StateJson(const StateEntry& entry) {
  return {{"name", entry.name},
          {"group", entry.group},
          {"summary", entry.meaning},
          {"remedy", entry.next}};
}

void PrintEntry(const verdict::ReasonEntry& entry, std::ostream& out) {
  out << fmt::format("{} ({})\n  {}\n\ncause   {}\nremedy  {}\n", entry.name, entry.group,
                     entry.summary, entry.cause, entry.remedy);
}

void PrintState(const StateEntry& entry, std::ostream& out) {
  out << fmt::format("{} ({})\n  {}\n", entry.name, entry.group, entry.meaning);
  if (!entry.next.empty()) out << fmt::format("\nnext    {}\n", entry.next);
}

void PrintCatalogue(std::ostream& out) {
  std::string_view group;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue()) {
    if (entry.group != group) out << fmt::format("{}{}\n", group.empty() ? "" : "\n", entry.group);
    group = entry.group;
    out << fmt::format("  {:<22} {}\n", entry.name, entry.summary);
  }
  for (const StateEntry& entry : StateEntries()) {
    if (entry.group != group) out << fmt::format("\n{} states\n", entry.group);
    group = entry.group;
    out << fmt::format("  {:<22} {}\n", entry.name, entry.meaning);
  }
}

// Letter case aside: people type what they remember.
bool Same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLower(x) == ToLower(y); });
}

// The states of a worker's connection, and the reason that stands in verdicts for each.
constexpr std::array<std::pair<std::string_view, verdict::ReasonCode>, 3> kConnectionStates = {
    {{"Unreachable", verdict::ReasonCode::kClusterUnreachable},
     {"Rejected", verdict::ReasonCode::kCredentialsRejected},
     {"Misconfigured", verdict::ReasonCode::kClusterMisconfigured}}};

// What a word is: an entry of the catalogue, or a text about it.
struct Meant {
  const verdict::ReasonEntry* entry = nullptr;
  const StateEntry* state = nullptr;
  bool known = false;
  std::string text = {};
};

// The names that the word begins, or else those that it is part of, "A or B"; empty: none, or too
// many to be of help.
std::string Containing(const std::string& word, const std::vector<std::string>& names) {
  constexpr size_t kShortest = 3;
  constexpr size_t kMany = 4;
  const std::string wanted = ToLower(word);
  std::vector<std::string> begun;
  std::vector<std::string> inside;
  for (const std::string& name : names) {
    const size_t at = ToLower(name).find(wanted);
    if (at == 0) begun.push_back(name);
    if (at != std::string::npos) inside.push_back(name);
  }
  const std::vector<std::string>& found = begun.empty() ? inside : begun;
  if (word.size() < kShortest || found.size() > kMany) return {};
  return fmt::format("{}", fmt::join(found, " or "));
}

Meant NotKnown(const std::string& word) {
  const std::vector<std::string> names = ExplainableWords();
  std::string closest = config::ClosestName(word, names);
  if (closest.empty()) closest = Containing(word, names);
  return {nullptr, nullptr, false,
          fmt::format("fedra explain: \"{}\" is neither a reason, a state nor an event; {}", word,
                      closest.empty() ? "`fedra explain` lists them all"
                                      : fmt::format("did you mean {}?", closest))};
}

Meant MeantBy(const std::string& word) {
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    if (Same(entry.name, word)) return {.entry = &entry, .known = true};
  for (const auto& [state, code] : kConnectionStates)
    if (Same(state, word))
      return {.entry = &verdict::ReasonCatalogue()[static_cast<size_t>(code)], .known = true};
  for (const StateEntry& entry : StateEntries())
    if (Same(entry.name, word)) return {.state = &entry, .known = true};
  for (const auto& note : placement::notes::kNoteReasons) {
    if (Same(note.name, word))
      return {nullptr, nullptr, true,
              fmt::format("{} (event)\n  {}\n\nmore    fedra history NAMESPACE/NAME, "
                          "docs/events.md",
                          note.name, note.meaning)};
  }
  return NotKnown(word);
}

}  // namespace

std::vector<std::string> ExplainableWords() {
  std::vector<std::string> words;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    words.emplace_back(entry.name);
  for (const StateEntry& entry : StateEntries()) words.emplace_back(entry.name);
  for (const auto& note : placement::notes::kNoteReasons) {
    // A reason may be an event as well.
    if (std::ranges::find(words, note.name) == words.end()) words.emplace_back(note.name);
  }
  return words;
}

int Explain(const std::string& reason, const std::string& format, Terminal& terminal) {
  const Result<Format> parsed = ParseFormat(format);
  const bool for_programs = parsed && !IsTable(*parsed);
  const auto print = [&](std::string_view kind, const ordered_json& object) {
    ordered_json document = Document(kind);
    document.update(object);
    terminal.out << ToText(document, *parsed);
  };
  if (reason.empty() && for_programs) {
    ordered_json items = ordered_json::array();
    for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
      items.push_back(ReasonJson(entry));
    ordered_json states = ordered_json::array();
    for (const StateEntry& entry : StateEntries()) states.push_back(StateJson(entry));
    print("ReasonList", {{"items", std::move(items)}, {"states", std::move(states)}});
    return 0;
  }
  if (reason.empty()) {
    PrintCatalogue(terminal.out);
    return 0;
  }
  const Meant meant = MeantBy(reason);
  if (!meant.known) {
    terminal.err << meant.text << "\n";
    return kFailed;
  }
  if (meant.entry != nullptr && for_programs) {
    print("Reason", ReasonJson(*meant.entry));
  } else if (meant.state != nullptr && for_programs) {
    print("State", StateJson(*meant.state));
  } else if (meant.entry != nullptr) {
    PrintEntry(*meant.entry, terminal.out);
  } else if (meant.state != nullptr) {
    PrintState(*meant.state, terminal.out);
  } else {
    terminal.out << meant.text << "\n";
  }
  return 0;
}

}  // namespace fedra::cli
