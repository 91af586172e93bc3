#pragma once
//
// A random history of a World: whatever the outside does and the lines say, wherever the job is to
// be moved, and wherever fedra is killed. World checks each action; the tests look at the end.
//
// Every seed is the same history for all compilers.

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/manager/placement/world.h"

namespace fedra::placement::testing {

class History {
 public:
  explicit History(unsigned seed) : random_(seed) {}
  virtual ~History() = default;

  void Run();
  // The outside becomes quiet: everything is reachable, everything would work. On one worker others
  // may go on waiting ahead: then no other one is left out for what it refused before.
  void CalmDown();

  virtual World& world() = 0;

 protected:
  using Events = std::vector<std::function<void()>>;

  // What else happens to such a world.
  virtual Events MoreEvents() { return {}; }
  // What must hold after each event.
  virtual void CheckMore() {}
  // It is of no more use: nothing else happens in it.
  virtual bool IsOver() const { return false; }
  // What must be quiet beside, and what goes on until the end.
  virtual void QuietMore() {}
  virtual void GoOn() {}

  static const std::vector<std::string>& Workers();
  Policy RandomPolicy();
  unsigned Draw() { return static_cast<unsigned>(random_()); }
  bool Chance(unsigned one_in) { return Draw() % one_in == 0; }
  const std::string& AnyWorker() { return Workers()[Draw() % Workers().size()]; }
  // One event, for those that go on beside another history.
  void RandomEvent();

 private:
  verdict::Verdict AnyVerdict();
  LineAnswer AnyAnswer();
  void AskToMove();
  void BeginWithMove();
  Events EventsOnWorkers();
  Events EventsOnManager();

  std::mt19937 random_;
  std::set<std::string> theirs_;  // workers with a copy of another manager
};

}  // namespace fedra::placement::testing
