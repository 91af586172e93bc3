#include "cluster-clients/watch/object_cache.h"

#include <map>

#include "tests/support/catch.h"

namespace fedra::watch::object_cache_test {
namespace {

struct Thing {
  std::string color;
};

int parsed = 0;

Result<Thing> ParseThing(const nlohmann::json& object) {
  ++parsed;
  if (!object.contains("color")) return Fail(ErrorCode::kInvalid, "no color");
  return Thing{object["color"].get<std::string>()};
}

std::string Object(const std::string& name, const std::string& version, const std::string& color,
                   const std::string& uid = "u") {
  nlohmann::json object = {
      {"metadata",
       {{"namespace", "ml"}, {"name", name}, {"resourceVersion", version}, {"uid", uid}}}};
  if (!color.empty()) object["color"] = color;
  return object.dump();
}

// A cache that writes down what its listeners hear.
struct Fixture {
  std::vector<std::string> heard;
  ObjectCache<Thing> cache{&ParseThing,
                           [this](const ObjectKey& key, const std::shared_ptr<const Thing>& before,
                                  const std::shared_ptr<const Thing>& after) {
                             heard.push_back(key.name + ":" + (before ? before->color : "-") + ">" +
                                             (after ? after->color : "-"));
                           },
                           nullptr};

  void Sync(const std::vector<std::string>& objects) {
    cache.Reset();
    for (const auto& object : objects) (void)cache.Upsert(object);
    cache.Synced();
  }
  std::map<std::string, std::string> Content() const {
    std::map<std::string, std::string> content;
    for (const char* name : {"a", "b", "c"}) {
      if (const auto thing = cache.Find({"ml", name})) content[name] = thing->color;
    }
    return content;
  }
};

TEST_CASE("a list becomes visible in one step") {
  Fixture f;
  f.cache.Reset();
  REQUIRE(f.cache.Upsert(Object("a", "1", "red")));
  CHECK(f.cache.size() == 0);
  CHECK(f.heard.empty());
  f.cache.Synced();
  CHECK(f.cache.size() == 1);
  CHECK(f.heard == std::vector<std::string>{"a:->red"});
}

TEST_CASE("a relist tells only what is different") {
  Fixture f;
  f.Sync({Object("a", "1", "red"), Object("b", "2", "green"), Object("c", "3", "blue")});
  f.heard.clear();
  parsed = 0;
  const auto a = f.cache.Find({"ml", "a"});
  f.Sync({Object("a", "1", "red"), Object("b", "5", "black")});
  CHECK(f.heard == std::vector<std::string>{"b:green>black", "c:blue>-"});
  CHECK(f.Content() == std::map<std::string, std::string>{{"a", "red"}, {"b", "black"}});
  CHECK(f.cache.Find({"ml", "a"}) == a);
  CHECK(parsed == 1);  // what has not changed is not parsed again
}

TEST_CASE("the same version of another object is another object") {
  Fixture f;
  f.Sync({Object("a", "1", "red", "u1")});
  f.heard.clear();
  f.Sync({Object("a", "1", "blue", "u2")});  // a cluster that was built anew
  CHECK(f.heard == std::vector<std::string>{"a:red>blue"});
}

TEST_CASE("events change single objects, repeated ones change nothing") {
  Fixture f;
  f.Sync({Object("a", "1", "red")});
  f.heard.clear();
  REQUIRE(f.cache.Upsert(Object("a", "2", "blue")));
  REQUIRE(f.cache.Upsert(Object("a", "2", "blue")));
  REQUIRE(f.cache.Upsert(Object("b", "3", "red")));
  REQUIRE(f.cache.Remove(Object("a", "4", "blue")));
  REQUIRE(f.cache.Remove(Object("a", "4", "blue")));
  CHECK(f.heard == std::vector<std::string>{"a:red>blue", "b:->red", "a:blue>-"});
}

TEST_CASE("an object that cannot be read is kept as it was") {
  Fixture f;
  f.Sync({Object("a", "1", "red")});
  f.heard.clear();
  const auto result = f.cache.Upsert(Object("a", "2", ""));
  REQUIRE(!result);
  CHECK_THAT(result.error().message, ContainsSubstring("ml/a") && ContainsSubstring("no color"));
  CHECK(f.Content() == std::map<std::string, std::string>{{"a", "red"}});
  // Also over a relist; the others are not affected.
  f.Sync({Object("a", "2", ""), Object("b", "3", "green"), R"({"metadata":{}})", "garbage"});
  CHECK(f.Content() == std::map<std::string, std::string>{{"a", "red"}, {"b", "green"}});
  CHECK(f.heard == std::vector<std::string>{"b:->green"});
}

TEST_CASE("a list that is broken off leaves everything as it was") {
  Fixture f;
  f.Sync({Object("a", "1", "red")});
  f.heard.clear();
  f.cache.Reset();
  REQUIRE(f.cache.Upsert(Object("b", "2", "green")));
  f.Sync({Object("a", "1", "red"), Object("c", "3", "blue")});
  CHECK(f.heard == std::vector<std::string>{"c:->blue"});
}

TEST_CASE("metadata is read from text and from JSON alike") {
  const std::string text = Object("a", "7", "red", "u7");
  const auto scanned = ScanMeta(text);
  const auto read = ReadMeta(nlohmann::json::parse(text));
  REQUIRE(scanned);
  REQUIRE(read);
  CHECK(scanned->key == ObjectKey{"ml", "a"});
  CHECK(scanned->key == read->key);
  CHECK(scanned->version == read->version);
  CHECK(scanned->uid == read->uid);
  CHECK(!ScanMeta("{}"));
  CHECK(!ReadMeta(nlohmann::json::array()));
}

TEST_CASE("who manages which field is not read") {
  const auto read = [](const char* text) { return ParseJson(text).value(); };
  const auto expected = read(R"({"metadata": {"name": "a\"b", "uid": "u"}, "spec": {"x": [1]}})");
  for (
      const char* text :
      {R"({"metadata": {"name": "a\"b", "managedFields": [{"f:x": "]}"}], "uid": "u"}, "spec": {"x": [1]}})",
       R"({"spec": {"x": [1]}, "metadata": {"uid": "u", "name": "a\"b", "managedFields": []}})"}) {
    INFO(text);
    CHECK(read(text) == expected);
  }
  // Only there: a user's own field of that name stays.
  CHECK(read(R"({"metadata": {}, "spec": {"managedFields": [1]}})")["spec"]["managedFields"][0] ==
        1);
  CHECK_FALSE(ParseJson(R"({"metadata": {"managedFields": [}})"));
}

TEST_CASE("broken JSON is an error, not an exception") {
  for (const char* text : {"", "{", "{\"a\":}", "[1]", "{\"a\":\"\xff\"}"}) {
    INFO(text);
    const auto result = ParseJson(text);
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kBadResponse);
  }
}

}  // namespace
}  // namespace fedra::watch::object_cache_test
