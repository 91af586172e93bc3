#pragma once
//
// What the store's tests share: folders that clean up after themselves, a clock that stands still,
// child processes that can be killed, and sample rows.

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/store.h"
#include "tests/support/temp_folder.h"

namespace fedra::store {

class FakeClock final : public Clock {
 public:
  WallTime Now() const override { return now; }
  SteadyTime Steady() const override { return SteadyTime(now.time_since_epoch()); }
  WallTime now{std::chrono::milliseconds(1'800'000'000'000)};
};

// This test program again, running one hidden test case. Killed, if need be, at the end.
class Child final {
 public:
  Child(const std::string& test_case,
        const std::vector<std::pair<std::string, std::string>>& environment);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // One line of its output without the line end; empty at the end of it.
  std::string ReadLine();
  // All that is left of its output.
  std::string ReadAll();
  void Kill();
  // Its exit code; -1 when it was killed.
  int Wait();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string unread_;
};

// What a Child was given.
std::string FromParent(const char* name);

// Milliseconds after a fixed moment.
WallTime At(int64_t ms);

ClusterRow Cluster(const std::string& name, int position = 0);
WorkloadRow Workload(const std::string& uid, const std::string& job);
PlacementRow Placement(const std::string& uid);
EventRow Event(const std::string& uid, WallTime at, const std::string& reason);
VerdictRow Verdict(const std::string& uid, const std::string& cluster, const std::string& outcome);
IntentRow Intent(int64_t id, const std::string& uid);

// Opens, or fails the test with the error's message.
std::unique_ptr<Store> MustOpen(StoreOptions options);
std::unique_ptr<Reader> MustRead(const std::string& path);
// The value, or fails the test with the error's message.
template <class T>
T Must(Result<T> result);
void Must(Result<void> result);
[[noreturn]] void FailTest(const Error& error);

template <class T>
T Must(Result<T> result) {
  if (!result) FailTest(result.error());
  return *std::move(result);
}

}  // namespace fedra::store
