// Random small cases against a naive model: try every assignment of devices to requests.
//
// The model knows nothing of the search: no order, no pruning. It only says whether a solution
// exists; the allocator must agree, and every solution it gives must be one of the model's.

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::allocator_model_test {
namespace {

struct ModelDevice {
  std::string name;
  int model = 0;
  int group = -1;  // -1: not published
  bool used = false;
  bool tainted = false;
  int counter = -1;  // counter set, -1: none
  int takes = 0;
};

struct ModelRequest {
  int count = 1;
  int model = -1;  // -1: any
  bool tolerates = false;
};

struct ModelClaim {
  std::vector<ModelRequest> requests;
  bool match = false;
  bool distinct = false;
};

struct ModelCase {
  std::vector<ModelDevice> devices;
  std::vector<int> counters;
  std::vector<ModelClaim> claims;
};

// chosen[claim][request] = devices
using Choice = std::vector<std::vector<std::vector<size_t>>>;

bool SuitsAlone(const ModelDevice& device, const ModelRequest& request) {
  return !device.used && (!device.tainted || request.tolerates) &&
         (request.model < 0 || request.model == device.model);
}

bool IsValid(const ModelCase& model, const Choice& choice) {
  std::set<size_t> taken;
  std::vector<int> left = model.counters;
  for (size_t c = 0; c < choice.size(); ++c) {
    std::vector<int> groups;
    for (size_t r = 0; r < choice[c].size(); ++r) {
      if (static_cast<int>(choice[c][r].size()) != model.claims[c].requests[r].count) return false;
      for (const size_t d : choice[c][r]) {
        const ModelDevice& device = model.devices[d];
        if (!taken.insert(d).second || !SuitsAlone(device, model.claims[c].requests[r]))
          return false;
        if (device.counter >= 0) {
          int& of_counter = left[static_cast<size_t>(device.counter)];
          of_counter -= device.takes;
          if (of_counter < 0) return false;
        }
        groups.push_back(device.group);
      }
    }
    const bool constrained = model.claims[c].match || model.claims[c].distinct;
    if (constrained && std::count(groups.begin(), groups.end(), -1) > 0) return false;
    const size_t kinds = std::set<int>(groups.begin(), groups.end()).size();
    if (model.claims[c].match && kinds > 1) return false;
    if (model.claims[c].distinct && kinds != groups.size()) return false;
  }
  return true;
}

// Every subset for every request, one after the other; partial violations cut the recursion only
// where a rule cannot be mended by adding devices, which all of them are.
bool Exists(const ModelCase& model, Choice& choice, size_t c, size_t r, size_t from) {
  if (c == model.claims.size()) return IsValid(model, choice);
  if (r == model.claims[c].requests.size()) return Exists(model, choice, c + 1, 0, 0);
  const ModelRequest& request = model.claims[c].requests[r];
  auto& mine = choice[c][r];
  if (static_cast<int>(mine.size()) == request.count) return Exists(model, choice, c, r + 1, 0);
  for (size_t d = from; d < model.devices.size(); ++d) {
    if (!SuitsAlone(model.devices[d], request)) continue;
    mine.push_back(d);
    if (Exists(model, choice, c, r, d + 1)) return true;
    mine.pop_back();
  }
  return false;
}

ModelCase RandomCase(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  ModelCase model;
  const bool counters = pick(2) == 0;
  if (counters) model.counters = {2 + pick(4), 2 + pick(4)};
  const int devices = 3 + pick(5);
  for (int i = 0; i < devices; ++i)
    model.devices.push_back({.name = "gpu-" + std::to_string(i),
                             .model = pick(2),
                             .group = pick(4) - (pick(3) == 0 ? 1 : 0),
                             .used = pick(6) == 0,
                             .tainted = pick(6) == 0,
                             .counter = counters && pick(4) > 0 ? pick(2) : -1,
                             .takes = pick(4)});
  for (int c = 1 + pick(2); c > 0; --c) {
    ModelClaim claim{.requests = {}, .match = pick(3) == 0, .distinct = pick(4) == 0};
    for (int r = 1 + pick(2); r > 0; --r)
      claim.requests.push_back(
          {.count = 1 + pick(3), .model = pick(3) - 1, .tolerates = pick(2) == 0});
    model.claims.push_back(claim);
  }
  return model;
}

Case ToCase(const ModelCase& model) {
  Case c;
  std::vector<json> devices;
  for (const ModelDevice& device : model.devices) {
    json attributes = {{"model", device.model}};
    if (device.group >= 0) attributes["group"] = device.group;
    json more = json::object();
    if (device.tainted) more["taints"] = {{{"key", "k"}, {"effect", "NoSchedule"}}};
    if (device.counter >= 0)
      more["consumesCounters"] = {
          {{"counterSet", "set-" + std::to_string(device.counter)},
           {"counters", {{"units", {{"value", std::to_string(device.takes)}}}}}}};
    devices.push_back(Device(device.name, attributes, more));
    if (device.used) c.allocated.push_back(Holding("by-" + device.name, device.name));
  }
  const int count = model.counters.empty() ? 1 : 2;
  const json pool = {{"pool", {{"resourceSliceCount", count}}}};
  c.slices = {Slice("1", devices, pool)};
  if (count == 2) {
    json sets = json::array();
    for (size_t i = 0; i < model.counters.size(); ++i)
      sets.push_back({{"name", "set-" + std::to_string(i)},
                      {"counters", {{"units", {{"value", std::to_string(model.counters[i])}}}}}});
    c.slices.push_back(Slice("0", {}, pool));
    c.slices.back()["spec"]["sharedCounters"] = sets;
  }
  // An allocated device may have taken more than there is: the model counts only what is chosen.
  for (size_t i = 0; i < model.claims.size(); ++i) {
    std::vector<json> requests;
    for (const ModelRequest& request : model.claims[i].requests) {
      json more = json::object();
      if (request.model >= 0)
        more["selectors"] = Cel(
            {R"(device.attributes["gpu.example.com"].model == )" + std::to_string(request.model)});
      if (request.tolerates) more["tolerations"] = {{{"operator", "Exists"}}};
      requests.push_back(Request("r" + std::to_string(requests.size()), request.count, more));
    }
    std::vector<json> constraints;
    if (model.claims[i].match) constraints.push_back(Match("gpu.example.com/group"));
    if (model.claims[i].distinct) constraints.push_back(Distinct("gpu.example.com/group"));
    c.claims.push_back(Claim("c" + std::to_string(i), requests, constraints));
  }
  return c;
}

// What allocated devices hold of the counters is gone; a negative rest blocks counter devices.
ModelCase WithoutUsedCounters(ModelCase model) {
  for (const ModelDevice& device : model.devices)
    if (device.used && device.counter >= 0)
      model.counters[static_cast<size_t>(device.counter)] -= device.takes;
  const bool overdrawn =
      std::any_of(model.counters.begin(), model.counters.end(), [](int left) { return left < 0; });
  for (ModelDevice& device : model.devices)
    if (overdrawn && device.counter >= 0) device.used = true;
  return model;
}

Choice ToChoice(const ModelCase& model, const Outcome& out) {
  Choice choice;
  for (const ModelClaim& claim : model.claims) choice.emplace_back(claim.requests.size());
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < model.devices.size(); ++i) index[model.devices[i].name] = i;
  for (size_t i = 0; i < out.devices.size(); ++i) {
    const std::string& result = out.results[i];  // "ml/c0 r1 ..."
    const size_t space = result.find(' ');
    const size_t claim = static_cast<size_t>(std::stoi(result.substr(4, space - 4)));
    const size_t request = static_cast<size_t>(std::stoi(result.substr(space + 2)));
    choice[claim][request].push_back(index.at(out.devices[i]));
  }
  return choice;
}

TEST_CASE("the allocator agrees with an exhaustive model on random cases") {
  std::mt19937 random(20260101);
  int fits = 0;
  for (int round = 0; round < 1500; ++round) {
    const ModelCase original = RandomCase(random);
    const ModelCase model = WithoutUsedCounters(original);
    Choice choice;
    for (const ModelClaim& claim : model.claims) choice.emplace_back(claim.requests.size());
    const bool expected = Exists(model, choice, 0, 0, 0);
    const Case c = ToCase(original);
    const Outcome out = Solve(c);
    INFO("round " << round << "\n" << c.ToJson().dump(1));
    REQUIRE(out.fit == (expected ? dra::Fit::kFit : dra::Fit::kNoFit));
    if (!expected) continue;
    ++fits;
    REQUIRE(IsValid(model, ToChoice(model, out)));
  }
  CHECK(fits > 200);  // the cases are not all hopeless
  CHECK(fits < 1300);
}

}  // namespace
}  // namespace fedra::test::allocator_model_test
