#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/text.h"
#include "config/names.h"
#include "manager/cli/commands.h"
#include "manager/text/catalogue_view.h"

namespace fedra::cli {
namespace {

using placement::notes::NoteReason;

// Letter case aside: people type what they remember.
bool Same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLower(x) == ToLower(y); });
}

// What a word is: one of the three; all null: unknown.
struct Meant {
  const verdict::ReasonEntry* reason = nullptr;
  const report::StateEntry* state = nullptr;
  const NoteReason* event = nullptr;
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

std::string NotKnown(const std::string& word) {
  const std::vector<std::string> names = ExplainableWords();
  std::string closest = config::ClosestName(word, names);
  if (closest.empty()) closest = Containing(word, names);
  return fmt::format("fedra explain: \"{}\" is neither a reason, a state nor an event; {}", word,
                     closest.empty() ? "`fedra explain` lists them all"
                                     : fmt::format("did you mean {}?", closest));
}

Meant MeantBy(const std::string& word) {
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    if (Same(entry.name, word)) return {.reason = &entry};
  for (const report::StateEntry& entry : report::StateEntries())
    if (Same(entry.name, word)) return {.state = &entry};
  for (const NoteReason& note : placement::notes::kNoteReasons)
    if (Same(note.name, word)) return {.event = &note};
  return {};
}

template <class Word>
std::string TextOf(const Word& word, text::Format format, const text::Style& style) {
  return text::IsTable(format) ? text::Explained(word, style)
                               : text::ToText(report::WordDocument(word), format);
}

}  // namespace

std::vector<std::string> ExplainableWords() {
  std::vector<std::string> words;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    words.emplace_back(entry.name);
  for (const report::StateEntry& entry : report::StateEntries())
    if (!Contains(words, entry.name)) words.emplace_back(entry.name);
  for (const NoteReason& note : placement::notes::kNoteReasons)
    if (!Contains(words, note.name)) words.emplace_back(note.name);
  return words;
}

int Explain(const std::string& reason, const std::string& format, Terminal& terminal) {
  const Result<text::Format> parsed =
      format == "text" ? text::Format::kTable : text::ParseFormat(format);
  if (!parsed) {
    terminal.err << "fedra explain: " << parsed.error().message << "\n";
    return kFailed;
  }
  const text::Style style = StyleOf(terminal);
  if (reason.empty()) {
    terminal.out << text::RenderCatalogue(*parsed, style).out;
    return 0;
  }
  const Meant meant = MeantBy(reason);
  if (meant.reason != nullptr) {
    terminal.out << TextOf(*meant.reason, *parsed, style);
  } else if (meant.state != nullptr) {
    terminal.out << TextOf(*meant.state, *parsed, style);
  } else if (meant.event != nullptr) {
    terminal.out << TextOf(*meant.event, *parsed, style);
  } else {
    terminal.err << NotKnown(reason) << "\n";
    return kFailed;
  }
  return 0;
}

}  // namespace fedra::cli
