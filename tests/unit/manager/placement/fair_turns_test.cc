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

namespace fedra::placement {
namespace {

// Of one clock, in the words of turn_clock.h.
class NaiveClock {
 public:
  using Key = std::tuple<double, WallTime, ObjectKey>;  // TurnClock::Place
  struct Job {
    Key key;
    double begin = 0;
    double step = 0;
  };
  struct Flow {
    double next = 0;
    int overtaken = 0;
    std::vector<Job> jobs;
  };

  void Add(const std::string& name, const Key& key, double step) {
    Insert(name, {key, std::max(now_, flows_[name].next), step});
  }
  void Move(const std::string& name, const Key& from, const Key& to) {
    Job job = *Find(name, from);
    Take(name, from, job.begin);
    job.key = to;
    Insert(name, job);
  }
  void Remove(const std::string& name, const Key& key, bool served) {
    Flow& flow = flows_.at(name);
    const Job job = *Find(name, key);
    const double turn = TurnsOf(name).at(std::get<ObjectKey>(key));
    if (flow.jobs.front().key == key) flow.overtaken = 0;
    Take(name, key, served ? turn + job.step : job.begin);
    if (served) {
      flow.next = std::max(flow.next, turn + job.step);
      double least = std::numeric_limits<double>::infinity();
      for (auto& [other, its] : flows_) {
        if (its.jobs.empty()) continue;
        if (its.jobs.front().begin < turn) ++its.overtaken;
        if (its.overtaken < TurnClock::kStalled) least = std::min(least, its.jobs.front().begin);
      }
      now_ = std::max(now_, std::min(turn, least));
    }
    std::erase_if(flows_, [&](const auto& each) {
      return each.second.jobs.empty() && each.second.next <= now_;
    });
  }
  std::map<ObjectKey, double> TurnsOf(const std::string& name) const {
    std::map<ObjectKey, double> turns;
    double turn = 0;
    for (const Job& job : flows_.at(name).jobs) {
      turn = std::max(turn, job.begin);
      turns[std::get<ObjectKey>(job.key)] = turn;
      turn += job.step;
    }
    return turns;
  }
  std::map<ObjectKey, double> Turns() const {
    std::map<ObjectKey, double> all;
    for (const auto& [name, flow] : flows_) all.merge(TurnsOf(name));
    return all;
  }

 private:
  std::vector<Job>::iterator Find(const std::string& name, const Key& key) {
    return std::ranges::find(flows_.at(name).jobs, key, &Job::key);
  }
  void Take(const std::string& name, const Key& key, double least) {
    const auto behind = flows_.at(name).jobs.erase(Find(name, key));
    if (behind != flows_.at(name).jobs.end()) behind->begin = std::max(behind->begin, least);
  }
  void Insert(const std::string& name, Job job) {
    auto& jobs = flows_[name].jobs;
    const auto behind = std::ranges::lower_bound(jobs, job.key, {}, &Job::key);
    if (behind != jobs.end())
      job.begin = behind->begin;
    else if (!jobs.empty())
      job.begin = std::max(job.begin, jobs.back().begin);
    jobs.insert(behind, job);
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
    queues_.Remove(its.share.queue, KeyOf(job), served);
    members_.erase(job);
    if (!its.share.local) return;
    locals_[its.share.queue].Remove(its.share.local->queue, {0, its.since, job}, served);
    Follow(its.share.queue, {});
  }
  std::map<ObjectKey, double> Turns() const { return queues_.Turns(); }

 private:
  struct Member {
    WallTime since{};
    Share share;
    double local_turn = 0;
  };
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
      } else {
        ChangeWeight();
      }
      if (!batches_ || Draw(0, 19) == 0) Compare();
    }
    Compare();
  }

 private:
  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  Share ShareOf(const std::string& queue) {
    Share share{.queue = queue, .weight = weights_[queue], .cost = Draw(1, 4) + 0.0};
    if (locals_ && queue != "a")
      share.local = LocalShare{"ml/" + std::to_string(Draw(0, 2)), Draw(0, 2) + 0.0};
    return share;
  }
  void Add(const ObjectKey& job, int since) {
    AddAs(job, WallTime{std::chrono::seconds(since)},
          ShareOf(std::string(1, static_cast<char>('a' + Draw(0, 2)))));
  }
  void AddAs(const ObjectKey& job, WallTime since, const Share& share) {
    jobs_[job] = {since, share};
    turns_.Add(0, since, job, share);
    model_.Add(since, job, share);
  }
  // Serves the first most of the time: others are served side by side.
  void Remove(bool served) {
    if (jobs_.empty()) return;
    auto job = std::next(jobs_.begin(), Draw(0, static_cast<int>(jobs_.size()) - 1))->first;
    if (served && Draw(0, 9) > 0) {
      const auto turns = model_.Turns();
      job =
          std::ranges::min_element(turns, {}, [](const auto& each) { return each.second; })->first;
      if (jobs_[job].second.queue == stalled_) return;
    }
    RemoveAs(job, served);
  }
  void RemoveAs(const ObjectKey& job, bool served) {
    if (served)
      turns_.Serve(job);
    else
      turns_.Leave(job);
    model_.Remove(job, served);
    jobs_.erase(job);
    known_.erase(job);
  }
  void ChangeWeight() {
    if (Draw(0, 9) > 0) return;
    stalled_ = std::string(1, static_cast<char>('a' + Draw(0, 3)));
    const std::string queue(1, static_cast<char>('a' + Draw(0, 2)));
    weights_[queue] = Draw(0, 4);
    for (const auto& [job, its] : std::map(jobs_)) {
      if (its.second.queue != queue) continue;
      Share share = its.second;
      share.weight = weights_[queue];
      RemoveAs(job, /*served=*/false);
      if (!batches_) Compare();
      AddAs(job, its.first, share);
      if (!batches_) Compare();
    }
  }
  void Compare() {
    for (const auto& [job, turn] : turns_.Settle()) known_[job] = turn;
    REQUIRE(known_ == model_.Turns());
    REQUIRE(turns_.IsSettled());
  }

  std::mt19937 random_;
  const bool locals_;
  const bool batches_;
  int last_ = 0;
  std::string stalled_;
  std::map<std::string, double> weights_ = {{"a", 1}, {"b", 2.5}, {"c", 0.5}};
  std::map<ObjectKey, std::pair<WallTime, Share>> jobs_;
  std::map<ObjectKey, double> known_;
  FairTurns turns_;
  NaiveTurns model_;
};

TEST_CASE("fair turns: they are those of the rule, whenever they are asked for") {
  const bool batches = GENERATE(false, true);
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed << ", batches " << batches);
    History(seed, /*locals=*/false, batches).Run(400);
  }
}

// Which begin a job takes when its LocalQueue moves it depends on what was moved before, so both
// are asked after each change.
TEST_CASE("fair turns: of LocalQueues, too") {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    History(seed, /*locals=*/true, /*batches=*/false).Run(300);
  }
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
    for (const auto& [job, turn] : turns.Settle()) known[job] = turn;
    REQUIRE(known == model.Turns());
  }
}

}  // namespace
}  // namespace fedra::placement
