#include "dra/model/symbol.h"

#include <map>
#include <random>

#include "dra/model/persistent_map.h"
#include "dra/model/shared_pool.h"
#include "tests/support/catch.h"

namespace fedra::dra::symbol_test {
namespace {

TEST_CASE("equal symbols of one pool are one object, of two pools equal all the same") {
  SymbolPool a, b;
  const Symbol first = a.Intern("gpu.example.com");
  CHECK(first.view().data() == a.Intern("gpu.example.com").view().data());
  CHECK(first.view().data() != b.Intern("gpu.example.com").view().data());
  CHECK(first == b.Intern("gpu.example.com"));
  CHECK(first.hash() == b.Intern("gpu.example.com").hash());
  CHECK(first != a.Intern("gpu.example.co"));
  CHECK(Symbol().empty());
  CHECK(Symbol() == a.Intern(""));
  CHECK(Symbol("a") < Symbol("b"));
}

TEST_CASE("a pool forgets symbols that nobody names, and symbols outlive their pool") {
  Symbol survivor;
  {
    SymbolPool pool;
    survivor = pool.Intern("survivor");
    for (int i = 0; i < 100'000; ++i) pool.Intern("uuid-" + std::to_string(i));
    CHECK(pool.size() < 3000);
    CHECK(pool.Intern("survivor").view().data() == survivor.view().data());
  }
  CHECK(survivor == "survivor");
}

TEST_CASE("a shared pool gives out one object per content while somebody holds it") {
  SharedPool<std::vector<int>> pool;
  const auto a = pool.Intern({1, 2}, 7);
  CHECK(pool.Intern({1, 2}, 7) == a);
  CHECK(pool.Intern({1, 3}, 7) != a);  // equal hashes are not equal contents
  std::weak_ptr<const std::vector<int>> gone = pool.Intern({9}, 9);
  CHECK(gone.expired());
}

TEST_CASE("a persistent map behaves like std::map over random changes, and old copies stay") {
  std::mt19937 random(7);
  PersistentMap<int, int> map;
  std::map<int, int> model;
  std::vector<std::pair<PersistentMap<int, int>, std::map<int, int>>> history;
  for (int step = 0; step < 5000; ++step) {
    const int key = static_cast<int>(random() % 300);
    if (random() % 3 == 0) {
      map.Erase(key);
      model.erase(key);
    } else {
      map.Set(key, step);
      model[key] = step;
    }
    if (step % 500 == 0) history.emplace_back(map, model);
  }
  history.emplace_back(map, model);
  for (const auto& [copy, expected] : history) {
    REQUIRE(copy.size() == expected.size());
    auto at = expected.begin();
    copy.ForEach([&](int key, int value) {
      CHECK(key == at->first);
      CHECK(value == at->second);
      ++at;
    });
    CHECK(at == expected.end());
    CHECK((copy.Find(1000) == nullptr));
  }
}

TEST_CASE("a walk over a persistent map ends when the visitor says so") {
  PersistentMap<int, int> map;
  for (int i = 0; i < 10; ++i) map.Set(i, i);
  int visited = 0;
  map.ForEach([&](int key, int) -> bool {
    ++visited;
    return key < 3;
  });
  CHECK(visited == 4);
}

}  // namespace
}  // namespace fedra::dra::symbol_test
