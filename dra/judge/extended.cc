#include "dra/judge/extended.h"

#include <algorithm>
#include <optional>

namespace fedra::dra {
namespace {

// Newer wins, then the smaller name. RFC 3339 times in UTC compare as text.
bool Wins(const DeviceClass& a, const DeviceClass& b) {
  return a.created != b.created ? a.created > b.created : a.name < b.name;
}

std::shared_ptr<const DeviceClass> Winner(const Snapshot& snapshot, const Symbol& resource) {
  std::shared_ptr<const DeviceClass> winner;
  snapshot.classes().ForEach([&](const Symbol&, const auto& candidate) {
    if (candidate->extended_resource == resource && (!winner || Wins(*candidate, *winner)))
      winner = candidate;
  });
  return winner;
}

// What the container wants of the resource, and its place among the container's sorted requests.
struct Want {
  int64_t count = 0;
  size_t place = 0;
};

Want WantOf(const ContainerRequests& container, const Symbol& resource) {
  for (size_t i = 0; i < container.requests.size(); ++i)
    if (container.requests[i].first == resource)
      return {container.requests[i].second.AsInt64().value_or(0), i};
  return {};
}

ClaimRequest MakeRequest(size_t container, size_t place, const DeviceClass& device_class,
                         int64_t count) {
  DeviceRequest request;
  request.name =
      Symbol("container-" + std::to_string(container) + "-request-" + std::to_string(place));
  request.device_class = device_class.name;
  request.mode = AllocationMode::kExactCount;
  request.mode_text = Symbol("ExactCount");
  request.count = count;
  ClaimRequest result;
  result.name = request.name;
  result.exactly = std::move(request);
  return result;
}

void AddRequests(const PodDemand& demand, const Symbol& resource, const DeviceClass& device_class,
                 std::vector<ClaimRequest>& requests) {
  std::vector<int64_t> running(demand.containers.size());  // devices of long-running containers
  for (size_t i = 0; i < demand.containers.size(); ++i) {
    const ContainerRequests& container = demand.containers[i];
    if (container.init && !container.sidecar) continue;
    const Want want = WantOf(container, resource);
    if (want.count == 0) continue;
    running[i] = want.count;
    requests.push_back(MakeRequest(i, want.place, device_class, want.count));
  }
  std::optional<ClaimRequest> surplus;
  for (size_t i = 0; i < demand.containers.size(); ++i) {
    const ContainerRequests& container = demand.containers[i];
    if (!container.init || container.sidecar) continue;
    const Want want = WantOf(container, resource);
    if (want.count == 0) continue;
    int64_t missing = want.count;
    for (size_t later = i; later < running.size() && missing > 0; ++later)
      missing -= running[later];
    if (missing > 0 && (!surplus || surplus->exactly->count < missing))
      surplus = MakeRequest(i, want.place, device_class, missing);
  }
  if (surplus) requests.push_back(std::move(*surplus));
}

}  // namespace

bool IsExtendedResource(std::string_view name) {
  if (name.starts_with(kImplicitResourcePrefix)) return true;
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos && !name.starts_with("requests.");
}

std::shared_ptr<const DeviceClass> ClassOfResource(const Snapshot& snapshot,
                                                   const Symbol& resource) {
  if (!resource.view().starts_with(kImplicitResourcePrefix)) return Winner(snapshot, resource);
  const auto* found =
      snapshot.classes().Find(Symbol(resource.view().substr(kImplicitResourcePrefix.size())));
  return found == nullptr ? nullptr : *found;
}

std::vector<Symbol> ResourcesFromDevices(const PodDemand& demand, const Snapshot& snapshot,
                                         const Node& node) {
  std::vector<Symbol> resources;
  if (!snapshot.features().extended_resources) return resources;
  for (const auto& [name, amount] : demand.requests) {
    if (amount.Sign() == 0 || !IsExtendedResource(name.view())) continue;
    const Quantity* allocatable = node.Allocatable(name.view());
    if (allocatable && allocatable->Sign() != 0) continue;
    if (ClassOfResource(snapshot, name)) resources.push_back(name);
  }
  return resources;
}

bool WantsDeviceResources(const PodDemand& demand, const Snapshot& snapshot) {
  static const Node no_plugins;
  return !ResourcesFromDevices(demand, snapshot, no_plugins).empty();
}

ClaimSpec ClaimForResources(const PodDemand& demand, const Snapshot& snapshot,
                            const std::vector<Symbol>& resources) {
  ClaimSpec spec;
  for (const Symbol& resource : resources)
    if (const auto device_class = ClassOfResource(snapshot, resource))
      AddRequests(demand, resource, *device_class, spec.requests);
  std::sort(spec.requests.begin(), spec.requests.end(),
            [](const ClaimRequest& a, const ClaimRequest& b) { return a.name < b.name; });
  return spec;
}

}  // namespace fedra::dra
