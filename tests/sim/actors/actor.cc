#include "tests/sim/actors/actor.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "base/log.h"

namespace fedra::sim {

// Shared with the handlers that are queued in the loop and may outlive the actor.
// Everything but the timer is under the store's lock; the timer belongs to the loop.
struct Actor::Queue : std::enable_shared_from_this<Queue> {
  using Clock = std::chrono::steady_clock;

  explicit Queue(std::shared_ptr<Core> owner) : core(std::move(owner)), timer(core->loop) {}

  void Add(const Place& place) {
    if (!queued.insert(place).second) return;
    ready.push_back(place);
    Post();
  }

  void AddAfter(const Place& place, Delay delay) {
    delayed.emplace(Clock::now() + delay, place);
    Post();
  }

  void Post() {
    if (std::exchange(posted, true)) return;
    boost::asio::post(core->loop, [self = shared_from_this()] { self->Run(); });
  }

  void Run() {
    std::optional<Clock::time_point> wake;
    core->Write([&](Store& store) {
      posted = false;
      if (actor != nullptr) wake = Work(store);
    });
    if (!wake) return;
    timer.expires_at(*wake);
    timer.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (!error) self->Run();
    });
  }

  // A few keys at a time, so that requests are served in between. Answers when to come back.
  std::optional<Clock::time_point> Work(Store& store) {
    constexpr int kBatch = 32;
    const auto now = Clock::now();
    while (!delayed.empty() && delayed.begin()->first <= now) {
      const Place place = delayed.begin()->second;
      delayed.erase(delayed.begin());
      if (queued.insert(place).second) ready.push_back(place);
    }
    for (int i = 0; i < kBatch && !ready.empty(); ++i) {
      const Place place = std::move(ready.front());
      ready.pop_front();
      queued.erase(place);
      try {
        actor->Reconcile(store, place);
      } catch (const Json::exception& error) {
        // An object that no client of ours writes; it stays as it is.
        log::Warn("simulated controller skipped an object",
                  {{"object", place.key.ToString()}, {"error", error.what()}});
      }
    }
    if (!ready.empty()) Post();
    if (delayed.empty()) return std::nullopt;
    return delayed.begin()->first;
  }

  const std::shared_ptr<Core> core;
  Actor* actor = nullptr;  // null pointer: ended
  std::deque<Place> ready;
  std::set<Place> queued;
  std::multimap<Clock::time_point, Place> delayed;
  bool posted = false;
  boost::asio::steady_timer timer;
};

Actor::Actor(Core& core) : core_(core), queue_(std::make_shared<Queue>(core.shared_from_this())) {}

Actor::~Actor() { End(); }

void Actor::Begin() {
  core_.store.With([this](Store& store) {
    queue_->actor = this;
    for (const ResourceType& type : core_.registry.types()) {
      for (const auto& [key, object] : store.All(type)) {
        Notice(store, type,
               {.type = EventType::kAdded,
                .version = object.version,
                .key = key,
                .before = nullptr,
                .after = object.text,
                .labels_before = nullptr,
                .labels_after = object.labels,
                .uid = {},
                .owner_uids = {}});
      }
    }
    store.Observe(*this);
  });
}

void Actor::End() {
  core_.store.With([this](Store& store) {
    queue_->actor = nullptr;
    store.Unobserve(*this);
  });
}

void Actor::Enqueue(const Place& place) { queue_->Add(place); }

void Actor::EnqueueAfter(const Place& place, Delay delay) {
  if (delay.count() <= 0) return Enqueue(place);
  queue_->AddAfter(place, delay);
}

}  // namespace fedra::sim
