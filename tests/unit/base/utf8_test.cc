// Characters, where text may be cut, and how wide it is.

#include "base/utf8.h"

#include <string>

#include "base/text.h"
#include "tests/support/catch.h"

namespace fedra::utf8_test {
namespace {

TEST_CASE("what is UTF-8") {
  struct Row {
    std::string text;
    bool valid;
  };
  const auto row = GENERATE(values<Row>({
      {"", true},
      {std::string("a\0b", 3), true},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x9a\x80", true},  // 2, 3 and 4 bytes
      {"\xf4\x8f\xbf\xbf", true},                      // U+10FFFF
      {"\xf4\x90\x80\x80", false},                     // one more
      {"\xed\x9f\xbf", true},                          // just below the surrogates
      {"\xed\xa0\x80", false},                         // a surrogate
      {"\xc0\x80", false},                             // overlong
      {"\xe0\x9f\xbf", false},
      {"\xf0\x8f\xbf\xbf", false},
      {"\x80", false},   // continues nothing
      {"a\xc3", false},  // ends too early
      {"\xc3(", false},
      {"\xff", false},
  }));
  INFO(row.text);
  CHECK(IsUtf8(row.text) == row.valid);
}

TEST_CASE("the first character, or one bad byte") {
  const Utf8Character euro = FirstCharacter("\xe2\x82\xac!");
  CHECK(euro.valid);
  CHECK(euro.code == 0x20AC);
  CHECK(euro.size == 3);
  const Utf8Character bad = FirstCharacter("\xe2\x82!");
  CHECK_FALSE(bad.valid);
  CHECK(bad.size == 1);
}

TEST_CASE("a cut parts no character") {
  const std::string text =
      "a\xc3\xa4"
      "b";
  CHECK(CharacterBoundary(text, 0) == 0);
  CHECK(CharacterBoundary(text, 1) == 1);
  CHECK(CharacterBoundary(text, 2) == 1);
  CHECK(CharacterBoundary(text, 3) == 3);
  CHECK(CharacterBoundary(text, 100) == 4);
  CHECK(Cut("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 6) == "\xc3\xa4...");
}

TEST_CASE("columns on a terminal") {
  CHECK(Columns('a') == 1);
  CHECK(Columns(U'\u00b7') == 1);
  CHECK(Columns(U'\u0301') == 0);      // combining
  CHECK(Columns(U'\u4e2d') == 2);      // CJK
  CHECK(Columns(U'\U0001F680') == 2);  // a rocket
}

TEST_CASE("counts have their plural") {
  CHECK(Counted(1, "pod") == "1 pod");
  CHECK(Counted(0, "pod") == "0 pods");
  CHECK(Counted(size_t{12}, "more reason") == "12 more reasons");
}

}  // namespace
}  // namespace fedra::utf8_test
