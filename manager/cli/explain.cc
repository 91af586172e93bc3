#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dra/reason.h"
#include "manager/cli/commands.h"

namespace fedra::cli {
namespace {

nlohmann::json ToJson(const dra::ReasonEntry& entry) {
  return {{"apiVersion", "fedra.dev/v1alpha1"},
          {"kind", "Reason"},
          {"name", entry.name},
          {"group", entry.group},
          {"summary", entry.summary},
          {"cause", entry.cause},
          {"remedy", entry.remedy}};
}

void PrintEntry(const dra::ReasonEntry& entry, std::ostream& out) {
  out << fmt::format("{} ({})\n  {}\n\ncause   {}\nremedy  {}\n", entry.name, entry.group,
                     entry.summary, entry.cause, entry.remedy);
}

void PrintCatalogue(std::ostream& out) {
  std::string_view group;
  for (const dra::ReasonEntry& entry : dra::ReasonCatalogue()) {
    if (entry.group != group) out << fmt::format("{}{}\n", group.empty() ? "" : "\n", entry.group);
    group = entry.group;
    out << fmt::format("  {:<22} {}\n", entry.name, entry.summary);
  }
}

}  // namespace

int Explain(const std::string& reason, const std::string& format, Terminal& terminal) {
  if (reason.empty()) {
    if (format == "json") {
      nlohmann::json items = nlohmann::json::array();
      for (const dra::ReasonEntry& entry : dra::ReasonCatalogue()) items.push_back(ToJson(entry));
      terminal.out << nlohmann::json{{"apiVersion", "fedra.dev/v1alpha1"},
                                     {"kind", "ReasonList"},
                                     {"items", items}}
                          .dump(2)
                   << "\n";
    } else {
      PrintCatalogue(terminal.out);
    }
    return 0;
  }
  const auto code = dra::ParseReasonCode(reason);
  if (!code) {
    terminal.err << fmt::format(
        "fedra explain: \"{}\" is no reason of the catalogue; `fedra explain` lists them all\n",
        reason);
    return 1;
  }
  const dra::ReasonEntry& entry = dra::ReasonCatalogue()[static_cast<size_t>(*code)];
  if (format == "json") {
    terminal.out << ToJson(entry).dump(2) << "\n";
  } else {
    PrintEntry(entry, terminal.out);
  }
  return 0;
}

}  // namespace fedra::cli
