#pragma once
//
// The streams of one server: each client that watches gets the store's changes, for as long as it
// may see them.
//
// A thread of its own looks what has changed every half a second while anyone watches, and asks the
// store whose it is: neither the store's writer nor who answers questions waits for those who
// watch. What is kept of a client does not grow while it does not read.
//
// Thread rules: any thread. Lifetime: the feed must outlive it, and what the store's source refers
// to.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "manager/api/api.h"
#include "manager/api/change_feed.h"
#include "manager/api/changes.h"
#include "manager/api/parameters.h"
#include "manager/api/viewer.h"
#include "manager/http/message.h"
#include "store/reader.h"

namespace fedra::api {

struct StreamPace {
  std::chrono::milliseconds look{500};       // for what has changed
  std::chrono::milliseconds rights{30'000};  // after that time they are asked about again
  // Without an answer for so much longer the stream ends.
  std::chrono::milliseconds rights_grace{10'000};
  EventPace event = {};
};

// What a client may see now, asked anew: `done` is called once, on any thread; with null it may not
// watch any more.
using LookAgain = std::function<void(std::function<void(std::optional<Viewer>)> done)>;

// Who watches, and what.
struct Watch {
  Topics topics;
  Viewer viewer;
  std::string last_id = {};   // Last-Event-ID; empty: it comes for the first time
  LookAgain look_again = {};  // null: its rights do not change
};

class Streams final {
 public:
  using ReadStore = std::function<Result<std::unique_ptr<store::Reader>>()>;

  // `feed`: null: there is none, and so no streams.
  Streams(ChangeFeed* feed, ReadStore store, StreamPace pace = {});
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Ends all of them. What is opened afterwards ends at once.
  void Stop();
  void Open(Watch watch, std::shared_ptr<httpd::Sink> sink);
  bool has_feed() const { return feed_ != nullptr; }

 private:
  // What the last question about a client's rights came to.
  struct Right {
    std::optional<Viewer> viewer;
    bool is_refused = false;
    SteadyTime confirmed{};
  };
  struct Client {
    Client(Watch watch, std::shared_ptr<httpd::Sink> to, const EventPace& pace);

    std::shared_ptr<httpd::Sink> sink;
    Subscription subscription;
    std::string last_id;
    LookAgain look_again;
    SteadyTime asked;
    // Outlives the client where an answer is late.
    std::shared_ptr<Guarded<Right>> right = std::make_shared<Guarded<Right>>();
  };
  // What has come since the last look.
  struct State {
    std::vector<Client> opened;
    bool is_watched = false;
    bool stopping = false;
    Changes changes;                  // but for jobs
    std::set<std::string> workloads;  // their uids, bounded
    bool too_many = false;            // workloads
    bool missed = false;              // no client was watching
  };

  void Note(const store::Written& written);
  void Run();
  State Next();
  void Look(State now);
  Changes ChangesIn(State& now);
  void Serve(Client& client, SteadyTime now, const Changes& changes);
  bool MaySee(Client& client, SteadyTime now) const;

  // Constant after construction.
  ChangeFeed* const feed_;
  const ReadStore store_;
  const StreamPace pace_;

  // The own thread's.
  RecentChanges recent_;
  std::vector<Client> clients_;

  Guarded<State> state_;
  size_t follows_ = 0;
  std::thread thread_;  // last: it uses all of the above; none without a feed
};

// The sources of a server with these streams.
Sources With(Streams& streams, Sources sources);

// A GET of `watch` by a client who may see this. 406, 503 without a feed.
httpd::Answer AnswerWatch(Streams* streams, const Parameters& asked, const httpd::Request& request,
                          const Viewer& viewer, LookAgain look_again = {});

}  // namespace fedra::api
