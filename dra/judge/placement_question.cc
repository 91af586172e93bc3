#include "dra/judge/placement_question.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "dra/judge/placed_pods.h"
#include "dra/judge/resolved_pod.h"
#include "dra/judge/simulation_context.h"

namespace fedra::dra {
namespace {

using verdict::Outcome;

constexpr size_t kNamedNodes = 3;
// So many other ways are drawn by lot, on no more nodes than these: on more, a lot hits those that
// matter too seldom for what it costs.
constexpr unsigned kLots = 12;
constexpr size_t kFewNodes = 32;
// More than any node has: a request for more fits nowhere.
constexpr int64_t kMostDevices = 1'000'000;
// What all ways together may cost, in steps that the answer itself may take.
constexpr uint64_t kTimesTheSteps = 3;
constexpr size_t kNodesPerStep = 16;

// The first pod set of which not all pods fit.
std::optional<size_t> FirstLeftOut(const Attempt& attempt) {
  for (size_t i = 0; i < attempt.ends.size(); ++i)
    if (attempt.ends[i].fitting < attempt.judgement.pod_sets[i].wanted) return i;
  return std::nullopt;
}

// Whether it ends with nothing but pods that fit or do not.
bool IsPlain(const Attempt& attempt) {
  return !attempt.idle_claim && !attempt.claim_taken_back_later &&
         std::ranges::all_of(attempt.ends, [](const PodSetEnd& end) {
           return end.trouble == PodSetEnd::Trouble::kNone && !end.may_fit;
         });
}

std::span<const SubRequest> AsksOf(const PodClaims& pod, const PreparedRequest& request) {
  return std::span(pod.asks).subspan(request.first_ask, request.asks);
}

// Of the alternative that takes the fewest; 0: it may take none, or all there are.
int64_t FewestDevices(const PodClaims& pod, const PreparedRequest& request) {
  int64_t fewest = kMostDevices;
  for (const SubRequest& ask : AsksOf(pod, request))
    fewest = std::min(fewest, ask.all || ask.admin ? 0 : std::max<int64_t>(ask.request->count, 0));
  return fewest;
}

constexpr int64_t kPod = 1000;

// How many times `wanted` is in `free`, in thousandths.
int64_t Share(int64_t free, int64_t wanted) {
  return free > INT64_MAX / kPod ? free / wanted * kPod : free * kPod / wanted;
}

bool MayBeShared(const PoolState& pool) {
  return std::ranges::any_of(pool.slices, [](const auto& slice) {
    return std::ranges::any_of(
        slice->devices, [](const Device& device) { return device.allow_multiple.value_or(false); });
  });
}

// Whether some device may be allocated to several claims.
bool HasSharedDevices(const Snapshot& snapshot) {
  bool found = false;
  if (snapshot.features().consumable_capacity)
    snapshot.pools().ForEach(
        [&](const PoolKey&, const auto& pool) { found = found || MayBeShared(*pool); });
  return found;
}

// How many pods of one set each node could take, in thousandths, counted request by request, if
// nothing else of the job were there.
class Room final {
 public:
  Room(const SimulationContext& context, const std::string& ns, const PodDemand& demand);

  const std::vector<const Node*>& nodes() const { return resolved_.nodes; }
  int64_t On(size_t position);

 private:
  struct Devices {
    std::vector<int> free;  // by position
    int64_t wanted = 0;     // by one pod
  };

  const std::vector<Devices>& DevicesFor(const PodVariant& variant);

  const SimulationContext& context_;
  const PodDemand& demand_;
  const ResolvedPod resolved_;
  std::map<const PodVariant*, std::vector<Devices>> devices_;  // by request
};

Room::Room(const SimulationContext& context, const std::string& ns, const PodDemand& demand)
    : context_(context), demand_(demand), resolved_(Resolve(context, ns, demand, {})) {}

const std::vector<Room::Devices>& Room::DevicesFor(const PodVariant& variant) {
  const auto [at, is_new] = devices_.try_emplace(&variant);
  // What is known is of all nodes that admit the pod.
  if (!is_new || !resolved_.bound.empty()) return at->second;
  for (const PreparedClaim& claim : variant.pod.claims)
    for (const PreparedRequest& request : claim.requests) {
      const int64_t wanted = FewestDevices(variant.pod, request);
      if (wanted == 0) continue;
      std::vector<MatchKey> keys;
      for (const SubRequest& ask : AsksOf(variant.pod, request)) keys.push_back(MatchKeyOf(ask));
      const FreeDevices& free =
          context_.memory.FreeOn(demand_.node, keys, context_.snapshot, context_.caches.matches);
      at->second.push_back({.free = free.on_node, .wanted = wanted});
    }
  return at->second;
}

int64_t Room::On(size_t position) {
  const Node& node = *resolved_.nodes[position];
  const PodVariant& variant = resolved_.variants.For(node);
  int64_t most = int64_t{demand_.count} * kPod;
  for (const Devices& devices : DevicesFor(variant))
    most = std::min(most, Share(devices.free[position], devices.wanted));
  const Amounts* running = RunningOn(context_.options, node);
  for (const auto& [resource, asked] : demand_.requests) {
    const bool is_of_devices =
        std::ranges::find(variant.from_devices, resource) != variant.from_devices.end();
    if (is_of_devices || asked.MilliValue() <= 0) continue;
    const Quantity* there = node.Allocatable(resource.view());
    const Quantity* used = running ? FindAmount(*running, resource) : nullptr;
    const int64_t left = (there ? there->MilliValue() : 0) - (used ? used->MilliValue() : 0);
    most = std::min(most, Share(std::max<int64_t>(left, 0), asked.MilliValue()));
  }
  return most;
}

// Whether so many pods have room although others have taken so many nodes, whichever they are.
bool HasRoom(Room room, int pods, int taken) {
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> largest;
  int64_t left = 0;
  for (size_t i = 0; i < room.nodes().size() && left < pods; ++i) {
    largest.push(room.On(i) / kPod);
    if (largest.size() <= static_cast<size_t>(taken)) continue;
    left += largest.top();
    largest.pop();
  }
  return left >= pods;
}

bool TellsApart(const TieBreak& ties) {
  return std::ranges::any_of(ties,
                             [&](const auto& node) { return node.second != ties.begin()->second; });
}

class PlacementQuestion final {
 public:
  // The caches have a memory.
  PlacementQuestion(const Question& question, const Snapshot& snapshot, JudgeCaches caches)
      : question_(question),
        caches_(caches),
        context_{snapshot, caches, *caches.memory, question.options, cost_} {}

  // Whether each set has room wherever the pods before it go: quick, and mostly true.
  bool AllHaveRoom() const;
  // Whether there may be as many devices as all pods want, wherever they are.
  bool DevicesMaySuffice() const;
  // Whether the pods of one set would all fit, were they placed before the others; the others, too.
  bool FitsAlone(size_t pod_set);
  bool AllFitWithFirst(size_t pod_set);
  // A way that leaves pods out, among nodes that score alike, or one that leaves none out.
  std::optional<Attempt> FindWay(bool leaves_out);

 private:
  // Absent: it is not certain, or too much was spent.
  std::optional<Attempt> Try(std::span<const PodDemand> demands,
                             std::span<const TieBreak> ties = {}, bool spreads = false);
  // The nodes first that could take the most pods of later sets, or the fewest.
  std::vector<TieBreak> TiesByRoom(bool most) const;
  // Another order for each pod set and number, the same whenever it is asked for.
  std::vector<TieBreak> TiesByLot(unsigned number) const;

  const Question& question_;
  const JudgeCaches caches_;
  SearchCost cost_;  // of no search
  const SimulationContext context_;
  uint64_t steps_ = 0;  // of all ways so far
};

bool PlacementQuestion::AllHaveRoom() const {
  int earlier = question_.demands.front().count;
  if (question_.options.assumed)
    for (const AssumedPods& pods : *question_.options.assumed) earlier += pods.count;
  for (const PodDemand& demand : question_.demands.subspan(1)) {
    if (!HasRoom(Room(context_, question_.ns, demand), demand.count, earlier)) return false;
    earlier += demand.count;
  }
  return true;
}

bool PlacementQuestion::DevicesMaySuffice() const {
  if (HasSharedDevices(context_.snapshot)) return true;
  const NodeConstraints& node = question_.demands.front().node;
  std::vector<MatchKey> keys;
  std::set<ObjectKey> shared;  // claims that were counted
  int64_t wanted = 0;
  for (const PodDemand& demand : question_.demands) {
    const ResolvedPod resolved = Resolve(context_, question_.ns, demand, {});
    // Devices of other nodes, or of some nodes only, would have to be told apart.
    if (demand.node != node || !resolved.missing.empty() || !resolved.bound.empty() ||
        resolved.variants.wants_device_resources())
      return true;
    const PodVariant& variant = resolved.variants.Plain();
    AddMatchKeys(variant.pod, keys);
    for (size_t i = 0; i < variant.pod.claims.size(); ++i) {
      const PreparedClaim& claim = variant.pod.claims[i];
      const bool is_shared = std::ranges::find(variant.shared, i) != variant.shared.end();
      if (is_shared && !shared.insert(claim.key).second) continue;
      for (const PreparedRequest& request : claim.requests)
        wanted += (is_shared ? 1 : demand.count) * FewestDevices(variant.pod, request);
    }
  }
  const FreeDevices& free = context_.memory.FreeOn(node, keys, context_.snapshot, caches_.matches);
  int64_t there = free.total;
  for (const FreeRoaming& roaming : free.roaming) there += std::ssize(roaming.slots);
  return there >= wanted;
}

std::optional<Attempt> PlacementQuestion::Try(std::span<const PodDemand> demands,
                                              std::span<const TieBreak> ties, bool spreads) {
  // Each way has a cost of its own: from the half of what it may cost on, it may take nodes that
  // others are better than.
  const uint64_t most = question_.options.limits.max_steps;
  if (steps_ > kTimesTheSteps * most) return std::nullopt;
  SearchCost cost;
  Attempt attempt = TryNodes({question_.ns, demands, question_.options}, context_.snapshot, caches_,
                             cost, {.explain = false, .ties = ties, .spreads = spreads});
  steps_ += cost.steps + 1 + context_.snapshot.nodes().size() / kNodesPerStep;
  if (!IsPlain(attempt) || cost.steps > most / 2) return std::nullopt;
  return attempt;
}

bool PlacementQuestion::FitsAlone(size_t pod_set) {
  const std::optional<Attempt> alone = Try(question_.demands.subspan(pod_set, 1));
  return alone && !FirstLeftOut(*alone);
}

bool PlacementQuestion::AllFitWithFirst(size_t pod_set) {
  std::vector<PodDemand> demands(question_.demands.begin(), question_.demands.end());
  const auto first = demands.begin() + static_cast<ptrdiff_t>(pod_set);
  std::rotate(demands.begin(), first, first + 1);
  const std::optional<Attempt> attempt = Try(demands);
  return attempt && !FirstLeftOut(*attempt);
}

std::optional<Attempt> PlacementQuestion::FindWay(bool leaves_out) {
  std::optional<Attempt> way;
  const auto finds = [&](std::span<const TieBreak> ties, bool spreads) {
    way = Try(question_.demands, ties, spreads);
    return way && FirstLeftOut(*way).has_value() == leaves_out;
  };
  const std::vector<TieBreak> by_room = TiesByRoom(leaves_out);
  if (finds(by_room, /*spreads=*/true)) return way;
  // All else goes on equally, whichever of equal nodes is taken.
  if (std::ranges::none_of(by_room, TellsApart)) return std::nullopt;
  if (finds(by_room, false) || finds(TiesByRoom(!leaves_out), false)) return way;
  const unsigned lots = context_.snapshot.nodes().size() > kFewNodes ? 0 : kLots;
  for (unsigned number = 0; number < lots; ++number)
    if (finds(TiesByLot(number), number % 2 == 1)) return way;
  return std::nullopt;
}

std::vector<TieBreak> PlacementQuestion::TiesByRoom(bool most) const {
  std::vector<TieBreak> ties(question_.demands.size());
  std::map<Symbol, int64_t> later;  // node -> pods of later sets that it could take
  context_.snapshot.nodes().ForEach([&](const Symbol& name, const auto&) { later[name] = 0; });
  for (size_t i = ties.size(); --i > 0;) {
    Room room(context_, question_.ns, question_.demands[i]);
    for (size_t at = 0; at < room.nodes().size(); ++at)
      later[room.nodes()[at]->name] += room.On(at);
    std::set<int64_t> amounts;
    for (const auto& [name, pods] : later) amounts.insert(pods);
    std::map<int64_t, int> places;
    for (const int64_t pods : amounts) places.emplace(pods, static_cast<int>(places.size()));
    for (const auto& [name, pods] : later)
      ties[i - 1][name] = most ? places.at(pods) : -places.at(pods);
  }
  return ties;
}

std::vector<TieBreak> PlacementQuestion::TiesByLot(unsigned number) const {
  std::vector<TieBreak> ties(question_.demands.size());
  for (size_t i = 0; i < ties.size(); ++i) {
    const std::string lot = fmt::format("{}/{}/", number, i);
    context_.snapshot.nodes().ForEach([&](const Symbol& name, const auto&) {
      ties[i][name] = static_cast<int>(Hash64(lot + name.str()) >> 48);
    });
  }
  return ties;
}

// Pods of this way that are in the way of those of the set.
verdict::EarlierPods EarlierPodsOf(const Attempt& way, size_t left_out) {
  const PodSetReport& report = way.judgement.pod_sets[left_out];
  verdict::EarlierPods facts{
      .pod_set = report.name, .fitting = report.fitting, .wanted = report.wanted};
  std::set<std::string> nodes;
  for (size_t i = 0; i < left_out; ++i) {
    const PodSetReport& earlier = way.judgement.pod_sets[i];
    facts.earlier.push_back(earlier.name);
    nodes.insert(earlier.nodes.begin(), earlier.nodes.end());
  }
  for (const std::string& node : nodes) {
    if (facts.nodes.size() < kNamedNodes)
      facts.nodes.push_back(node);
    else
      ++facts.more_nodes;
  }
  return facts;
}

}  // namespace

std::optional<verdict::EarlierPods> EffectOfPlacement(const Question& question,
                                                      const Attempt& answer,
                                                      const Snapshot& snapshot,
                                                      JudgeCaches caches) {
  if (question.demands.size() < 2 || !IsPlain(answer)) return std::nullopt;
  JudgeMemory own;
  if (caches.memory == nullptr) caches.memory = &own;
  PlacementQuestion asked(question, snapshot, caches);
  const std::optional<size_t> left_out = FirstLeftOut(answer);
  switch (answer.judgement.verdict.outcome) {
    case Outcome::kYes: {
      if (left_out || !answer.chose_by_name || asked.AllHaveRoom()) return std::nullopt;
      const std::optional<Attempt> other = asked.FindWay(/*leaves_out=*/true);
      const std::optional<size_t> then_out = other ? FirstLeftOut(*other) : std::nullopt;
      if (!then_out || *then_out == 0) return std::nullopt;
      verdict::EarlierPods facts = EarlierPodsOf(*other, *then_out);
      facts.by_chance = true;
      return facts;
    }
    case Outcome::kNo: {
      if (!left_out || *left_out == 0 || !asked.DevicesMaySuffice() || !asked.FitsAlone(*left_out))
        return std::nullopt;
      verdict::EarlierPods facts = EarlierPodsOf(answer, *left_out);
      facts.by_chance = answer.chose_by_name && asked.FindWay(/*leaves_out=*/false);
      if (!facts.by_chance && !asked.AllFitWithFirst(*left_out)) return std::nullopt;
      return facts;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace fedra::dra
