#include "store/pending.h"

#include <map>
#include <random>

#include "store/apply.h"
#include "tests/support/catch.h"
#include "tests/unit/store/support.h"

namespace fedra::store::pending_test {
namespace {

PutCluster Noted(const std::string& name, const std::string& note) {
  ClusterRow row = Cluster(name);
  row.note = note;
  return PutCluster{row};
}

TEST_CASE("a batch is bounded, but a group is never split") {
  Pending pending;
  for (int i = 0; i < 10; ++i) pending.Add(AddEvent{Event("u", At(i), "x")});
  (void)pending.AddGroup({Noted("a", ""), Noted("b", ""), Noted("c", "")});
  Batch batch = pending.Take(2, true);
  CHECK(batch.groups.size() == 1);
  CHECK(batch.queued.empty());
  CHECK(batch.size() == 3);
  CHECK(pending.Take(4, true).queued.size() == 4);
  CHECK(pending.Take(100, false).empty());
  CHECK(pending.Waiting() == 6);
}

TEST_CASE("verdicts count with their rows") {
  Pending pending;
  const std::vector<VerdictRow> rows(50, Verdict("u", "a", "Yes"));
  pending.Add(PutVerdicts{"u1", rows});
  pending.Add(PutVerdicts{"u2", rows});
  CHECK(pending.Take(50, true).size() == 1);
}

TEST_CASE("a workload that is removed while its last state waits keeps that state") {
  Pending pending;
  WorkloadRow row = Workload("u1", "train");
  row.state = "Finished";
  pending.Add(PutWorkload{row});
  pending.Add(RemoveWorkload{"u1", At(5)});
  const Batch batch = pending.Take(10, true);
  REQUIRE(batch.queued.size() == 1);
  const auto& put = std::get<PutWorkload>(batch.queued[0].change);
  CHECK(put.row.state == "Finished");
  CHECK(put.row.removed_at == At(5));
}

TEST_CASE("ends of attempts that wait are all kept, each with its first outcome") {
  Pending pending;
  pending.Add(EndAttempts{"u1", {{1, ClusterName("a"), At(1), "TimedOut", ""}}});
  pending.Add(EndAttempts{"u1", {{1, ClusterName("b"), At(2), "Withdrawn", ""}}});
  pending.Add(EndAttempts{"u1", {{1, ClusterName("a"), At(3), "RecentlyFailed", ""}}});
  (void)pending.AddGroup({EndEarlierAttempts{"u1", 2, At(4), "Requeued"}});
  const Batch batch = pending.Take(10, false);
  REQUIRE(batch.groups.size() == 1);
  REQUIRE(batch.groups[0].before.size() == 1);  // before what ends the rest
  const auto& ends = std::get<EndAttempts>(batch.groups[0].before[0].change).ends;
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].outcome == "TimedOut");
  CHECK(ends[1].outcome == "Withdrawn");
}

TEST_CASE("dropping takes the oldest history and never a row") {
  Pending pending;
  pending.Add(Noted("a", ""));
  pending.Add(AddEvent{Event("u", At(1), "first")});
  pending.Add(AddEvent{Event("u", At(2), "second")});
  CHECK(pending.DropOldestHistory());
  CHECK(pending.DropOldestHistory());
  CHECK_FALSE(pending.DropOldestHistory());
  CHECK(pending.Waiting() == 1);
}

// The naive model: every call in its order, commits only if their transaction succeeded. Pending
// may reorder and leave out what it likes as long as the result is that of the model.
class Histories {
 public:
  explicit Histories(unsigned seed) : random_(seed) {}

  void Run() {
    for (int step = 0; step < 300; ++step) {
      switch (Pick(4)) {
        case 0:
        case 1:
          Enqueue();
          break;
        case 2:
          Commit();
          break;
        default:
          Transaction(Pick(3) != 0);
          break;
      }
    }
    while (pending_.HasGroups() || pending_.Waiting() > 0) Transaction(true);
    CHECK(pending_.OldestNumber() == 0);
    CHECK(stored_ == Expected());
    CHECK(stored_history_ == calls_history_);
  }

 private:
  struct Call {
    std::string row;
    std::string text;
    int group = 0;  // 0: enqueued
  };

  int Pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string Row() { return std::string(1, static_cast<char>('a' + Pick(4))); }

  void Enqueue() {
    if (Pick(5) == 0) {
      pending_.Add(AddEvent{Event("u", At(0), "event")});
      ++calls_history_;
      return;
    }
    const Call call{Row(), std::to_string(++text_), 0};
    calls_.push_back(call);
    pending_.Add(Noted(call.row, call.text));
  }

  void Commit() {
    ++group_;
    std::vector<Change> changes;
    for (int i = Pick(3); i >= 0; --i) {
      const Call call{Row(), std::to_string(++text_), group_};
      calls_.push_back(call);
      changes.push_back(Noted(call.row, call.text));
    }
    results_[group_] = pending_.AddGroup(std::move(changes));
  }

  void Write(const Change& change) {
    if (const auto* const put = std::get_if<PutCluster>(&change))
      stored_[put->row.name.value] = put->row.note;
    if (std::holds_alternative<AddEvent>(change)) ++stored_history_;
  }

  void Transaction(bool succeeds) {
    Batch batch = pending_.Take(static_cast<size_t>(Pick(6)) + 1, Pick(4) != 0);
    for (CommitGroup& group : batch.groups) {
      if (succeeds) {
        for (const Queued& queued : group.before) Write(queued.change);
        for (const Change& change : group.changes) Write(change);
      }
      group.done.set_value(succeeds ? Result<void>() : Fail(ErrorCode::kStorage, "full"));
    }
    if (!succeeds) return pending_.GiveBack(std::move(batch));
    for (const Queued& queued : batch.queued) Write(queued.change);
  }

  std::map<std::string, std::string> Expected() {
    std::map<int, bool> succeeded{{0, true}};
    for (auto& [group, result] : results_) succeeded[group] = result.get().has_value();
    std::map<std::string, std::string> rows;
    for (const Call& call : calls_) {
      if (succeeded[call.group]) rows[call.row] = call.text;
    }
    return rows;
  }

  std::mt19937 random_;
  Pending pending_;
  std::vector<Call> calls_;
  std::map<int, std::future<Result<void>>> results_;
  std::map<std::string, std::string> stored_;
  int calls_history_ = 0;
  int stored_history_ = 0;
  int text_ = 0;
  int group_ = 0;
};

TEST_CASE(
    "random histories of calls and failing transactions end as if nothing had been reordered") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Histories(seed).Run();
  }
}

}  // namespace
}  // namespace fedra::store::pending_test
