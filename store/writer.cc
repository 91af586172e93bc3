#include "store/writer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/out_of_memory.h"
#include "store/retention.h"

namespace fedra::store {
namespace {

using std::chrono::steady_clock;

// How often a refused transaction is tried again when no caller commits.
constexpr std::chrono::seconds kRetryInterval{1};
// Pages in the log above which it is copied at once, not only in quiet moments (16 MB).
constexpr int kCheckpointPages = 4000;
// Pages of the log, copied or not, above which readers are waited for (32 MB): reading of a busy
// store never pauses, and then the log would grow for as long as it is written to.
constexpr int kMostLogPages = 8000;
constexpr std::chrono::milliseconds kReaderWait{500};

}  // namespace

Writer::Writer(std::unique_ptr<Connection> db, StoreOptions options)
    : options_(std::move(options)),
      db_(std::move(db)),
      maintenance_at_(steady_clock::now() + options_.maintenance_interval),
      thread_(StartThread([this] { Run(); })) {}

Writer::~Writer() {
  state_.With([](State& state) { state.stopping = true; });
  state_.Notify();
  thread_.join();
  const size_t lost = state_.With([](State& state) { return state.pending.Waiting(); });
  if (lost > 0) log::Warn("store closed with unwritten changes", {{"count", std::to_string(lost)}});
  if (const auto done = db_->Checkpoint(/*truncate=*/true); !done) {
    log::Warn("store checkpoint at the end failed; the next start does it",
              {{"error", done.error().message}});
  }
}

std::future<Result<void>> Writer::BeginCommit(std::vector<Change> changes) {
  if (changes.empty()) {
    std::promise<Result<void>> nothing;
    nothing.set_value(Result<void>());
    return nothing.get_future();
  }
  std::future<Result<void>> done =
      state_.With([&](State& state) { return state.pending.AddGroup(std::move(changes)); });
  state_.Notify();
  return done;
}

void Writer::Enqueue(Change change) {
  const auto has_room = [this](const State& state) {
    return state.pending.Waiting() < options_.max_waiting || state.failing || state.stopping;
  };
  const bool first = state_.Wait(has_room, [&](State& state) {
    if (state.pending.Waiting() >= options_.max_waiting && state.pending.DropOldestHistory()) {
      ++state.dropped_events;
    }
    const bool was_empty = state.pending.Waiting() == 0;
    if (was_empty && !state.failing) state.due = steady_clock::now() + options_.mirror_delay;
    state.pending.Add(std::move(change));
    return was_empty || state.pending.Waiting() >= options_.max_batch;
  });
  if (first) state_.Notify();
}

Result<void> Writer::Flush() {
  std::future<Result<void>> done = state_.With([](State& state) {
    Flushing flushing{.up_to = state.pending.LastNumber(), .done = {}};
    std::future<Result<void>> future = flushing.done.get_future();
    state.flushes.push_back(std::move(flushing));
    return future;
  });
  state_.Notify();
  return done.get();
}

StoreStats Writer::Stats() const {
  return state_.With([](const State& state) {
    StoreStats stats;
    stats.waiting = state.pending.Waiting();
    stats.dropped_events = state.dropped_events;
    stats.failing = state.failing;
    return stats;
  });
}

void Writer::Run() {
  for (;;) {
    Work work = Next();
    const bool idle = work.batch.empty();
    const bool written = idle || Write(std::move(work.batch));
    AnswerFlushes();
    if (work.stopping && (idle || !written)) return;
    if (db_->PagesToCheckpoint() >= kCheckpointPages) Checkpoint();
    if (db_->LogPages() >= kMostLogPages) RestartLog();
    if (steady_clock::now() >= maintenance_at_) Maintain();
  }
}

// Whether the writer has something to do before its next appointment.
bool Writer::IsDue(const State& state) const {
  if (state.stopping || state.pending.HasGroups() || !state.flushes.empty()) return true;
  if (state.pending.Waiting() == 0) return false;
  return steady_clock::now() >= state.due ||
         (!state.failing && state.pending.Waiting() >= options_.max_batch);
}

Writer::Work Writer::Next() {
  for (;;) {
    const SteadyTime now = steady_clock::now();
    const auto [wake, was_empty] = state_.With([&](State& state) {
      const bool empty = state.pending.Waiting() == 0;
      return std::pair(empty ? maintenance_at_ : std::min(maintenance_at_, state.due), empty);
    });
    // The first enqueued change makes a new appointment.
    const auto wakes = [&](const State& state) {
      return IsDue(state) || (was_empty && state.pending.Waiting() > 0);
    };
    std::optional<Work> work = state_.WaitFor(
        std::max(wake - now, SteadyTime::duration::zero()), wakes,
        [&](State& state) -> std::optional<Work> {
          const bool due = IsDue(state);
          if (!due && steady_clock::now() < maintenance_at_) return std::nullopt;
          // While the disk refuses, a commit is not held up by all that waits to be retried.
          const bool with_queued = due && !(state.failing && state.pending.HasGroups());
          return Work{state.pending.Take(options_.max_batch, with_queued), state.stopping};
        });
    if (work) return std::move(*work);
  }
}

bool Writer::Write(Batch batch) {
  const SteadyTime start = steady_clock::now();
  TransactionReport report;
  BatchOutcome outcome = WriteBatch(*db_, batch);
  report.ok = outcome.all.has_value();
  report.ended = std::move(outcome.ended);
  if (report.ok) report.written = written_.Of(batch);
  report.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - start);
  std::vector<std::promise<Result<void>>> waiting;
  for (CommitGroup& group : batch.groups) waiting.push_back(std::move(group.done));

  const bool was_failing = state_.With([&](State& state) {
    const bool was = state.failing.has_value();
    state.failing = report.ok ? std::nullopt : std::optional(outcome.all.error());
    if (!report.ok) state.pending.GiveBack(std::move(batch));
    state.due = steady_clock::now() +
                (report.ok ? SteadyTime::duration(options_.mirror_delay) : kRetryInterval);
    return was;
  });
  state_.Notify();  // callers that wait for room
  if (report.ok && was_failing) log::Info("store writes again", {{"path", db_->path()}});
  if (!report.ok && !was_failing)
    log::Fault("store cannot write", {{"error", outcome.all.error().message}});
  for (size_t i = 0; i < waiting.size(); ++i) {
    waiting[i].set_value(report.ok ? std::move(outcome.groups[i]) : outcome.all);
  }
  if (options_.on_transaction) options_.on_transaction(report);
  return report.ok;
}

void Writer::AnswerFlushes() {
  std::vector<Flushing> answered;
  const std::optional<Error> failing = state_.With([&](State& state) {
    const uint64_t oldest = state.pending.OldestNumber();
    const auto done = [&](const Flushing& flushing) {
      return state.failing || oldest == 0 || oldest > flushing.up_to;
    };
    const auto keep = std::partition(state.flushes.begin(), state.flushes.end(), done);
    std::move(state.flushes.begin(), keep, std::back_inserter(answered));
    state.flushes.erase(state.flushes.begin(), keep);
    return state.failing;
  });
  for (Flushing& flushing : answered) {
    flushing.done.set_value(failing ? Result<void>(Fail(*failing)) : Result<void>());
  }
}

void Writer::Maintain() {
  const RetentionLimits limits{options_.history_retention, options_.max_bytes};
  const Result<bool> more = TrimHistory(*db_, limits, options_.clock->Now());
  if (!more) log::Warn("store retention failed", {{"error", more.error().message}});
  Checkpoint();
  // The rest of a long list of old rows waits for the commits that came in the meantime, not for a
  // minute.
  maintenance_at_ = steady_clock::now();
  if (!more || !*more) maintenance_at_ += options_.maintenance_interval;
}

void Writer::RestartLog() {
  const auto restarted = db_->RestartLog(kReaderWait);
  if (!restarted)
    log::Debug("store checkpoint put off", {{"error", restarted.error().message}});
  else if (!*restarted)
    log::Debug("store checkpoint put off", {{"error", "a reader still looks at the log"}});
}

// Readers may hold it up and a full disk may refuse it: the next one continues.
void Writer::Checkpoint() {
  if (db_->PagesToCheckpoint() == 0) return;
  if (const auto done = db_->Checkpoint(/*truncate=*/false); !done) {
    log::Debug("store checkpoint put off", {{"error", done.error().message}});
  }
}

}  // namespace fedra::store
