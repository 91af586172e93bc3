#include <ostream>

#include <fmt/format.h>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "cluster-clients/http/library.h"
#include "manager/cli/commands.h"
#include "manager/version.h"
#include "store/library.h"

namespace fedra::cli {

int Version(const std::string& format, Terminal& terminal) {
  const std::string boost = fmt::format("{}.{}.{}", BOOST_VERSION / 100000,
                                        BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
  const std::string json = fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                       NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
  if (format == "json") {
    terminal.out << nlohmann::json{{"apiVersion", "fedra.dev/v1alpha1"},
                                   {"kind", "Version"},
                                   {"version", kVersion},
                                   {"commit", kCommit},
                                   {"libraries",
                                    {{"libcurl", http::LibraryVersion()},
                                     {"sqlite", store::LibraryVersion()},
                                     {"boost", boost},
                                     {"nlohmann-json", json},
                                     {"compiler", __VERSION__}}}}
                        .dump(2)
                 << "\n";
    return 0;
  }
  terminal.out << fmt::format(
      "fedra {} ({})\nlibcurl  {}\nsqlite   {}\nboost    {}\njson     {}\ncompiler {}\n", kVersion,
      kCommit, http::LibraryVersion(), store::LibraryVersion(), boost, json, __VERSION__);
  return 0;
}

}  // namespace fedra::cli
