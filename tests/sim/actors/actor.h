#pragma once
//
// A controller inside the simulation: called at changes, it works off a queue of keys on the
// cluster's loop, as a controller with an informer does, but without HTTP and without polling.
//
// Thread rules: Reconcile and Notice run under the store's lock and may use the store freely; the
// rest is for them. Lifetime: the destructor waits for a running Reconcile; the Core must outlive
// the actor.

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "tests/sim/core.h"

namespace fedra::sim {

// Annotations of a job: how long it runs ("2s"), and "failure" for how it ends.
inline constexpr std::string_view kRunFor = "sim.fedra.dev/run-for";
inline constexpr std::string_view kResult = "sim.fedra.dev/result";

class Actor : private Observer {
 public:
  explicit Actor(Core& core);
  ~Actor() override;
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

 protected:
  using Delay = std::chrono::milliseconds;

  // Looks at one object that may be gone and does what is to be done about it.
  virtual void Reconcile(Store& store, const Place& place) = 0;
  // Which objects a change is about; usually the changed one. Only enqueues.
  virtual void Notice(const Store& store, const ResourceType& type, const Event& event) = 0;

  // Subscribes; the last line of every constructor. Existing objects are noticed as added.
  void Begin();
  // Unsubscribes; the first line of every destructor.
  void End();

  void Enqueue(const Place& place);
  void EnqueueAfter(const Place& place, Delay delay);

  Core& core() { return core_; }
  const Verbs& verbs() const { return core_.verbs; }

 private:
  struct Queue;

  void OnChange(const Store& store, const ResourceType& type, const Event& event) override {
    Notice(store, type, event);
  }

  Core& core_;
  const std::shared_ptr<Queue> queue_;
};

}  // namespace fedra::sim
