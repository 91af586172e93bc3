#include "base/out_of_memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <new>
#include <string>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/slowness.h"

namespace fedra::out_of_memory_test {
namespace {

struct Ended {
  int status;  // as of waitpid
  std::string said;
};

// A process that may map no more memory than it has, and does this. It is forked from one that may
// have other threads: what they had locked stays locked in it. The C library frees its heap's locks
// at fork(), and what is tested takes none.
Ended WithoutMemory(void (*wants_more)()) {
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe(pipe_ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    EndWhenOutOfMemory();
    constexpr rlimit kLess{1 << 20, 1 << 20};
    if (setrlimit(RLIMIT_AS, &kLess) == 0) wants_more();
    _exit(99);
  }
  close(pipe_ends[1]);
  Ended ended{};
  std::array<char, 1000> text{};
  for (ssize_t size = 0; (size = read(pipe_ends[0], text.data(), text.size())) > 0;)
    ended.said.append(text.data(), static_cast<size_t>(size));
  close(pipe_ends[0]);
  REQUIRE(waitpid(child, &ended.status, 0) == child);
  return ended;
}

void WantMemory() {
  void* volatile memory = ::operator new(size_t{1} << 30);
  ::operator delete(memory);
}

// More than the stacks that the C library keeps of threads that have ended.
void WantThreads() {
  std::array<std::thread, 200> threads;
  for (std::thread& thread : threads) thread = StartThread([] { pause(); });
  _exit(98);
}

TEST_CASE("what finds no memory ends the process with one line") {
  if (Slowness() > 1) return;  // a sanitizer needs more address space than any limit
  for (void (*const wants_more)() : {&WantMemory, &WantThreads}) {
    const Ended ended = WithoutMemory(wants_more);
    INFO(ended.said);
    REQUIRE(WIFEXITED(ended.status));
    CHECK(WEXITSTATUS(ended.status) == kOutOfMemoryCode);
    CHECK(ended.said.starts_with("fedra: out of memory: no "));
    CHECK(ended.said.find('\n') + 1 == ended.said.size());
  }
}

TEST_CASE("with memory a thread that is started runs") {
  int ran = 0;
  StartThread([&] { ++ran; }).join();
  CHECK(ran == 1);
}

}  // namespace
}  // namespace fedra::out_of_memory_test
