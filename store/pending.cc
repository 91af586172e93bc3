#include "store/pending.h"

#include <algorithm>

#include "store/apply.h"

namespace fedra::store {

size_t Batch::size() const {
  size_t count = queued.size();
  for (const CommitGroup& group : groups) count += group.before.size() + group.changes.size();
  return count;
}

void Pending::Add(Change change) {
  const uint64_t number = ++last_number_;
  std::string key = KeyOf(change);
  if (key.empty()) {
    history_.emplace(number, std::move(change));
    return;
  }
  const auto [place, added] = place_.emplace(std::move(key), number);
  if (added) {
    rows_.emplace(number, std::move(change));
    return;
  }
  Change& waiting = rows_.at(place->second);
  waiting = Supersede(std::move(waiting), std::move(change));
}

std::future<Result<void>> Pending::AddGroup(std::vector<Change> changes) {
  CommitGroup& group = groups_.emplace_back();
  for (const Change& change : changes) {
    const auto place = place_.find(KeyOf(change));
    if (place == place_.end()) continue;
    const auto row = rows_.find(place->second);
    group.before.push_back({row->first, std::move(row->second)});
    rows_.erase(row);
    place_.erase(place);
  }
  group.changes = std::move(changes);
  return group.done.get_future();
}

Batch Pending::Take(size_t limit, bool with_queued) {
  Batch batch;
  size_t taken = 0;
  while (!groups_.empty() && (batch.groups.empty() || taken < limit)) {
    for (const Change& change : groups_.front().changes) taken += WeightOf(change);
    batch.groups.push_back(std::move(groups_.front()));
    groups_.pop_front();
  }
  for (auto* const queue : {&rows_, &history_}) {
    while (with_queued && !queue->empty() && taken < limit) {
      const auto oldest = queue->begin();
      taken += WeightOf(oldest->second);
      if (queue == &rows_) place_.erase(KeyOf(oldest->second));
      batch.queued.push_back({oldest->first, std::move(oldest->second)});
      queue->erase(oldest);
    }
  }
  return batch;
}

void Pending::GiveBack(Batch batch) {
  // The newest first: what comes later can then be superseded, never supersede.
  std::vector<Queued> all = std::move(batch.queued);
  for (CommitGroup& group : batch.groups) {
    std::move(group.before.begin(), group.before.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.number > b.number; });
  for (Queued& queued : all) GiveBack(std::move(queued));
}

void Pending::GiveBack(Queued queued) {
  const std::string key = KeyOf(queued.change);
  if (key.empty()) {
    history_.emplace(queued.number, std::move(queued.change));
  } else if (CommitGroup* const group = GroupWith(key)) {
    group->before.insert(group->before.begin(), std::move(queued));
  } else if (const auto place = place_.find(key); place != place_.end()) {
    auto newer = rows_.extract(place->second);
    newer.mapped() = Supersede(std::move(queued.change), std::move(newer.mapped()));
    newer.key() = queued.number;
    place->second = queued.number;
    rows_.insert(std::move(newer));
  } else {
    place_.emplace(key, queued.number);
    rows_.emplace(queued.number, std::move(queued.change));
  }
}

CommitGroup* Pending::GroupWith(const std::string& key) {
  for (CommitGroup& group : groups_) {
    for (const Change& change : group.changes) {
      if (KeyOf(change) == key) return &group;
    }
  }
  return nullptr;
}

bool Pending::DropOldestHistory() {
  if (history_.empty()) return false;
  history_.erase(history_.begin());
  return true;
}

uint64_t Pending::OldestNumber() const {
  uint64_t oldest = 0;
  const auto consider = [&](uint64_t number) {
    if (oldest == 0 || number < oldest) oldest = number;
  };
  if (!rows_.empty()) consider(rows_.begin()->first);
  if (!history_.empty()) consider(history_.begin()->first);
  for (const CommitGroup& group : groups_) {
    for (const Queued& queued : group.before) consider(queued.number);
  }
  return oldest;
}

}  // namespace fedra::store
