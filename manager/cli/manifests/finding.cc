#include "manager/cli/manifests/finding.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/yaml_json.h"
#include "manager/cli/terminal/read_input.h"
#include "manager/text/display_text.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;

std::string_view NameOf(Severity severity) {
  switch (severity) {
    case Severity::kWarning:
      return "warning";
    case Severity::kNowhere:
      return "nowhere";
    case Severity::kError:
      break;
  }
  return "error";
}

text::Tone ToneOf(Severity severity) {
  return severity == Severity::kWarning ? text::Tone::kWarning : text::Tone::kBad;
}

void AddDocument(const std::string& file, int number, json object, const config::YamlPlaces& places,
                 std::vector<Manifest>& all) {
  const json& items = tracking::Member(object, "items");
  if (!items.is_array())
    return all.push_back({file, number, std::make_shared<const json>(std::move(object)), places});
  for (size_t i = 0; i < items.size(); ++i) {
    all.push_back({file, number, std::make_shared<const json>(items[i]), places,
                   fmt::format("items[{}]", i)});
  }
}

// "job.yaml:12:9".
std::string MarkedPlace(const Finding& finding) {
  if (finding.mark.line == 0) return PlaceOf(finding.file, finding.document);
  return fmt::format("{}:{}:{}", finding.file, finding.mark.line, finding.mark.column);
}

// What kubectl -f takes of a folder: its own files with these endings, by name.
Result<std::vector<std::string>> FilesOf(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return std::vector{path};
  std::vector<std::string> files;
  fs::directory_iterator entries(path, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string ending = entries->path().extension().string();
    std::error_code ignored;
    if ((ending == ".yaml" || ending == ".yml" || ending == ".json") &&
        !entries->is_directory(ignored))
      files.push_back(entries->path().string());
  }
  if (error) return Fail(ErrorCode::kNotFound, fmt::format("{}: {}", path, error.message()));
  if (files.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: no *.yaml, *.yml or *.json is in this directory", path));
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::string>> AllFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    FEDRA_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(path));
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

Result<std::vector<config::YamlDocument>> DocumentsIn(const ManifestFile& file,
                                                      const std::optional<ManifestBounds>& bounds) {
  auto documents = bounds ? config::ReadYaml(file.text, {bounds->values, bounds->bytes})
                          : config::ReadYaml(file.text);
  if (!documents) return Fail(std::move(documents).error().WithContext(file.name));
  return documents;
}

// Counts the documents of one file after the other.
class Spent final {
 public:
  explicit Spent(const std::optional<ManifestBounds>& bounds) : bounds_(bounds) {}

  Result<void> Add(const std::vector<config::YamlDocument>& documents) {
    for (const config::YamlDocument& document : documents) {
      values_ += document.values;
      bytes_ += document.json.size();
    }
    if (bounds_ && (values_ > bounds_->values || bytes_ > bounds_->bytes))
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("the manifests have more than {} values, or {} KiB of JSON: send "
                              "fewer",
                              bounds_->values, bounds_->bytes >> 10));
    return {};
  }
  Result<void> Check(const std::vector<Manifest>& manifests) const {
    if (bounds_ && manifests.size() > bounds_->documents)
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("more than {} manifests: send fewer", bounds_->documents));
    return {};
  }

 private:
  const std::optional<ManifestBounds>& bounds_;
  size_t values_ = 0;
  size_t bytes_ = 0;
};

}  // namespace

config::Mark Manifest::Find(const std::string& path) const {
  if (prefix.empty()) return places.Find(path);
  return places.Find(path.empty() || path.starts_with('[') ? prefix + path : prefix + "." + path);
}

std::string PathTo(const std::string& path, const std::string& member) {
  if (member.find_first_of(".[") != std::string::npos)
    return fmt::format("{}[\"{}\"]", path, member);
  return path.empty() ? member : path + "." + member;
}

std::string PlaceOf(const std::string& file, int document) {
  return fmt::format("{} (document {})", file, document);
}

Result<std::vector<ManifestFile>> ReadFiles(const std::vector<std::string>& paths) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<std::string> names, AllFiles(paths));
  std::vector<ManifestFile> files;
  for (const std::string& name : names) {
    FEDRA_ASSIGN_OR_RETURN(std::string text, ReadInput(name, config::kMostYaml));
    files.push_back({name, std::move(text)});
  }
  return files;
}

Result<std::vector<Manifest>> ParseManifests(const std::vector<ManifestFile>& files,
                                             const std::optional<ManifestBounds>& bounds) {
  std::vector<Manifest> manifests;
  Spent spent(bounds);
  for (const ManifestFile& file : files) {
    FEDRA_ASSIGN_OR_RETURN(const auto documents, DocumentsIn(file, bounds));
    FEDRA_RETURN_IF_ERROR(spent.Add(documents));
    int number = 0;
    for (const config::YamlDocument& document : documents) {
      auto object = ParseManifest(document.json);
      ++number;
      if (!object) return Fail(std::move(object).error().WithContext(PlaceOf(file.name, number)));
      AddDocument(file.name, number, *std::move(object), document.places, manifests);
      FEDRA_RETURN_IF_ERROR(spent.Check(manifests));
    }
  }
  return manifests;
}

std::string RenderFindings(const std::vector<Finding>& findings, const text::Style& style) {
  std::string rendered;
  for (const Finding& finding : findings) {
    rendered += text::Printable(MarkedPlace(finding), style.utf8) + ": " +
                text::Toned(NameOf(finding.severity), ToneOf(finding.severity), style) + ": " +
                text::Printable(finding.object, style.utf8) + ": ";
    if (!finding.path.empty()) rendered += text::Printable(finding.path, style.utf8) + ": ";
    // A compiler's complaint has a line of code with a caret below it.
    std::istringstream message(finding.message);
    bool first = true;
    for (std::string line; std::getline(message, line); first = false)
      rendered += (first ? "" : "    ") + text::Printable(line, style.utf8) + "\n";
    std::istringstream hint(finding.hint);
    for (std::string line; std::getline(hint, line);)
      rendered += "    " + text::Printable(line, style.utf8) + "\n";
  }
  return rendered;
}

nlohmann::ordered_json ToJson(const std::vector<Finding>& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"severity", NameOf(finding.severity)},
                    {"file", finding.file},
                    {"document", finding.document},
                    {"line", finding.mark.line},
                    {"column", finding.mark.column},
                    {"object", finding.object},
                    {"path", finding.path},
                    {"message", finding.message},
                    {"hint", finding.hint}});
  }
  return list;
}

}  // namespace fedra::cli
