#include "cluster-clients/watch/reflector.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "cluster-clients/http/loop.h"
#include "cluster-clients/http/retry.h"
#include "cluster-clients/kube/status.h"
#include "cluster-clients/kube/verbs.h"
#include "cluster-clients/watch/channel.h"

namespace fedra::watch {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A page of a slow server may take long, but not without a byte.
constexpr seconds kPageTimeout{300};
constexpr seconds kPageStall{15};
// A remote party must not choose how often we complain.
constexpr seconds kComplainEvery{60};
// So much later than the server we end a watch ourselves.
constexpr seconds kWatchMargin{5};

// Of a list much is not kept: managed fields, objects that came twice.
constexpr size_t kMaxWaste = 4;

constexpr const char* kMetadataList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
constexpr const char* kMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

// Watches that were opened together should not end together.
seconds Spread(seconds timeout) {
  return seconds(
      static_cast<long long>(static_cast<double>(timeout.count()) * (1.0 - http::Jitter() / 10)));
}

}  // namespace

Reflector::Reflector(Target target, CacheSink& sink, StreamSource& source, http::HttpLoop& loop,
                     ClusterShare share, const Clock& clock, ReflectorOptions options)
    : target_(std::move(target)),
      sink_(sink),
      source_(source),
      loop_(loop),
      clock_(clock),
      options_(std::move(options)),
      share_(std::move(share)),
      serial_(std::make_shared<SerialQueue>(share_.workers)),
      watcher_(WatcherOptions{options_.page_size}) {
  health_.since = clock.Steady();
}

void Reflector::Resume(std::shared_ptr<const void> until) {
  serial_->Submit([self = shared_from_this(), until = std::move(until)] {
    const bool returned = !std::exchange(self->active_, true);
    // What was wrong before is over, and nothing is known of the time between.
    if (self->health_.state == CacheState::kFailing) {
      self->Publish(CacheState::kSyncing, {});
    } else if (returned && self->health_.IsListing()) {  // since now, whenever we were made
      self->health_.since = self->clock_.Steady();
      self->sink_.SetHealth(self->health_);
    }
    self->Apply(self->watcher_.Handle(returned ? Input(Returned{}) : Input(Resumed{})));
  });
}

void Reflector::Suspend(Error why) {
  serial_->Submit([self = shared_from_this(), why = std::move(why)] {
    self->active_ = false;
    self->Close();
    self->Publish(CacheState::kFailing, why);
  });
}

void Reflector::Stop() {
  serial_->Close();
  active_ = false;
  Close();
}

void Reflector::Apply(const Output& output) {
  // A sink that hears that objects are gone must be able to see why; and that a list is complete
  // only when it is.
  const bool state_first = output.deliver == Output::Deliver::kClear;
  if (!state_first) Deliver(output.deliver);
  if (output.state) Publish(*output.state, output.error);
  if (state_first && !target_.keeps_unserved) Deliver(output.deliver);
  if (output.next != Output::Next::kContinue) Schedule(output);
}

void Reflector::Deliver(Output::Deliver what, std::string_view object) {
  Result<void> done;
  switch (what) {
    case Output::Deliver::kNothing:
      return;
    case Output::Deliver::kReset:
      return sink_.Reset();
    case Output::Deliver::kUpsert:
      done = sink_.Upsert(object);
      break;
    case Output::Deliver::kRemove:
      done = sink_.Remove(object);
      break;
    case Output::Deliver::kSynced:
      health_.complete = true;
      return sink_.Synced();
    case Output::Deliver::kClear:
      sink_.Reset();
      return sink_.Synced();
  }
  if (!done) Broken(done.error());
}

void Reflector::Broken(const Error& error) {
  const SteadyTime now = clock_.Steady();
  if (complained_ != SteadyTime{} && now - complained_ < kComplainEvery) return;
  complained_ = now;
  log::Warn("an object cannot be read", {{"cluster", target_.cluster},
                                         {"resource", target_.resource.plural},
                                         {"error", error.message}});
}

void Reflector::Publish(CacheState state, std::optional<Error> error) {
  const bool same_error =
      error.has_value() == (health_.error != nullptr) &&
      (!error || (error->code == health_.error->code && error->message == health_.error->message));
  if (state == health_.state && same_error) return;
  const CacheState before = std::exchange(health_.state, state);
  if (before != state) health_.since = clock_.Steady();
  health_.error = error ? std::make_shared<const Error>(*std::move(error)) : nullptr;
  if (health_.error) {
    log::Debug("watch in trouble", {{"cluster", target_.cluster},
                                    {"resource", target_.resource.plural},
                                    {"reason", std::string(ToString(health_.error->code))},
                                    {"error", health_.error->message}});
  }
  sink_.SetHealth(health_);
  const bool served_changed =
      (before == CacheState::kNotServed) != (state == CacheState::kNotServed);
  if (served_changed && options_.on_served_changed) options_.on_served_changed();
}

void Reflector::Schedule(const Output& output) {
  Close();
  if (!active_) return;
  if (!output.trouble) return Open(output);
  const milliseconds delay =
      Backoff(*output.trouble, output.failures, http::Jitter(), output.retry_after);
  loop_.After(delay, [weak = weak_from_this(), round = round_, output] {
    const auto self = weak.lock();
    if (!self) return;
    self->serial_->Submit([self, round, output] {
      if (self->active_ && self->round_ == round) self->Open(output);
    });
  });
}

void Reflector::Open(const Output& output) {
  const kube::Selection selection{target_.ns, target_.labels};
  http::Request request;
  listing_ = output.next == Output::Next::kList;
  if (listing_) {
    request = kube::ListPage(target_.resource, selection, output.limit, output.continue_token);
    request.timeout = kPageTimeout;
    request.stall_timeout = kPageStall;
    request.max_bytes = options_.max_page_bytes;
    BeginPage(output);
  } else {
    const seconds timeout = Spread(options_.watch_timeout);
    request = kube::OpenWatch(target_.resource, selection, output.version, timeout);
    request.timeout = timeout + kWatchMargin;
    request.max_bytes = SIZE_MAX;
    lines_.emplace();
  }
  if (target_.metadata_only) request.accept = listing_ ? kMetadataList : kMetadata;
  request.open_timeout = options_.open_timeout;
  Connect(std::move(request));
}

void Reflector::Connect(http::Request request) {
  opened_at_.reset();
  channel_ = std::make_shared<Channel>(
      options_.max_unread_bytes, share_.unread,
      [weak = weak_from_this()](std::shared_ptr<Channel> channel) {
        if (const auto self = weak.lock())
          self->serial_->Submit([self, channel] { self->Drain(channel); });
      });
  http::StreamHandler handler;
  handler.on_open = [channel = channel_](int status) {
    if (status == 200) channel->Opened();
  };
  handler.on_data = [channel = channel_](std::string_view bytes) { channel->Data(bytes); };
  handler.on_end = [channel = channel_](http::Reply reply) { channel->End(std::move(reply)); };
  cancel_ = source_.Open(std::move(request), std::move(handler));
}

void Reflector::Close() {
  ++round_;
  channel_.reset();
  if (cancel_) std::exchange(cancel_, nullptr)();
}

void Reflector::Drain(const std::shared_ptr<Channel>& channel) {
  if (channel != channel_) return;
  const Delivery delivery = channel->Take();
  if (delivery.opened) {
    opened_at_ = clock_.Steady();
    if (!listing_) Apply(watcher_.Handle(WatchOpened{}));
  }
  if (delivery.overflow) return Apply(watcher_.Handle(Overflowed{}));
  for (const std::string& chunk : delivery.chunks) {
    const Output output = Feed(chunk);
    if (channel != channel_) return;  // a listener has stopped us
    if (output.next != Output::Next::kContinue) return Apply(output);
  }
  if (delivery.end) return Apply(listing_ ? PageDone(*delivery.end) : WatchDone(*delivery.end));
  if (delivery.opened || !delivery.chunks.empty()) {
    serial_->Submit([self = shared_from_this(), channel] { self->Drain(channel); });
  }
}

Output Reflector::Feed(std::string_view bytes) {
  events_read_ = 0;
  Output output = listing_ ? FeedList(bytes) : FeedWatch(bytes);
  if (options_.on_read) options_.on_read({.bytes = bytes.size(), .events = events_read_});
  return output;
}

void Reflector::BeginPage(const Output& page) {
  if (page.continue_token.empty()) arrived_ = {};
  arrived_.limit = page.limit;
  arrived_.page_objects = 0;
  ++arrived_.pages;
  list_.emplace([this](std::string_view item) {
    ++arrived_.objects;
    const bool was_asked = ++arrived_.page_objects <= arrived_.limit || arrived_.limit == 0;
    if (was_asked) Deliver(Output::Deliver::kUpsert, item);
  });
}

Output Reflector::FeedList(std::string_view bytes) {
  arrived_.bytes += bytes.size();
  Result<void> fed = list_->Feed(bytes);
  if (fed) fed = WithinBounds();
  return fed ? Output{} : watcher_.Handle(ListFailed{fed.error()});
}

// An API server obeys `limit` (kube-apiserver 1.36 ignores it with resourceVersion=0 only, which we
// never send), and no list of a real cluster is longer than the bounds.
Result<void> Reflector::WithinBounds() const {
  const ListBounds& bounds = options_.bounds;
  const auto too_long = [&](std::string_view what) {
    return Fail(ErrorCode::kTooLarge,
                fmt::format("the list of {} {}; it is not read on", target_.resource.plural, what));
  };
  if (arrived_.limit > 0 && arrived_.page_objects > arrived_.limit)
    return too_long(
        fmt::format("has pages of more than the {} objects that were asked for", arrived_.limit));
  const Held held = sink_.held();
  if (std::max(held.objects, arrived_.objects) > bounds.objects)
    return too_long(fmt::format("is longer than {} objects", bounds.objects));
  if (held.bytes > bounds.bytes || arrived_.bytes / kMaxWaste > bounds.bytes)
    return too_long(fmt::format("is larger than {} MiB", bounds.bytes >> 20));
  if (arrived_.pages > bounds.pages)
    return too_long(fmt::format("has more than {} pages", bounds.pages));
  return {};
}

Output Reflector::FeedWatch(std::string_view bytes) {
  Output output;
  const Result<void> fed = lines_->Feed(bytes, [&](std::string_view line) {
    output = OnLine(line);
    return output.next == Output::Next::kContinue && channel_;
  });
  return fed ? output : watcher_.Handle(WatchEnded{fed.error(), true, Lived()});
}

Output Reflector::OnLine(std::string_view line) {
  ++events_read_;
  const Result<WatchEvent> event = ReadWatchEvent(line);
  if (!event) return watcher_.Handle(WatchEnded{event.error(), true, Lived()});
  switch (event->type) {
    case EventType::kBookmark:
      return watcher_.Handle(Bookmark{event->version});
    case EventType::kError:
      return watcher_.Handle(ErrorEvent{kube::ErrorOfStatus(event->object)});
    case EventType::kAdded:
    case EventType::kModified:
    case EventType::kDeleted:
      break;
  }
  Output output = watcher_.Handle(ObjectEvent{event->type, event->version});
  if (output.next != Output::Next::kContinue) return output;
  Deliver(std::exchange(output.deliver, Output::Deliver::kNothing), event->object);
  if (const auto bounded = WithinBounds(); !bounded)
    return watcher_.Handle(WatchEnded{bounded.error(), true, Lived()});
  return output;
}

Output Reflector::PageDone(const http::Reply& reply) {
  if (!reply.ok()) return watcher_.Handle(ListFailed{kube::ErrorOf(reply)});
  const Result<kube::ListMeta> meta = list_->Finish();
  if (!meta) return watcher_.Handle(ListFailed{meta.error()});
  return watcher_.Handle(PageEnded{meta->version, meta->continue_token});
}

Output Reflector::WatchDone(const http::Reply& reply) {
  std::optional<Error> error;
  if (!reply.ok()) error = kube::ErrorOf(reply);
  const bool lost = opened_at_ && (error || Lived() < options_.watch_timeout / 2);
  if (lost && options_.on_watch_lost) options_.on_watch_lost();
  return watcher_.Handle(WatchEnded{std::move(error), opened_at_.has_value(), Lived()});
}

milliseconds Reflector::Lived() const {
  return opened_at_ ? duration_cast<milliseconds>(clock_.Steady() - *opened_at_) : milliseconds(0);
}

}  // namespace fedra::watch
