#include "tests/unit/manager/placement/history.h"

#include <chrono>
#include <utility>

#include "tests/support/catch.h"

namespace fedra::placement::testing {

using namespace std::chrono_literals;

namespace {

constexpr int kEvents = 60;
const LineAnswer kWaitsAhead{.after = ObjectKey{"ml", "head"}, .after_waiting = true};
const LineAnswer kGoesAhead{.after = ObjectKey{"ml", "head"}};

}  // namespace

const std::vector<std::string>& History::Workers() {
  static const std::vector<std::string> workers = {"a", "b", "c"};
  return workers;
}

void History::Run() {
  if (Chance(2)) BeginWithMove();
  // In half of the histories the outside refuses one action of ten.
  if (Chance(2)) world().SetFailures([this](const Action&) { return Chance(10); });
  for (int i = 0; i < kEvents && !IsOver(); ++i) RandomEvent();
  world().SetFailures(nullptr);
}

void History::CalmDown() {
  for (const std::string& name : Workers()) {
    world().Reconnect(name);
    world().RemoveCopyOfAnotherManager(name);
    world().SetVerdict(name, {.outcome = verdict::Outcome::kYes});
    world().SetLine(name, {});
  }
  QuietMore();
  const bool has_line = Chance(2);
  if (has_line) world().SetLine(AnyWorker(), kWaitsAhead);
  for (int i = 0; i < 8; ++i) {
    if (has_line) world().Retry();
    GoOn();
    world().Settle();
    if (!world().WorkloadExists() || world().workload().Finished()) break;
    world().Activate();
    world().ReserveQuota();
    world().Settle();
    for (const std::string& name : Workers()) world().Admit(name);
  }
  GoOn();
  world().Settle();
}

Policy History::RandomPolicy() {
  Policy policy;
  if (Chance(3)) policy.kind = DispatchPolicy::kRace;
  policy.candidates = 1 + static_cast<int>(Draw() % 3);
  if (Chance(4)) policy.unknown = UnknownPolicy::kNever;
  return policy;
}

verdict::Verdict History::AnyVerdict() {
  const auto outcome = static_cast<verdict::Outcome>(Draw() % 4);
  return {.outcome = outcome,
          .reasons = {
              {verdict::ReasonCode::kTemplateMissing, "", verdict::Sentence{"0 of 1 templates"}}}};
}

// Half of them let it go there.
LineAnswer History::AnyAnswer() {
  if (Chance(2)) return {};
  return Chance(2) ? kWaitsAhead : kGoesAhead;
}

void History::AskToMove() {
  const std::string to = Chance(2) ? std::string() : AnyWorker();
  world().AskToMove({world().now(), world().workload().cluster_name, to});
}

// It runs, and is to run elsewhere; the lines may be against that, then and later.
void History::BeginWithMove() {
  world().ReserveQuota();
  world().Settle();
  for (const std::string& name : Workers()) world().Admit(name);
  world().Settle();
  for (const std::string& name : Workers()) world().SetLine(name, AnyAnswer());
  world().Advance(5s);
  AskToMove();
  world().Settle();
}

History::Events History::EventsOnWorkers() {
  return {
      [&] { world().ReserveQuota(); },
      [&] { world().Admit(AnyWorker()); },
      [&] { world().Admit(AnyWorker()); },
      [&] { world().EvictOn(AnyWorker()); },
      [&] { world().Finish(AnyWorker()); },
      [&] {
        if (Chance(4)) world().DeleteJobOn(AnyWorker());
      },
      [&] {
        if (Chance(4)) world().DeleteCloneOn(AnyWorker());
      },
      [&] { world().Disconnect(AnyWorker()); },
      [&] { world().Reconnect(AnyWorker()); },
      [&] { world().SetContact(AnyWorker(), Contact::kSyncing); },
      [&] {
        // One draw at a time: compilers differ in the order of arguments, and every one of them
        // must see the same histories.
        const std::string& worker = AnyWorker();
        world().SetVerdict(worker, AnyVerdict());
      },
      [&] {
        if (!Chance(8)) return;
        const std::string& worker = AnyWorker();
        if (theirs_.contains(worker)) {
          world().RemoveCopyOfAnotherManager(worker);
          theirs_.erase(worker);
        } else {
          world().PutCopyOfAnotherManager(worker);
          if (world().HasCopyOfAnotherManager(worker)) theirs_.insert(worker);
        }
      },
  };
}

History::Events History::EventsOnManager() {
  return {
      [&] {
        if (Chance(8)) world().Deactivate();
      },
      [&] { world().Activate(); },
      [&] {
        if (Chance(8)) world().EvictOnManager("Preempted");
      },
      [&] {
        if (Chance(40)) world().DeleteWorkload();
      },
      [&] { world().RunManagerKueue(); },
      [&] { world().Advance(Chance(2) ? 10s : 10min); },
      [&] {
        if (Chance(10)) world().LoseStore();
      },
      [&] { world().ChangePriority(static_cast<int>(Draw() % 4)); },
      [&] {
        if (Chance(4)) world().Retry();
      },
      [&] {
        if (Chance(4) && world().WorkloadExists()) AskToMove();
      },
      [&] {
        const std::string& worker = AnyWorker();
        world().SetLine(worker, AnyAnswer());
      },
      [&] { world().Step(); },
      [&] { world().Step(); },
      [&] {  // killed in the middle of a decision
        world().Step(Draw() % 3);
        world().Restart();
      },
  };
}

void History::RandomEvent() {
  Events events = EventsOnWorkers();
  for (auto& event : EventsOnManager()) events.push_back(std::move(event));
  for (auto& event : MoreEvents()) events.push_back(std::move(event));
  events[Draw() % events.size()]();
  // Invariant 2.
  for (const std::string& worker : theirs_) REQUIRE(world().HasCopyOfAnotherManager(worker));
  CheckMore();
}

}  // namespace fedra::placement::testing
