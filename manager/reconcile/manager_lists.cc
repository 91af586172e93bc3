#include "manager/reconcile/manager_lists.h"

#include <algorithm>
#include <utility>

#include "manager/verify/cache_status.h"

namespace fedra::reconcile {

using watch::CacheHealth;

ManagerLists::ManagerLists(std::function<bool(const ManagerInput&)> is_read)
    : is_read_(std::move(is_read)) {}

template <class Visit>
void ManagerLists::VisitRead(Visit visit) const {
  for (const List& list : lists_) {
    if (is_read_(list.input)) visit(list.input, list.sink->health());
  }
}

bool ManagerLists::AreListed() const {
  bool listed = true;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    listed = listed && HasAnswered(input, health);
  });
  return listed;
}

bool ManagerLists::AreListedAnew() const {
  bool listed = true;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    listed = listed && IsListedAnew(input, health);
  });
  return listed;
}

bool ManagerLists::IsAwaited(const watch::CacheSink& sink) const {
  return std::ranges::any_of(
      lists_, [&](const List& list) { return list.sink == &sink && list.input.awaited; });
}

std::string ManagerLists::Problem() const {
  std::string text;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    if (text.empty() && IsNeeded(input, health)) text = verify::Problem(health, NameOf(input));
  });
  return text;
}

std::vector<Gap> ManagerLists::Gaps() const {
  std::vector<Gap> gaps;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    if (auto gap = GapOf(input, health)) gaps.push_back(*std::move(gap));
  });
  return gaps;
}

std::vector<Gap> ManagerLists::TakeNewGaps() {
  std::vector<Gap> fresh;
  VisitRead([&](const ManagerInput& input, const CacheHealth& health) {
    auto gap = GapOf(input, health);
    if (!gap && IsNeeded(input, health) && IsWithheld(health)) {
      const std::string name = NameOf(input);
      gap = Gap{name,
                verify::Problem(health, name) + "; fedra decides nothing before it can read it"};
    }
    known_gaps_.With([&](std::set<std::string>& known) {
      if (!gap && health.IsCurrent()) known.erase(NameOf(input));
      if (gap && known.insert(gap->resource).second) fresh.push_back(*std::move(gap));
    });
  });
  return fresh;
}

}  // namespace fedra::reconcile
