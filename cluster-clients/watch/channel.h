#pragma once
//
// What one stream has delivered and the reflector has not read yet. Internal to watch/.
//
// Thread rules: filled on the io loop thread, taken by a worker.

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/guarded.h"
#include "cluster-clients/http/message.h"

namespace fedra::watch {

// A part of what has arrived, small enough that a worker is not kept long.
struct Delivery {
  bool opened = false;    // the answer has begun since the last Take
  bool overflow = false;  // more than the bound was waiting; it is gone
  std::deque<std::string> chunks;
  std::optional<http::Reply> end;  // nothing follows
};

// Of all channels of one cluster together: what has arrived and not been read.
struct UnreadBudget {
  explicit UnreadBudget(size_t limit) : max_bytes(limit) {}
  const size_t max_bytes;
  std::atomic<size_t> bytes{0};
};

class Channel final : public std::enable_shared_from_this<Channel> {
 public:
  using Wake = std::function<void(std::shared_ptr<Channel> channel)>;

  // `wake` is called when there is something to take, and not again before Take() found nothing
  // more.
  Channel(size_t max_bytes, std::shared_ptr<UnreadBudget> budget, Wake wake)
      : max_bytes_(max_bytes), budget_(std::move(budget)), wake_(std::move(wake)) {}
  ~Channel();

  void Opened();
  void Data(std::string_view bytes);
  void End(http::Reply reply);

  // Empty when there is nothing; then the next arrival wakes again.
  Delivery Take();

 private:
  struct State {
    Delivery arrived;
    size_t bytes = 0;
    bool awake = false;
  };

  template <class F>
  void Change(F&& change);

  void Release(State& state, size_t bytes);

  const size_t max_bytes_;
  const std::shared_ptr<UnreadBudget> budget_;
  const Wake wake_;
  Guarded<State> state_;
};

}  // namespace fedra::watch
