#include "manager/verify/verdict_memory.h"

#include "tests/support/catch.h"

namespace fedra::verify::verdict_memory_test {
namespace {

using tracking::Demands;

constexpr size_t kFew = 8;

Demands Make() { return std::make_shared<const std::vector<dra::PodDemand>>(); }

verdict::Verdict WithHeadroom(int headroom) {
  verdict::Verdict verdict;
  verdict.headroom = headroom;
  return verdict;
}

TEST_CASE("a verdict is remembered for its basis") {
  VerdictMemory memory;
  const Demands demands = Make();
  memory.Keep(demands, {.devices = 1, .used = 2}, WithHeadroom(3));
  CHECK(memory.Find(demands, {.devices = 1, .used = 2})->headroom == 3);
  CHECK_FALSE(memory.Find(demands, {.devices = 2, .used = 2}).has_value());
  CHECK_FALSE(memory.Find(demands, {.devices = 1, .used = 3}).has_value());
  CHECK_FALSE(memory.Find(Make(), {.devices = 1, .used = 2}).has_value());
  memory.Keep(demands, {.devices = 2, .used = 2}, WithHeadroom(4));
  CHECK(memory.Find(demands, {.devices = 2, .used = 2})->headroom == 4);
  CHECK(memory.size() == 1);
}

TEST_CASE("workloads that are asked about again and again are all remembered, however many") {
  VerdictMemory memory(kFew);
  std::vector<Demands> waiting;
  for (size_t i = 0; i < 3 * kFew; ++i) waiting.push_back(Make());
  const auto ask = [&](uint64_t snapshot) {
    size_t known = 0;
    for (const Demands& demands : waiting) {
      if (memory.Find(demands, {.devices = snapshot}))
        ++known;
      else
        memory.Keep(demands, {.devices = snapshot}, WithHeadroom(0));
    }
    return known;
  };
  CHECK(ask(1) == 0);
  CHECK(ask(1) == waiting.size());
  CHECK(ask(2) == 0);
  CHECK(ask(2) == waiting.size());
}

TEST_CASE("verdicts of workloads that are gone are forgotten") {
  VerdictMemory memory(kFew);
  const Demands waiting = Make();
  memory.Keep(waiting, {}, WithHeadroom(1));
  for (size_t i = 0; i < 100 * kFew; ++i) {
    memory.Keep(Make(), {}, WithHeadroom(0));
    REQUIRE(memory.Find(waiting, {})->headroom == 1);
  }
  CHECK(memory.size() <= kFew);
}

// A list as a worker's assume cache publishes it.
dra::AssumedList ListOf(const Demands& demands) {
  return std::make_shared<const std::vector<dra::AssumedPods>>(
      1, dra::AssumedPods{"ml", {demands, &demands->front()}, 1});
}

VerdictMemory::Basis BasisOf(const dra::AssumedList& assumed) {
  VerdictMemory::Basis basis;
  basis.assumed = {assumed};
  return basis;
}

Demands MakeOne() { return std::make_shared<const std::vector<dra::PodDemand>>(1); }

TEST_CASE("jobs that were assumed together do not keep each other's verdicts") {
  VerdictMemory memory(kFew);
  Demands last = MakeOne();
  for (size_t i = 0; i < 100 * kFew; ++i) {
    Demands next = MakeOne();
    memory.Keep(next, BasisOf(ListOf(last)), WithHeadroom(0));
    memory.Keep(last, BasisOf(ListOf(next)), WithHeadroom(0));
    last = std::move(next);
  }
  CHECK(memory.size() <= kFew);
}

TEST_CASE("which pods are assumed, and what they name, is part of the basis") {
  VerdictMemory memory;
  const Demands demands = MakeOne(), other = MakeOne();
  const dra::AssumedList list = ListOf(other);
  memory.Keep(demands, BasisOf(list), WithHeadroom(1));
  CHECK(memory.Find(demands, BasisOf(list)));
  CHECK_FALSE(memory.Find(demands, BasisOf(ListOf(other))));
  CHECK_FALSE(memory.Find(demands, {}));

  using Objects = std::vector<std::weak_ptr<const void>>;
  const auto one = std::make_shared<int>(1), two = std::make_shared<int>(1);
  const auto naming = [&](Objects objects) {
    VerdictMemory::Basis basis = BasisOf(list);
    basis.assumed_objects.objects = std::make_shared<const Objects>(std::move(objects));
    return basis;
  };
  memory.Keep(demands, naming({one}), WithHeadroom(2));
  CHECK(memory.Find(demands, naming({one})));
  CHECK_FALSE(memory.Find(demands, naming({two})));
  CHECK_FALSE(memory.Find(demands, naming({std::weak_ptr<const void>()})));
  CHECK_FALSE(memory.Find(demands, BasisOf(list)));
}

}  // namespace
}  // namespace fedra::verify::verdict_memory_test
