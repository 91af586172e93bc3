#include "manager/http/long_answer.h"

#include <utility>

#include <fmt/format.h>

namespace fedra::httpd {
namespace {

// RFC 9112, 7.1.
std::string Chunk(const std::string& text) {
  return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}
constexpr const char* kLastChunk = "0\r\n\r\n";

}  // namespace

LongAnswer::LongAnswer(http::HttpLoop& loop, GoesOn goes_on, std::chrono::milliseconds limit,
                       std::function<void(LongAnswer&)> on_over)
    : loop_(loop), limit_(limit), goes_on_(std::move(goes_on)), on_over_(std::move(on_over)) {}

void LongAnswer::Start(std::shared_ptr<Connection> connection) {
  if (IsOver()) return connection->stream.close();
  connection_ = std::move(connection);
  is_chunked_ = connection_->parser->get().version() >= 11;
  state_.With([](State& state) { state.is_started = true; });
  connection_->stream.expires_never();
  Listen();
  std::exchange(goes_on_, nullptr)(shared_from_this());
}

// The read has no limit of its own: what is written sets one for the write alone
// (boost::beast::basic_stream, "expires_after": of operations that are not under way).
void LongAnswer::Listen() {
  ReadBytes(*connection_, dropped_,
            [self = shared_from_this(), connection = connection_](boost::system::error_code error,
                                                                  size_t bytes) {
              if (self->connection_ == nullptr) return;
              if (error || bytes > self->left_to_drop_) return self->Cut();
              self->left_to_drop_ -= bytes;
              self->Listen();
            });
}

bool LongAnswer::IsReady() const {
  return state_.With(
      [](const State& state) { return state.is_started && !state.is_writing && !state.is_over; });
}

bool LongAnswer::IsOver() const {
  return state_.With([](const State& state) { return state.is_over; });
}

// Posted while it is not over, so the loop is there.
void LongAnswer::Write(std::string text) {
  state_.With([&](State& state) {
    if (state.is_over) return;
    state.is_writing = true;
    loop_.Post([self = shared_from_this(), text = std::move(text)]() mutable {
      self->Push(std::move(text), /*is_last=*/false);
    });
  });
}

void LongAnswer::End() {
  state_.With([&](State& state) {
    if (state.is_over) return;
    loop_.Post([self = shared_from_this()] { self->Close(); });
  });
}

// A text that is under way is not waited for: the client asks anew, and is told what it missed.
void LongAnswer::Close() {
  if (connection_ == nullptr || !text_.empty() || !is_chunked_) return Cut();
  Push({}, /*is_last=*/true);
}

void LongAnswer::Push(std::string text, bool is_last) {
  if (connection_ == nullptr) return;
  text_ = is_last ? kLastChunk : is_chunked_ ? Chunk(text) : std::move(text);
  connection_->stream.expires_after(limit_);
  WriteText(*connection_, text_,
            [self = shared_from_this(), connection = connection_, is_last](
                boost::system::error_code error, size_t) {
              if (error || is_last) return self->Cut();
              self->text_.clear();
              self->state_.With([](State& state) { state.is_writing = false; });
            });
}

void LongAnswer::Cut() {
  state_.With([](State& state) { state.is_over = true; });
  if (connection_ != nullptr) {
    connection_->stake.SetStreams(false);
    connection_->stream.close();
    std::exchange(connection_, nullptr)->long_answer.reset();
  }
  goes_on_ = nullptr;
  if (on_over_) std::exchange(on_over_, nullptr)(*this);
}

std::shared_ptr<LongAnswer> LongAnswers::Make(http::HttpLoop& loop, LongAnswer::GoesOn goes_on,
                                              std::chrono::milliseconds limit) {
  auto made = std::make_shared<LongAnswer>(
      loop, std::move(goes_on), limit,
      [all = all_](LongAnswer& over) { all->erase(over.shared_from_this()); });
  all_->insert(made);
  return made;
}

void LongAnswers::CutAll() {
  for (const auto& each : All(*all_)) each->Cut();
}

}  // namespace fedra::httpd
