#include "manager/text/output.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "manager/report/document.h"
#include "manager/text/display_text.h"
#include "manager/text/yaml_text.h"
#include "tests/support/catch.h"

namespace fedra::text::output_test {
namespace {

using nlohmann::ordered_json;

TEST_CASE("text from outside cannot do anything to a terminal") {
  CHECK(Printable("plain · text, größe") == "plain · text, größe");
  CHECK(Printable("two\nlines\tand\x1b[31m red\x07\x7f") == "two lines and [31m red  ");
  CHECK(Printable("c1 \xc2\x9b"
                  "31m") == "c1  31m");
  CHECK(Printable("right-to-left \xe2\x80\xae"
                  "override") == "right-to-left override");
  CHECK(Printable(std::string("nul\0byte", 8)) == "nul byte");
}

TEST_CASE("bytes that are no UTF-8 are shown as such, one by one") {
  CHECK(Printable("\xff\xfe") == "??");
  CHECK(Printable("cut \xe2\x82") == "cut ??");
  CHECK(Printable("\xc0\xaf overlong") == "?? overlong");
  CHECK(Printable("\xed\xa0\x80 surrogate") == "??? surrogate");
  CHECK(Printable("\xf4\x90\x80\x80") == "????");
}

TEST_CASE("a terminal without UTF-8 gets ASCII") {
  CHECK(Printable("queue gpu · größe", false) == "queue gpu - gr??e");
}

TEST_CASE("width is what a terminal shows") {
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("größe") == 5);
  CHECK(DisplayWidth("e\xcc\x81") == 1);
  CHECK(DisplayWidth("日本") == 4);
  CHECK(DisplayWidth("🚀") == 2);
  CHECK(DisplayWidth("") == 0);
}

TEST_CASE("shortened text fits") {
  CHECK(Shortened("abcdef", 6) == "abcdef");
  CHECK(Shortened("abcdefg", 6) == "abc...");
  CHECK(Shortened("größe und mehr", 7) == "größ...");
  CHECK(Shortened("日本日本", 7) == "日本...");
  CHECK(Shortened("日本日本", 6) == "日...");
}

TEST_CASE("text is wrapped at spaces, and anywhere when there are none") {
  using Lines = std::vector<std::string>;
  CHECK(Wrapped("", 5) == Lines{""});
  CHECK(Wrapped("one two", 7) == Lines{"one two"});
  CHECK(Wrapped("one two", 6) == Lines{"one", "two"});
  CHECK(Wrapped("one  two three", 5) == Lines{"one", "two", "three"});
  CHECK(Wrapped("abcdefgh", 3) == Lines{"abc", "def", "gh"});
  CHECK(Wrapped("日本日本", 5) == Lines{"日本", "日本"});
  CHECK(Wrapped("日本", 1) == Lines{"日", "本"});
}

TEST_CASE("a last column goes on below itself") {
  Table table({"NAME", "NOTE"}, Overflow::kWrap);
  table.Add({"a", "1234567890 1234567890 1234567890 1234567890"});
  table.Add({"bb", ""});
  Style style;
  CHECK(table.Render(style) ==
        "NAME  NOTE\na     1234567890 1234567890 1234567890 1234567890\nbb\n");
  style.width = 40;
  CHECK(table.Render(style) ==
        "NAME  NOTE\na     1234567890 1234567890 1234567890\n      1234567890\nbb\n");
}

Table Sample() {
  Table table({"NAME", "STATE", "NOTE"});
  table.Add({"gpu-east", Cell("Connected", Tone::kGood), ""});
  table.Add({"größe", Cell("Lost", Tone::kBad), "日本\nx"});
  return table;
}

TEST_CASE("tables align by width and leave nothing behind a line") {
  CHECK(Sample().Render({}) ==
        "NAME      STATE      NOTE\n"
        "gpu-east  Connected\n"
        "größe     Lost       日本 x\n");
  CHECK(Sample().Width({}) == 27);
}

TEST_CASE("without headers a table is as narrow as its cells") {
  CHECK(Sample().Render({.headers = false}) ==
        "gpu-east  Connected\n"
        "größe     Lost       日本 x\n");
  Table narrow({"A LONG TITLE", "B"});
  narrow.Add({"a", "b"});
  CHECK(narrow.Render({.headers = false}) == "a  b\n");
}

TEST_CASE("colours change no alignment") {
  CHECK(Sample().Render({.color = true}) ==
        "NAME      STATE      NOTE\n"
        "gpu-east  \x1b[32mConnected\x1b[0m\n"
        "größe     \x1b[31mLost\x1b[0m       日本 x\n");
  CHECK(Sample().Width({.color = true}) == 27);
}

TEST_CASE("an empty cell in the middle keeps its column") {
  Table table({"A", "B", "C"});
  table.Add({"a", "", "c"});
  CHECK(table.Render({}) == "A  B  C\na     c\n");
}

TEST_CASE("formats") {
  CHECK(ParseFormat("wide").value() == Format::kWide);
  CHECK(ParseFormat("name").value() == Format::kName);
  const auto wrong = ParseFormat("xml");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == "\"xml\" is not one of table, wide, json, yaml, name");
}

TEST_CASE("documents are versioned, and bytes that are no UTF-8 do not break them") {
  ordered_json document = report::Document("Thing");
  document["text"] = "a\xff";
  CHECK(ToText(document, Format::kJson) ==
        "{\n"
        "  \"apiVersion\": \"fedra.dev/v1alpha1\",\n"
        "  \"kind\": \"Thing\",\n"
        "  \"text\": \"a\xef\xbf\xbd\"\n"
        "}\n");
  CHECK(ToText(document, Format::kYaml) ==
        "apiVersion: fedra.dev/v1alpha1\n"
        "kind: Thing\n"
        "text: \"a\xef\xbf\xbd\"\n");
}

TEST_CASE("yaml as kubectl writes it") {
  const ordered_json document = ordered_json::parse(R"({
    "kind": "X", "count": 3, "ratio": 1.5, "on": true, "nothing": null, "emptyList": [], "emptyMap": {}, "text": "",
    "list": ["a", 1, {"k": "v", "deep": [1, [2, 3]]}, [], ["x"]],
    "map": {"inner": {"leaf": "l"}}})");
  CHECK(ToYaml(document) == R"(kind: X
count: 3
ratio: 1.5
"on": true
nothing: null
emptyList: []
emptyMap: {}
text: ""
list:
- a
- 1
- k: v
  deep:
  - 1
  - - 2
    - 3
- []
- - x
map:
  inner:
    leaf: l
)");
}

TEST_CASE("yaml strings that could be read as something else are quoted") {
  for (const char* const text :
       {"true", "No",   "y",    "NULL", "123",  "1e3", "2026-11-21", "2026-11-21T16:11:19Z",
        "- a",  "a: b", "a #b", "end:", " a",   "a ",  "*x",         "&x",
        "{}",   "a\nb", "~",    "",     "0x1f", "a'b", "a\"b",       "größe",
        "@x",   "%x",   "|",    ">"}) {
    INFO(text);
    CHECK(ToYaml(ordered_json(text)).front() == '"');
  }
  for (const char* const text :
       {"gpu-east", "ml/train-7b", "no worker eligible; sent to a, b", "v1.36.3", "a:b", "x=y"}) {
    INFO(text);
    CHECK(ToYaml(ordered_json(text)) == std::string(text) + "\n");
  }
}

TEST_CASE("the caret below an expression keeps its place, wrapped or not") {
  const std::string text =
      "selector #0 does not compile: ERROR: <input>:1:46: found no matching overload\n"
      " | device.capacity[\"gpu.example.com\"].memory >= \"40Gi\"\n"
      " | ..........................................^\nwrite compareTo";
  const auto lines = Lines(text, 0, true);
  REQUIRE(lines.size() == 4);
  CHECK(lines[1].find(">=") == lines[2].find('^'));
  const auto narrow = Lines(text, 40, true);
  const auto art = std::find_if(narrow.begin(), narrow.end(),
                                [](const auto& line) { return line.starts_with(" | "); });
  REQUIRE(narrow.end() - art >= 2);
  CHECK(art->size() <= 40);
  CHECK(art->find(">=") == (art + 1)->find('^'));
  CHECK(narrow.back() == "write compareTo");
  Table table({"A", "B"}, Overflow::kWrap);
  table.Add({"x", "one\n | a\n | ^"});
  CHECK(table.Render(Style{}) == "A  B\nx  one\n    | a\n    | ^\n");
}

}  // namespace
TEST_CASE("colours are read back, and nothing else is taken for one") {
  const Style style{.color = true};
  std::string line = "plain ";
  for (const Tone tone : {Tone::kGood, Tone::kWarning, Tone::kBad, Tone::kFaint})
    line += Toned("x", tone, style);
  CHECK(Untoned(line) == std::vector<Cell>{Cell("plain "), Cell("x", Tone::kGood),
                                           Cell("x", Tone::kWarning), Cell("x", Tone::kBad),
                                           Cell("x", Tone::kFaint)});
  CHECK(Untoned("").empty());
  CHECK(Untoned("\x1b[2Ja") == std::vector<Cell>{Cell("\x1b[2Ja")});
  CHECK(Untoned("\x1b[31ma") == std::vector<Cell>{Cell("a", Tone::kBad)});
}

}  // namespace fedra::text::output_test
