#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "cluster-clients/http/library.h"
#include "manager/cli/commands.h"
#include "manager/cli/glibc.h"
#include "manager/version.h"
#include "store/library.h"

namespace fedra::cli {

namespace {

std::string BoostVersion() {
  return fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                     BOOST_VERSION % 100);
}

std::string JsonVersion() {
  return fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                     NLOHMANN_JSON_VERSION_PATCH);
}

// Name and version, the compiler's last.
std::vector<std::pair<std::string, std::string>> Libraries() {
  std::vector<std::pair<std::string, std::string>> libraries = {{"libcurl", http::LibraryVersion()},
                                                                {"sqlite", store::LibraryVersion()},
                                                                {"boost", BoostVersion()},
                                                                {"nlohmann-json", JsonVersion()}};
  for (const LibraryVersion& library : kLibraries)
    libraries.emplace_back(library.name, library.version);
  libraries.emplace_back("compiler", __VERSION__);
  return libraries;
}

}  // namespace

std::string VersionText() {
  std::string text = fmt::format("fedra {} ({})\n", kVersion, kCommit);
  for (const auto& [name, version] : Libraries()) text += fmt::format("{:<14} {}\n", name, version);
  const Glibc glibc = GlibcVersions();
  text += fmt::format("{:<14} {} (needs {} or newer)\n", "glibc", glibc.running, glibc.needed);
  return text;
}

int Version(const std::string& format, Terminal& terminal) {
  if (format == "json") {
    nlohmann::json document{{"apiVersion", "fedra.dev/v1alpha1"},
                            {"kind", "Version"},
                            {"version", kVersion},
                            {"commit", kCommit}};
    for (const auto& [name, version] : Libraries()) document["libraries"][name] = version;
    const Glibc glibc = GlibcVersions();
    document["libraries"]["glibc"] = glibc.running;
    document["needs"]["glibc"] = glibc.needed;
    terminal.out << document.dump(2) << "\n";
    return 0;
  }
  terminal.out << VersionText();
  return 0;
}

}  // namespace fedra::cli
