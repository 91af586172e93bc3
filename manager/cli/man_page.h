#pragma once
//
// Manual pages in man(7) roff, made from the commands' definitions, so that they cannot fall
// behind. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "manager/cli/command_pages.h"

namespace fedra::cli {

// One file: "fedra-status.1".
struct ManPage {
  std::string file;
  std::string text;
};

// fedra(1), and fedra-COMMAND(1) for each command. `date` is "2026-11-23".
std::vector<ManPage> ManPages(const CommandPage& program, std::string_view version,
                              std::string_view date);

// fedra.yaml(5): where the file is, and a file with every key (config::PrintDefaults()).
ManPage ConfigurationManPage(std::string_view defaults, std::string_view version,
                             std::string_view date);

// Text for roff: no line of it is taken for a request, no character for another.
std::string RoffText(std::string_view text);

}  // namespace fedra::cli
