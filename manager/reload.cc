#include "manager/reload.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fedra {
namespace {

// Each key of a view with its sections and its value.
std::set<std::string> LinesOf(const std::string& view) {
  std::set<std::string> all;
  std::vector<std::string> sections;
  std::istringstream text(view);
  for (std::string line; std::getline(text, line);) {
    const size_t indent = line.find_first_not_of(' ');
    const size_t colon = line.find(':');
    if (indent == std::string::npos || colon == std::string::npos || line[indent] == '#') continue;
    sections.resize(std::min(sections.size(), indent / 2));
    sections.push_back(line.substr(indent, colon - indent));
    all.insert(fmt::format("{}{}", fmt::join(sections, "."), line.substr(colon)));
  }
  return all;
}

}  // namespace

config::Configuration TakeOver(const config::Configuration& used,
                               const config::Configuration& fresh) {
  config::Configuration merged = used;
  merged.workers = fresh.workers;
  merged.dispatch.removed_workers = fresh.dispatch.removed_workers;
  merged.logging.level = fresh.logging.level;
  return merged;
}

std::string ChangedKeys(const std::string& before, const std::string& after) {
  const std::set<std::string> old_lines = LinesOf(before);
  std::set<std::string> keys;
  for (const std::string& line : LinesOf(after))
    if (!old_lines.contains(line)) keys.insert(line.substr(0, line.find(':')));
  return fmt::format("{}", fmt::join(keys, ", "));
}

}  // namespace fedra
