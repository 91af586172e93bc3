// What a feed passes on, in particular after a disconnection.

#include "manager/verify/object_feed.h"

#include <map>

#include <fmt/format.h>

#include "tests/support/catch.h"

namespace fedra::object_feed_test {

using nlohmann::json;

namespace {

using Feed = verify::ObjectFeed<std::string>;
using Applied = std::vector<std::string>;

std::string Object(const std::string& name, int version, const std::string& uid = "u") {
  return fmt::format(
      R"({{"metadata": {{"name": "{}", "uid": "{}", "resourceVersion": "{}"}}, "value": "{}"}})",
      name, uid, version, version);
}

struct Fixture {
  Applied applied;
  int batches = 0;
  Feed feed{[](const json& object) -> Result<std::string> {
              if (object["value"] == "666") return Fail(ErrorCode::kBadResponse, "unreadable");
              return object["value"].get<std::string>();
            },
            [this](const std::vector<Feed::Change>& changes) {
              ++batches;
              for (const Feed::Change& change : changes)
                applied.push_back(change.key.name + "=" + change.value.value_or("gone"));
              std::sort(applied.begin(), applied.end());
            },
            [] {}};

  Applied List(const std::vector<std::string>& objects) {
    applied.clear();
    feed.Reset();
    for (const std::string& object : objects) (void)feed.Upsert(object);
    CHECK(applied.empty());  // nothing before the list is complete
    feed.Synced();
    return applied;
  }
};

}  // namespace

TEST_CASE("a relist removes what vanished meanwhile and passes on only what changed, in one step") {
  Fixture f;
  CHECK(f.List({Object("a", 1), Object("b", 2), Object("c", 3)}) == Applied{"a=1", "b=2", "c=3"});
  CHECK(f.batches == 1);
  CHECK(f.List({Object("a", 1), Object("c", 4), Object("d", 5)}) ==
        Applied{"b=gone", "c=4", "d=5"});
  CHECK(f.batches == 2);
  CHECK(f.List({Object("a", 1), Object("c", 4), Object("d", 5)}).empty());
  CHECK(f.batches == 2);
  CHECK(f.List({}) == Applied{"a=gone", "c=gone", "d=gone"});
}

TEST_CASE("an object that was deleted and made again is another object") {
  Fixture f;
  f.List({Object("a", 1)});
  CHECK(f.List({Object("a", 1, "v")}) == Applied{"a=1"});
}

TEST_CASE("an object that cannot be read any more stays, one that never could be is left out") {
  Fixture f;
  f.List({Object("a", 1)});
  CHECK(f.List({Object("a", 666), Object("b", 666)}).empty());
  CHECK(f.List({}) == Applied{"a=gone"});
}

TEST_CASE("a list that is broken off removes nothing") {
  Fixture f;
  f.List({Object("a", 1), Object("b", 2)});
  f.feed.Reset();
  REQUIRE(f.feed.Upsert(Object("a", 3)));
  CHECK(f.List({Object("a", 1), Object("b", 2)}).empty());
}

TEST_CASE("two readers of one watch share one parse") {
  using Address = const json*;
  Address first = nullptr;
  Address second = nullptr;
  verify::ObjectFeed<Address> feed([](const json& object) -> Result<Address> { return &object; },
                                   [&](auto changes) { first = *changes.at(0).value; }, [] {});
  watch::ObjectCache<Address> cache(
      [](const json& object) -> Result<Address> { return &object; },
      [&](const auto&, const auto&, const auto& after) { second = *after; }, {});
  verify::TeeSink tee(feed, cache);
  tee.Reset();
  tee.Synced();
  REQUIRE(tee.Upsert(Object("a", 1)));
  REQUIRE(first != nullptr);
  CHECK(first == second);
}

TEST_CASE("what one of two readers cannot read reaches the other all the same") {
  Fixture f;
  int seen = 0;
  watch::ObjectCache<int> cache([](const json&) -> Result<int> { return 1; },
                                [&](const auto&, const auto&, const auto&) { ++seen; }, {});
  verify::TeeSink tee(f.feed, cache);
  tee.Reset();
  tee.Synced();
  CHECK_FALSE(tee.Upsert(Object("a", 666)));
  CHECK(seen == 1);
  CHECK_FALSE(tee.Upsert("{"));
}

}  // namespace fedra::object_feed_test
