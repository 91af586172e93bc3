#include "manager/api/changes.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace fedra::api {
namespace {

using nlohmann::ordered_json;

constexpr const char* kDaemon = "daemon";
constexpr const char* kWorkers = "workers";
constexpr const char* kJobs = "jobs";

// A minute of changes at the shortest interval between events, and at most so many jobs in all.
constexpr size_t kMostKept = 120;
constexpr size_t kMostKeptJobs = 10'000;

// How long a client waits before it asks again.
constexpr int kRetryMillis = 2'000;

std::string EventText(std::string_view name, const std::string& id, const ordered_json& data) {
  return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, id, data.dump());
}

ordered_json NamesOf(bool daemon, bool workers, bool jobs) {
  ordered_json names = ordered_json::array();
  if (daemon) names.push_back(kDaemon);
  if (workers) names.push_back(kWorkers);
  if (jobs) names.push_back(kJobs);
  return names;
}

// The viewer's rights may cover fewer topics than it has asked for.
std::string Beginning(const Topics& topics, const Viewer& viewer, const std::string& id) {
  const bool jobs = topics.jobs && (viewer.everywhere || !viewer.namespaces.empty());
  const bool workers = topics.workers && viewer.fleet;
  ordered_json data = {{"topics", NamesOf(topics.daemon, workers, jobs)}};
  return fmt::format("retry: {}\n{}", kRetryMillis, EventText("watching", id, data));
}

std::string ChangedEvent(const Changes& changes, const std::string& id) {
  ordered_json data = {{"topics", NamesOf(changes.daemon, changes.workers,
                                          changes.many_jobs || !changes.jobs.empty())}};
  if (!changes.jobs.empty()) {
    auto& names = data["jobs"] = ordered_json::array();
    for (const ObjectKey& job : changes.jobs) names.push_back(job.ToString());
  }
  if (changes.many_jobs) data["many"] = true;
  return EventText("changed", id, data);
}

void SetMany(Changes& changes) {
  changes.jobs.clear();
  changes.many_jobs = true;
}

}  // namespace

const std::vector<std::string>& TopicNames() {
  static const std::vector<std::string> names = {kDaemon, kWorkers, kJobs};
  return names;
}

Topics TopicsOf(const Parameters& asked) {
  const std::vector<std::string> names = asked.List("topics");
  const auto is_meant = [&](const char* name) { return names.empty() || Contains(names, name); };
  return {.daemon = is_meant(kDaemon),
          .workers = is_meant(kWorkers),
          .jobs = is_meant(kJobs),
          .ns = asked.Text("namespace")};
}

void Add(Changes& changes, const Changes& more) {
  changes.daemon |= more.daemon;
  changes.workers |= more.workers;
  if (more.many_jobs) SetMany(changes);
  if (!changes.many_jobs) changes.jobs.insert(more.jobs.begin(), more.jobs.end());
}

Changes ShownOf(const Changes& changes, const Topics& topics, const Viewer& viewer) {
  Changes shown{.daemon = changes.daemon && topics.daemon,
                .workers = changes.workers && topics.workers && viewer.fleet};
  if (!topics.jobs) return shown;
  const auto is_shown = [&](const std::string& ns) {
    return (topics.ns.empty() || ns == topics.ns) &&
           (viewer.everywhere || viewer.namespaces.contains(ns));
  };
  for (const ObjectKey& job : changes.jobs)
    if (is_shown(job.ns)) shown.jobs.insert(job);
  // Whose jobs they are is not known then. A viewer that may see no job gets nothing of them.
  shown.many_jobs = changes.many_jobs && (viewer.everywhere || !viewer.namespaces.empty());
  return shown;
}

RecentChanges::RecentChanges(std::string epoch) : epoch_(std::move(epoch)) {}

void RecentChanges::Add(Changes changes) {
  ++number_;
  kept_jobs_ += changes.jobs.size();
  kept_.push_back(std::move(changes));
  while (kept_.size() > kMostKept || kept_jobs_ > kMostKeptJobs) {
    kept_jobs_ -= kept_.front().jobs.size();
    kept_.pop_front();
  }
}

void RecentChanges::AddUnknown() {
  ++number_;
  kept_.clear();
  kept_jobs_ = 0;
}

std::string RecentChanges::Id() const { return fmt::format("{}.{}", epoch_, number_); }

std::optional<Changes> RecentChanges::Since(std::string_view id) const {
  const size_t dot = id.rfind('.');
  if (dot == id.npos || id.substr(0, dot) != epoch_) return std::nullopt;
  const std::string_view digits = id.substr(dot + 1);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number > number_)
    return std::nullopt;
  const uint64_t missed = number_ - number;
  if (missed > kept_.size()) return std::nullopt;
  Changes changes;
  for (size_t i = kept_.size() - missed; i < kept_.size(); ++i) api::Add(changes, kept_[i]);
  return changes;
}

Subscription::Subscription(Topics topics, Viewer viewer, EventPace pace)
    : topics_(std::move(topics)), pace_(pace), viewer_(std::move(viewer)) {}

void Subscription::Add(const Changes& changes) {
  api::Add(waiting_, ShownOf(changes, topics_, viewer_));
  if (waiting_.jobs.size() > kMostJobsNamed) SetMany(waiting_);
}

// What waits may name what is not seen any more.
void Subscription::SetViewer(Viewer viewer) {
  if (viewer == viewer_) return;
  viewer_ = std::move(viewer);
  waiting_ = {};
  has_begun_ = false;
  resync_ = true;
}

std::string Subscription::Next(SteadyTime now, const std::string& id) {
  std::string text;
  if (!has_begun_ || now - last_event_ >= pace_.events) text = Event(id);
  if (!text.empty()) {
    last_event_ = last_text_ = now;
  } else if (now - last_text_ >= pace_.heartbeat) {
    last_text_ = now;
    text = ": \n\n";
  }
  return text;
}

std::string Subscription::Event(const std::string& id) {
  std::string text;
  if (!std::exchange(has_begun_, true)) text = Beginning(topics_, viewer_, id);
  if (std::exchange(resync_, false)) {
    waiting_ = {};
    return text + EventText("resync", id, ordered_json::object());
  }
  const Changes told = std::exchange(waiting_, {});
  return told.empty() ? text : text + ChangedEvent(told, id);
}

std::vector<report::schema::NamedSchema> ChangeSchemas() {
  using report::schema::ListOf;
  using report::schema::Maybe;
  using report::schema::Object;
  using report::schema::OneOf;
  using report::schema::Text;
  const auto topics = ListOf(OneOf({kDaemon, kWorkers, kJobs}));
  return {
      {"Watching", Object("Of the event `watching`, with which a stream begins.",
                          {{"topics", topics,
                            "The topics that follow: those asked for that the reader may see"}})},
      {"Changed",
       Object("Of the event `changed`: ask again for what you show of it.",
              {{"topics", topics, "What has changed"},
               Maybe("jobs", ListOf(Text()), "Which jobs, as NAMESPACE/NAME"),
               Maybe("many", report::schema::Flag(), "There are more jobs than are named")})},
      {"Resync", Object("Of the event `resync`: something was missed, so ask again for all.", {})}};
}

}  // namespace fedra::api
