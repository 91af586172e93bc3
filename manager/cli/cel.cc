// fedra cel: reads the files, converts YAML, and leaves the rest to cel_report.

#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/yaml_json.h"
#include "manager/cli/commands.h"
#include "manager/cli/terminal/read_input.h"

namespace fedra::cli {
namespace {

Result<nlohmann::json> ReadDocuments(const std::vector<std::string>& paths) {
  nlohmann::json documents = nlohmann::json::array();
  for (const std::string& path : paths) {
    FEDRA_ASSIGN_OR_RETURN(const std::string text, ReadInput(path, config::kMostYaml));
    auto converted = config::YamlToJson(text);
    if (!converted) return Fail(std::move(converted).error().WithContext(path));
    for (const std::string& document : *converted) {
      auto object = ParseManifest(document);
      if (!object) return Fail(std::move(object).error().WithContext(path));
      documents.push_back(*std::move(object));
    }
  }
  return documents;
}

}  // namespace

int Cel(const CelCommand& command, Terminal& terminal) {
  if (command.slices.empty())
    return CelReport(command.options, nullptr, terminal.out, terminal.err);
  const Result<nlohmann::json> documents = ReadDocuments(command.slices);
  if (!documents) {
    terminal.err << fmt::format("fedra cel: {}\n", documents.error().message);
    return 1;
  }
  return CelReport(command.options, *documents, terminal.out, terminal.err);
}

}  // namespace fedra::cli
