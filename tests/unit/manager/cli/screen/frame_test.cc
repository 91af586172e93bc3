#include "manager/cli/screen/frame.h"

#include <algorithm>

#include "tests/support/catch.h"

namespace fedra::cli::screen::frame_test {
namespace {

using text::Tone;

bool HasControls(const std::string& text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace

TEST_CASE("a line is cut to the width of the screen, in columns") {
  struct Row {
    std::string text;
    size_t width;
    std::string fitted;
  };
  const Row rows[] = {
      {"abcdef", 6, "abcdef"},
      {"abcdefg", 6, "abc..."},
      {"abcdefg", 3, "..."},
      {"abcdefg", 1, "."},
      {"abcdefg", 0, ""},
      {"", 5, ""},
      {"\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 6, "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97"},
      {"\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 5, "\xe4\xb8\xad..."},
      {"e\xcc\x81", 1, "e\xcc\x81"}};
  for (const Row& row : rows) {
    CAPTURE(row.text, row.width);
    CHECK(TextOf(Fitted(LineOf(row.text), row.width, true)) == row.fitted);
  }
  const Line cells{{{"abc", Tone::kBad}, {"defg"}}};
  CHECK(Fitted(cells, 6, true).cells ==
        std::vector<text::Cell>{text::Cell("abc", Tone::kBad), text::Cell("...")});
}

TEST_CASE("no text drives the terminal, whoever wrote it") {
  for (const std::string hostile : {"\033[2Jgone", "\033]0;title\a", "a\rb\nc\td",
                                    "\x9b"
                                    "31m",
                                    "\xe2\x80\xae"
                                    "evil",
                                    "\x7f\b"}) {
    const Line line = Fitted(LineOf(hostile), 40, true);
    CAPTURE(hostile);
    CHECK(!HasControls(TextOf(line)));
    // What is written has our own sequences only, which end in these.
    const std::string written = Changes({}, {line}, 40, true);
    for (size_t at = written.find('\033'); at != written.npos; at = written.find('\033', at + 1)) {
      const size_t end = written.find_first_not_of("[?;0123456789", at + 1);
      CHECK(std::string("HmKhl").find(written[end]) != std::string::npos);
    }
  }
  CHECK(TextOf(Fitted(LineOf("\xc3\xbc"), 10, false)) == "?");
}

TEST_CASE("only lines that differ are written") {
  const Frame before = {LineOf("a"), LineOf("b"), LineOf("c")};
  CHECK(Changes(before, before, 10, true).empty());
  Frame after = before;
  after[1] = LineOf("B", Tone::kBad);
  CHECK(Changes(before, after, 10, true) ==
        "\033[?2026h\033[2;1H\033[31mB\033[0m\033[0m\033[K\033[?2026l");
  CHECK(Changes(before, after, 10, false) == "\033[?2026h\033[2;1HB\033[0m\033[K\033[?2026l");
  CHECK(Changes({}, before, 10, true).find("\033[3;1Hc") != std::string::npos);
}

TEST_CASE("a bar is as wide as the screen, and nothing is erased behind the last column") {
  const Line bar = LineOf("ab", Tone::kBad, Weight::kInverse);
  CHECK(Changes({}, {bar}, 4, true) ==
        "\033[?2026h\033[1;1H\033[7m\033[31mab\033[0m\033[7m  \033[0m\033[?2026l");
  CHECK(Changes({}, {LineOf("abcd")}, 4, true) == "\033[?2026h\033[1;1Habcd\033[0m\033[?2026l");
}

}  // namespace fedra::cli::screen::frame_test
