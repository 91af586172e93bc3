#include "manager/cli/man_page.h"

#include <algorithm>

#include "manager/cli/command_pages.h"
#include "tests/support/catch.h"

namespace fedra::cli::man_page_test {
namespace {

CommandPage Program() {
  CommandPage why{
      .name = "fedra why",
      .summary = "Say why",
      .more = ".hidden\nC:\\path\n\nFor example:\n  fedra why a\n  fedra why b\nand so on",
      .options = {{.names = "job",
                   .value = "TEXT",
                   .meaning = "NAMESPACE/NAME",
                   .is_required = true,
                   .is_positional = true},
                  {.names = "-o, --output",
                   .value = "table|json",
                   .meaning = "The form",
                   .default_value = "table"}}};
  CommandPage validate{.name = "fedra config validate", .summary = "Report every problem"};
  CommandPage config{.name = "fedra config", .summary = "Look at it", .commands = {validate}};
  return {.name = "fedra", .summary = "Federates jobs", .commands = {why, config}};
}

std::string TextOf(const std::vector<ManPage>& pages, const std::string& file) {
  const auto page =
      std::find_if(pages.begin(), pages.end(), [&](const auto& one) { return one.file == file; });
  REQUIRE(page != pages.end());
  return page->text;
}

}  // namespace

TEST_CASE("man: text is never taken for a request, an escape or a hyphen") {
  CHECK(RoffText(".TH at the beginning") == "\\&.TH at the beginning");
  CHECK(RoffText("one\n'two\n.three.") == "one\n\\&'two\n\\&.three.");
  CHECK(RoffText("a\\b --option") == "a\\eb \\-\\-option");
}

TEST_CASE("man: a page for each command, with its options and what is below it") {
  const std::vector<ManPage> pages = ManPages(Program(), "1.2.3", "2026-11-23");
  REQUIRE(pages.size() == 3);
  const std::string why = TextOf(pages, "fedra-why.1");
  CHECK(why.starts_with(".TH FEDRA\\-WHY 1 2026-11-23 \"fedra 1.2.3\" \"Commands of fedra\"\n"));
  CHECK(why.find("\\fBfedra why\\fR [\\fIOPTIONS\\fR] \\fIjob\\fR\n") != std::string::npos);
  CHECK(
      why.find(".PP\n\\&.hidden\nC:\\epath\n.PP\nFor example:\n.EX\n  fedra why a\n  fedra why b\n"
               ".EE\nand so on\n.SH OPTIONS\n") != std::string::npos);
  CHECK(
      why.find(".TP\n\\fB\\-o, \\-\\-output\\fR \\fItable|json\\fR\nThe form; default table.\n") !=
      std::string::npos);
  CHECK(TextOf(pages, "fedra-config.1").find(".SS fedra config validate\n") != std::string::npos);
  CHECK(TextOf(pages, "fedra.1").find(".BR fedra\\-why (1)\nSay why.\n") != std::string::npos);
}

TEST_CASE("man: every command of the program has a summary, and every option a meaning") {
  const CommandPage program = CommandPages();
  CHECK(program.commands.size() > 10);
  for (const CommandPage& command : program.commands) {
    INFO(command.name);
    CHECK(!command.summary.empty());
    for (const OptionPage& option : command.options) {
      INFO(option.names);
      CHECK(!option.meaning.empty());
    }
  }
}

}  // namespace fedra::cli::man_page_test
