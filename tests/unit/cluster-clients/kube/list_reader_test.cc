#include "cluster-clients/kube/list_reader.h"

#include <vector>

#include "tests/support/catch.h"

namespace fedra::kube::list_reader_test {
namespace {

struct Read {
  std::vector<std::string> items;
  Result<ListMeta> meta;
};

// Feeds the text in pieces of `size` bytes.
Read ReadIn(const std::string& text, size_t size, size_t max_item = 1 << 20) {
  std::vector<std::string> items;
  ListReader reader([&](std::string_view item) { items.emplace_back(item); }, max_item);
  for (size_t pos = 0; pos < text.size(); pos += size) {
    if (!reader.Feed(std::string_view(text).substr(pos, size))) break;
  }
  return {items, reader.Finish()};
}

const std::string kList =
    R"({"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"42","continue":"tok\u003d",)"
    R"("remainingItemCount":7},"items":[{"metadata":{"name":"a\"]}{"}}, {"x":[1,{"y":"\\"}]} ,{}]})"
    "\n";

TEST_CASE("a list is read the same wherever it is cut") {
  for (size_t size = 1; size <= kList.size(); ++size) {
    INFO("pieces of " << size);
    const Read read = ReadIn(kList, size);
    REQUIRE(read.meta);
    CHECK(read.meta->version.value == "42");
    CHECK(read.meta->continue_token == "tok=");
    CHECK(read.items == std::vector<std::string>{R"({"metadata":{"name":"a\"]}{"}})",
                                                 R"({"x":[1,{"y":"\\"}]})", "{}"});
  }
}

TEST_CASE("metadata may come last, items may be null or empty") {
  const Read last = ReadIn(R"({"items":[{"a":1}],"metadata":{"resourceVersion":"9"}})", 3);
  REQUIRE(last.meta);
  CHECK(last.meta->version.value == "9");
  CHECK(last.meta->continue_token.empty());
  CHECK(last.items.size() == 1);
  for (const char* text :
       {R"({"metadata":{"resourceVersion":"1"},"items":null})",
        R"({"items":[],"metadata":{"resourceVersion":"1"}})", R"({"items": [ ] })"}) {
    INFO(text);
    const Read none = ReadIn(text, 2);
    CHECK(none.meta);
    CHECK(none.items.empty());
  }
}

TEST_CASE("what is not a whole list is refused, wherever it is cut") {
  for (const char* text :
       {"", "   ", "<html><body>login</body></html>", "[]", "null", R"({"kind":"Status"})",
        R"({"items":[1,2]})", R"({"items":{}})", R"({"items":[{}})", R"({"items":[{} {}]})",
        R"({"items":[{},]})", R"({"items":[]} trailing)", R"({"a":1,})", R"({"a" 1})", R"({,})"}) {
    INFO(text);
    for (const size_t size : {1u, 2u, 1000u}) {
      const Read read = ReadIn(text, size);
      REQUIRE(!read.meta);
      CHECK(read.meta.error().code == ErrorCode::kBadResponse);
    }
  }
  for (size_t end = 0; end < kList.size() - 2; ++end) {
    const Read read = ReadIn(kList.substr(0, end), 7);
    REQUIRE(!read.meta);
  }
}

TEST_CASE("elements and metadata are bounded, what is skipped is not kept") {
  const std::string big = R"({"x":")" + std::string(2000, 'x') + R"("})";
  for (const size_t size : {100u, 5000u}) {
    INFO("pieces of " << size);
    const Read read = ReadIn(R"({"items":[)" + big + "]}", size, 1000);
    REQUIRE(!read.meta);
    CHECK(read.meta.error().code == ErrorCode::kTooLarge);
  }
  CHECK(ReadIn(R"({"ignored":)" + big + R"(,"items":[]})", 100, 1000).meta);
}

TEST_CASE("a key is bounded, wherever the list is cut") {
  const std::string list = R"({")" + std::string(300, 'k') + R"(":1,"items":[{}]})";
  for (const size_t size : {list.size(), size_t{7}}) {
    INFO("pieces of " << size);
    CHECK_FALSE(ReadIn(list, size).meta);
    CHECK(ReadIn(list, size).items.empty());
  }
}

TEST_CASE("the nesting of a list is bounded") {
  const std::string deep = R"({"items":[{"a":)" + std::string(100'000, '[');
  const Read read = ReadIn(deep, 4096);
  REQUIRE(!read.meta);
  CHECK(read.meta.error().code == ErrorCode::kBadResponse);
}

}  // namespace
}  // namespace fedra::kube::list_reader_test
