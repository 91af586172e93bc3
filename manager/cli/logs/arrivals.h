#pragma once
//
// What followed logs have delivered and is not printed yet. Bounded: a stream is never paused
// (cluster-clients/http/README.md), so one that a slow reader cannot follow ends.
//
// Thread rules: Data and End from any thread, Take from one.

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "cluster-clients/http/message.h"

namespace fedra::cli {

// A part of one stream, or its end.
struct Arrival {
  size_t stream = 0;
  std::string bytes;
  bool overflow = false;             // it ended here: more waited than may
  std::optional<http::Reply> reply;  // it ended here; nothing follows

  bool ends() const { return overflow || reply.has_value(); }
};

class Arrivals final {
 public:
  // `max_bytes`: that wait, of all streams together, with what it costs to keep them.
  Arrivals(size_t streams, size_t max_bytes);

  // False: it does not fit, or has ended. Then the stream is to be cancelled.
  bool Data(size_t stream, std::string_view bytes);
  // Once a stream has overflowed, its end is no news.
  void End(size_t stream, http::Reply reply);

  // In the order in which they came; empty: nothing came within `limit`.
  std::vector<Arrival> Take(std::chrono::milliseconds limit);

 private:
  struct State {
    std::deque<Arrival> waiting;
    size_t bytes = 0;         // that those cost
    std::vector<bool> ended;  // by stream
  };

  const size_t max_bytes_;
  Guarded<State> state_;
};

// Cuts what arrives in pieces into whole lines.
class LineCutter final {
 public:
  // The lines that end in this piece. One that is longer than a mebibyte is cut.
  std::string Cut(std::string_view piece);
  // What is left at the end.
  std::string Rest() { return std::exchange(begun_, {}); }

 private:
  std::string begun_;
};

}  // namespace fedra::cli
