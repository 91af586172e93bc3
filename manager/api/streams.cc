#include "manager/api/streams.h"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/out_of_memory.h"
#include "manager/api/delivery.h"
#include "manager/api/problem.h"

namespace fedra::api {
namespace {

constexpr std::string_view kType = "text/event-stream";

// Whose names are asked for at one look: a moment's work. Of more it is only said that they are
// many.
constexpr size_t kMostWorkloads = 2'000;

// So that ids of an earlier process are not known.
std::string NewEpoch() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

Streams::Client::Client(Watch watch, std::shared_ptr<httpd::Sink> to, const EventPace& pace)
    : sink(std::move(to)),
      subscription(std::move(watch.topics), std::move(watch.viewer), pace),
      last_id(std::move(watch.last_id)),
      changing(std::move(watch.changing)) {}

Streams::Rights::Rights(LookAgain look, SteadyTime now) : look_again(std::move(look)), asked(now) {
  found->With([&](Found& first) { first.confirmed = now; });
}

Streams::Streams(ChangeFeed* feed, ReadStore store, StreamPace pace)
    : feed_(feed), store_(std::move(store)), pace_(pace), recent_(NewEpoch()) {
  if (feed_ == nullptr) return;
  follows_ = feed_->Follow([this](const store::Written& written) { Note(written); });
  thread_ = StartThread([this] { Run(); });
}

Streams::~Streams() { Stop(); }

void Streams::Stop() {
  if (!thread_.joinable()) return;
  feed_->Leave(follows_);
  state_.With([](State& state) { state.stopping = true; });
  state_.Notify();
  thread_.join();
}

void Streams::Open(Watch watch, std::shared_ptr<httpd::Sink> sink) {
  const bool is_taken = state_.With([&](State& state) {
    if (state.stopping || feed_ == nullptr) return false;
    state.opened.emplace_back(std::move(watch), sink, pace_.event);
    return true;
  });
  if (!is_taken) return sink->End();
  state_.Notify();
}

void Streams::Note(const store::Written& written) {
  state_.With([&](State& state) {
    if (!state.is_watched) {
      state.missed = true;
      return;
    }
    state.changes.daemon |= written.daemon;
    state.changes.workers |= written.workers;
    if (state.too_many) return;
    state.workloads.insert(written.workloads.begin(), written.workloads.end());
    if (state.workloads.size() <= kMostWorkloads) return;
    state.too_many = true;
    state.workloads.clear();
  });
}

void Streams::Run() {
  for (;;) {
    State now = Next();
    if (now.stopping) break;
    Look(std::move(now));
  }
  for (Client& client : clients_) client.sink->End();
  clients_.clear();
}

// The next look, or sooner what is opened; while no client watches, as long as that takes.
Streams::State Streams::Next() {
  const auto is_due = [](const State& state) { return state.stopping || !state.opened.empty(); };
  const auto take = [this](State& state) {
    const bool stops = state.stopping;
    const bool is_watched = !clients_.empty() || !state.opened.empty();
    State taken = std::exchange(state, {});
    state.stopping = stops;
    state.is_watched = is_watched;
    return taken;
  };
  if (clients_.empty()) {
    state_.With([](State& state) { state.is_watched = !state.opened.empty(); });
    return state_.Wait(is_due, take);
  }
  return state_.WaitFor(pace_.look, is_due, take);
}

void Streams::Look(State now) {
  if (now.missed) recent_.AddUnknown();
  const SteadyTime time = SystemClock().Steady();
  for (Client& client : now.opened) Take(std::move(client), time);
  const Changes changes = ChangesIn(now);
  if (!changes.empty()) recent_.Add(changes);
  for (const auto& [of, rights] : rights_)
    if (const auto shared = rights.lock()) LookAgainAt(*shared, time);
  for (Client& client : clients_) Serve(client, time, changes);
  std::erase_if(clients_, [](const Client& client) { return client.sink->IsOver(); });
  std::erase_if(rights_, [](const auto& each) { return each.second.expired(); });
}

void Streams::Take(Client client, SteadyTime now) {
  if (!client.last_id.empty()) {
    if (const auto missed = recent_.Since(client.last_id))
      client.subscription.Add(*missed);
    else
      client.subscription.RequireResync();
  }
  if (client.changing) {
    std::weak_ptr<Rights>& known = rights_[client.changing->of];
    client.rights = known.lock();
    if (client.rights == nullptr) {
      client.rights = std::make_shared<Rights>(std::move(client.changing->look_again), now);
      known = client.rights;
    }
    client.changing.reset();
  }
  clients_.push_back(std::move(client));
}

Changes Streams::ChangesIn(State& now) {
  Changes changes = std::move(now.changes);
  changes.many_jobs = now.too_many;
  if (now.workloads.empty()) return changes;
  const auto reader = store_();
  auto jobs = reader ? (*reader)->JobsOf({now.workloads.begin(), now.workloads.end()})
                     : Fail(reader.error());
  if (jobs)
    changes.jobs = *std::move(jobs);
  else
    changes.many_jobs = true;
  return changes;
}

void Streams::Serve(Client& client, SteadyTime now, const Changes& changes) {
  if (!MaySee(client, now)) return client.sink->End();
  client.subscription.Add(changes);
  if (!client.sink->IsReady()) return;
  if (std::string text = client.subscription.Next(now, recent_.Id()); !text.empty())
    client.sink->Write(std::move(text));
}

// When it is time; sooner where the last question has had no answer.
void Streams::LookAgainAt(Rights& rights, SteadyTime now) const {
  const bool repeats = rights.found->With([](const Found& found) { return found.is_unanswered; });
  if (now - rights.asked < (repeats ? pace_.rights_grace / 4 : pace_.rights)) return;
  rights.asked = now;
  rights.found->With([](Found& found) { found.is_unanswered = false; });
  rights.look_again([kept = rights.found, now](RightsNow answer) {
    kept->With([&](Found& found) {
      if (answer) {
        found.viewer = *std::move(answer);
        found.confirmed = now;
      } else if (answer.error().is_for_now()) {
        found.is_unanswered = true;
      } else {
        found.is_refused = true;
      }
    });
  });
}

// Without an answer in time it may not.
bool Streams::MaySee(Client& client, SteadyTime now) const {
  if (client.rights == nullptr) return true;
  const Found found = client.rights->found->Copy();
  if (found.is_refused || now - found.confirmed > pace_.rights + pace_.rights_grace) return false;
  if (found.viewer) client.subscription.SetViewer(*found.viewer);
  return true;
}

Sources With(Streams& streams, Sources sources) {
  sources.streams = &streams;
  return sources;
}

httpd::Answer AnswerWatch(Streams* streams, const Parameters& asked, const httpd::Request& request,
                          const Viewer& viewer, std::optional<ChangingRights> changing) {
  if (!Accepts(HeaderOf(request, "accept"), kType))
    return Problem(406, fmt::format("the answer is {}, which you do not accept", kType));
  if (streams == nullptr || !streams->has_feed())
    return Problem(503, "this daemon tells no changes: ask again from time to time");
  Watch watch{.topics = TopicsOf(asked),
              .viewer = viewer,
              .last_id = HeaderOf(request, "last-event-id"),
              .changing = std::move(changing)};
  return {.content_type = std::string(kType),
          .headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}},
          .goes_on = [streams, watch = std::move(watch)](std::shared_ptr<httpd::Sink> sink) {
            streams->Open(watch, std::move(sink));
          }};
}

}  // namespace fedra::api
