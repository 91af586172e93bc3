#pragma once
//
// Random jobs on nodes that kube-scheduler scores, and a naive model of where their pods go: it
// scores every node for every pod.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/dra/judge_worker.h"

namespace fedra::test::scored_jobs {

inline json Allocatable(int cpu, int memory) {
  return {{"status",
           {{"allocatable",
             {{"cpu", std::to_string(cpu)}, {"memory", std::to_string(memory) + "Gi"}}}}}};
}

inline json Taint(const char* key, const char* effect) {
  return {{"key", key}, {"effect", effect}};
}

inline std::string PodOf(int cpu, int memory) {
  return R"({"spec": {"containers": [{"resources": {"requests": {"cpu": ")" + std::to_string(cpu) +
         R"(", "memory": ")" + std::to_string(memory) +
         R"(Gi"}}}], "resourceClaims": [{"name": "d", "resourceClaimTemplateName": "t"}]}})";
}

enum Kind : size_t { kNew, kOld };

struct Place {
  std::array<int64_t, 2> all{}, taken{};  // cpu in thousandths, memory in bytes
  int unasked = 0;                        // cpu that running pods did not ask for, in thousandths
  std::array<int, 2> devices{};           // free, by kind
  int taints = 0;
};

struct Pods {
  int cpu = 0, memory = 0, count = 0;
  bool chooses = false;  // a new device, or else an old one; else an old one
};

// Device kinds by the first alternative that a pod gets on a node; nothing: it does not fit.
inline std::optional<Kind> Fits(const Place& place, const Pods& pods) {
  if (place.taken[0] + pods.cpu * 1000 > place.all[0]) return std::nullopt;
  if (place.taken[1] + (int64_t{pods.memory} << 30) > place.all[1]) return std::nullopt;
  if (pods.chooses && place.devices[kNew] > 0) return kNew;
  if (place.devices[kOld] > 0) return kOld;
  return std::nullopt;
}

inline double Uneven(const Place& place, std::array<int64_t, 2> more) {
  const auto share = [&](size_t i) {
    return double(place.taken[i] + more[i]) / double(place.all[i]);
  };
  return std::fabs(share(0) - share(1)) / 2;
}

// The nodes with the greatest sum of all plugins' scores among those that fit, in their order.
inline std::vector<size_t> BestOf(const std::vector<Place>& places, const Pods& pods,
                                  const dra::AllocatorFeatures& features) {
  const std::array<int64_t, 2> more{pods.cpu * 1000, int64_t{pods.memory} << 30};
  int64_t most_devices = 0, most_taints = 0;
  for (const Place& place : places) {
    const auto kind = Fits(place, pods);
    if (!kind) continue;
    most_taints = std::max<int64_t>(most_taints, place.taints);
    if (pods.chooses) most_devices = std::max<int64_t>(most_devices, *kind == kNew ? 8 : 7);
  }
  std::vector<size_t> best;
  int64_t best_score = -1;
  for (size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const auto kind = Fits(place, pods);
    if (!kind) continue;
    int64_t score = 0;
    for (size_t r = 0; r < 2; ++r) {
      const int64_t free = place.all[r] - place.taken[r] - more[r] - (r == 0 ? place.unasked : 0);
      score += std::max<int64_t>(free, 0) * 100 / place.all[r];
    }
    score /= 2;
    const auto with = static_cast<int64_t>((1 - Uneven(place, more)) * 100);
    const auto without = static_cast<int64_t>((1 - Uneven(place, {})) * 100);
    score += features.scores_change_of_balance ? 50 + (50 + with - without) / 2 : with;
    if (features.scores_devices && most_devices > 0)
      score += 2 * ((*kind == kNew ? 8 : 7) * 100 / most_devices);
    score += 3 * (100 - (most_taints > 0 ? place.taints * 100 / most_taints : 0));
    if (score < best_score) continue;
    if (score > best_score) best.clear();
    best.push_back(i);
    best_score = score;
  }
  return best;
}

struct RandomJob {
  std::vector<Place> places;
  std::vector<Pods> sets;
};

// `alike`: the nodes are of one size, and nothing runs there.
inline RandomJob Random(std::mt19937& random, bool alike = false) {
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  RandomJob job;
  for (int i = pick(1, 6); i > 0; --i)
    job.places.push_back({.all = {pick(2, 9) * 1000, int64_t{pick(4, 12)} << 30},
                          .devices = {pick(0, 2), pick(0, 3)},
                          .taints = pick(0, 3) == 0 ? 1 : 0});
  for (Place& place : job.places) {
    if (alike) place = {.all = {8000, int64_t{8} << 30}, .devices = place.devices};
    if (alike || pick(0, 1) == 0) continue;
    place.taken = {pick(0, 2) * 500, int64_t{pick(0, 2)} << 30};
    place.unasked = pick(0, 3) * 100;
  }
  for (int i = pick(1, 3); i > 0; --i)
    job.sets.push_back(
        {.cpu = pick(1, 3), .memory = pick(1, 4), .count = pick(1, 6), .chooses = pick(0, 1) == 1});
  return job;
}

inline void Put(const Pods& pods, Place& place) {
  --place.devices[*Fits(place, pods)];
  place.taken[0] += pods.cpu * 1000;
  place.taken[1] += int64_t{pods.memory} << 30;
}

// Of nodes that score alike the first.
inline std::vector<std::string> PlacedByModel(const Pods& pods,
                                              const dra::AllocatorFeatures& features,
                                              std::vector<Place>& places) {
  std::vector<std::string> nodes;
  for (int i = 0; i < pods.count; ++i) {
    const std::vector<size_t> best = BestOf(places, pods, features);
    if (best.empty()) break;
    Put(pods, places[best.front()]);
    nodes.push_back("n" + std::to_string(best.front()));
  }
  return nodes;
}

inline std::vector<dra::PodDemand> DemandsOf(const RandomJob& job, Worker& worker) {
  std::vector<dra::PodDemand> demands;
  for (const Pods& pods : job.sets) {
    demands.push_back(worker.Parse(PodOf(pods.cpu, pods.memory).c_str(), pods.count));
    demands.back().name = "set-" + std::to_string(demands.size());
    demands.back().claims[0].template_name = pods.chooses ? "chooses" : "old";
  }
  return demands;
}

inline Worker WorkerOf(const RandomJob& job, const dra::AllocatorFeatures& features) {
  Worker worker(features);
  worker.Template("chooses",
                  {FirstAvailable("r", {RequestOfKind("a", "new"), RequestOfKind("b", "old")})});
  worker.Template("old", {RequestOfKind("r", "old")});
  for (size_t i = 0; i < job.places.size(); ++i) {
    const Place& place = job.places[i];
    const std::string name = "n" + std::to_string(i);
    std::vector<json> devices;
    for (const auto& [kind, count] :
         {std::pair("new", place.devices[kNew]), std::pair("old", place.devices[kOld])})
      for (int d = 0; d < count; ++d)
        devices.push_back(Device(kind + std::to_string(d), {{"kind", kind}}));
    json node =
        Allocatable(static_cast<int>(place.all[0] / 1000), static_cast<int>(place.all[1] >> 30));
    for (int taint = 0; taint < place.taints; ++taint)
      node["spec"]["taints"].push_back(
          Taint(("k" + std::to_string(taint)).c_str(), "PreferNoSchedule"));
    worker.Node(name, json::object(), node);
    if (!devices.empty()) worker.On(name, devices);
  }
  return worker;
}

inline std::shared_ptr<const dra::NodeUse> UsedOf(const RandomJob& job) {
  dra::NodeUse used;
  for (size_t i = 0; i < job.places.size(); ++i) {
    const Place& place = job.places[i];
    used[Symbol("n" + std::to_string(i))] = {
        {Symbol("cpu"), *Quantity::Parse(std::to_string(place.taken[0]) + "m")},
        {Symbol("memory"), Quantity(place.taken[1])},
        {Symbol("unrequested:cpu"), *Quantity::Parse(std::to_string(place.unasked) + "m")}};
  }
  return Used(std::move(used));
}

}  // namespace fedra::test::scored_jobs
