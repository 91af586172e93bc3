#include "manager/reconcile/event_writer.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "base/time.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/resources.h"

namespace fedra::reconcile {
namespace {

using nlohmann::json;

constexpr size_t kMaxQueue = 10'000;
constexpr size_t kMaxSeries = 20'000;
constexpr int kShareToWrite = 3;   // of an end
constexpr size_t kMaxNote = 1024;  // the API's own limit
constexpr size_t kMaxNameBegin = 200;

// Of those that differ in their message alone, combined, the same.
std::string TextOfName(const Regarding& regarding, const std::string& reason,
                       const std::string& message, bool is_combined) {
  return regarding.uid + reason + (is_combined ? EventCorrelator::Combined({}) : message);
}

// The beginning of a name that may be followed by a dot: cut, and not behind a sign.
std::string NameBegin(const std::string& name) {
  const std::string begin = name.substr(0, kMaxNameBegin);
  return begin.substr(0, begin.find_last_not_of("-.") + 1);
}

}  // namespace

EventWriter::EventWriter(EventReporter reporter, Cluster& cluster, const Clock& clock)
    : reporter_(std::move(reporter)), cluster_(cluster), clock_(clock) {}
EventWriter::~EventWriter() { Stop(); }

void EventWriter::Stop() {
  state_.With([](State& state) {
    state.stopping = true;
    state.queue.clear();
  });
  pool_.Stop();
  state_.With([](State& state) { state.writing = false; });  // what was not begun is dropped
}

bool EventWriter::Finish(std::chrono::milliseconds limit) {
  state_.With([](State& state) { state.stopping = true; });
  const auto is_idle = [](const State& state) { return !state.writing; };
  const auto drop = [](State& state) { state.queue.clear(); };
  const auto to_write = limit / kShareToWrite;
  state_.WaitFor(to_write, is_idle, drop);
  return state_.WaitFor(limit - to_write, is_idle, is_idle);
}

void EventWriter::Emit(const Regarding& regarding, std::string_view reason, bool is_warning,
                       std::string message) {
  message = Cut(message, kMaxNote);
  const std::string object =
      regarding.kind + "\n" + regarding.key.ToString() + "\n" + regarding.uid;
  const bool start = state_.With([&](State& state) {
    if (state.stopping) return false;
    const auto written =
        state.queue.size() < kMaxQueue
            ? state.correlator.Correlate({object, reason, is_warning, message}, clock_.Steady())
            : std::nullopt;
    if (!written) {
      ++dropped_;
      return false;
    }
    state.queue.push_back(
        {regarding, std::string(reason), is_warning, std::move(message), *written, clock_.Now()});
    return !std::exchange(state.writing, true);
  });
  if (start) pool_.Submit([this] { Drain(); });
}

void EventWriter::Drain() {
  while (true) {
    Pending event;
    const bool more = state_.With([&](State& state) {
      if (state.queue.empty()) return state.writing = false;
      event = std::move(state.queue.front());
      state.queue.pop_front();
      return true;
    });
    if (!more) return state_.Notify();
    Write(event);
  }
}

void EventWriter::Write(const Pending& event) {
  const std::string name =
      NameBegin(event.regarding.key.name) + "." +
      HashHex(TextOfName(event.regarding, event.reason, event.message, event.written.is_combined));
  const ObjectKey key{event.regarding.key.ns, name};
  const std::string now = FormatRfc3339Micro(event.at);
  const int known = state_.With([&](const State& state) {
    const auto found = state.series.find(key.ToString());
    return found == state.series.end() ? 0 : found->second;
  });
  int count = known + event.written.times;
  Result<std::string> written = known > 0 ? Repeat(key, count, now) : Create(key, event, now);
  if (!written && known > 0 && written.error().code == ErrorCode::kNotFound) {
    // An API server forgets events, by default after an hour.
    count = event.written.times;
    written = Create(key, event, now);
  }
  if (!written && written.error().code == ErrorCode::kAlreadyExists) {
    // By the process before us, or by a call whose answer was lost.
    count = std::max(count, event.written.times + 1);
    written = Repeat(key, count, now);
  }
  if (!written) {
    const bool is_workload = event.regarding.kind == tracking::kWorkloads.kind;
    log::Debug("event not written",
               {{is_workload ? "workload" : "job", event.regarding.key.ToString()},
                {"error", ToString(written.error())}});
    return;
  }
  state_.With([&](State& state) {
    if (state.series.size() > kMaxSeries) state.series.clear();
    state.series[key.ToString()] = count;
  });
}

Result<std::string> EventWriter::Create(const ObjectKey& key, const Pending& event,
                                        const std::string& now) {
  const json body{
      {"apiVersion", "events.k8s.io/v1"},
      {"kind", "Event"},
      {"metadata", {{"namespace", key.ns}, {"name", key.name}}},
      {"eventTime", now},
      {"reportingController", reporter_.controller},
      {"reportingInstance", reporter_.instance},
      {"action", event.reason},
      {"reason", event.reason},
      {"type", event.is_warning ? "Warning" : "Normal"},
      {"note", event.written.is_combined ? Cut(EventCorrelator::Combined(event.message), kMaxNote)
                                         : event.message},
      {"regarding",
       {{"apiVersion", event.regarding.api_version},
        {"kind", event.regarding.kind},
        {"namespace", event.regarding.key.ns},
        {"name", event.regarding.key.name},
        {"uid", event.regarding.uid}}}};
  Result<std::string> created = cluster_.Create(tracking::kEvents, key.ns, tracking::Dump(body));
  if (!created || event.written.times == 1) return created;
  return Repeat(key, event.written.times, now);
}

Result<std::string> EventWriter::Repeat(const ObjectKey& key, int count, const std::string& now) {
  const json series{{"series", {{"count", count}, {"lastObservedTime", now}}}};
  return cluster_.MergePatch(tracking::kEvents, key, tracking::Dump(series));
}

}  // namespace fedra::reconcile
