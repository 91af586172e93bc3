#include "manager/dashboard/relay.h"

#include <chrono>
#include <utility>

namespace fedra::dashboard {
namespace {

// How often it is looked whether the browser takes more, or has gone.
constexpr std::chrono::milliseconds kLook{200};
// Of a browser that does not read: some events of the longest kind.
constexpr size_t kMostWaiting = size_t{256} << 10;

}  // namespace

// The listener has no use for an answer that goes on to HEAD, to a browser that has gone, and where
// too many streams are open. The daemon's would go on, and take one of its user's places.
class Relay::Offer final {
 public:
  explicit Offer(std::shared_ptr<Relay> relay) : relay_(std::move(relay)) {}
  ~Offer() {
    if (relay_ != nullptr) relay_->Cancel();
  }
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  void Take(std::shared_ptr<httpd::Sink> sink) {
    std::exchange(relay_, nullptr)->Take(std::move(sink));
  }

 private:
  std::shared_ptr<Relay> relay_;  // null: taken
};

void Relay::Start(http::Request request, std::function<void(httpd::Answer)> done,
                  std::function<httpd::Answer(http::Reply)> refused) {
  done_ = std::move(done);
  refused_ = std::move(refused);
  const auto self = shared_from_this();
  transfer_ = client_->Stream(
      std::move(request), {.on_open = [self](int status) { self->OnOpen(status); },
                           .on_data = [self](std::string_view bytes) { self->OnData(bytes); },
                           .on_end = [self](http::Reply reply) { self->OnEnd(std::move(reply)); }});
}

// Another answer than a stream is passed on when it is whole.
void Relay::OnOpen(int status) {
  if (status != 200) return;
  std::exchange(done_, nullptr)({.content_type = "text/event-stream",
                                 .headers = {{"Cache-Control", "no-store"}},
                                 .goes_on = [offer = std::make_shared<Offer>(shared_from_this())](
                                                auto sink) { offer->Take(std::move(sink)); }});
}

void Relay::Take(std::shared_ptr<httpd::Sink> sink) {
  sink_ = std::move(sink);
  Watch();
}

void Relay::Cancel() {
  if (client_ != nullptr && !has_ended_) client_->Cancel(transfer_);
}

void Relay::OnData(std::string_view bytes) {
  if (waiting_.size() + bytes.size() > kMostWaiting) return Cancel();
  waiting_ += bytes;
  PassOn();
}

void Relay::OnEnd(http::Reply reply) {
  has_ended_ = true;
  if (done_) return std::exchange(done_, nullptr)(refused_(std::move(reply)));
  if (sink_ != nullptr && waiting_.empty()) sink_->End();
}

void Relay::PassOn() {
  if (sink_ != nullptr && !waiting_.empty() && sink_->IsReady())
    sink_->Write(std::exchange(waiting_, {}));
}

void Relay::Watch() {
  PassOn();
  if (has_ended_ && waiting_.empty() && sink_->IsReady()) sink_->End();
  if (sink_->IsOver()) return Cancel();
  loop_.After(kLook, [self = shared_from_this()] { self->Watch(); });
}

}  // namespace fedra::dashboard
