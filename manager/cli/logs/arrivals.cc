#include "manager/cli/logs/arrivals.h"

#include <iterator>
#include <utility>

namespace fedra::cli {
namespace {

constexpr size_t kMaxLine = size_t{1} << 20;

}  // namespace

Arrivals::Arrivals(size_t streams, size_t max_bytes) : max_bytes_(max_bytes) {
  state_.With([&](State& state) { state.ended.resize(streams); });
}

// Pieces may be of one byte each, so that keeping them costs more than they hold.
bool Arrivals::Data(size_t stream, std::string_view bytes) {
  const bool fits = state_.With([&](State& state) {
    if (state.ended[stream]) return false;
    const bool goes_on = !state.waiting.empty() && state.waiting.back().stream == stream;
    const size_t cost = bytes.size() + (goes_on ? 0 : sizeof(Arrival));
    if (state.bytes + cost > max_bytes_) {
      state.ended[stream] = true;
      state.waiting.push_back({.stream = stream, .bytes = {}, .overflow = true, .reply = {}});
      return false;
    }
    if (!goes_on)
      state.waiting.push_back({.stream = stream, .bytes = {}, .overflow = false, .reply = {}});
    state.waiting.back().bytes += bytes;
    state.bytes += cost;
    return true;
  });
  state_.Notify();
  return fits;
}

void Arrivals::End(size_t stream, http::Reply reply) {
  state_.With([&](State& state) {
    if (state.ended[stream]) return;
    state.ended[stream] = true;
    state.waiting.push_back(
        {.stream = stream, .bytes = {}, .overflow = false, .reply = std::move(reply)});
  });
  state_.Notify();
}

std::vector<Arrival> Arrivals::Take(std::chrono::milliseconds limit) {
  return state_.WaitFor(
      limit, [](const State& state) { return !state.waiting.empty(); },
      [](State& state) {
        std::vector<Arrival> all(std::make_move_iterator(state.waiting.begin()),
                                 std::make_move_iterator(state.waiting.end()));
        state.waiting.clear();
        state.bytes = 0;
        return all;
      });
}

std::string LineCutter::Cut(std::string_view piece) {
  begun_ += piece;
  size_t whole = begun_.rfind('\n') + 1;  // npos + 1 is 0
  if (whole == 0 && begun_.size() > kMaxLine) whole = begun_.size();
  std::string lines = begun_.substr(0, whole);
  begun_.erase(0, whole);
  return lines;
}

}  // namespace fedra::cli
