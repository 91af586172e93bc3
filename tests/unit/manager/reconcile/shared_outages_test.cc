// Outages for the replica that takes over: what the ConfigMap says, and when it is asked for and
// written.

#include "manager/reconcile/shared_outages.h"

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/time.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::shared_outages_test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const ClusterName kEast("east"), kWest("west");
const ObjectKey kMap{"ml", "fedra-outages"};

WallTime At(const std::string& time) { return ParseRfc3339("2026-11-27T" + time + "Z").value(); }

// Gets, creations and patches of ConfigMaps.
struct Requests {
  size_t read = 0;
  size_t created = 0;
  size_t patched = 0;
  bool operator==(const Requests&) const = default;
};

// What is logged meanwhile.
std::string StderrOf(const std::function<void()>& work) {
  FILE* const file = ::tmpfile();
  REQUIRE(file != nullptr);
  const bool was_on = log::Enabled(log::Level::kWarn);
  log::SetLevel(log::Level::kWarn);
  std::fflush(stderr);
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  work();
  std::fflush(stderr);
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  log::SetLevel(was_on ? log::Level::kInfo : log::Level::kError);
  std::string text(65'536, '\0');
  REQUIRE(std::fseek(file, 0, SEEK_SET) == 0);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

size_t Occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

struct Fixture {
  Connected fleet{{.workers = {}}};
  SharedOutages outages{fleet.manager().cluster(), kMap};

  Fixture() { fleet.Start(); }
  sim::Server& server() { return fleet.manager_server(); }
  void Leave(const json& data) {
    const json map = {{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"namespace", kMap.ns}, {"name", kMap.name}}},
                      {"data", data}};
    REQUIRE(server().objects().Create(map));
  }
  json Data() {
    const auto map = server().objects().Get("configmaps", kMap);
    return map ? map->value("data", json::object()) : json();
  }
  void Answer(const std::string& method, int code) {
    sim::Faults faults;
    faults.answers.push_back({.method = method, .path_contains = "/configmaps", .code = code});
    server().SetFaults(faults);
  }
  Requests Sent() {
    const auto counts = server().RequestCounts();
    const auto of = [&](const std::string& verb) {
      const auto found = counts.find(verb + " configmaps");
      return found == counts.end() ? 0 : found->second;
    };
    return {of("get"), of("create"), of("patch")};
  }
};

}  // namespace

TEST_CASE("what anybody may have written into the ConfigMap is read within bounds") {
  const std::string noon = "2026-11-27T12:00:00Z";
  CHECK(ParseOutageMap(nullptr).outages.empty());
  CHECK(ParseOutageMap({{"data", "text"}}).outages.empty());
  CHECK(ParseOutageMap({{"data", {{"east", noon}, {"west", "soon"}, {"a/b", noon}, {"x", 7}}}})
            .outages == Outages{{kEast, At("12:00:00")}});
  json many = json::object();
  for (size_t i = 0; i < 2 * kMaxOutages; ++i) many["worker-" + std::to_string(i)] = noon;
  CHECK(ParseOutageMap({{"data", many}}).outages.size() == kMaxOutages);
  const OutageMap map = ParseOutageMap({{"metadata", {{"resourceVersion", "7"}}}});
  CHECK(map.version == ResourceVersion("7"));
}

TEST_CASE("a patch names what is over, leaves alone what others wrote, and is bound to a version") {
  const OutageMap before{ResourceVersion("7"), {{kEast, At("12:00:00")}, {kWest, At("12:30:00")}}};
  CHECK(json::parse(OutageMapPatch(before, {{kWest, At("13:00:00")}})) ==
        json{{"metadata", {{"resourceVersion", "7"}}},
             {"data", {{"east", nullptr}, {"west", "2026-11-27T13:00:00Z"}}}});
}

TEST_CASE("a fleet without outages costs one request for each leader") {
  Fixture f;
  CHECK_FALSE(f.outages.Left());
  REQUIRE(f.outages.Run());
  REQUIRE(f.outages.Left());
  CHECK(f.outages.Left()->empty());
  CHECK(f.outages.Set({}));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(f.outages.Run());
    CHECK_FALSE(f.outages.Set({}));
  }
  CHECK(f.Sent() == Requests{1, 0, 0});
}

TEST_CASE("more than a ConfigMap holds is not written") {
  Fixture f;
  const auto count = [&](size_t outages, size_t length) {
    Outages many;
    for (size_t i = 0; i < outages; ++i) {
      const std::string name = std::to_string(i);
      many.emplace(ClusterName(name + std::string(length - name.size(), 'w')), At("12:00:00"));
    }
    f.outages.Set(std::move(many));
    REQUIRE(f.outages.Run());
    return f.Data().size();
  };
  CHECK(count(kMaxOutages + 1, 40) == kMaxOutages);
  const size_t of_long_names = count(kMaxOutages, 253);
  CHECK(of_long_names > 1'000);
  CHECK(of_long_names < kMaxOutageBytes / (2 * 253));
}

TEST_CASE("that it cannot be read is said once, and again when it could be read meanwhile") {
  Fixture f;
  f.Leave({{"east", "2026-11-27T12:00:00Z"}});
  f.outages.Set({});
  const std::string said = StderrOf([&] {
    f.Answer("GET", 403);
    for (int i = 0; i < 3; ++i) REQUIRE(f.outages.Run());
    f.Answer("PATCH", 409);
    CHECK_FALSE(f.outages.Run());  // it is read, and to be read once more
    f.Answer("GET", 403);
    for (int i = 0; i < 3; ++i) REQUIRE(f.outages.Run());
  });
  CHECK(Occurrences(said, "outages of workers are not shared") == 2);
}

TEST_CASE("that it cannot be written is said once, however often it is read meanwhile") {
  Fixture f;
  f.outages.Set({{kEast, At("12:00:00")}});
  f.Answer("POST", 403);
  const std::string said = StderrOf([&] {
    for (int i = 0; i < 3; ++i) REQUIRE(f.outages.Run());
  });
  CHECK(Occurrences(said, "outages of workers are not shared") == 1);
}

TEST_CASE("an outage is written when it begins and when it ends") {
  Fixture f;
  CHECK(f.outages.Set({{kEast, At("12:00:00.250")}}));
  REQUIRE(f.outages.Run());
  CHECK(f.Data() == json{{"east", "2026-11-27T12:00:00Z"}});
  CHECK_FALSE(f.outages.Set({{kEast, At("12:00:00.750")}}));
  REQUIRE(f.outages.Run());
  CHECK(f.Sent() == Requests{1, 1, 0});
  CHECK(f.outages.Set({}));
  REQUIRE(f.outages.Run());
  CHECK(f.Data().empty());
  CHECK(f.Sent() == Requests{1, 1, 1});
}

TEST_CASE("what the leader before has left is known, and gives way to what is so now") {
  Fixture f;
  f.Leave({{"east", "2026-11-27T12:00:00Z"}, {"note", "of somebody"}});
  REQUIRE(f.outages.Run());
  CHECK(f.outages.Left() == Outages{{kEast, At("12:00:00")}});
  CHECK(f.outages.Set({{kWest, At("13:00:00")}}));
  REQUIRE(f.outages.Run());
  CHECK(f.Data() == json{{"note", "of somebody"}, {"west", "2026-11-27T13:00:00Z"}});
  CHECK(f.outages.Left() == Outages{{kEast, At("12:00:00")}});
}

TEST_CASE("a map that somebody else has changed is read again before it is written") {
  Fixture f;
  f.Leave({{"east", "2026-11-27T12:00:00Z"}});
  REQUIRE(f.outages.Run());
  REQUIRE(f.server().objects().Patch("configmaps", kMap,
                                     {{"data", {{"west", "2026-11-27T12:00:00Z"}}}}));
  f.outages.Set({});
  const Result<void> first = f.outages.Run();
  REQUIRE_FALSE(first);
  CHECK(first.error().code == ErrorCode::kConflict);
  REQUIRE(f.outages.Run());
  CHECK(f.Data().empty());
  // One that is gone is made again.
  REQUIRE(f.server().objects().Delete("configmaps", kMap));
  f.outages.Set({{kEast, At("12:00:00")}});
  CHECK_FALSE(f.outages.Run());
  REQUIRE(f.outages.Run());
  CHECK(f.Data() == json{{"east", "2026-11-27T12:00:00Z"}});
}

TEST_CASE("what may not be done is not tried again by itself; what failed is") {
  struct Case {
    const char* method;
    int code;
    bool is_error;  // and so tried again
  };
  const auto each =
      GENERATE(values<Case>({{"GET", 403, false}, {"POST", 403, false}, {"POST", 500, true}}));
  CAPTURE(each.method, each.code);
  Fixture f;
  f.Answer(each.method, each.code);
  f.outages.Set({{kEast, At("12:00:00")}});
  CHECK(f.outages.Run().has_value() != each.is_error);
  CHECK(f.outages.Left().has_value());  // no leader waits for it
  f.server().SetFaults({});
  REQUIRE(f.outages.Run());
  CHECK(f.Data() == json{{"east", "2026-11-27T12:00:00Z"}});
}

}  // namespace fedra::reconcile::shared_outages_test
