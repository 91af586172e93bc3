// Which pods compete for devices.

#include "dra/judge/device_set.h"

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::device_set_test {
namespace {

json Selected(const std::string& model) {
  const std::string expression = "device.attributes['gpu.example.com'].model == '" + model + "'";
  return Request("r", 1, {{"selectors", {{{"cel", {{"expression", expression}}}}}}});
}

TEST_CASE("device sets: those that no device could serve both do not compete") {
  Worker worker;
  worker.Node("n1")
      .On("n1", {Device("a1", {{"model", "a100"}}), Device("h1", {{"model", "h100"}})})
      .Template("any", {Request("r")})
      .Template("a100", {Selected("a100")})
      .Template("h100", {Selected("h100")})
      .Template("b200", {Selected("b200")});
  CHECK(worker.Serving("any")->size() == 2);
  CHECK(worker.Serving("any")->Overlaps(*worker.Serving("a100")));
  CHECK(worker.Serving("any")->Overlaps(*worker.Serving("h100")));
  CHECK_FALSE(worker.Serving("a100")->Overlaps(*worker.Serving("h100")));
  CHECK(worker.Serving("b200")->empty());
}

TEST_CASE("device sets: equal wishes share one set until the devices change") {
  Worker worker;
  worker.Node("n1")
      .On("n1", Devices(2))
      .Template("one", {Request("r")})
      .Template("two", {Request("q")});
  const auto before = worker.Serving("one");
  CHECK(worker.Serving("two") == before);
  worker.Node("n2").On("n2", Devices(1));
  CHECK(worker.Serving("one")->size() == 3);
  CHECK(worker.Serving("one")->Overlaps(*before));
}

TEST_CASE(
    "device sets: those that nobody holds are forgotten, however many selections there were") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2)).Template("kept", {Request("r")});
  const auto kept = worker.Serving("kept");
  for (int i = 0; i < 100; ++i) {
    const std::string model = "never-seen-" + std::to_string(i);
    worker.Template(model, {Selected(model)});
    CHECK(worker.Serving(model) != nullptr);
  }
  CHECK(worker.sets().size() <= 16);
  CHECK(worker.Serving("kept") == kept);
}

TEST_CASE("device sets: partitions of one parent compete") {
  Worker worker;
  worker.Node("n1").Parent("n1", "80Gi",
                           {Partition("half-0", "40Gi"), Partition("half-1", "40Gi")});
  worker.Node("n2").On("n2", Devices(1));
  const auto expression = [](const std::string& text) {
    return Request("r", 1, {{"selectors", {{{"cel", {{"expression", text}}}}}}});
  };
  worker.Template("all", {expression("true")});
  const auto all = worker.Serving("all");
  CHECK(all->size() == 2);  // the parent's counters and the device of n2
}

TEST_CASE("device sets: pods without devices compete for none, nor do those that have theirs") {
  Worker worker;
  worker.Node("n1").On("n1", Devices(2));
  CHECK(worker.Serving(dra::PodDemand{}) == nullptr);
  json mine = Holding("mine", "dev-0", {{"pool", "n1"}});
  mine["metadata"]["namespace"] = "ml";
  worker.Add(mine);
  CHECK(worker.Serving(dra::PodDemand{
            .claims = {{.pod_claim = "dev", .template_name = "", .claim_name = "mine"}}}) ==
        nullptr);
}

TEST_CASE("device sets: administrators' access takes no device; alternatives all count") {
  Worker worker;
  worker.Node("n1")
      .On("n1", Devices(2))
      .AddClass(Class("nic", {"device.driver == 'nic.example.com'"}));
  worker.On("n1", Devices(3), {{"driver", "nic.example.com"}});
  worker.Template("admin", {Request("r", 1, {{"adminAccess", true}})});
  CHECK(worker.Serving("admin") == nullptr);
  json choice = {
      {"name", "r"},
      {"firstAvailable",
       {{{"name", "a"}, {"deviceClassName", "nic"}, {"allocationMode", "ExactCount"}, {"count", 1}},
        {{"name", "b"},
         {"deviceClassName", "gpu"},
         {"allocationMode", "ExactCount"},
         {"count", 1}}}}};
  worker.Template("choice", {choice});
  CHECK(worker.Serving("choice")->size() == 5);
}

TEST_CASE("device sets: what overlaps is remembered, for either order") {
  dra::OverlapMemory memory;
  const dra::DeviceSet a({3, 1, 1}), b({2, 3}), c({4}), none({});
  CHECK(a.size() == 2);
  for (int i = 0; i < 2; ++i) {
    CHECK(memory.Overlap(a, b));
    CHECK(memory.Overlap(b, a));
    CHECK_FALSE(memory.Overlap(a, c));
    CHECK(memory.Overlap(c, c));
    CHECK_FALSE(memory.Overlap(none, none));
  }
}

TEST_CASE("device sets: more pairs than can be remembered do not make all be forgotten") {
  constexpr size_t kPairs = 370 * 369 / 2;
  dra::OverlapMemory memory;
  std::vector<std::shared_ptr<const dra::DeviceSet>> sets;
  for (uint64_t i = 0; i < 370; ++i)
    sets.push_back(std::make_shared<const dra::DeviceSet>(std::vector<uint64_t>{i / 2}));
  const auto ask_all = [&] {
    bool right = true;
    for (size_t i = 0; i < sets.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        right &= memory.Overlap(*sets[i], *sets[j]) == (i / 2 == j / 2);
    return right;
  };
  CHECK(ask_all());
  CHECK(memory.size() > 30'000);
  CHECK(memory.size() < kPairs);
  // Those of sets that are gone make room first.
  sets.resize(300);
  const dra::DeviceSet passing({1});
  for (const auto& set : sets) CHECK_FALSE(memory.Overlap(*set, dra::DeviceSet({1'000'000})));
  CHECK(ask_all());
  CHECK(memory.size() >= 300 * 299 / 2);
}

}  // namespace
}  // namespace fedra::test::device_set_test
