#pragma once
//
// An answer that goes on: what its service tells, as long as the client takes it. For listener.cc
// alone: including this pulls in Beast.
//
// One text at a time is under way, so a client that reads slowly holds no more than that. One that
// has not taken a text in time is cut. What a client sends meanwhile is dropped; that it has gone
// is seen by it.
//
// Thread rules: as each function says; the Sink's any thread. Lifetime: after Cut the loop is not
// used any more, however long the service keeps the Sink.

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/guarded.h"
#include "cluster-clients/http/loop.h"
#include "manager/http/beast_connection.h"
#include "manager/http/message.h"

namespace fedra::httpd {

class LongAnswer final : public Sink, public std::enable_shared_from_this<LongAnswer> {
 public:
  using GoesOn = std::function<void(std::shared_ptr<Sink>)>;

  // `limit`: for the client to take one text. `on_over`: once, on the loop's thread.
  LongAnswer(http::HttpLoop& loop, GoesOn goes_on, std::chrono::milliseconds limit,
             std::function<void(LongAnswer&)> on_over);

  // When the client has the head of the answer. Loop thread.
  void Start(std::shared_ptr<Connection> connection);
  // Now, whatever is under way. Loop thread; also of one that was never started.
  void Cut();

  bool IsReady() const override;
  bool IsOver() const override;
  void Write(std::string text) override;
  void End() override;

 private:
  struct State {
    bool is_started = false;
    bool is_writing = false;
    bool is_over = false;
  };

  void Listen();
  void Push(std::string text, bool is_last);
  void Close();

  http::HttpLoop& loop_;
  const std::chrono::milliseconds limit_;
  Guarded<State> state_;  // locked before the loop's queue

  // Loop thread.
  GoesOn goes_on_;                            // null: it was called
  std::function<void(LongAnswer&)> on_over_;  // likewise
  std::shared_ptr<Connection> connection_;    // null: not started, or over
  bool is_chunked_ = false;                   // HTTP/1.1
  std::string text_;                          // that is being written
  std::array<char, 512> dropped_{};           // what the client sends
  size_t left_to_drop_ = 16 << 10;            // of one that sends more there is nothing to want
};

// Those of one listener, each until it is cut. Loop thread. Lifetime: cut all of them before it
// goes, or they stay.
class LongAnswers final {
 public:
  std::shared_ptr<LongAnswer> Make(http::HttpLoop& loop, LongAnswer::GoesOn goes_on,
                                   std::chrono::milliseconds limit);
  void CutAll();

 private:
  using All = std::set<std::shared_ptr<LongAnswer>>;
  const std::shared_ptr<All> all_ = std::make_shared<All>();
};

}  // namespace fedra::httpd
