// Which copies on a worker are whose, and who hears of them.

#include "manager/reconcile/worker_copies.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::reconcile::worker_copies_test {
namespace {

using Told = std::vector<std::string>;

const tracking::JobKey kTrain{"Job.batch", {"ml", "train"}};

struct Listening {
  Told told;
  WorkerCopies copies{
      {.on_workload = [this](const ObjectKey& key) { told.push_back("workload " + key.name); },
       .on_job = [this](const tracking::JobKey& job) { told.push_back("job " + job.key.name); },
       .on_progress = [this](const ObjectKey& key) { told.push_back("progress " + key.name); }}};

  // What it reports of this.
  Told Job(const tracking::Job* before, const tracking::Job* after) {
    told.clear();
    copies.OnJob(kTrain, before, after);
    return told;
  }
  bool HasJob(const std::string& workload) const {
    return copies.JobsOf({"ml", workload}) == std::set{kTrain};
  }
};

tracking::Job JobOf(const std::string& workload) {
  tracking::Job job;
  job.key = kTrain.key;
  job.uid = "u1";
  job.prebuilt_workload = workload;
  return job;
}

tracking::Workload CloneBy(const std::string& manager, const std::string& uid) {
  tracking::Workload clone;
  clone.key = {"ml", "job-" + uid};
  clone.marks = {.origin = "fedra", .made_by = manager, .source_uid = uid, .workload = {}};
  return clone;
}

}  // namespace

TEST_CASE("a job's workload hears of it, and who has the manager's job of its name") {
  Listening here;
  tracking::Job job = JobOf("a");
  CHECK(here.Job(nullptr, &job) == Told{"job train", "workload a"});
  CHECK(here.HasJob("a"));
  tracking::Job running = job;
  running.active_pods = 2;
  CHECK(here.Job(&job, &running) == Told{"progress a"});
  tracking::Job ended = running;
  ended.finished = true;
  CHECK(here.Job(&running, &ended) == Told{"job train", "workload a"});
  CHECK(here.HasJob("a"));
  CHECK(here.Job(&ended, nullptr) == Told{"job train", "workload a"});
  CHECK(here.copies.JobsOf({"ml", "a"}).empty());
}

TEST_CASE("a job in the place of another workload's is only its own workload's") {
  Listening here;
  const tracking::Job old = JobOf("a"), fresh = JobOf("b"), foreign = JobOf("");
  here.Job(nullptr, &old);
  CHECK(here.Job(&old, &fresh) == Told{"job train", "workload a", "workload b"});
  CHECK_FALSE(here.HasJob("a"));
  CHECK(here.HasJob("b"));
  CHECK(here.Job(&fresh, &foreign) == Told{"job train", "workload b"});
  CHECK_FALSE(here.HasJob("b"));
  CHECK(here.Job(&foreign, nullptr) == Told{"job train"});
}

TEST_CASE("clones are counted by who made them, and each change counts once") {
  Listening here;
  const auto ours = [&](const std::string& manager) {
    return here.copies.ClonesOf({"fedra", manager});
  };
  tracking::Workload first = CloneBy("m1", "u1"), second = CloneBy("m1", "u2"),
                     another = CloneBy("m2", "u3");
  for (const tracking::Workload* clone : {&first, &second, &another})
    here.copies.OnClone(clone->key, nullptr, clone);
  CHECK(here.told == Told{"workload job-u1", "workload job-u2", "workload job-u3"});
  CHECK(ours("m1") == CloneCount{.all = 2, .waiting = 2});
  CHECK(ours("m2") == CloneCount{.all = 1, .waiting = 1});
  CHECK(ours("m3") == CloneCount{});
  CHECK(here.copies.ClonesOf({"another", "m1"}) == CloneCount{});
  tracking::Workload admitted = first;
  admitted.admitted = tracking::Condition{.is_true = true};
  here.copies.OnClone(first.key, &first, &admitted);
  CHECK(ours("m1") == CloneCount{.all = 2, .waiting = 1});
  tracking::Workload finished = admitted;
  finished.finished = tracking::Condition{.is_true = true};
  here.copies.OnClone(first.key, &admitted, &finished);
  CHECK(ours("m1") == CloneCount{.all = 2, .waiting = 1, .ended = 1});
  here.copies.OnClone(first.key, &finished, nullptr);
  here.copies.OnClone(second.key, &second, nullptr);
  CHECK(ours("m1") == CloneCount{});
}

}  // namespace fedra::reconcile::worker_copies_test
