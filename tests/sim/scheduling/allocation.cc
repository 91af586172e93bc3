#include "tests/sim/scheduling/allocation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/time.h"
#include "tests/sim/actors/conditions.h"
#include "tests/sim/scheduling/nodes.h"
#include "tests/sim/scheduling/selector.h"

namespace fedra::sim {
namespace {

constexpr int kMaxSteps = 200'000;

// One thing to be satisfied: a request, or one alternative of a prioritized one.
struct SubRequest {
  size_t claim = 0;
  std::string name;  // "req" or "req/sub"
  const Json* request = nullptr;
  std::vector<std::string> selectors;  // of class and request
};

// A request with its alternatives; one without firstAvailable has a single one.
using Choice = std::vector<SubRequest>;

struct Chosen {
  const SubRequest* ask = nullptr;
  const Device* device = nullptr;
  Capacities consumed;  // of a device that several may have
};

bool Shared(const Device& device) { return BoolAt(*device.body, {"allowMultipleAllocations"}); }
bool Admin(const SubRequest& ask) { return BoolAt(*ask.request, {"adminAccess"}); }

Quantity AmountAt(const Json& object, Path path) {
  return Quantity::Parse(StringAt(object, path)).value_or(Quantity());
}

void AddSelectors(const Json& owner, Path path, std::vector<std::string>& selectors) {
  for (const Json& selector : ArrayAt(owner, path)) {
    selectors.emplace_back(StringAt(selector, {"cel", "expression"}));
  }
}

// The amount that a request takes of a capacity: the smallest allowed one that is not less.
// Nothing: none is.
std::optional<Quantity> RoundUp(const Json& capacity, const std::optional<Quantity>& wanted) {
  const Json* policy = At(capacity, {"requestPolicy"});
  if (policy == nullptr) return wanted ? *wanted : AmountAt(capacity, {"value"});
  if (!wanted) return AmountAt(*policy, {"default"});
  if (const Json& values = ArrayAt(*policy, {"validValues"}); !values.empty()) {
    for (const Json& value : values) {
      const Quantity allowed = Quantity::Parse(value.get<std::string>()).value_or(Quantity());
      if (allowed >= *wanted) return allowed;
    }
    return std::nullopt;
  }
  const int64_t min = AmountAt(*policy, {"validRange", "min"}).Value();
  const int64_t step = AmountAt(*policy, {"validRange", "step"}).Value();
  int64_t amount = std::max(wanted->Value(), min);
  if (step > 0) amount = min + (amount - min + step - 1) / step * step;
  if (At(*policy, {"validRange", "max"}) != nullptr &&
      amount > AmountAt(*policy, {"validRange", "max"}).Value()) {
    return std::nullopt;
  }
  return Quantity(amount);
}

class Search final {
 public:
  Search(const Json& node, const std::vector<const Json*>& specs, const Inventory& inventory)
      : node_(node), specs_(specs), inventory_(inventory) {}

  // False: a class is missing.
  bool Prepare(const FindClass& find_class) {
    for (size_t claim = 0; claim < specs_.size(); ++claim) {
      for (const Json& request : ArrayAt(*specs_[claim], {"devices", "requests"})) {
        const std::string name(StringAt(request, {"name"}));
        Choice choice;
        if (const Json* exactly = At(request, {"exactly"})) {
          choice.push_back({claim, name, exactly, {}});
        }
        for (const Json& sub : ArrayAt(request, {"firstAvailable"})) {
          choice.push_back({claim, name + "/" + std::string(StringAt(sub, {"name"})), &sub, {}});
        }
        for (SubRequest& ask : choice) {
          const Json* device_class =
              find_class(std::string(StringAt(*ask.request, {"deviceClassName"})));
          if (device_class == nullptr) return false;
          AddSelectors(*device_class, {"spec", "selectors"}, ask.selectors);
          AddSelectors(*ask.request, {"selectors"}, ask.selectors);
        }
        choices_.push_back(std::move(choice));
      }
    }
    return true;
  }

  bool Run() { return Satisfy(0) && error_.empty(); }
  const std::string& error() const { return error_; }

  std::vector<Json> Results() const;

 private:
  bool Satisfy(size_t choice) {
    if (choice == choices_.size()) return true;
    for (const SubRequest& ask : choices_[choice]) {
      const bool all = StringAt(*ask.request, {"allocationMode"}) == "All";
      if (all ? TakeAll(choice, ask)
              : TakeCount(choice, ask, 0, IntAt(*ask.request, {"count"}, 1))) {
        return true;
      }
    }
    return false;
  }

  // Combinations, not permutations: the next device comes after the one before.
  bool TakeCount(size_t choice, const SubRequest& ask, size_t from, int64_t left) {
    if (left == 0) return Satisfy(choice + 1);
    for (size_t i = from; i < inventory_.devices.size(); ++i) {
      if (++steps_ > kMaxSteps || !error_.empty()) return false;
      if (!Matches(ask, inventory_.devices[i]) || !Take(ask, inventory_.devices[i])) continue;
      if (TakeCount(choice, ask, i + 1, left - 1)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  bool TakeAll(size_t choice, const SubRequest& ask) {
    if (inventory_.incomplete) {
      error_ = "asks for all devices, but a pool is not published completely";
      return false;
    }
    const size_t before = chosen_.size();
    bool taken = true;
    for (const Device& device : inventory_.devices) {
      if (Matches(ask, device)) taken = taken && Take(ask, device);
    }
    if (taken && chosen_.size() > before && Satisfy(choice + 1)) return true;
    chosen_.resize(before);
    return false;
  }

  bool Matches(const SubRequest& ask, const Device& device) {
    if (!ReachesNode(device, node_)) return false;
    const auto [known, fresh] = matches_.try_emplace({&ask, &device}, false);
    if (fresh) known->second = Selects(ask, device);
    return known->second;
  }

  // All selectors up to the first that does not hold.
  bool Selects(const SubRequest& ask, const Device& device) {
    for (const std::string& selector : ask.selectors) {
      const std::optional<bool> holds = EvaluateSelector(selector, device.view);
      if (!holds) error_ = "selector " + selector + " fails";
      if (!holds.value_or(false)) return false;
    }
    return true;
  }

  // Adds the device to what is chosen, if nothing stands against it.
  bool Take(const SubRequest& ask, const Device& device) {
    const Json& tolerations = ArrayAt(*ask.request, {"tolerations"});
    for (const Json& taint : device.taints) {
      if (StringAt(taint, {"effect"}) != "None" && !IsTolerated(taint, tolerations)) return false;
    }
    Chosen chosen{.ask = &ask, .device = &device, .consumed = {}};
    if (!IsFree(ask, device) || !HasCapacity(chosen) || !HoldConstraints(chosen)) return false;
    chosen_.push_back(std::move(chosen));
    if (HaveCounters(device)) return true;
    chosen_.pop_back();
    return false;
  }

  bool IsFree(const SubRequest& ask, const Device& device) const {
    const auto used = inventory_.used.find(device.id);
    if (!Admin(ask) && used != inventory_.used.end() && used->second.dedicated) return false;
    return std::none_of(chosen_.begin(), chosen_.end(), [&](const Chosen& other) {
      return other.device == &device && (!Shared(device) || other.ask == &ask);
    });
  }

  bool HasCapacity(Chosen& chosen) const {
    const Json* capacities = At(*chosen.device->body, {"capacity"});
    const Json* wanted = At(*chosen.ask->request, {"capacity", "requests"});
    if (wanted != nullptr) {
      for (const auto& [name, amount] : wanted->items()) {
        const Json* published = capacities == nullptr ? nullptr : At(*capacities, {name});
        if (published == nullptr || AmountAt(*published, {"value"}) < AmountAt(*wanted, {name}))
          return false;
      }
    }
    if (!Shared(*chosen.device) || capacities == nullptr) return true;
    for (const auto& [name, capacity] : capacities->items()) {
      const bool asked = wanted != nullptr && wanted->contains(name);
      const auto amount =
          RoundUp(capacity, asked ? std::optional(AmountAt(*wanted, {name})) : std::nullopt);
      if (!amount) return false;
      chosen.consumed[name] = *amount;
      const auto sum = Consumed(*chosen.device, name).Add(*amount);
      if (!sum || *sum > AmountAt(capacity, {"value"})) return false;
    }
    return true;
  }

  Quantity Consumed(const Device& device, const std::string& name) const {
    Quantity sum;
    const auto add = [&sum, &name](const Capacities& shared) {
      const auto found = shared.find(name);
      if (found != shared.end()) sum = sum.Add(found->second).value_or(sum);
    };
    const auto used = inventory_.used.find(device.id);
    if (used != inventory_.used.end()) add(used->second.shared);
    for (const Chosen& chosen : chosen_) {
      if (chosen.device == &device) add(chosen.consumed);
    }
    return sum;
  }

  bool HoldConstraints(const Chosen& candidate) const {
    const Json& constraints = ArrayAt(*specs_[candidate.ask->claim], {"devices", "constraints"});
    return std::all_of(constraints.begin(), constraints.end(), [&](const Json& constraint) {
      if (!Concerns(constraint, *candidate.ask)) return true;
      const bool match = constraint.contains("matchAttribute");
      const std::string name(
          StringAt(constraint, {match ? "matchAttribute" : "distinctAttribute"}));
      const Json* value = Attribute(*candidate.device, name);
      if (value == nullptr) return false;
      return std::all_of(chosen_.begin(), chosen_.end(), [&](const Chosen& other) {
        if (other.ask->claim != candidate.ask->claim || !Concerns(constraint, *other.ask))
          return true;
        return (*Attribute(*other.device, name) == *value) == match;
      });
    });
  }

  static bool Concerns(const Json& constraint, const SubRequest& ask) {
    const Json& requests = ArrayAt(constraint, {"requests"});
    const std::string main = ask.name.substr(0, ask.name.find('/'));
    return requests.empty() || std::any_of(requests.begin(), requests.end(), [&](const Json& name) {
             return name == ask.name || name == main;
           });
  }

  // Published under its full name, or without the domain when that is the driver.
  static const Json* Attribute(const Device& device, const std::string& name) {
    if (const Json* full = At(*device.body, {"attributes", name})) return full;
    const size_t slash = name.find('/');
    if (slash == std::string::npos || name.substr(0, slash) != device.id.driver) return nullptr;
    return At(*device.body, {"attributes", name.substr(slash + 1)});
  }

  // Whether the pool's counters still cover everything that is taken from it, the last choice
  // included.
  bool HaveCounters(const Device& last) const {
    for (const Json& consumption : ArrayAt(*last.body, {"consumesCounters"})) {
      const std::string set(StringAt(consumption, {"counterSet"}));
      const auto published = inventory_.counters.find({last.id.driver, last.id.pool, set});
      if (published == inventory_.counters.end()) return false;
      for (const auto& [counter, amount] : consumption["counters"].items()) {
        const Quantity total = AmountAt(*published->second, {"counters", counter, "value"});
        if (Drawn(last, set, counter) > total) return false;
      }
    }
    return true;
  }

  Quantity Drawn(const Device& last, const std::string& set, const std::string& counter) const {
    Quantity sum;
    for (const Device& device : inventory_.devices) {
      if (device.id.driver != last.id.driver || device.id.pool != last.id.pool) continue;
      const bool chosen = std::any_of(chosen_.begin(), chosen_.end(),
                                      [&](const Chosen& each) { return each.device == &device; });
      if (!chosen && !inventory_.used.contains(device.id)) continue;
      const Json* from = EntryNamed(ArrayAt(*device.body, {"consumesCounters"}), "counterSet", set);
      if (from == nullptr) continue;
      sum = sum.Add(AmountAt(*from, {"counters", counter, "value"})).value_or(sum);
    }
    return sum;
  }

  const Json& node_;
  const std::vector<const Json*>& specs_;
  const Inventory& inventory_;
  std::vector<Choice> choices_;
  std::vector<Chosen> chosen_;
  std::map<std::pair<const SubRequest*, const Device*>, bool> matches_;
  std::string error_;  // ends the search
  int steps_ = 0;
};

// Adds to the one term that says where a claim with this device can be used: on the node that the
// device is of, or on those with the labels that its slice selects (createNodeSelector of
// k8s.io/dynamic-resource-allocation v0.36.3, structured/internal/stable/allocator_stable.go).
void Restrict(const Device& device, const Json& node, Json& terms) {
  const Json& where = NodesOf(device);
  if (BoolAt(where, {"allNodes"})) return;
  const Json* selector = At(where, {"nodeSelector"});
  Json term;
  if (selector == nullptr) {
    term["matchFields"] = Json::array({{{"key", "metadata.name"},
                                        {"operator", "In"},
                                        {"values", Json::array({node["metadata"]["name"]})}}});
  } else {
    term = ArrayAt(*selector, {"nodeSelectorTerms"}).at(0);  // a slice has one
  }
  Json& all = terms.empty() ? terms.emplace_back(Json::object()) : terms[0];
  for (const auto& [kind, requirements] : term.items()) {
    for (const Json& each : requirements) {
      Json& list = all[kind];
      if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
    }
  }
}

std::vector<Json> Search::Results() const {
  std::vector<Json> allocations(specs_.size());
  std::vector<Json> terms(specs_.size(), Json::array());
  for (Json& allocation : allocations) {
    allocation = {{"devices", {{"results", Json::array()}}}, {"allocationTimestamp", Timestamp()}};
  }
  for (const Chosen& chosen : chosen_) {
    Json result = {{"request", chosen.ask->name},
                   {"driver", chosen.device->id.driver},
                   {"pool", chosen.device->id.pool},
                   {"device", chosen.device->id.device}};
    if (Admin(*chosen.ask)) result["adminAccess"] = true;
    const Json& tolerations = ArrayAt(*chosen.ask->request, {"tolerations"});
    if (!tolerations.empty()) result["tolerations"] = tolerations;
    if (Shared(*chosen.device)) {
      result["consumedCapacity"] = Json::object();
      for (const auto& [name, amount] : chosen.consumed) {
        result["consumedCapacity"][name] = amount.ToString();
      }
    }
    Restrict(*chosen.device, node_, terms[chosen.ask->claim]);
    allocations[chosen.ask->claim]["devices"]["results"].push_back(std::move(result));
  }
  for (size_t claim = 0; claim < terms.size(); ++claim) {
    if (!terms[claim].empty())
      allocations[claim]["nodeSelector"]["nodeSelectorTerms"] = std::move(terms[claim]);
  }
  return allocations;
}

}  // namespace

Allocation AllocateOn(const Json& node, const std::vector<const Json*>& specs,
                      const Inventory& inventory, const FindClass& find_class) {
  Search search(node, specs, inventory);
  if (!search.Prepare(find_class)) return {};
  if (!search.Run()) return {.claims = std::nullopt, .error = search.error()};
  return {.claims = search.Results(), .error = {}};
}

}  // namespace fedra::sim
