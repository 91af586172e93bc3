// Two jobs of one name and of different kinds, each with its Workload, on the same workers, through
// random histories in which a worker gets and loses the CRD of a kind, with its jobs or without:
// what is found of one job is never the other's, nor another user's of the name, and calm leads to
// one place for each.
//
// The real FindCopies() and Decide(); World checks each action. How a kind that is not served looks
// is as WorkerKinds::StatusOf() and VerifyExistence() have it.

#include <array>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "manager/reconcile/find_copies.h"
#include "manager/tracking/kinds/job_kinds.h"
#include "tests/support/catch.h"
#include "tests/support/histories.h"
#include "tests/unit/manager/placement/history.h"
#include "tests/unit/manager/placement/world.h"

namespace fedra::reconcile::kinds_history_test {

using placement::ClusterView;
using placement::Contact;
using placement::testing::History;
using placement::testing::JobTraits;
using placement::testing::kWorkload;
using placement::testing::World;

namespace {

const ObjectKey kJob{"ml", "train"};

class KindWorld;
using Worlds = std::vector<const KindWorld*>;

// What is on one worker: what the worlds have there, and another user's job of the name.
class Shelf final : public CopySource {
 public:
  Shelf(const Worlds& worlds, const ClusterName& worker) : worlds_(worlds), worker_(worker) {}

  const ClusterName& worker() const override { return worker_; }
  const tracking::JobKinds& kinds() const override { return *tracking::BuiltInKinds(); }
  std::shared_ptr<const tracking::Workload> Clone(const ObjectKey& key) const override;
  tracking::JobPtr Job(const tracking::JobAdapter& kind, const ObjectKey& key) const override;
  std::set<tracking::JobKey> JobsOf(const ObjectKey& workload) const override;
  std::vector<std::shared_ptr<const tracking::Workload>> SlicesOf(
      const tracking::JobKey&) const override {
    return {};
  }

 private:
  std::vector<tracking::JobPtr> Jobs() const;

  const Worlds& worlds_;
  const ClusterName& worker_;
};

// One of the jobs. `all`: all worlds, this one among them.
class KindWorld final : public World {
 public:
  KindWorld(const std::vector<std::string>& workers, placement::Policy policy,
            const JobTraits& kind, const Worlds& all)
      : World(workers, policy, kind), adapter_(*kind.adapter), all_(all) {}

  bool Serves(const std::string& worker) const { return !without_.contains(worker); }
  // Its jobs are deleted with the CRD, or cannot be reached any more: it is served in another
  // version only.
  void Vanish(const std::string& name, bool with_jobs) {
    without_.insert(name);
    if (with_jobs) DeleteJobOn(name);
    if (with_jobs) worker(name).job = nullptr;  // of an earlier incarnation, too
  }
  void Appear(const std::string& name) {
    if (without_.erase(name) == 0) return;
    Reconnect(name);
    SetVerdict(name, {.outcome = verdict::Outcome::kYes});
  }
  // What is to be seen of that, whatever else has happened.
  void ShowKinds() {
    for (const std::string& name : without_) {
      SetVerdict(name, {.outcome = verdict::Outcome::kNo,
                        .reasons = {{verdict::ReasonCode::kKindMissing, "",
                                     verdict::Sentence{"it does not serve the kind"}}}});
      if (worker(name).job != nullptr && worker(name).contact != Contact::kNone)
        SetContact(name, Contact::kNone);
    }
  }
  // The store was lost: of a Workload that is gone its job is not known.
  void ForgetJob() { knows_job_ = false; }

 private:
  void Find(ClusterView& at) const override {
    World::Find(at);
    Gathered gathered;
    gathered.view = View();
    if (WorkloadExists() || knows_job_) {
      gathered.adapter = &adapter_;
      gathered.job = kJob;
    }
    ClusterView found;
    FindCopies(Shelf(all_, at.name), gathered, us(), found);
    INFO(adapter_.name() << " on " << at.name.value);
    REQUIRE(found.clone == at.clone);
    REQUIRE(found.clone_is == at.clone_is);
    REQUIRE(found.job == at.job);
    REQUIRE(found.job_is == at.job_is);
  }

  const tracking::JobAdapter& adapter_;
  const Worlds& all_;
  std::set<std::string> without_;  // workers
  bool knows_job_ = true;
};

std::vector<tracking::JobPtr> Shelf::Jobs() const {
  std::vector<tracking::JobPtr> jobs;
  const auto theirs = std::make_shared<tracking::Job>();
  theirs->key = kJob;
  theirs->uid = "theirs";
  theirs->kind = tracking::BuiltInKinds()->FindName("PyTorchJob");
  jobs.push_back(theirs);
  for (const KindWorld* world : worlds_) {
    for (const ClusterView& at : world->workers())
      if (at.name == worker_ && at.job != nullptr) jobs.push_back(at.job);
  }
  return jobs;
}

std::shared_ptr<const tracking::Workload> Shelf::Clone(const ObjectKey& key) const {
  for (const KindWorld* world : worlds_) {
    for (const ClusterView& at : world->workers())
      if (at.name == worker_ && at.clone != nullptr && at.clone->key == key) return at.clone;
  }
  return nullptr;
}

tracking::JobPtr Shelf::Job(const tracking::JobAdapter& kind, const ObjectKey& key) const {
  for (const tracking::JobPtr& job : Jobs())
    if (job->kind == &kind && job->key == key) return job;
  return nullptr;
}

std::set<tracking::JobKey> Shelf::JobsOf(const ObjectKey& workload) const {
  std::set<tracking::JobKey> jobs;
  for (const tracking::JobPtr& job : Jobs())
    if (job->prebuilt_workload == workload.name) jobs.insert(KeyOf(*job));
  return jobs;
}

JobTraits TraitsOf(const std::string& kind) {
  JobTraits traits{.adapter = tracking::BuiltInKinds()->FindName(kind),
                   .workload = kind + "-train",
                   .uid = "uid-of-" + kind};
  REQUIRE(traits.adapter != nullptr);
  traits.holds_check = traits.adapter->HoldsCheck();
  traits.adoption = traits.adapter->adoption();
  return traits;
}

class KindHistory final : public History {
 public:
  KindHistory(unsigned seed, const std::string& kind, const Worlds& all)
      : History(seed), world_(Workers(), RandomPolicy(), TraitsOf(kind), all) {}

  // In most of them it runs already.
  void Begin() {
    if (!Chance(3)) {
      world_.ReserveQuota();
      world_.Settle();
      for (const std::string& worker : Workers()) world_.Admit(worker);
      world_.Settle();
    }
    world_.SetFailures([this](const placement::Action& action) {
      const auto* create = std::get_if<placement::CreateJob>(&action);
      return (create != nullptr && !world_.Serves(create->cluster.value)) || Chance(20);
    });
  }
  KindWorld& world() override { return world_; }
  void Next() { RandomEvent(); }
  void EndFailures() { world_.SetFailures(nullptr); }
  // How often the CRD went where a job of the kind ran.
  int lost() const { return lost_; }

 private:
  Events MoreEvents() override {
    return {
        [&] { Lose(); },
        [&] { world_.Appear(AnyWorker()); },
        [&] { world_.Appear(AnyWorker()); },
        [&] {
          if (!Chance(10)) return;
          world_.LoseStore();
          world_.ForgetJob();
        },
    };
  }
  void Lose() {
    const std::string& worker = AnyWorker();
    const bool with_jobs = Chance(2);
    lost_ += world_.Serves(worker) && world_.worker(worker).job != nullptr ? 1 : 0;
    world_.Vanish(worker, with_jobs);
  }
  void CheckMore() override { world_.ShowKinds(); }
  void QuietMore() override {
    for (const std::string& worker : Workers()) world_.Appear(worker);
  }

  KindWorld world_;
  int lost_ = 0;
};

// In one place, or nowhere. Whether it is anywhere.
bool CheckPlace(World& world) {
  if (!world.WorkloadExists() || world.workload().Finished()) {
    REQUIRE(world.WorkersWithJob().empty());
    REQUIRE(world.WorkersWithClone().empty());
    return false;
  }
  REQUIRE(world.WorkersWithJob().size() == 1);
  REQUIRE(world.WorkersWithClone() == world.WorkersWithJob());
  REQUIRE(world.workload().cluster_name == world.WorkersWithJob().front());
  return true;
}

bool AreSideBySide(KindWorld& first, KindWorld& second) {
  for (const std::string& name : first.WorkersWithJob())
    if (second.worker(name).job != nullptr) return true;
  return false;
}

constexpr int kEvents = 120;

}  // namespace

TEST_CASE("two jobs of one name and of different kinds, whose CRDs come and go") {
  const std::array<std::pair<std::string, std::string>, 4> pairs = {{{"Job.batch", "JobSet"},
                                                                     {"JobSet", "RayJob"},
                                                                     {"Job.batch", "JAXJob"},
                                                                     {"JAXJob", "MPIJob"}}};
  const unsigned histories = Histories(500);
  int beside = 0;
  int lost = 0;
  int placed = 0;
  for (unsigned seed = 0; seed < histories; ++seed) {
    const auto& [first_kind, second_kind] = pairs[seed % pairs.size()];
    INFO("seed " << seed << ": " << first_kind << ", " << second_kind);
    Worlds worlds;
    KindHistory first(2 * seed, first_kind, worlds);
    KindHistory second(2 * seed + 1, second_kind, worlds);
    worlds = {&first.world(), &second.world()};
    first.Begin();
    second.Begin();
    std::mt19937 random(seed);
    bool side_by_side = false;
    for (int i = 0; i < kEvents; ++i) {
      (random() % 2 == 0 ? first : second).Next();
      side_by_side |= AreSideBySide(first.world(), second.world());
    }
    for (KindHistory* each : {&first, &second}) {
      each->EndFailures();
      each->CalmDown();
    }
    for (KindHistory* each : {&first, &second}) {
      placed += CheckPlace(each->world()) ? 1 : 0;
      lost += each->lost();
    }
    beside += side_by_side ? 1 : 0;
  }
  // The histories must be worth something.
  const int all = static_cast<int>(histories);
  CHECK(beside > all / 10);
  CHECK(lost > all / 20);
  CHECK(placed > all / 10);
}

}  // namespace fedra::reconcile::kinds_history_test
