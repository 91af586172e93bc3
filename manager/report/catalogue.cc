#include "manager/report/catalogue.h"

#include <nlohmann/json.hpp>

#include "manager/report/document.h"
#include "verdict/reason_facts.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;
using placement::notes::NoteReason;

ordered_json WordJson(const verdict::ReasonEntry& entry) {
  return {{"name", entry.name},       {"group", entry.group},
          {"summary", entry.summary}, {"cause", entry.cause},
          {"remedy", entry.remedy},   {"facts", verdict::FactTypesOf(entry.code)}};
}

ordered_json WordJson(const StateEntry& entry) {
  return {{"name", entry.name},
          {"group", entry.group},
          {"summary", entry.meaning},
          {"remedy", entry.next}};
}

ordered_json WordJson(const NoteReason& note) {
  return {{"name", note.name}, {"group", "Event"}, {"summary", note.meaning}};
}

ordered_json DocumentOf(std::string_view kind, const ordered_json& word) {
  ordered_json document = Document(kind);
  document.update(word);
  return document;
}

template <class Words>
ordered_json ListOf(const Words& words) {
  ordered_json list = ordered_json::array();
  for (const auto& word : words) list.push_back(WordJson(word));
  return list;
}

}  // namespace

ordered_json WordDocument(const verdict::ReasonEntry& entry) {
  return DocumentOf("Reason", WordJson(entry));
}

ordered_json WordDocument(const StateEntry& entry) { return DocumentOf("State", WordJson(entry)); }

ordered_json WordDocument(const NoteReason& note) {
  return DocumentOf("EventReason", WordJson(note));
}

ordered_json CatalogueDocument() {
  return DocumentOf("ReasonList", {{"items", ListOf(verdict::ReasonCatalogue())},
                                   {"states", ListOf(StateEntries())},
                                   {"events", ListOf(placement::notes::kNoteReasons)}});
}

}  // namespace fedra::report
