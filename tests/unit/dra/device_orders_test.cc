// OrdersThatDiffer(): which orders of the pools and slices of a node are played out.

#include <set>
#include <string>
#include <vector>

#include "dra/model/pool_order.h"
#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::device_orders_test {
namespace {

using Kinds = dra::DeviceKinds;

// One letter a slice: a pool "ab" has two.
dra::NodeView ViewWith(const std::vector<std::string>& pools, DraCase& held) {
  Case c;
  for (size_t i = 0; i < pools.size(); ++i) {
    const std::string name = std::to_string(i);
    for (const char slice : pools[i])
      c.slices.push_back(
          Slice(name + slice, {Device(std::string(1, slice))},
                {{"pool", {{"name", name}, {"resourceSliceCount", pools[i].size()}}}}));
  }
  dra::ParseContext context;
  const auto features = *dra::FeaturesOf("1.35");
  held = *ReadDraCase(c.ToJson(), context, &features);
  return dra::ViewOf(*held.snapshot, held.node);
}

std::string NamesOf(const dra::NodeView& view) {
  std::string names;
  for (size_t i = 0; i < view.pools.size(); ++i) {
    CHECK(view.states[i]->key == view.pools[i]->key);
    if (!names.empty()) names += " ";
    for (const auto& device : view.pools[i]->devices) names += device.device->name.str();
  }
  return names;
}

struct Row {
  std::vector<std::string> pools;
  Kinds kinds;
  std::set<std::string> orders;  // empty: too many
  size_t most = 24;
};

TEST_CASE("orders that differ") {
  const std::vector<Row> rows = {
      {{"a"}, {{1}}, {"a"}},
      {{"a", "b"}, {{1}, {2}}, {"a b", "b a"}},
      {{"a", "b"}, {{1}, {1}}, {"a b"}},
      {{"a", "b"}, {{1}, {0}}, {"b a"}},
      {{"a", "b"}, {{0}, {0}}, {"a b"}},
      {{"ab"}, {{1, 2}}, {"ab", "ba"}},
      {{"ab", "c"}, {{1, 2}, {3}}, {"ab c", "ba c", "c ab", "c ba"}},
      // Each pool has its own order.
      {{"ab", "cd"}, {{1, 2}, {1, 2}}, {"ab cd", "ab dc", "ba cd", "ba dc"}},
      {{"a", "b", "c"}, {{1}, {2}, {1}}, {"a c b", "a b c", "b c a"}},
      {{"a", "b", "c"}, {{1}, {2}, {3}}, {}, 5},
  };
  for (const Row& row : rows) {
    DraCase held;
    const dra::NodeView view = ViewWith(row.pools, held);
    INFO(NamesOf(view));
    std::set<std::string> orders;
    for (const auto& order :
         dra::OrdersThatDiffer(view, row.kinds, held.snapshot->features(), row.most))
      CHECK(orders.insert(NamesOf(order)).second);
    CHECK(orders == row.orders);
  }
}

TEST_CASE("of many pools each comes first, and each pair in both orders") {
  DraCase held;
  const std::vector<std::string> pools = {"a", "b", "c", "d", "e"};
  const dra::NodeView view = ViewWith(pools, held);
  std::set<std::string> pairs;
  size_t count = 0;
  for (const auto& order :
       dra::OrdersThatDiffer(view, {{1}, {2}, {3}, {4}, {5}}, held.snapshot->features(), 120)) {
    ++count;
    const std::string names = NamesOf(order);
    for (size_t i = 0; i < names.size(); i += 2)
      for (size_t j = i + 2; j < names.size(); j += 2)
        pairs.insert(std::string{names[i], names[j]});
  }
  CHECK(count == 120);
  CHECK(pairs.size() == 20);
}

TEST_CASE("content: what is left on a node, whatever it is called") {
  DraCase held;
  const auto features = *dra::FeaturesOf("1.35");
  const auto content = [&](const std::vector<std::string>& pools, const Kinds& kinds) {
    return dra::ContentOf(ViewWith(pools, held), kinds, features);
  };
  CHECK(content({"a", "b"}, {{1}, {2}}) == content({"a", "b"}, {{2}, {1}}));
  CHECK(content({"a", "b"}, {{1}, {0}}) == content({"a", "b"}, {{0}, {1}}));
  CHECK(content({"ab"}, {{1, 2}}) == content({"ab"}, {{2, 1}}));
  CHECK(content({"ab"}, {{1, 2}}) != content({"a", "b"}, {{1}, {2}}));
  CHECK(content({"ab", "c"}, {{1, 2}, {3}}) != content({"ab", "c"}, {{1, 3}, {2}}));
}

}  // namespace
}  // namespace fedra::test::device_orders_test
