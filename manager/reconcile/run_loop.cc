#include "manager/reconcile/run_loop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/out_of_memory.h"
#include "base/time.h"
#include "base/types.h"

namespace fedra::reconcile {
namespace {

std::string Text(const std::string& key) { return key; }
std::string Text(const ObjectKey& key) { return key.ToString(); }

std::string JobOf(const RunLoopOptions&, const std::string&) { return {}; }
std::string JobOf(const RunLoopOptions& options, const ObjectKey& key) {
  return options.job_of ? options.job_of(key) : std::string();
}

}  // namespace

template <class Key>
RunLoop<Key>::RunLoop(RunLoopOptions options, const Clock& clock, Reconcile reconcile)
    : options_(std::move(options)),
      clock_(clock),
      reconcile_(std::move(reconcile)),
      queue_(clock) {}

template <class Key>
RunLoop<Key>::~RunLoop() {
  Stop();
  Join();
}

template <class Key>
void RunLoop<Key>::AddAll(const std::vector<Key>& keys) {
  for (const Key& key : keys) queue_.Add(key);
}

template <class Key>
void RunLoop<Key>::AddAllNext(const std::vector<Key>& keys) {
  for (const Key& key : keys) queue_.AddNext(key);
}

template <class Key>
void RunLoop<Key>::AddAllBacklog(const std::vector<Key>& keys) {
  for (const Key& key : keys) queue_.AddBacklog(key);
}

template <class Key>
void RunLoop<Key>::AddAfter(const Key& key, SteadyTime::duration delay) {
  queue_.AddAt(key, clock_.Steady() + delay);
}

template <class Key>
void RunLoop<Key>::Start() {
  queue_.MakeBacklog();
  for (size_t i = 0; i < std::max<size_t>(options_.threads, 1); ++i)
    threads_.push_back(StartThread([this] { Work(); }));
}

template <class Key>
bool RunLoop<Key>::WaitUntilIdle(std::chrono::milliseconds limit) {
  return queue_.WaitUntilIdle(limit);
}

template <class Key>
void RunLoop<Key>::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

template <class Key>
void RunLoop<Key>::Work() {
  while (const auto key = queue_.Get()) {
    Run(*key);
    ++turns_;
    queue_.Done(*key);
  }
}

template <class Key>
void RunLoop<Key>::Run(const Key& key) {
  const Result<void> result = reconcile_(key);
  if (!result) return RunAgain(key, result.error());
  failures_.With([&](auto& failures) { failures.erase(key); });
}

template <class Key>
void RunLoop<Key>::RunAgain(const Key& key, const Error& error) {
  const int failures = failures_.With([&](auto& all) { return ++all[key]; });
  const Retry retry = options_.retry(error, failures);
  log::Write(retry.is_news ? log::Level::kWarn : log::Level::kDebug, "will try again",
             {{options_.subject, Text(key)},
              {"job", JobOf(options_, key)},
              {"error", ToString(error)},
              {"in", FormatDuration(retry.delay)}});
  AddAfter(key, retry.delay);
}

template class RunLoop<ObjectKey>;
template class RunLoop<std::string>;

}  // namespace fedra::reconcile
