#include "manager/verify/verdict_memory.h"

#include "tests/support/catch.h"

namespace fedra::verify {
namespace {

using tracking::Demands;

constexpr size_t kFew = 8;

Demands Make() { return std::make_shared<const std::vector<dra::PodDemand>>(); }

dra::Verdict WithHeadroom(int headroom) {
  dra::Verdict verdict;
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

dra::InFlightPods PodsOf(const Demands& demands) { return {"ml", {demands, &demands->front()}, 1}; }

Demands MakeOne() { return std::make_shared<const std::vector<dra::PodDemand>>(1); }

TEST_CASE("jobs that were in flight together do not keep each other's verdicts") {
  VerdictMemory memory(kFew);
  Demands last = MakeOne();
  const auto keep = [&](const Demands& demands, const Demands& in_flight) {
    VerdictMemory::Basis basis;
    basis.in_flight.emplace_back(PodsOf(in_flight));
    memory.Keep(demands, std::move(basis), WithHeadroom(0));
  };
  for (size_t i = 0; i < 100 * kFew; ++i) {
    Demands next = MakeOne();
    keep(next, last);
    keep(last, next);
    last = std::move(next);
  }
  CHECK(memory.size() <= kFew);
}

TEST_CASE("whose pods are in flight, and how many, is part of the basis") {
  VerdictMemory memory;
  const Demands demands = MakeOne(), one = MakeOne(), other = MakeOne();
  const auto coming = [](const dra::InFlightPods& pods) {
    VerdictMemory::Basis basis;
    basis.in_flight.emplace_back(pods);
    return basis;
  };
  memory.Keep(demands, coming(PodsOf(one)), WithHeadroom(1));
  CHECK(memory.Find(demands, coming(PodsOf(one))));
  CHECK_FALSE(memory.Find(demands, coming(PodsOf(other))));
  CHECK_FALSE(memory.Find(demands, {}));
  dra::InFlightPods two = PodsOf(one);
  two.count = 2;
  CHECK_FALSE(memory.Find(demands, coming(two)));
  two = PodsOf(one);
  two.ns = "research";
  CHECK_FALSE(memory.Find(demands, coming(two)));
}

}  // namespace
}  // namespace fedra::verify
