#include "tests/sim/http/exchange.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <utility>

#include "tests/sim/http/hostile.h"
#include "tests/sim/http/injected.h"
#include "tests/sim/http/watch_stream.h"

namespace fedra::sim {
namespace {

using boost::system::error_code;
using AnswerKind = InjectedAnswer::Kind;
using PartKind = AnswerPart::Kind;

// Go's net/http, and so every API server, tells it with each answer.
std::string Date(std::chrono::seconds ahead) {
  const auto now = std::chrono::system_clock::now() + ahead;
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

bool Is(const std::optional<InjectedAnswer>& injected, AnswerKind kind) {
  return injected && injected->kind == kind;
}

// A head, then the body, and after that the end of the connection if it is cut.
std::function<AnswerPart()> MakeParts(AnswerHead head, std::string body, bool cut) {
  AnswerPart first{.kind = PartKind::kHead, .head = std::move(head), .body = {}, .last = false};
  AnswerPart second{.kind = PartKind::kBody, .head = {}, .body = std::move(body), .last = !cut};
  first.last = second.last && second.body.empty();
  return [step = 0, first = std::move(first), second = std::move(second)]() mutable {
    if (step++ == 0) return std::move(first);
    if (step == 2) return std::move(second);
    return AnswerPart{.kind = PartKind::kCut, .head = {}, .body = {}, .last = false};
  };
}

}  // namespace

Exchange::Exchange(std::shared_ptr<Core> core, std::function<void()> wake)
    : core_(std::move(core)), wake_(std::move(wake)), delay_(core_->loop) {}

void Exchange::Close() {
  wake_ = nullptr;
  parts_ = nullptr;
  delay_.cancel();
}

void Exchange::Wake() {
  const auto wake = wake_;  // it may close this
  if (wake) wake();
}

void Exchange::Begin(HttpRequest request, const Peer& peer) {
  ApiRequest asked{.method = request.method,
                   .target = request.target,
                   .content_type = request.content_type,
                   .user_agent = request.user_agent,
                   .body = std::move(request.body),
                   .user = nullptr};
  const auto injected = TakeInjected(core_->faults, asked);
  if (Is(injected, AnswerKind::kHang)) return;
  if (Is(injected, AnswerKind::kHostile)) {
    HostileAnswer hostile = MakeHostileAnswer(injected->hostile, asked);
    parts_ = std::move(hostile.next);
    pause_ = hostile.pause;
    return;
  }
  bool rejected = false;
  asked.user = Authenticate(request, peer, rejected);
  ApiReply reply = ReplyTo(asked, rejected, request.too_large, injected);
  auto delay = core_->faults.With([](const Faults& f) { return f.latency; });
  if (Is(injected, AnswerKind::kLatency)) delay += injected->delay;
  if (delay.count() == 0) return Answer(std::move(reply), injected);
  delay_.expires_after(delay);
  delay_.async_wait(
      [weak = weak_from_this(), reply = std::move(reply), injected](error_code error) mutable {
        const auto self = weak.lock();
        if (error || !self || !self->wake_) return;
        self->Answer(std::move(reply), injected);
        self->Wake();
      });
}

std::shared_ptr<const User> Exchange::Authenticate(const HttpRequest& request, const Peer& peer,
                                                   bool& rejected) const {
  rejected = core_->faults.With([](const Faults& f) { return f.reject_credentials; });
  if (rejected) return nullptr;
  constexpr std::string_view kBearer = "Bearer ";
  if (!request.authorization.empty()) {
    auto user = request.authorization.starts_with(kBearer)
                    ? core_->UserWithToken(request.authorization.substr(kBearer.size()))
                    : nullptr;
    rejected = user == nullptr;
    return user;
  }
  if (!peer.certificate_name) return nullptr;
  if (auto user = core_->UserNamed(*peer.certificate_name)) return user;
  // Known to the CA, but no rule gives it rights.
  auto stranger = std::make_shared<User>();
  stranger->name = *peer.certificate_name;
  return stranger;
}

ApiReply Exchange::ReplyTo(const ApiRequest& request, bool rejected, bool too_large,
                           const std::optional<InjectedAnswer>& injected) const {
  ApiReply reply;
  if (Is(injected, AnswerKind::kStatus)) {
    reply = StatusReply(*injected);
  } else if (Is(injected, AnswerKind::kHtml)) {
    reply = HtmlReply(*injected);
  } else if (rejected) {
    reply = ToReply(Unauthorized());
  } else if (too_large) {
    reply = ToReply(RequestTooLarge(kMaxBody));
  } else {
    reply = Handle(*core_, request);
  }
  if (injected) reply.location = injected->location;
  return reply;
}

void Exchange::Answer(ApiReply reply, const std::optional<InjectedAnswer>& injected) {
  if (reply.watch) {
    parts_ = Watch(*std::move(reply.watch));
  } else if (Is(injected, AnswerKind::kTruncatedJson)) {
    reply.body.resize(reply.body.size() / 2);
    parts_ = Whole(std::move(reply));
  } else if (Is(injected, AnswerKind::kCutConnection)) {
    parts_ = MakeParts(HeadOf(reply), reply.body.substr(0, reply.body.size() / 2), true);
  } else {
    parts_ = Whole(std::move(reply));
  }
}

Exchange::Parts Exchange::Watch(WatchPlan plan) {
  auto opened = WatchStream::Open(core_, std::move(plan), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Wake();
  });
  if (!opened && opened.error().code != 410) return Whole(ToReply(opened.error()));
  AnswerHead head = HeadOf(ApiReply{});
  head.length.reset();
  if (!opened) return MakeParts(std::move(head), ErrorLine(opened.error()), false);
  return [head = std::move(head), begun = false, stream = *std::move(opened)]() mutable {
    if (std::exchange(begun, true)) return stream->Next();
    return AnswerPart{.kind = PartKind::kHead, .head = std::move(head), .body = {}, .last = false};
  };
}

AnswerHead Exchange::HeadOf(const ApiReply& reply) const {
  const auto ahead = core_->faults.With([](const Faults& f) { return f.clock_ahead; });
  AnswerHead head{.status = reply.code,
                  .fields = {{"Content-Type", reply.content_type}, {"Date", Date(ahead)}},
                  .length = reply.body.size()};
  if (reply.retry_after_seconds >= 0) {
    head.fields.emplace_back("Retry-After", std::to_string(reply.retry_after_seconds));
  }
  if (!reply.location.empty()) head.fields.emplace_back("Location", reply.location);
  return head;
}

Exchange::Parts Exchange::Whole(ApiReply reply) const {
  AnswerHead head = HeadOf(reply);
  return MakeParts(std::move(head), std::move(reply.body), false);
}

AnswerPart Exchange::Next() {
  if (!parts_) return {};
  if (pause_.count() > 0 && !std::exchange(rested_, false)) {
    Rest();
    return {};
  }
  return parts_();
}

void Exchange::Rest() {
  if (std::exchange(resting_, true)) return;
  delay_.expires_after(pause_);
  delay_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->resting_ = false;
    self->rested_ = true;
    self->Wake();
  });
}

}  // namespace fedra::sim
