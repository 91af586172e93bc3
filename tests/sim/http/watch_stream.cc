#include "tests/sim/http/watch_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace fedra::sim {
namespace {

using boost::system::error_code;

constexpr size_t kEventsPerPart = 128;

AnswerPart BodyPart(std::string lines, bool last) {
  AnswerPart part;
  part.kind = AnswerPart::Kind::kBody;
  part.body = std::move(lines);
  part.last = last;
  return part;
}

}  // namespace

Outcome<std::shared_ptr<WatchStream>> WatchStream::Open(std::shared_ptr<Core> core, WatchPlan plan,
                                                        std::function<void()> wake) {
  const bool too_old = !plan.version.empty() && plan.version != "0" &&
                       core->faults.With([](const Faults& f) { return f.watch_too_old; });
  Core& cluster = *core;
  // No change may come between what the cursor begins with and what is observed.
  auto opened = cluster.store.With([&](Store& store) -> Outcome<std::shared_ptr<WatchStream>> {
    auto cursor = WatchCursor::Open(store, plan.filter, plan.version);
    if (!cursor) return Refuse(cursor.error());
    if (too_old) {
      return Refuse(Expired(fmt::format("too old resource version: {} (injected)", plan.version)));
    }
    std::shared_ptr<WatchStream> stream(
        new WatchStream(std::move(core), std::move(plan), *std::move(cursor), std::move(wake)));
    store.Observe(*stream);
    return stream;
  });
  if (opened) (*opened)->Arm();
  return opened;
}

WatchStream::WatchStream(std::shared_ptr<Core> core, WatchPlan plan, WatchCursor cursor,
                         std::function<void()> wake)
    : core_(std::move(core)),
      plan_(std::move(plan)),
      wake_(std::move(wake)),
      deadline_(core_->loop),
      bookmark_(core_->loop),
      cursor_(std::move(cursor)) {
  ++core_->watches;
}

WatchStream::~WatchStream() {
  core_->store.With([this](Store& store) { store.Unobserve(*this); });
  --core_->watches;
}

void WatchStream::Arm() {
  if (plan_.timeout) {
    deadline_.expires_after(*plan_.timeout);
    deadline_.async_wait([weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (error || !self) return;
      self->over_ = true;
      self->wake_();
    });
  }
  if (plan_.bookmarks) ArmBookmark();
}

void WatchStream::ArmBookmark() {
  bookmark_.expires_after(core_->options.bookmark_interval);
  bookmark_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->bookmark_due_ = true;
    self->ArmBookmark();
    self->wake_();
  });
}

AnswerPart WatchStream::Next() {
  if (over_) return BodyPart("", true);
  woken_ = false;
  const Faults faults = core_->faults.Copy();
  if (faults.lose_events && !initial_) {
    core_->store.With([this](const Store& store) { cursor_.Skip(store); });
  }
  size_t limit = kEventsPerPart;
  if (faults.close_watch_after > 0)
    limit = std::min(limit, faults.close_watch_after - sent_ % faults.close_watch_after);
  bool ahead = false;
  const auto events = core_->store.With([&](const Store& store) {
    ahead = cursor_.ahead(store);
    return cursor_.Read(store, limit);
  });
  if (!events) return BodyPart(ErrorLine(events.error()), true);
  sent_ += events->size();
  std::string lines = Lines(faults, *events, events->size() < limit, ahead);
  const bool last =
      faults.close_watch_after > 0 && !events->empty() && sent_ % faults.close_watch_after == 0;
  if (lines.empty() && !last) return {};
  return BodyPart(std::move(lines), last);
}

std::string WatchStream::Lines(const Faults& faults, const std::vector<WatchEvent>& events,
                               bool complete, bool ahead) {
  std::string lines;
  for (const WatchEvent& event : events) lines += WatchLine(plan_.view, event);
  if (faults.watch_garbage && !events.empty() && !std::exchange(spoiled_, true)) {
    lines = "\x01\x02 this is not JSON }{\n";
  }
  if (initial_ && complete) {
    initial_ = false;
    if (plan_.initial_events_end && plan_.bookmarks) {
      lines += BookmarkLine(plan_.view, cursor_.version(), true);
    }
  } else if (complete && std::exchange(bookmark_due_, false) && !ahead) {
    lines += BookmarkLine(plan_.view, cursor_.version(), false);
  }
  return lines;
}

void WatchStream::OnChange(const Store&, const ResourceType& type, const Event&) {
  if (plan_.filter.type != &type || woken_.exchange(true)) return;
  boost::asio::post(core_->loop, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->wake_();
  });
}

}  // namespace fedra::sim
