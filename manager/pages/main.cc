// fedra-pages FOLDER DATE: writes the manual pages of the program into a folder. Used by the build.

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/write_file.h"
#include "config/print.h"
#include "manager/cli/command_pages.h"
#include "manager/cli/man_page.h"
#include "manager/version.h"

int main(int argc, char** argv) {
  using namespace fedra;
  if (argc != 3) {
    fmt::print(stderr, "usage: fedra-pages FOLDER DATE\n");
    return 1;
  }
  const std::string folder = argv[1];
  std::vector<cli::ManPage> pages = cli::ManPages(cli::CommandPages(), kVersion, argv[2]);
  pages.push_back(cli::ConfigurationManPage(config::PrintDefaults(), kVersion, argv[2]));
  for (const cli::ManPage& page : pages) {
    if (const auto written = WriteFile(folder + "/" + page.file, page.text); !written) {
      fmt::print(stderr, "fedra-pages: {}\n", written.error().message);
      return 1;
    }
  }
  return 0;
}
