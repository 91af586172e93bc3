#include "dra/judge/node_order.h"

#include <algorithm>
#include <utility>

namespace fedra::dra {

NodeOrder::NodeOrder(Question question)
    : question_(std::move(question)), pod_(LoadOf(question_.demand)) {
  for (const auto& [name, held] : question_.placed.on_node) {
    const auto position = PositionOf(name, question_.nodes);
    if (!position) continue;
    moved_.insert(*position);
    again_.insert(RankOf(*position));
  }
  PassMoved();
}

NodeRank NodeOrder::RankOf(size_t position) const {
  const Node& node = *question_.nodes[position];
  const Load load =
      LoadOf(RunningOn(question_.options, node)) + LoadOf(HeldOn(question_.placed, node));
  return {.score = question_.ranks->OfTaints(position) +
                   ResourceScore(AllocatableOf(node), load, pod_,
                                 question_.features.scores_change_of_balance),
          .preference = PreferenceOf(position),
          .position = position};
}

int NodeOrder::PreferenceOf(size_t position) const {
  constexpr int64_t kMostPods = 1000, kMore = 1'000'000;  // than any preference
  static const Symbol pods("pods");
  const int preference = question_.ranks->Preference(position);
  if (!question_.spreads) return preference;
  const Amounts* held = HeldOn(question_.placed, *question_.nodes[position]);
  const Quantity* placed = held ? FindAmount(*held, pods) : nullptr;
  const int64_t count = placed ? std::min(placed->Value(), kMostPods) : 0;
  return static_cast<int>(preference - kMore * count);
}

void NodeOrder::PassMoved() {
  const auto& ranked = question_.ranks->best_first;
  while (next_ < ranked.size() && moved_.contains(ranked[next_].position)) ++next_;
}

void NodeOrder::AskAllAgain() {
  for (auto& [devices, ranks] : asked_) again_.merge(ranks);
  asked_.clear();
}

void NodeOrder::StopAsking() {
  AskAllAgain();
  asks_ = false;
}

const NodeRank* NodeOrder::Unasked() const {
  const auto& ranked = question_.ranks->best_first;
  const NodeRank* best = next_ < ranked.size() ? &ranked[next_] : nullptr;
  if (again_.empty()) return best;
  return best == nullptr || !asks_ || *again_.rbegin() > *best ? &*again_.rbegin() : best;
}

NodeRank NodeOrder::TakeUnasked() {
  const NodeRank best = *Unasked();
  if (again_.erase(best) == 0) {
    ++next_;
    PassMoved();
  }
  return best;
}

NodeRank NodeOrder::Whole(const NodeRank& rank, int devices, int most) const {
  NodeRank whole = rank;
  whole.score += kDevicesWeight * NormalizedScore(devices, most);
  return whole;
}

bool NodeOrder::MayBeBeaten(const NodeRank& whole, int most) const {
  const NodeRank* unasked = Unasked();
  if (unasked == nullptr) return false;
  // As long as no node has the best devices, another one may have better ones, before which those
  // of this one count less.
  if (most < question_.best_devices) return true;
  return Whole(*unasked, question_.best_devices, most) > whole;
}

std::optional<NodeRank> NodeOrder::Next() {
  const int most = MostDevices();
  auto best = asked_.end();
  NodeRank whole;
  for (auto group = asked_.begin(); group != asked_.end(); ++group) {
    const NodeRank of_group = Whole(*group->second.rbegin(), group->first, most);
    if (best != asked_.end() && of_group < whole) continue;
    best = group;
    whole = of_group;
  }
  if (best == asked_.end()) {
    if (Unasked() == nullptr) return std::nullopt;
    return TakeUnasked();
  }
  if (MayBeBeaten(whole, most)) return TakeUnasked();
  const auto last = std::prev(best->second.end());
  const NodeRank next = *last;
  best->second.erase(last);
  if (best->second.empty()) asked_.erase(best);
  return next;
}

bool NodeOrder::IsBest(const NodeRank& rank, int devices) const {
  if (!asks_) return true;
  const int most = std::max(MostDevices(), devices);
  const NodeRank whole = Whole(rank, devices, most);
  return !MayBeBeaten(whole, most) &&
         std::all_of(asked_.begin(), asked_.end(), [&](const auto& group) {
           return Whole(*group.second.rbegin(), group.first, most) < whole;
         });
}

bool NodeOrder::MayTie(const NodeRank& rank, int devices) const {
  const int most = std::max(MostDevices(), devices);
  const int score = Whole(rank, devices, most).score;
  const NodeRank* unasked = Unasked();
  if (unasked != nullptr && Whole(*unasked, question_.best_devices, most).score >= score)
    return true;
  return std::any_of(asked_.begin(), asked_.end(), [&](const auto& group) {
    return Whole(*group.second.rbegin(), group.first, most).score == score;
  });
}

void NodeOrder::AddTo(StateText& state) const {
  const auto add = [&](const std::set<NodeRank>& ranks) {
    state.Add(ranks.size());
    for (const NodeRank& rank : ranks) {
      state.Add(static_cast<uint64_t>(rank.score));
      state.Add(rank.position);
    }
  };
  // The ranks follow from what is placed, and so do the moved nodes that have not been asked.
  state.Add(next_);
  state.Add(uint64_t{asks_});
  add(again_);
  for (const auto& [devices, ranks] : asked_) {
    state.Add(static_cast<uint64_t>(devices));
    add(ranks);
  }
}

}  // namespace fedra::dra
