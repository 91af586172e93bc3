#include <ostream>

#include <fmt/format.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "cluster-clients/http/library.h"
#include "manager/cli/commands.h"
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

}  // namespace

std::string VersionText() {
  return fmt::format(
      "fedra {} ({})\nlibcurl  {}\nsqlite   {}\nboost    {}\njson     {}\ncompiler {}\n", kVersion,
      kCommit, http::LibraryVersion(), store::LibraryVersion(), BoostVersion(), JsonVersion(),
      __VERSION__);
}

int Version(const std::string& format, Terminal& terminal) {
  if (format == "json") {
    terminal.out << nlohmann::json{{"apiVersion", "fedra.dev/v1alpha1"},
                                   {"kind", "Version"},
                                   {"version", kVersion},
                                   {"commit", kCommit},
                                   {"libraries",
                                    {{"libcurl", http::LibraryVersion()},
                                     {"sqlite", store::LibraryVersion()},
                                     {"boost", BoostVersion()},
                                     {"nlohmann-json", JsonVersion()},
                                     {"compiler", __VERSION__}}}}
                        .dump(2)
                 << "\n";
    return 0;
  }
  terminal.out << VersionText();
  return 0;
}

}  // namespace fedra::cli
