#include "cluster-clients/watch/channel.h"

#include <utility>

namespace fedra::watch {
namespace {

constexpr size_t kChunk = 64 * 1024;
constexpr size_t kChunksAtOnce = 8;

}  // namespace

Channel::~Channel() {
  state_.With([this](State& state) { Release(state, state.bytes); });
}

void Channel::Release(State& state, size_t bytes) {
  state.bytes -= bytes;
  budget_->bytes -= bytes;
}

template <class F>
void Channel::Change(F&& change) {
  const bool wake = state_.With([&](State& state) {
    change(state);
    return !std::exchange(state.awake, true);
  });
  if (wake) wake_(shared_from_this());
}

void Channel::Opened() {
  Change([](State& state) { state.arrived.opened = true; });
}

void Channel::Data(std::string_view bytes) {
  Change([&](State& state) {
    Delivery& arrived = state.arrived;
    if (arrived.overflow) return;
    state.bytes += bytes.size();
    const size_t of_all = budget_->bytes += bytes.size();
    if (state.bytes > max_bytes_ || of_all > budget_->max_bytes) {
      arrived.overflow = true;
      arrived.chunks.clear();
      Release(state, state.bytes);
    } else if (!arrived.chunks.empty() && arrived.chunks.back().size() + bytes.size() <= kChunk) {
      arrived.chunks.back().append(bytes);
    } else {
      arrived.chunks.emplace_back(bytes);
    }
  });
}

void Channel::End(http::Reply reply) {
  Change([&](State& state) { state.arrived.end = std::move(reply); });
}

Delivery Channel::Take() {
  return state_.With([this](State& state) {
    Delivery& arrived = state.arrived;
    Delivery taken;
    taken.opened = std::exchange(arrived.opened, false);
    taken.overflow = arrived.overflow;
    while (!arrived.chunks.empty() && taken.chunks.size() < kChunksAtOnce) {
      Release(state, arrived.chunks.front().size());
      taken.chunks.push_back(std::move(arrived.chunks.front()));
      arrived.chunks.pop_front();
    }
    if (arrived.chunks.empty()) taken.end = std::exchange(arrived.end, std::nullopt);
    state.awake = taken.opened || taken.end || !taken.chunks.empty();
    return taken;
  });
}

}  // namespace fedra::watch
