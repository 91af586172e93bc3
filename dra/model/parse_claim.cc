#include <algorithm>
#include <map>
#include <set>

#include "dra/model/parse_common.h"

namespace fedra::dra {
namespace {

AllocationMode ModeOf(std::string_view text) {
  if (text == "ExactCount") return AllocationMode::kExactCount;
  if (text == "All") return AllocationMode::kAll;
  return AllocationMode::kUnknown;
}

Toleration ReadToleration(const Fields& field, SymbolPool& symbols, Defaulting defaulting) {
  Toleration toleration{.key = symbols.Intern(field.String("key")),
                        .op = symbols.Intern(field.String("operator")),
                        .value = symbols.Intern(field.String("value")),
                        .effect = symbols.Intern(field.String("effect"))};
  if (defaulting == Defaulting::kAsApiServer && toleration.op.empty())
    toleration.op = symbols.Intern("Equal");
  return toleration;
}

DeviceRequest ReadRequest(const Fields& field, std::string_view name, SymbolPool& symbols,
                          Defaulting defaulting) {
  DeviceRequest request;
  request.name = symbols.Intern(name);
  request.device_class = symbols.Intern(field.String("deviceClassName"));
  ReadSelectors(field, request.selectors, request.selector_is_cel, symbols);
  std::string_view mode = field.String("allocationMode");
  if (mode.empty() && defaulting == Defaulting::kAsApiServer) mode = "ExactCount";
  request.mode_text = symbols.Intern(mode);
  request.mode = ModeOf(mode);
  request.count = field.Int("count");
  if (request.mode == AllocationMode::kExactCount && request.count == 0 &&
      defaulting == Defaulting::kAsApiServer)
    request.count = 1;
  request.admin_access = field.Bool("adminAccess");
  field.ForEachObject("tolerations", kMaxItems, [&](const Fields& toleration) {
    request.tolerations.push_back(ReadToleration(toleration, symbols, defaulting));
  });
  if (field.Has("capacity")) {
    const Fields capacity = field.Object("capacity");
    request.has_capacity = true;
    request.capacity = ReadQuantities(capacity, "requests", symbols);
  }
  // A server without the gate keeps none.
  field.ForEachObject("derivedAttributes", kMaxItems, [&](const Fields& attribute) {
    request.derived.emplace_back(symbols.Intern(attribute.String("name")),
                                 symbols.Intern(attribute.String("expression")));
  });
  return request;
}

// v1beta1 has the fields of `exactly` beside the name; any one of them makes an exact request.
bool HasFlatRequest(const Fields& request) {
  for (const char* key : {"deviceClassName", "selectors", "allocationMode", "count", "adminAccess",
                          "tolerations", "capacity", "derivedAttributes"})
    if (request.Has(key)) return true;
  return false;
}

ClaimRequest ReadClaimRequest(const Fields& field, SymbolPool& symbols, Defaulting defaulting) {
  ClaimRequest request;
  const std::string_view name = field.String("name");
  request.name = symbols.Intern(name);
  if (field.Has("exactly")) {
    const Fields exactly = field.Object("exactly");
    request.exactly = ReadRequest(exactly, name, symbols, defaulting);
  } else if (HasFlatRequest(field)) {
    request.exactly = ReadRequest(field, name, symbols, defaulting);
  }
  field.ForEachObject("firstAvailable", kMaxItems, [&](const Fields& alternative) {
    request.first_available.push_back(
        ReadRequest(alternative, alternative.String("name"), symbols, defaulting));
  });
  return request;
}

ClaimSpec ReadClaimSpec(const Fields& spec, SymbolPool& symbols, Defaulting defaulting) {
  ClaimSpec result;
  const Fields devices = spec.Object("devices");
  devices.ForEachObject("requests", kMaxItems, [&](const Fields& request) {
    result.requests.push_back(ReadClaimRequest(request, symbols, defaulting));
  });
  devices.ForEachObject("constraints", kMaxItems, [&](const Fields& field) {
    Constraint constraint;
    field.ForEachString("requests", kMaxItems, [&](std::string_view name) {
      constraint.requests.push_back(symbols.Intern(name));
    });
    constraint.match_attribute = symbols.Intern(field.String("matchAttribute"));
    constraint.distinct_attribute = symbols.Intern(field.String("distinctAttribute"));
    result.constraints.push_back(std::move(constraint));
  });
  return result;
}

AllocatedDevice ReadAllocatedDevice(const Fields& field, SymbolPool& symbols) {
  AllocatedDevice device;
  device.request = symbols.Intern(field.String("request"));
  device.pool = {.driver = symbols.Intern(field.String("driver")),
                 .pool = symbols.Intern(field.String("pool"))};
  device.device = symbols.Intern(field.String("device"));
  device.admin_access = field.Bool("adminAccess").value_or(false);
  if (field.Has("shareID")) device.share = symbols.Intern(field.String("shareID"));
  if (field.Has("consumedCapacity"))
    device.consumed = ReadQuantities(field, "consumedCapacity", symbols);
  device.skips_operations = HasEntries(field, "skipNodeOperations");
  return device;
}

// What a result of an allocation asks of its device's conditions before pods may be bound.
struct Binding {
  std::vector<std::string> conditions, failure_conditions;
};

Binding ReadBinding(const Fields& result) {
  Binding binding;
  const auto read = [&](const char* key, std::vector<std::string>& names) {
    result.ForEachString(key, kMaxItems, [&](std::string_view name) { names.emplace_back(name); });
  };
  read("bindingConditions", binding.conditions);
  read("bindingFailureConditions", binding.failure_conditions);
  return binding;
}

// Conditions that are true, by device. Of several entries for one device the first counts: shares
// are not told apart (getAllocatedDeviceStatus of kube-scheduler 1.36.3).
using DeviceConditions = std::map<std::pair<PoolKey, Symbol>, std::set<std::string>>;

DeviceConditions ReadConditions(const Fields& status, SymbolPool& symbols) {
  DeviceConditions all;
  status.ForEachObject("devices", kMaxDevices, [&](const Fields& device) {
    const PoolKey pool{.driver = symbols.Intern(device.String("driver")),
                       .pool = symbols.Intern(device.String("pool"))};
    const auto [at, is_new] =
        all.try_emplace({pool, symbols.Intern(device.String("device"))}, std::set<std::string>());
    if (!is_new) return;
    device.ForEachObject("conditions", kMaxItems, [&](const Fields& condition) {
      if (condition.String("status") == "True") at->second.emplace(condition.String("type"));
    });
  });
  return all;
}

// isClaimReadyForBinding of kube-scheduler 1.36.3: result by result, until one is not ready.
std::string FindFailure(const std::vector<AllocatedDevice>& devices,
                        const std::vector<Binding>& bindings, const DeviceConditions& conditions) {
  for (size_t i = 0; i < devices.size(); ++i) {
    if (bindings[i].conditions.empty()) continue;
    const auto found = conditions.find({devices[i].pool, devices[i].device});
    if (found == conditions.end()) return {};
    const auto is_true = [&](const std::string& name) { return found->second.contains(name); };
    const auto& failures = bindings[i].failure_conditions;
    const auto failure = std::find_if(failures.begin(), failures.end(), is_true);
    if (failure != failures.end())
      return *failure + " of device " + devices[i].pool.ToString() + "/" + devices[i].device.str();
    const auto& wanted = bindings[i].conditions;
    if (!std::all_of(wanted.begin(), wanted.end(), is_true)) return {};
  }
  return {};
}

Allocation ReadAllocation(const Fields& status, ParseContext& context) {
  const Fields field = status.Object("allocation");
  Allocation allocation;
  const Fields devices = field.Object("devices");
  std::vector<Binding> bindings;
  devices.ForEachObject("results", kMaxDevices, [&](const Fields& result) {
    allocation.devices.push_back(ReadAllocatedDevice(result, context.symbols));
    bindings.push_back(ReadBinding(result));
  });
  const bool waits = std::any_of(bindings.begin(), bindings.end(), [](const Binding& binding) {
    return !binding.conditions.empty();
  });
  if (waits) {
    allocation.binding_failure =
        FindFailure(allocation.devices, bindings, ReadConditions(status, context.symbols));
  }
  allocation.node_selector = ReadNodeSelector(field, "nodeSelector", context);
  allocation.has_timestamp = field.Has("allocationTimestamp");
  return allocation;
}

}  // namespace

Result<Claim> ParseClaim(const nlohmann::json& object, ParseContext& context,
                         Defaulting defaulting) {
  Problem problem;
  const Fields root(object, problem);
  CheckApiVersion(root, problem);
  const Fields metadata = root.Object("metadata");
  const Fields spec = root.Object("spec");
  const Fields status = root.Object("status");
  Claim claim;
  claim.key = ReadKey(metadata);
  claim.uid = metadata.String("uid");
  claim.deleting = metadata.Has("deletionTimestamp");
  claim.spec = ReadClaimSpec(spec, context.symbols, defaulting);
  if (status.Has("allocation")) claim.allocation = ReadAllocation(status, context);
  status.ForEachObject("reservedFor", kMaxDevices, [&](const Fields& consumer) {
    claim.reserved_for.emplace_back(consumer.String("uid"));
  });
  if (problem.found())
    return Fail(problem.error().WithContext("ResourceClaim " + claim.key.ToString()));
  return claim;
}

Result<ClaimTemplate> ParseClaimTemplate(const nlohmann::json& object, ParseContext& context,
                                         Defaulting defaulting) {
  Problem problem;
  const Fields root(object, problem);
  CheckApiVersion(root, problem);
  const Fields metadata = root.Object("metadata");
  const Fields outer = root.Object("spec");
  const Fields spec = outer.Object("spec");
  ClaimTemplate result{
      .key = ReadKey(metadata),
      .uid = std::string(metadata.String("uid")),
      .spec = std::make_shared<const ClaimSpec>(ReadClaimSpec(spec, context.symbols, defaulting))};
  if (problem.found())
    return Fail(problem.error().WithContext("ResourceClaimTemplate " + result.key.ToString()));
  return result;
}

}  // namespace fedra::dra
