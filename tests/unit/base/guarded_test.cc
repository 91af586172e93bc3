#include "base/guarded.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace fedra::guarded_test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("changes from many threads are all seen") {
  Guarded<int> counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 10'000; ++j) counter.With([](int& value) { ++value; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(counter.Copy() == 40'000);
}

TEST_CASE("With gives back what the function returns, references included") {
  Guarded<std::string> text(std::string("abc"));
  CHECK(text.With([](std::string& value) { return value.size(); }) == 3);
  const Guarded<std::string>& readable = text;
  CHECK(readable.With([](const std::string& value) { return value + "d"; }) == "abcd");
}

TEST_CASE("Wait returns when the condition holds") {
  Guarded<int> value;
  std::thread setter([&] {
    for (int i = 1; i <= 3; ++i) {
      value.With([&](int& v) { v = i; });
      value.Notify();
    }
  });
  CHECK(value.Wait([](int v) { return v == 3; }, [](int& v) { return v + 1; }) == 4);
  setter.join();
}

TEST_CASE("WaitFor ends at its limit and lets the caller look") {
  Guarded<int> value;
  const auto never = [](int v) { return v != 0; };
  CHECK(value.WaitFor(1ms, never, [](int& v) { return v; }) == 0);
  value.With([](int& v) { v = 7; });
  CHECK(value.WaitFor(1h, never, [](int& v) { return v; }) == 7);
}

}  // namespace
}  // namespace fedra::guarded_test
