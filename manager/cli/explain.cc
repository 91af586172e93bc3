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
#include "manager/placement/note_reasons.h"
#include "manager/report/document.h"
#include "manager/report/states.h"
#include "manager/text/output.h"
#include "verdict/reason_facts.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using placement::notes::NoteReason;

ordered_json ReasonJson(const verdict::ReasonEntry& entry) {
  return {{"name", entry.name},       {"group", entry.group},
          {"summary", entry.summary}, {"cause", entry.cause},
          {"remedy", entry.remedy},   {"facts", verdict::FactTypesOf(entry.code)}};
}

ordered_json StateJson(const report::StateEntry& entry) {
  return {{"name", entry.name},
          {"group", entry.group},
          {"summary", entry.meaning},
          {"remedy", entry.next}};
}

ordered_json EventJson(const NoteReason& note) {
  return {{"name", note.name}, {"group", "Event"}, {"summary", note.meaning}};
}

// "Blocked (Job)" and its meaning below.
std::string Title(std::string_view name, std::string_view group, std::string_view meaning,
                  const text::Style& style) {
  return fmt::format("{} ({})\n{}", name, group, text::Paragraph(meaning, 2, style));
}

std::string TextOf(const verdict::ReasonEntry& entry, const text::Style& style) {
  return Title(entry.name, entry.group, entry.summary, style) + "\n" +
         text::Paragraph(fmt::format("cause   {}", entry.cause), 0, style) +
         text::Paragraph(fmt::format("remedy  {}", entry.remedy), 0, style);
}

std::string TextOf(const report::StateEntry& entry, const text::Style& style) {
  const std::string title = Title(entry.name, entry.group, entry.meaning, style);
  return entry.next.empty()
             ? title
             : title + "\n" + text::Paragraph(fmt::format("next    {}", entry.next), 0, style);
}

std::string TextOf(const NoteReason& note, const text::Style& style) {
  return Title(note.name, "event", note.meaning, style) +
         "\nmore    fedra history NAMESPACE/NAME, docs/events.md\n";
}

void PrintCatalogue(const text::Style& style, std::ostream& out) {
  const auto add = [&](std::string_view name, std::string_view meaning) {
    out << text::Paragraph(fmt::format("{:<22} {}", name, meaning), 2, style);
  };
  std::string_view group;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue()) {
    if (entry.group != group) out << fmt::format("{}{}\n", group.empty() ? "" : "\n", entry.group);
    group = entry.group;
    add(entry.name, entry.summary);
  }
  for (const report::StateEntry& entry : report::StateEntries()) {
    if (entry.group != group) out << fmt::format("\n{} states\n", entry.group);
    group = entry.group;
    add(entry.name, entry.meaning);
  }
  out << "\nEvents\n";
  for (const NoteReason& note : placement::notes::kNoteReasons) add(note.name, note.meaning);
}

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

void PrintDocument(std::string_view kind, const ordered_json& object, text::Format format,
                   std::ostream& out) {
  ordered_json document = report::Document(kind);
  document.update(object);
  out << text::ToText(document, format);
}

void ExplainAll(text::Format format, const text::Style& style, std::ostream& out) {
  if (text::IsTable(format)) return PrintCatalogue(style, out);
  ordered_json items = ordered_json::array();
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue())
    items.push_back(ReasonJson(entry));
  ordered_json states = ordered_json::array();
  for (const report::StateEntry& entry : report::StateEntries()) states.push_back(StateJson(entry));
  ordered_json events = ordered_json::array();
  for (const NoteReason& note : placement::notes::kNoteReasons) events.push_back(EventJson(note));
  PrintDocument(
      "ReasonList",
      {{"items", std::move(items)}, {"states", std::move(states)}, {"events", std::move(events)}},
      format, out);
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
    ExplainAll(*parsed, style, terminal.out);
    return 0;
  }
  const Meant meant = MeantBy(reason);
  const bool is_text = text::IsTable(*parsed);
  if (meant.reason != nullptr && is_text) {
    terminal.out << TextOf(*meant.reason, style);
  } else if (meant.reason != nullptr) {
    PrintDocument("Reason", ReasonJson(*meant.reason), *parsed, terminal.out);
  } else if (meant.state != nullptr && is_text) {
    terminal.out << TextOf(*meant.state, style);
  } else if (meant.state != nullptr) {
    PrintDocument("State", StateJson(*meant.state), *parsed, terminal.out);
  } else if (meant.event != nullptr && is_text) {
    terminal.out << TextOf(*meant.event, style);
  } else if (meant.event != nullptr) {
    PrintDocument("EventReason", EventJson(*meant.event), *parsed, terminal.out);
  } else {
    terminal.err << NotKnown(reason) << "\n";
    return kFailed;
  }
  return 0;
}

}  // namespace fedra::cli
