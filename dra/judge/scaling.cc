#include "dra/judge/scaling.h"

#include <algorithm>
#include <limits>

#include "dra/judge/node_fit.h"

namespace fedra::dra {

using verdict::ReasonCode;

namespace {

// Whether what is missing is something that new nodes could bring. No default: who adds a code says
// it here.
// NOLINTNEXTLINE(readability-function-size): a table
bool IsAboutDevices(ReasonCode code) {
  using enum ReasonCode;
  switch (code) {
    case kDriverMissing:
    case kPoolIncomplete:
    case kNoMatchingDevice:
    case kNotEnoughDevices:
    case kDevicesAllocated:
    case kConstraintUnsatisfied:
    case kCountersExhausted:
    case kCapacityExhausted:
    case kDeviceTainted:
    case kNodeMismatch:
    case kResourceMissing:
    case kNodesTooSmall:
    case kNodeResources:
    case kPodPlacement:
    case kPodsDoNotFit:
      return true;
    case kClusterUnreachable:
    case kClusterMisconfigured:
    case kCredentialsRejected:
    case kCertificateUntrusted:
    case kForbidden:
    case kApiMissing:
    case kApiVersionOld:
    case kNamespaceMissing:
    case kQueueMissing:
    case kQueueInactive:
    case kQueueStopped:
    case kQueueCannotHold:
    case kQueueFull:
    case kKindMissing:
    case kDeviceClassMissing:
    case kTemplateMissing:
    case kTemplateDrift:
    case kClaimMissing:
    case kClaimElsewhere:
    case kNameConflict:
    case kDependencyMissing:
    case kGangIncomplete:
    case kInLine:
    case kSelectorError:
    case kAllocationError:
    case kCapabilityUndeclared:
    case kSchedulerUnverified:
    case kGroupUnverified:
    case kReleaseUnverified:
    case kReleaseUnknown:
    case kPodUnverified:
    case kStaleData:
    case kBudgetExceeded:
    case kExcluded:
    case kWorkerRemoved:
    case kWorkerCordoned:
    case kMovedAway:
    case kKueueDisconnected:
    case kRecentlyFailed:
      return false;
  }
  return false;
}

// One kind of new node.
struct NewNode {
  Node node;
  std::map<Symbol, int64_t> devices;  // by class
  int64_t max_nodes = std::numeric_limits<int64_t>::max();

  verdict::NewNodes So(int64_t many) const;
};

verdict::NewNodes NewNode::So(int64_t many) const {
  verdict::NewNodes nodes{.nodes = many, .devices = {}, .labels = {}};
  for (const auto& [name, count] : devices) nodes.devices.emplace(name.str(), count);
  for (const auto& [key, value] : node.labels) nodes.labels.emplace(key.str(), value.str());
  return nodes;
}

std::vector<NewNode> NewNodes(const std::vector<ScalablePool>& pools) {
  std::map<std::map<std::string, std::string>, NewNode> by_labels;
  for (const ScalablePool& pool : pools) {
    NewNode& node = by_labels[pool.node_labels];
    node.devices[Symbol(pool.device_class)] += std::max(pool.devices, 0);
    if (pool.max_nodes > 0) node.max_nodes = std::min<int64_t>(node.max_nodes, pool.max_nodes);
  }
  std::vector<NewNode> result;
  for (auto& [labels, node] : by_labels) {
    for (const auto& [key, value] : labels)
      node.node.labels.emplace_back(Symbol(key), Symbol(value));
    result.push_back(std::move(node));
  }
  return result;
}

// What one pod takes of a new node, and what it still needs from elsewhere.
struct Share {
  std::map<Symbol, int64_t> per_pod, once;      // by class; `once`: for claims that the pods share
  std::vector<ChosenAlternative> alternatives;  // by the pod's claims
  std::vector<ClaimSpec> rest_specs;            // parallel to the pod's claims
};

class ShareFinder final {
 public:
  ShareFinder(const PodClaims& pod, const std::vector<size_t>& shared, const NewNode& node)
      : pod_(pod), shared_(shared), node_(node) {}

  // Absent: a request wants more of a class than a new node has.
  std::optional<Share> Find();

 private:
  enum class Source { kNewNode, kElsewhere, kNowhere };
  Source Assign(size_t claim, size_t index);
  int64_t* Left(const SubRequest& ask);

  const PodClaims& pod_;
  const std::vector<size_t>& shared_;
  const NewNode& node_;
  std::map<Symbol, int64_t> left_ = node_.devices;
  Share share_;
};

int64_t* ShareFinder::Left(const SubRequest& ask) {
  const auto at = left_.find(ask.request->device_class);
  return at == left_.end() ? nullptr : &at->second;
}

// The first alternative that the new node can satisfy.
ShareFinder::Source ShareFinder::Assign(size_t claim, size_t index) {
  const PreparedRequest& request = pod_.claims[claim].requests[index];
  bool known = false;
  for (uint32_t i = 0; i < request.asks; ++i) {
    const SubRequest& ask = pod_.asks[request.first_ask + i];
    int64_t* left = Left(ask);
    known = known || left != nullptr;
    if (left == nullptr) continue;
    const int64_t count =
        ask.all ? node_.devices.at(ask.request->device_class) : ask.request->count;
    if (count < 0 || count > *left || (ask.all && count == 0)) continue;
    *left -= count;
    const bool once = std::find(shared_.begin(), shared_.end(), claim) != shared_.end();
    (once ? share_.once : share_.per_pod)[ask.request->device_class] += count;
    if (request.alternatives) share_.alternatives.push_back({claim, index, static_cast<int>(i)});
    return Source::kNewNode;
  }
  return known ? Source::kNowhere : Source::kElsewhere;
}

std::optional<Share> ShareFinder::Find() {
  for (size_t claim = 0; claim < pod_.claims.size(); ++claim) {
    const PreparedClaim& prepared = pod_.claims[claim];
    ClaimSpec& rest = share_.rest_specs.emplace_back();
    for (size_t i = 0; i < prepared.requests.size(); ++i) {
      const Source source = Assign(claim, i);
      if (source == Source::kNowhere) return std::nullopt;
      if (source == Source::kElsewhere) rest.requests.push_back(prepared.spec->requests[i]);
    }
    // A constraint over new and known devices cannot be judged.
    if (rest.requests.size() == prepared.requests.size())
      rest.constraints = prepared.spec->constraints;
  }
  if (share_.per_pod.empty() && share_.once.empty()) return std::nullopt;
  return std::move(share_);
}

// How many pods find room on one new node.
int64_t PodsPerNode(const Share& share, const NewNode& node, const PodDemand& demand) {
  int64_t pods = demand.host_ports.empty() ? std::numeric_limits<int64_t>::max() : 1;
  for (const auto& [name, count] : share.per_pod) {
    if (count == 0) continue;
    const auto once = share.once.find(name);
    const int64_t taken = once == share.once.end() ? 0 : once->second;
    pods = std::min(pods, (node.devices.at(name) - taken) / count);
  }
  return pods;
}

// What the new node does not bring must be free in the cluster, for each pod. Absent: it is not;
// else what is taken then.
std::optional<Workspace> TakeRest(const SimulationContext& context, const PodVariant& variant,
                                  const std::vector<ClaimSpec>& rest, const Node& node,
                                  int64_t pods, Workspace taken) {
  std::vector<UnallocatedClaim> first, others;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i].requests.empty()) continue;
    const UnallocatedClaim claim{.key = variant.pod.claims[i].key,
                                 .spec = &rest[i],
                                 .made_from = variant.pod.claims[i].made_from};
    first.push_back(claim);
    if (std::find(variant.shared.begin(), variant.shared.end(), i) == variant.shared.end())
      others.push_back(claim);
  }
  if (first.empty()) return taken;
  if (pods > context.options.max_pods) return std::nullopt;
  const NodeView view = ViewOf(context.snapshot, node);
  for (int64_t i = 0; i < pods; ++i) {
    const auto& claims = i == 0 ? first : others;
    if (claims.empty()) break;
    const PodClaims pod =
        Prepare(claims, context.snapshot, context.caches.matches, context.caches.selectors);
    const NodeAllocation found = context.Find(pod, view, taken);
    if (found.fit != Fit::kFit) return std::nullopt;
    Commit(found, pod, view, taken);
  }
  return taken;
}

// With new nodes of one kind.
std::optional<Scaling> ScaleWith(const NewNode& kind, const SimulationContext& context,
                                 const PlacementTrace& trace, const PlacedPods& placed,
                                 int64_t most) {
  const Node& node = kind.node;
  if (Refuses(node, trace.pods.demand.node)) return std::nullopt;
  if (ClaimElsewhere(trace.resolved.bound, node)) return std::nullopt;
  const PodVariant& variant = trace.resolved.variants.For(node);
  std::optional<Share> share = ShareFinder(variant.pod, variant.shared, kind).Find();
  if (!share) return std::nullopt;
  const int64_t missing = trace.report.wanted - trace.report.fitting;
  const int64_t nodes = (missing - 1) / PodsPerNode(*share, kind, trace.pods.demand) + 1;
  if (nodes > (share->once.empty() ? most : 1)) return std::nullopt;
  std::optional<Workspace> taken =
      TakeRest(context, variant, share->rest_specs, node, missing, placed.workspace);
  if (!taken) return std::nullopt;
  for (ChosenAlternative& chosen : share->alternatives)
    chosen.claim = trace.resolved.entries[chosen.claim];
  return Scaling{.labels = node.labels,
                 .nodes = kind.So(nodes),
                 .alternatives = std::move(share->alternatives),
                 .workspace = std::move(*taken)};
}

}  // namespace

std::optional<Scaling> FindScaling(const SimulationContext& context, const PlacementTrace& trace,
                                   const PlacedPods& placed, const AddedNodes& added,
                                   const Explanation& explanation) {
  if (context.options.scalable_pools == nullptr || explanation.outcome != verdict::Outcome::kNo ||
      trace.report.wanted <= trace.report.fitting)
    return std::nullopt;
  for (const verdict::Reason& reason : explanation.reasons)
    if (!IsAboutDevices(reason.code)) return std::nullopt;
  for (const NewNode& kind : NewNodes(*context.options.scalable_pools)) {
    const auto at = added.find(kind.node.labels);
    const int64_t most = kind.max_nodes - (at == added.end() ? 0 : at->second);
    if (auto scaling = ScaleWith(kind, context, trace, placed, most)) return scaling;
  }
  return std::nullopt;
}

}  // namespace fedra::dra
