#pragma once
//
// The body of a watch's answer: what exists, what happens, bookmarks, and the faults that break
// watches. It reads from the store only when it is asked for more, so a client that does not read
// falls behind the history, as at a real server, and costs no memory.
//
// Thread rules: the cluster's loop, but OnChange, which any thread may call.
// Lifetime: observes the store until it is destroyed; counts in Core::watches as long.

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "tests/sim/api/api.h"
#include "tests/sim/core.h"
#include "tests/sim/http/message.h"

namespace fedra::sim {

class WatchStream final : public Observer, public std::enable_shared_from_this<WatchStream> {
 public:
  // `wake` is called on the loop when Next() may have something, and may destroy this. Refused, 410
  // included: there is no watch from that version.
  static Outcome<std::shared_ptr<WatchStream>> Open(std::shared_ptr<Core> core, WatchPlan plan,
                                                    std::function<void()> wake);
  ~WatchStream() override;

  // Events, nothing, or the last part; not after that.
  AnswerPart Next();

  void OnChange(const Store& store, const ResourceType& type, const Event& event) override;

 private:
  WatchStream(std::shared_ptr<Core> core, WatchPlan plan, WatchCursor cursor,
              std::function<void()> wake);

  void Arm();
  void ArmBookmark();
  // The next lines of the body.
  std::string Lines(const Faults& faults, const std::vector<WatchEvent>& events, bool complete,
                    bool ahead);

  const std::shared_ptr<Core> core_;
  const WatchPlan plan_;
  const std::function<void()> wake_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer bookmark_;
  WatchCursor cursor_;
  size_t sent_ = 0;       // events
  bool initial_ = true;   // what existed at the beginning is still being sent
  bool spoiled_ = false;  // garbage has been sent
  bool bookmark_due_ = false;
  bool over_ = false;  // the time that the client asked for has passed
  std::atomic<bool> woken_{false};
};

}  // namespace fedra::sim
