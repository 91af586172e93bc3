// kill -9 while commits are under way: what was acknowledged is there, what was not is there whole
// or not at all.
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::crash_test {
namespace {

TEST_CASE("commits until killed", "[.child]") {
  auto store =
      MustOpen({.path = FromParent("STORE"), .maintenance_interval = std::chrono::milliseconds(5)});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (;;) {
        const int64_t id = store->NewIntentId();
        const std::string uid = std::to_string(id);
        store->Enqueue(PutWorkload{Workload(uid, "job")});
        Must(store->Commit({PutPlacement{Placement(uid)}, AddIntent{Intent(id, uid)},
                            AddEvent{Event(uid, At(id), "x")}}));
        // One write call per line, so that a kill cannot cut one.
        const std::string line = "ack " + uid + "\n";
        fwrite(line.data(), 1, line.size(), stdout);
        fflush(stdout);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct Seen {
  std::set<std::string> placements, intents, events;
};

Seen Look(Reader& reader) {
  Seen seen;
  for (const PlacementRow& row : Must(reader.Placements())) {
    CHECK(row == Placement(row.uid));
    seen.placements.insert(row.uid);
    if (!Must(reader.Events(row.uid)).empty()) seen.events.insert(row.uid);
  }
  for (const IntentRow& row : Must(reader.Intents())) seen.intents.insert(row.uid);
  return seen;
}

TEST_CASE("nothing that was acknowledged is lost by kill -9, and no commit is torn") {
  TempFolder folder;
  const std::string path = folder.Path("fedra.db");
  std::mt19937 random(20261121);
  std::set<std::string> acknowledged;
  for (int round = 0; round < 10; ++round) {
    Child child("commits until killed", {{"STORE", path}});
    const size_t enough = acknowledged.size() + 1 + random() % 200;
    const auto note = [&](const std::string& line) {
      if (line.starts_with("ack ")) acknowledged.insert(line.substr(4));
    };
    for (std::string line; acknowledged.size() < enough && !(line = child.ReadLine()).empty();)
      note(line);
    child.Kill();
    for (std::string line; !(line = child.ReadLine()).empty();) note(line);
    REQUIRE(child.Wait() == -1);
    REQUIRE(acknowledged.size() >= enough);

    const Seen seen = Look(*MustRead(path));  // as `fedra status` would, before the daemon is back
    CHECK(std::includes(seen.placements.begin(), seen.placements.end(), acknowledged.begin(),
                        acknowledged.end()));
    CHECK(seen.placements == seen.intents);
    CHECK(seen.placements == seen.events);
  }
  auto store = MustOpen({.path = path});
  CHECK(Look(*Must(store->Read())).placements.size() >= acknowledged.size());
}

}  // namespace
}  // namespace fedra::store::crash_test
