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
                                 .goes_on = [self = shared_from_this()](auto sink) {
                                   self->sink_ = std::move(sink);
                                   self->Watch();
                                 }});
}

void Relay::OnData(std::string_view bytes) {
  if (waiting_.size() + bytes.size() > kMostWaiting) {
    if (client_ != nullptr) client_->Cancel(transfer_);
    return;
  }
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
  if (sink_->IsOver()) {
    if (client_ != nullptr && !has_ended_) client_->Cancel(transfer_);
    return;
  }
  loop_.After(kLook, [self = shared_from_this()] { self->Watch(); });
}

}  // namespace fedra::dashboard
