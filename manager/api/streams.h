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
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "manager/access/gate.h"
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
  // Without an answer for so much longer the stream ends; until then the question is repeated.
  std::chrono::milliseconds rights_grace{10'000};
  EventPace event = {};
};

// What a client may see now, or why it is not known or nothing.
using RightsNow = tl::expected<Viewer, access::Refusal>;
// `done` is called once, on any thread.
using LookAgain = std::function<void(std::function<void(RightsNow)> done)>;

// How the rights are found that may change while a stream is open.
struct ChangingRights {
  std::string of;  // the same for streams that ask the same for the same: one question serves all
  LookAgain look_again;
};

// Who watches, and what.
struct Watch {
  Topics topics;
  Viewer viewer;
  std::string last_id = {};                     // Last-Event-ID; empty: it comes for the first time
  std::optional<ChangingRights> changing = {};  // null: they do not change
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
  // What the last questions about rights came to.
  struct Found {
    std::optional<Viewer> viewer;
    bool is_refused = false;
    bool is_unanswered = false;  // the last one
    SteadyTime confirmed{};
  };
  // Rights that some of the clients have in common.
  struct Rights {
    Rights(LookAgain look, SteadyTime now);

    const LookAgain look_again;
    SteadyTime asked;
    // Outlives the clients where an answer is late.
    const std::shared_ptr<Guarded<Found>> found = std::make_shared<Guarded<Found>>();
  };
  struct Client {
    Client(Watch watch, std::shared_ptr<httpd::Sink> to, const EventPace& pace);

    std::shared_ptr<httpd::Sink> sink;
    Subscription subscription;
    std::string last_id;
    std::optional<ChangingRights> changing;
    std::shared_ptr<Rights> rights = {};  // null: they do not change
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
  void Take(Client client, SteadyTime now);
  Changes ChangesIn(State& now);
  void LookAgainAt(Rights& rights, SteadyTime now) const;
  void Serve(Client& client, SteadyTime now, const Changes& changes);
  bool MaySee(Client& client, SteadyTime now) const;

  // Constant after construction.
  ChangeFeed* const feed_;
  const ReadStore store_;
  const StreamPace pace_;

  // The own thread's.
  RecentChanges recent_;
  std::vector<Client> clients_;
  std::map<std::string, std::weak_ptr<Rights>> rights_;  // by what they are of; of some client

  Guarded<State> state_;
  size_t follows_ = 0;
  std::thread thread_;  // last: it uses all of the above; none without a feed
};

// The sources of a server with these streams.
Sources With(Streams& streams, Sources sources);

// A GET of `watch` by a client who may see this. 406, 503 without a feed.
httpd::Answer AnswerWatch(Streams* streams, const Parameters& asked, const httpd::Request& request,
                          const Viewer& viewer, std::optional<ChangingRights> changing = {});

}  // namespace fedra::api
