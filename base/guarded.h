#pragma once
//
// Guarded<T>: data that can be reached only through its lock, so that forgetting to lock does not
// compile.
//
//   Guarded<Health> health_;
//   health_.With([](Health& h) { ++h.attempts; });
//
// Thread rules: every member function may be called from any thread. A function passed to With()
// must not touch the same Guarded again. It calls out of the class that owns the Guarded only where
// what it calls may take locks after this one, and the order of those locks is written down
// (manager/reconcile/README.md has that of the daemon's caches).

#include <condition_variable>
#include <mutex>
#include <utility>

namespace fedra {

template <class T>
class Guarded final {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  template <class F>
  decltype(auto) With(F&& f) {
    std::lock_guard lock(mutex_);
    return std::forward<F>(f)(value_);
  }
  template <class F>
  decltype(auto) With(F&& f) const {
    std::lock_guard lock(mutex_);
    return std::forward<F>(f)(std::as_const(value_));
  }

  T Copy() const {
    return With([](const T& value) { return value; });
  }

  // Waits until `ready(value)`, then runs `f(value)`. Code that changes the value calls Notify
  // or NotifyOne, which may still be running when the waiter goes on: it must not be what destroys
  // the Guarded.
  template <class Ready, class F>
  decltype(auto) Wait(Ready&& ready, F&& f) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready(value_); });
    return std::forward<F>(f)(value_);
  }
  // The same with a limit: false from `ready` after `timeout` still runs `f`, which must look.
  template <class Duration, class Ready, class F>
  decltype(auto) WaitFor(Duration timeout, Ready&& ready, F&& f) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return ready(value_); });
    return std::forward<F>(f)(value_);
  }
  void Notify() { changed_.notify_all(); }
  // For waiters of which any one will do; the others sleep on.
  void NotifyOne() { changed_.notify_one(); }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  T value_{};
};

}  // namespace fedra
