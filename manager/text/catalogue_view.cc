#include "manager/text/catalogue_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fedra::text {
namespace {

using placement::notes::NoteReason;

// "Blocked (Job)" and its meaning below.
std::string Title(std::string_view name, std::string_view group, std::string_view meaning,
                  const Style& style) {
  return fmt::format("{} ({})\n{}", name, group, Paragraph(meaning, 2, style));
}

std::string Lines(const Style& style) {
  std::string lines;
  const auto add = [&](std::string_view name, std::string_view meaning) {
    lines += Paragraph(fmt::format("{:<22} {}", name, meaning), 2, style);
  };
  std::string_view group;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue()) {
    if (entry.group != group)
      lines += fmt::format("{}{}\n", group.empty() ? "" : "\n", entry.group);
    group = entry.group;
    add(entry.name, entry.summary);
  }
  for (const report::StateEntry& entry : report::StateEntries()) {
    if (entry.group != group) lines += fmt::format("\n{} states\n", entry.group);
    group = entry.group;
    add(entry.name, entry.meaning);
  }
  lines += "\nEvents\n";
  for (const NoteReason& note : placement::notes::kNoteReasons) add(note.name, note.meaning);
  return lines;
}

}  // namespace

std::string Explained(const verdict::ReasonEntry& entry, const Style& style) {
  return Title(entry.name, entry.group, entry.summary, style) + "\n" +
         Paragraph(fmt::format("cause   {}", entry.cause), 0, style) +
         Paragraph(fmt::format("remedy  {}", entry.remedy), 0, style);
}

std::string Explained(const report::StateEntry& entry, const Style& style) {
  const std::string title = Title(entry.name, entry.group, entry.meaning, style);
  return entry.next.empty()
             ? title
             : title + "\n" + Paragraph(fmt::format("next    {}", entry.next), 0, style);
}

std::string Explained(const NoteReason& note, const Style& style) {
  return Title(note.name, "event", note.meaning, style) +
         "\nmore    fedra history NAMESPACE/NAME, docs/events.md\n";
}

Output RenderCatalogue(Format format, const Style& style) {
  return {.out = IsTable(format) ? Lines(style) : ToText(report::CatalogueDocument(), format)};
}

}  // namespace fedra::text
