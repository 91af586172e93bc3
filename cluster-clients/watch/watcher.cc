#include "cluster-clients/watch/watcher.h"

#include <algorithm>
#include <utility>

namespace fedra::watch {
namespace {

using std::chrono::milliseconds;

// A watch that lived so long was in order; its end begins a new series of failures.
constexpr milliseconds kHealthy{5'000};
// A server that ends every watch at once must not be asked in a tight loop.
constexpr milliseconds kTooShort{1'000};
// After so many errors from one version the version itself is suspected: not every server says 410
// of a version that it cannot watch from.
constexpr int kMaxNoProgress = 3;
// A server sends bookmarks about every minute. One that was restored from a backup leaves a watch
// from a version of its future open without a word, until it gets there (kube-apiserver 1.36).
constexpr milliseconds kSilent{120'000};
// A list that takes longer than a token lives would never end: then it is asked for in one piece.
constexpr int kMaxExpired = 2;
// Pages shrink to this when their objects are so large that we cannot keep up.
constexpr size_t kMinPage = 20;

Error BadResponse(std::string message) {
  Error error;
  error.code = ErrorCode::kBadResponse;
  error.message = std::move(message);
  return error;
}

bool IsNetwork(const Error& error) {
  return error.code == ErrorCode::kConnection || error.code == ErrorCode::kTimeout ||
         error.code == ErrorCode::kCancelled;
}

bool IsNotServed(const Error& error) {
  return error.code == ErrorCode::kApiMissing || error.code == ErrorCode::kNotFound;
}

}  // namespace

Output Watcher::Start() {
  state_ = Empty{};
  return Next();
}

Output Watcher::Handle(const Input& input) {
  return std::visit([this](const auto& one) { return On(one); }, input);
}

// The request that the present state asks for.
Output Watcher::Next() {
  Output output;
  if (const auto* watching = std::get_if<Watching>(&state_)) {
    output.next = Output::Next::kWatch;
    output.version = watching->version;
    return output;
  }
  output.next = Output::Next::kList;
  output.limit = expired_ >= kMaxExpired ? 0 : page_size_;
  if (const auto* paging = std::get_if<Paging>(&state_)) {
    output.continue_token = paging->token;
  } else {
    output.deliver = Output::Deliver::kReset;
  }
  return output;
}

Output Watcher::Relist() {
  state_ = Empty{};
  no_progress_ = 0;
  Output output = Next();
  output.trouble = RetryClass::kCut;
  output.failures = ++failures_;
  return output;
}

// The same again, later. One failure after a good time is not worth telling, and neither is one cut
// at any time: when it is the server's end, the connection's own state will say so first.
Output Watcher::Retry(RetryClass trouble, const Error& error) {
  const bool forgiven =
      std::holds_alternative<Watching>(state_) || error.code == ErrorCode::kConnection;
  Output output = Next();
  output.trouble = trouble;
  output.failures = ++failures_;
  output.retry_after = error.retry_after;
  if (!forgiven || failures_ > 1) {
    output.state = CacheState::kFailing;
    output.error = error;
  }
  return output;
}

Output Watcher::Refused(const Error& error) {
  Output output = Retry(RetryClass::kRefused, error);
  output.state = CacheState::kForbidden;
  output.error = error;
  return output;
}

Output Watcher::NotServed(const Error& error) {
  state_ = Empty{};
  Output output = Retry(RetryClass::kRefused, error);
  output.deliver = Output::Deliver::kClear;
  output.state = CacheState::kNotServed;
  return output;
}

// The server answers, but not with a watch.
Output Watcher::Stuck(const Error& error) {
  if (++no_progress_ < kMaxNoProgress) return Retry(RetryClass::kFailing, error);
  state_ = Empty{};
  no_progress_ = 0;
  return Retry(RetryClass::kFailing, error);
}

// The server sends more than we keep, and would again.
Output Watcher::TooLong(const Error& error) {
  state_ = Empty{};
  no_progress_ = 0;
  Output output = Retry(RetryClass::kTooLong, error);
  output.state = CacheState::kFailing;
  output.error = error;
  return output;
}

void Watcher::Shrink() {
  expired_ = 0;
  page_size_ = std::min(page_size_, std::max(page_size_ / 4, kMinPage));
}

Output Watcher::On(const PageEnded& input) {
  if (!input.continue_token.empty()) {
    state_ = Paging{input.continue_token};
    return Next();
  }
  if (input.version.empty()) {
    state_ = Empty{};
    return Retry(RetryClass::kFailing, BadResponse("the list has no resourceVersion"));
  }
  state_ = Watching{input.version};
  expired_ = 0;
  Output output = Next();
  output.deliver = Output::Deliver::kSynced;
  output.state = CacheState::kSynced;
  return output;
}

Output Watcher::On(const ListFailed& input) {
  if (input.error.code == ErrorCode::kForbidden) {
    state_ = Empty{};
    return Refused(input.error);
  }
  if (IsNotServed(input.error)) return NotServed(input.error);
  if (input.error.code == ErrorCode::kTooLarge) return TooLong(input.error);
  if (input.error.code == ErrorCode::kGone) {
    if (std::holds_alternative<Paging>(state_)) ++expired_;
    return Relist();
  }
  return Retry(RetryClass::kFailing, input.error);
}

Output Watcher::On(const WatchOpened&) {
  if (auto* watching = std::get_if<Watching>(&state_)) watching->heard = false;
  Output output;
  output.state = CacheState::kSynced;
  return output;
}

Output Watcher::On(const ObjectEvent& input) {
  auto* watching = std::get_if<Watching>(&state_);
  if (watching == nullptr) return {};
  if (input.version.empty()) {
    state_ = Empty{};
    return Retry(RetryClass::kFailing, BadResponse("a watch event without a resourceVersion"));
  }
  *watching = {input.version, true};
  no_progress_ = 0;
  Output output;
  output.deliver =
      input.type == EventType::kDeleted ? Output::Deliver::kRemove : Output::Deliver::kUpsert;
  return output;
}

Output Watcher::On(const Bookmark& input) {
  auto* watching = std::get_if<Watching>(&state_);
  if (watching == nullptr || input.version.empty()) return {};
  *watching = {input.version, true};
  no_progress_ = 0;
  return {};
}

Output Watcher::On(const ErrorEvent& input) {
  if (input.error.code == ErrorCode::kGone) return Relist();
  return Stuck(input.error);
}

Output Watcher::On(const WatchEnded& input) {
  if (input.lived >= kHealthy) failures_ = 0;
  const auto* watching = std::get_if<Watching>(&state_);
  if (watching != nullptr && !watching->heard && input.lived >= kSilent) state_ = Empty{};
  if (!input.error ||
      (input.opened && input.error->code == ErrorCode::kTimeout)) {  // our own limit
    if (input.lived >= kTooShort) return Next();
    return Retry(RetryClass::kCut, BadResponse("the server ends every watch at once"));
  }
  const Error& error = *input.error;
  if (error.code == ErrorCode::kGone) return Relist();
  if (error.code == ErrorCode::kForbidden) return Refused(error);
  if (IsNotServed(error)) return NotServed(error);
  if (error.code == ErrorCode::kTooLarge) return TooLong(error);
  if (!IsNetwork(error)) return Stuck(error);
  return Retry(input.opened ? RetryClass::kCut : RetryClass::kFailing, error);
}

Output Watcher::On(const Overflowed&) {
  if (!std::holds_alternative<Watching>(state_)) Shrink();
  Output output = Relist();
  if (failures_ > 1) {  // what is known grows old
    output.state = CacheState::kFailing;
    output.error = BadResponse("more arrives than can be read in time");
  }
  return output;
}

// A page's token may be old by now, and what has arrived is not lost: the list begins again.
Output Watcher::On(const Resumed&) {
  failures_ = 0;
  if (std::holds_alternative<Paging>(state_)) state_ = Empty{};
  return Next();
}

Output Watcher::On(const Returned&) {
  failures_ = 0;
  no_progress_ = 0;
  state_ = Empty{};
  return Next();
}

}  // namespace fedra::watch
