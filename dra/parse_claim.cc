#include "dra/parse_common.h"

namespace fedra::dra {
namespace {

AllocationMode ModeOf(std::string_view text) {
  if (text == "ExactCount") return AllocationMode::kExactCount;
  if (text == "All") return AllocationMode::kAll;
  return AllocationMode::kUnknown;
}

Toleration ReadToleration(const Fields& field, TextPool& texts, Defaulting defaulting) {
  Toleration toleration{.key = texts.Intern(field.String("key")),
                        .op = texts.Intern(field.String("operator")),
                        .value = texts.Intern(field.String("value")),
                        .effect = texts.Intern(field.String("effect"))};
  if (defaulting == Defaulting::kAsApiServer && toleration.op.empty())
    toleration.op = texts.Intern("Equal");
  return toleration;
}

DeviceRequest ReadRequest(const Fields& field, std::string_view name, TextPool& texts,
                          Defaulting defaulting) {
  DeviceRequest request;
  request.name = texts.Intern(name);
  request.device_class = texts.Intern(field.String("deviceClassName"));
  ReadSelectors(field, request.selectors, request.selector_is_cel);
  std::string_view mode = field.String("allocationMode");
  if (mode.empty() && defaulting == Defaulting::kAsApiServer) mode = "ExactCount";
  request.mode_text = texts.Intern(mode);
  request.mode = ModeOf(mode);
  request.count = field.Int("count");
  if (request.mode == AllocationMode::kExactCount && request.count == 0 &&
      defaulting == Defaulting::kAsApiServer)
    request.count = 1;
  request.admin_access = field.Bool("adminAccess");
  field.ForEachObject("tolerations", kMaxItems, [&](const Fields& toleration) {
    request.tolerations.push_back(ReadToleration(toleration, texts, defaulting));
  });
  if (field.Has("capacity")) {
    const Fields capacity = field.Object("capacity");
    request.has_capacity = true;
    request.capacity = ReadQuantities(capacity, "requests", texts);
  }
  return request;
}

// v1beta1 has the fields of `exactly` beside the name; any one of them makes an exact request.
bool HasFlatRequest(const Fields& request) {
  for (const char* key : {"deviceClassName", "selectors", "allocationMode", "count", "adminAccess",
                          "tolerations", "capacity"})
    if (request.Has(key)) return true;
  return false;
}

ClaimRequest ReadClaimRequest(const Fields& field, TextPool& texts, Defaulting defaulting) {
  ClaimRequest request;
  const std::string_view name = field.String("name");
  request.name = texts.Intern(name);
  if (field.Has("exactly")) {
    const Fields exactly = field.Object("exactly");
    request.exactly = ReadRequest(exactly, name, texts, defaulting);
  } else if (HasFlatRequest(field)) {
    request.exactly = ReadRequest(field, name, texts, defaulting);
  }
  field.ForEachObject("firstAvailable", kMaxItems, [&](const Fields& alternative) {
    request.first_available.push_back(
        ReadRequest(alternative, alternative.String("name"), texts, defaulting));
  });
  return request;
}

ClaimSpec ReadClaimSpec(const Fields& spec, TextPool& texts, Defaulting defaulting) {
  ClaimSpec result;
  const Fields devices = spec.Object("devices");
  devices.ForEachObject("requests", kMaxItems, [&](const Fields& request) {
    result.requests.push_back(ReadClaimRequest(request, texts, defaulting));
  });
  devices.ForEachObject("constraints", kMaxItems, [&](const Fields& field) {
    Constraint constraint;
    field.ForEachString("requests", kMaxItems, [&](std::string_view name) {
      constraint.requests.push_back(texts.Intern(name));
    });
    constraint.match_attribute = texts.Intern(field.String("matchAttribute"));
    constraint.distinct_attribute = texts.Intern(field.String("distinctAttribute"));
    result.constraints.push_back(std::move(constraint));
  });
  return result;
}

AllocatedDevice ReadAllocatedDevice(const Fields& field, TextPool& texts) {
  AllocatedDevice device;
  device.request = texts.Intern(field.String("request"));
  device.pool = {.driver = texts.Intern(field.String("driver")),
                 .pool = texts.Intern(field.String("pool"))};
  device.device = texts.Intern(field.String("device"));
  device.admin_access = field.Bool("adminAccess").value_or(false);
  if (field.Has("shareID")) device.share = texts.Intern(field.String("shareID"));
  if (field.Has("consumedCapacity"))
    device.consumed = ReadQuantities(field, "consumedCapacity", texts);
  return device;
}

Allocation ReadAllocation(const Fields& field, ParseContext& context) {
  Allocation allocation;
  const Fields devices = field.Object("devices");
  devices.ForEachObject("results", kMaxDevices, [&](const Fields& result) {
    allocation.devices.push_back(ReadAllocatedDevice(result, context.texts));
  });
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
  claim.spec = ReadClaimSpec(spec, context.texts, defaulting);
  if (status.Has("allocation")) {
    const Fields allocation = status.Object("allocation");
    claim.allocation = ReadAllocation(allocation, context);
  }
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
      .spec = std::make_shared<const ClaimSpec>(ReadClaimSpec(spec, context.texts, defaulting))};
  if (problem.found())
    return Fail(problem.error().WithContext("ResourceClaimTemplate " + result.key.ToString()));
  return result;
}

}  // namespace fedra::dra
