#include "manager/reconcile/queue.h"

#include <string>
#include <utility>

#include "base/types.h"

namespace fedra::reconcile {
namespace {

// Keys of a lane in a row, while one behind it has some.
constexpr int kMostInARow = 3;

}  // namespace

template <class Key>
void Queue<Key>::Line(const Key& key, Lane lane) {
  lanes_[static_cast<size_t>(lane)].push_back(key);
}

template <class Key>
void Queue<Key>::AddNow(const Key& key, Lane lane) {
  if (stopping_) return;
  const auto [known, is_new] = dirty_.try_emplace(key, lane);
  const bool changes = !is_new && lane < known->second;
  if (!is_new && !changes) return;
  known->second = lane;
  if (working_.contains(key)) return;
  Line(key, lane);
  if (is_new) ++ready_;
}

template <class Key>
bool Queue<Key>::HasAny(Lane lane) {
  std::deque<Key>& keys = lanes_[static_cast<size_t>(lane)];
  while (!keys.empty()) {
    const auto found = dirty_.find(keys.front());
    if (found != dirty_.end() && found->second == lane && !working_.contains(keys.front()))
      return true;
    keys.pop_front();
  }
  return false;
}

template <class Key>
void Queue<Key>::WakeOne() {
  if (idle_ > 0) {
    work_.notify_one();
  } else if (has_timer_thread_) {
    time_.notify_one();
  }
}

template <class Key>
void Queue<Key>::AddKey(const Key& key, Lane lane) {
  const std::lock_guard lock(mutex_);
  AddNow(key, lane);
  if (ready_ > 0) WakeOne();
}

template <class Key>
void Queue<Key>::Add(const Key& key) {
  AddKey(key, Lane::kRest);
}

template <class Key>
void Queue<Key>::AddNext(const Key& key) {
  AddKey(key, Lane::kNext);
}

template <class Key>
void Queue<Key>::AddBacklog(const Key& key) {
  AddKey(key, Lane::kBacklog);
}

template <class Key>
void Queue<Key>::MakeBacklog() {
  const std::lock_guard lock(mutex_);
  std::deque<Key> all;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (; HasAny(static_cast<Lane>(lane)); lanes_[lane].pop_front()) {
      dirty_.at(lanes_[lane].front()) = Lane::kBacklog;
      all.push_back(std::move(lanes_[lane].front()));
    }
  }
  lanes_[static_cast<size_t>(Lane::kBacklog)] = std::move(all);
}

template <class Key>
void Queue<Key>::AddAt(const Key& key, SteadyTime when) {
  const std::lock_guard lock(mutex_);
  const auto [due, is_new] = due_.try_emplace(key, when);
  if (!is_new && due->second <= when) return;
  due->second = when;
  const bool is_first = later_.empty() || when < later_.begin()->first;
  later_.emplace(when, key);
  if (!is_first) return;
  if (has_timer_thread_) {
    time_.notify_one();
  } else {
    work_.notify_one();
  }
}

template <class Key>
void Queue<Key>::Promote() {
  const SteadyTime now = clock_.Steady();
  while (!later_.empty() && later_.begin()->first <= now) {
    const auto first = later_.begin();
    const auto due = due_.find(first->second);
    // An entry that an earlier one has overtaken is stale.
    if (due != due_.end() && due->second == first->first) {
      AddNow(first->second, Lane::kRest);
      due_.erase(due);
    }
    later_.erase(first);
  }
}

template <class Key>
Key Queue<Key>::Take() {
  const auto any_behind = [this](size_t lane) {
    while (++lane < kLanes)
      if (HasAny(static_cast<Lane>(lane))) return true;
    return false;
  };
  size_t lane = 0;
  for (; lane + 1 < kLanes; ++lane) {
    const bool others_turn = in_a_row_[lane] >= kMostInARow && any_behind(lane);
    if (!others_turn && HasAny(static_cast<Lane>(lane))) {
      ++in_a_row_[lane];
      break;
    }
    in_a_row_[lane] = 0;
  }
  (void)HasAny(static_cast<Lane>(lane));
  Key key = std::move(lanes_[lane].front());
  lanes_[lane].pop_front();
  --ready_;
  dirty_.erase(key);
  working_.insert(key);
  return key;
}

template <class Key>
void Queue<Key>::Wait(std::unique_lock<std::mutex>& lock) {
  if (has_timer_thread_ || later_.empty()) {
    ++idle_;
    work_.wait(lock);
    --idle_;
    return;
  }
  has_timer_thread_ = true;
  time_.wait_for(lock, later_.begin()->first - clock_.Steady());
  has_timer_thread_ = false;
}

template <class Key>
std::optional<Key> Queue<Key>::Get() {
  std::unique_lock lock(mutex_);
  while (true) {
    Promote();
    if (stopping_) return std::nullopt;
    if (ready_ > 0) break;
    Wait(lock);
  }
  Key key = Take();
  const bool no_timer_thread = !has_timer_thread_ && !later_.empty();
  if (ready_ > 0 || no_timer_thread) WakeOne();
  return key;
}

template <class Key>
void Queue<Key>::Done(const Key& key) {
  const std::lock_guard lock(mutex_);
  working_.erase(key);
  if (working_.empty()) done_.notify_all();
  const auto again = dirty_.find(key);
  if (again == dirty_.end()) return;
  Line(key, again->second);
  ++ready_;
  WakeOne();
}

template <class Key>
void Queue<Key>::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  work_.notify_all();
  time_.notify_all();
}

template <class Key>
bool Queue<Key>::WaitUntilIdle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, limit, [this] { return working_.empty(); });
}

template <class Key>
size_t Queue<Key>::depth() const {
  const std::lock_guard lock(mutex_);
  return ready_;
}

template <class Key>
size_t Queue<Key>::working() const {
  const std::lock_guard lock(mutex_);
  return working_.size();
}

template <class Key>
size_t Queue<Key>::held() const {
  const std::lock_guard lock(mutex_);
  return ready_ + later_.size();
}

template <class Key>
void Queue<Key>::DropIf(const std::function<bool(const Key& key)>& is_dead) {
  const std::lock_guard lock(mutex_);
  Promote();
  std::erase_if(dirty_, [&](const auto& entry) {
    const bool dead = !working_.contains(entry.first) && is_dead(entry.first);
    if (dead) --ready_;
    return dead;
  });
  for (std::deque<Key>& keys : lanes_)
    std::erase_if(keys, [&](const Key& key) { return !dirty_.contains(key); });
  std::erase_if(later_, [&](const auto& entry) {
    const auto& [when, key] = entry;
    const auto due = due_.find(key);
    if (due == due_.end() || due->second != when) return true;  // overtaken by an earlier one
    // Ready as well: it comes sooner, and asks for another time then.
    if (!dirty_.contains(key) && !is_dead(key)) return false;
    due_.erase(due);
    return true;
  });
}

template class Queue<ObjectKey>;
template class Queue<std::string>;

}  // namespace fedra::reconcile
