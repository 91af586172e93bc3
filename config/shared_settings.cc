#include "config/shared_settings.h"

#include <map>
#include <sstream>

#include "base/hash.h"
#include "config/print.h"

namespace fedra::config {
namespace {

// A key that is new is one that must be the same, until it is named here and in docs/operations.md.
Configuration WithoutOwn(Configuration configuration) {
  configuration.manager = {};
  for (WorkerSettings& worker : configuration.workers) {
    worker.kubeconfig.clear();
    worker.context.clear();
    worker.allow_insecure = false;
    worker.http_version = {};
  }
  configuration.workers_from.kubeconfig_folder.clear();
  for (AccessProvider& provider : configuration.workers_from.access_providers) provider.exec = {};
  configuration.store.path.clear();
  configuration.http = {};
  configuration.api = {};
  configuration.logging = {};
  return configuration;
}

// Section -> its lines.
std::map<std::string, std::string> SectionsOf(const std::string& view) {
  std::map<std::string, std::string> sections;
  std::istringstream lines(view);
  std::string* section = nullptr;
  for (std::string line; std::getline(lines, line);) {
    // Elements of a list are not deeper than their key.
    if (!line.starts_with(' ') && !line.starts_with('-'))
      section = &sections[line.substr(0, line.find(':'))];
    if (section != nullptr) *section += line + "\n";
  }
  return sections;
}

std::map<std::string, std::string> HashesIn(const std::string& text) {
  std::map<std::string, std::string> hashes;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t equals = part.find('=');
    if (equals != std::string::npos) hashes[part.substr(0, equals)] = part.substr(equals + 1);
  }
  return hashes;
}

}  // namespace

std::string SharedSettings(const Loaded& loaded) {
  std::map<std::string, std::string> sections = SectionsOf(View(WithoutOwn(loaded.configuration)));
  for (const ClusterAccess& worker : loaded.workers)
    sections["workers"] += (worker ? worker->server : std::string()) + "\n";
  std::string text;
  for (const auto& [name, lines] : sections)
    text += (text.empty() ? "" : ",") + name + "=" + HashHex(lines);
  return text;
}

std::vector<std::string> DifferingSections(const std::string& ours, const std::string& theirs) {
  std::vector<std::string> names;
  if (theirs.empty()) return names;
  const std::map<std::string, std::string> other = HashesIn(theirs);
  for (const auto& [name, hash] : HashesIn(ours)) {
    const auto found = other.find(name);
    if (found == other.end() || found->second != hash) names.push_back(name);
  }
  return names;
}

}  // namespace fedra::config
