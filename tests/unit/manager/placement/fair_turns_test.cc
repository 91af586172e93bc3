// FairTurns against a naive model of the same rule, which finds every turn anew after each change.

#include "manager/placement/fair_turns.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/histories.h"

namespace fedra::placement::fair_turns_test {
namespace {

// Of one clock, in the words of turn_clock.h.
class NaiveClock {
 public:
  using Key = std::tuple<double, WallTime, ObjectKey>;  // TurnClock::Key
  struct Job {
    Key key;
    double step = 0;
  };
  struct Flow {
    double next = 0;
    int overtaken = 0;
    ObjectKey first;  // when a job was last served
    std::vector<Job> jobs;
    std::vector<double> begins;  // by place
  };

  void Add(const std::string& name, const Key& key, double step) {
    Flow& flow = flows_[name];
    double begin = std::max(now_, flow.next);
    if (!flow.begins.empty()) begin = std::max(begin, flow.begins.back());
    flow.begins.push_back(begin);
    flow.jobs.push_back({key, step});
    std::ranges::sort(flow.jobs, {}, &Job::key);
  }
  void Move(const std::string& name, const Key& from, const Key& to) {
    Find(name, from)->key = to;
    std::ranges::sort(flows_.at(name).jobs, {}, &Job::key);
  }
  void Leave(const std::string& name, const Key& key) {
    Flow& flow = flows_.at(name);
    if (flow.first == std::get<ObjectKey>(key)) flow.overtaken = 0;
    flow.jobs.erase(Find(name, key));
    flow.begins.pop_back();
    Forget();
  }
  void Serve(const std::string& name, const Key& key) {
    Flow& flow = flows_.at(name);
    const auto job = Find(name, key);
    const double turn = TurnsOf(name).at(std::get<ObjectKey>(key));
    const double next = turn + job->step;
    const auto place = job - flow.jobs.begin();
    if (place == 0) flow.overtaken = 0;
    flow.jobs.erase(job);
    flow.begins.erase(flow.begins.begin() + place);
    for (auto at = flow.begins.begin() + place; at != flow.begins.end(); ++at)
      *at = std::max(*at, next);
    flow.next = std::max(flow.next, next);
    double least = std::numeric_limits<double>::infinity();
    for (auto& [other, its] : flows_) {
      if (its.jobs.empty()) continue;
      its.first = std::get<ObjectKey>(its.jobs.front().key);
      if (its.begins.front() < turn) ++its.overtaken;
      if (its.overtaken < TurnClock::kStalled) least = std::min(least, its.begins.front());
    }
    now_ = std::max(now_, std::min(turn, least));
    Forget();
  }
  std::map<ObjectKey, double> TurnsOf(const std::string& name) const {
    std::map<ObjectKey, double> turns;
    const Flow& flow = flows_.at(name);
    double turn = 0;
    for (size_t i = 0; i < flow.jobs.size(); ++i) {
      turn = std::max(turn, flow.begins[i]);
      turns[std::get<ObjectKey>(flow.jobs[i].key)] = turn;
      turn += flow.jobs[i].step;
    }
    return turns;
  }
  std::map<ObjectKey, double> Turns() const {
    std::map<ObjectKey, double> all;
    for (const auto& [name, flow] : flows_) all.merge(TurnsOf(name));
    return all;
  }
  bool IsEmpty() const { return flows_.empty(); }

 private:
  std::vector<Job>::iterator Find(const std::string& name, const Key& key) {
    return std::ranges::find(flows_.at(name).jobs, key, &Job::key);
  }
  void Forget() {
    std::erase_if(flows_, [&](const auto& each) {
      return each.second.jobs.empty() && each.second.next <= now_;
    });
  }

  double now_ = 0;
  std::map<std::string, Flow> flows_;
};

// Of one priority.
class NaiveTurns {
 public:
  void Add(WallTime since, const ObjectKey& job, const Share& share) {
    members_[job] = {since, share, 0};
    if (share.local) {
      locals_[share.queue].Add(share.local->queue, {0, since, job},
                               StepOf(share.cost, share.local->weight));
      Follow(share.queue, job);
      members_[job].local_turn = locals_[share.queue].Turns().at(job);
    }
    queues_.Add(share.queue, KeyOf(job), StepOf(share.cost, share.weight));
  }
  void Remove(const ObjectKey& job, bool served) {
    const Member its = members_.at(job);
    Take(queues_, its.share.queue, KeyOf(job), served);
    members_.erase(job);
    if (!its.share.local) return;
    NaiveClock& locals = locals_[its.share.queue];
    Take(locals, its.share.local->queue, {0, its.since, job}, served);
    if (locals.IsEmpty())
      locals_.erase(its.share.queue);
    else
      Follow(its.share.queue, {});
  }
  std::map<ObjectKey, double> Turns() const { return queues_.Turns(); }
  bool IsEmpty() const { return queues_.IsEmpty() && locals_.empty(); }

 private:
  struct Member {
    WallTime since{};
    Share share;
    double local_turn = 0;
  };
  static void Take(NaiveClock& clock, const std::string& flow, const NaiveClock::Key& key,
                   bool served) {
    if (served)
      clock.Serve(flow, key);
    else
      clock.Leave(flow, key);
  }
  static double StepOf(double cost, double weight) { return cost / std::max(weight, 0.001); }
  NaiveClock::Key KeyOf(const ObjectKey& job) const {
    const Member& its = members_.at(job);
    return {its.local_turn, its.since, job};
  }
  // Its jobs stand where their turns in their LocalQueues say; `joins` stands nowhere yet.
  void Follow(const std::string& queue, const ObjectKey& joins) {
    for (const auto& [job, turn] : locals_[queue].Turns()) {
      Member& its = members_.at(job);
      if (job == joins || its.local_turn == turn) continue;
      const NaiveClock::Key from = KeyOf(job);
      its.local_turn = turn;
      queues_.Move(queue, from, KeyOf(job));
    }
  }

  NaiveClock queues_;
  std::map<std::string, NaiveClock> locals_;
  std::map<ObjectKey, Member> members_;
};

class History {
 public:
  // `locals`: LocalQueues share. `batches`: turns are asked for now and then, not after each
  // change.
  History(uint32_t seed, bool locals, bool batches)
      : random_(seed), locals_(locals), batches_(batches) {}

  void Run(int events) {
    for (int i = 0; i < events; ++i) {
      const int what = Draw(0, 9);
      // At first many come, then many are served while one may stall, and go.
      if (what < (i < events / 2 ? 6 : 4)) {
        Add(ObjectKey{"ml", std::to_string(++last_)}, Draw(0, 300));
      } else if (what < 8) {
        Remove(/*served=*/Draw(0, 2) > 0);
      } else if (what == 8) {
        ChangePriority();
      } else {
        ChangeWeight();
      }
      if (!batches_ || Draw(0, 19) == 0) Compare();
    }
    Compare();
  }
  // How many levels nothing was known of any more.
  int levels_gone() const { return levels_gone_; }

 private:
  struct Job {
    int priority = 0;
    WallTime since{};
    Share share;
  };

  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  Share ShareOf(const std::string& queue) {
    Share share{.queue = queue, .weight = weights_[queue], .cost = Draw(1, 4) + 0.0};
    if (locals_ && queue != "a")
      share.local = LocalShare{"ml/" + std::to_string(Draw(0, 2)), Draw(0, 2) + 0.0};
    return share;
  }
  // Few have more than the others and go first, so that their levels come and go.
  int DrawPriority() { return Draw(0, 5) > 0 ? 0 : Draw(1, 2); }
  void Add(const ObjectKey& job, int since) {
    const Share share = ShareOf(std::string(1, static_cast<char>('a' + Draw(0, 2))));
    AddAs(job, {DrawPriority(), WallTime{std::chrono::seconds(since)}, share});
  }
  void AddAs(const ObjectKey& job, const Job& its) {
    jobs_[job] = its;
    turns_.Add(its.priority, its.since, job, its.share);
    levels_[its.priority].Add(its.since, job, its.share);
  }
  // Of the highest priority.
  ObjectKey First() const {
    const auto turns = levels_.rbegin()->second.Turns();
    if (turns.empty()) return jobs_.begin()->first;  // what is left of that level is debt
    return std::ranges::min_element(turns, {}, [](const auto& each) { return each.second; })->first;
  }
  ObjectKey Any() {
    return std::next(jobs_.begin(), Draw(0, static_cast<int>(jobs_.size()) - 1))->first;
  }
  // Serves the first most of the time: others are served side by side.
  void Remove(bool served) {
    if (jobs_.empty()) return;
    ObjectKey job = Any();
    if (served && Draw(0, 9) > 0) {
      job = First();
      if (jobs_.at(job).share.queue == stalled_) return;
    }
    RemoveAs(job, served);
  }
  void RemoveAs(const ObjectKey& job, bool served) {
    const auto level = levels_.find(jobs_.at(job).priority);
    if (served)
      turns_.Serve(job);
    else
      turns_.Leave(job);
    level->second.Remove(job, served);
    if (level->second.IsEmpty()) {
      levels_.erase(level);
      ++levels_gone_;
    }
    jobs_.erase(job);
    known_.erase(job);
  }
  void Rejoin(const ObjectKey& job, const Job& its) {
    RemoveAs(job, /*served=*/false);
    if (!batches_) Compare();
    AddAs(job, its);
    if (!batches_) Compare();
  }
  void ChangePriority() {
    if (jobs_.empty()) return;
    const ObjectKey job = Draw(0, 1) > 0 ? Any() : std::prev(jobs_.end())->first;
    Job its = jobs_.at(job);
    its.priority = DrawPriority();
    Rejoin(job, its);
  }
  void ChangeWeight() {
    if (Draw(0, 4) > 0) return;
    stalled_ = std::string(1, static_cast<char>('a' + Draw(0, 3)));
    const std::string queue(1, static_cast<char>('a' + Draw(0, 2)));
    weights_[queue] = Draw(0, 4);
    for (auto& [job, its] : std::map(jobs_)) {
      if (its.share.queue != queue) continue;
      Job other = its;
      other.share.weight = weights_[queue];
      Rejoin(job, other);
    }
  }
  void Compare() {
    for (const auto& [job, turn] : turns_.Refresh()) known_[job] = turn;
    std::map<ObjectKey, double> expected;
    for (const auto& [priority, level] : levels_) expected.merge(level.Turns());
    REQUIRE(known_ == expected);
    REQUIRE(turns_.IsUpToDate());
  }

  std::mt19937 random_;
  const bool locals_;
  const bool batches_;
  int last_ = 0;
  std::string stalled_;
  std::map<std::string, double> weights_ = {{"a", 1}, {"b", 2.5}, {"c", 0.5}};
  std::map<ObjectKey, Job> jobs_;
  std::map<ObjectKey, double> known_;
  FairTurns turns_;
  std::map<int, NaiveTurns> levels_;  // by priority
  int levels_gone_ = 0;
};

TEST_CASE("fair turns: they are those of the rule, whenever they are asked for") {
  const bool locals = GENERATE(false, true);
  const bool batches = GENERATE(false, true);
  const unsigned histories = Histories(20);
  int levels_gone = 0;
  for (uint32_t seed = 1; seed <= histories; ++seed) {
    INFO("seed " << seed << ", LocalQueues share " << locals << ", batches " << batches);
    History history(seed, locals, batches);
    history.Run(400);
    levels_gone += history.levels_gone();
  }
  CHECK(levels_gone >= static_cast<int>(histories * 7 / 20));  // one of four, seven of twenty
}

// The clock stands still for a stalled job no longer because another one comes ahead of it and
// goes.
TEST_CASE("fair turns: one that comes and goes ahead of a stalled one changes nothing") {
  const bool settles = GENERATE(false, true);
  INFO("turns are asked for in between: " << settles);
  FairTurns turns;
  const auto serve = [&](int times) {
    for (int i = 0; i < times; ++i) {
      turns.Add(0, WallTime{}, {"ml", "other"}, {.queue = "b"});
      turns.Serve({"ml", "other"});
    }
  };
  turns.Add(0, WallTime{std::chrono::seconds(10)}, {"ml", "stalled"}, {.queue = "a"});
  serve(TurnClock::kStalled + 2);
  turns.Add(0, WallTime{std::chrono::seconds(5)}, {"ml", "ahead"}, {.queue = "a"});
  if (settles) turns.Refresh();
  turns.Leave({"ml", "ahead"});
  serve(10);
  turns.Refresh();
  turns.Add(0, WallTime{}, {"ml", "new"}, {.queue = "c"});
  CHECK(turns.Refresh() == Turns{{{"ml", "new"}, TurnClock::kStalled + 11.0}});
}

TEST_CASE("fair turns: of LocalQueues that many join and leave at once") {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    FairTurns turns;
    NaiveTurns model;
    std::map<ObjectKey, double> known;
    std::vector<ObjectKey> jobs;
    for (int i = 0; i < 80; ++i) {
      const ObjectKey job{"ml", std::to_string(i)};
      const WallTime since{std::chrono::seconds(random() % 50)};
      const Share share{.queue = i % 3 == 0 ? "a" : "b",
                        .weight = 2,
                        .cost = 1.0 + static_cast<double>(random() % 3),
                        .local = LocalShare{"ml/" + std::to_string(random() % 3), 1.5}};
      turns.Add(0, since, job, share);
      model.Add(since, job, share);
      jobs.push_back(job);
    }
    std::shuffle(jobs.begin(), jobs.end(), random);
    for (int i = 0; i < 40; ++i) {
      turns.Leave(jobs[static_cast<size_t>(i)]);
      model.Remove(jobs[static_cast<size_t>(i)], /*served=*/false);
    }
    for (const auto& [job, turn] : turns.Refresh()) known[job] = turn;
    REQUIRE(known == model.Turns());
  }
}

}  // namespace
}  // namespace fedra::placement::fair_turns_test
