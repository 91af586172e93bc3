#include "cluster-clients/watch/watch_event.h"

#include <vector>

#include "tests/support/catch.h"

namespace fedra::watch::watch_event_test {
namespace {

TEST_CASE("lines are the same wherever the stream is cut") {
  const std::string text = "{\"a\":1}\n\n  \r\n{\"b\":\"x\\n\"}\nrest\n";
  for (size_t size = 1; size <= text.size(); ++size) {
    LineSplitter splitter(100);
    std::vector<std::string> lines;
    for (size_t pos = 0; pos < text.size(); pos += size) {
      REQUIRE(splitter.Feed(std::string_view(text).substr(pos, size), [&](std::string_view line) {
        lines.emplace_back(line);
        return true;
      }));
    }
    CHECK(lines == std::vector<std::string>{"{\"a\":1}", "{\"b\":\"x\\n\"}", "rest"});
  }
}

TEST_CASE("a line without an end is bounded") {
  LineSplitter splitter(10);
  const auto ignore = [](std::string_view) { return true; };
  REQUIRE(splitter.Feed("0123456789", ignore));
  const auto result = splitter.Feed("x", ignore);
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::kTooLarge);
}

TEST_CASE("the reader may stop in the middle of a chunk") {
  LineSplitter splitter;
  int lines = 0;
  REQUIRE(splitter.Feed("a\nb\nc\n", [&](std::string_view) { return ++lines < 2; }));
  CHECK(lines == 2);
}

TEST_CASE("events") {
  struct Row {
    const char* line;
    EventType type;
    const char* version;
  };
  const Row rows[] = {
      {R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"5"}}})",
       EventType::kAdded, "5"},
      {R"({"object":{"metadata":{"resourceVersion":"6"}},"type":"MODIFIED"})", EventType::kModified,
       "6"},
      {R"({"type":"DELETED","object":{"metadata":{}}})", EventType::kDeleted, ""},
      {R"({"type":"BOOKMARK","object":{"kind":"Job","metadata":{"resourceVersion":"7"}}})",
       EventType::kBookmark, "7"},
      {R"({"type":"ERROR","object":{"kind":"Status","code":410}})", EventType::kError, ""},
  };
  for (const Row& row : rows) {
    INFO(row.line);
    const auto event = ReadWatchEvent(row.line);
    REQUIRE(event);
    CHECK(event->type == row.type);
    CHECK(event->version.value == row.version);
    CHECK(event->object.front() == '{');
  }
}

TEST_CASE("garbage is no event") {
  for (const char* line :
       {"x", "{}", R"({"type":"ADDED"})", R"({"type":"NEW","object":{}})",
        R"({"type":"ADDED","object":7})", R"({"type":"ADDED","object":{})", "<html></html>"}) {
    INFO(line);
    const auto event = ReadWatchEvent(line);
    REQUIRE(!event);
    CHECK(event.error().code == ErrorCode::kBadResponse);
  }
}

}  // namespace
}  // namespace fedra::watch::watch_event_test
