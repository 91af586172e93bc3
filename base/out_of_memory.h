#pragma once
//
// Memory that cannot be had, under a limit on address space (ulimit -v): the process says so and
// ends, whichever thread asked. No part of it could go on with half of what it asked for, and an
// exception in a thread would end it with words for programmers and a core dump. What is in the
// store is as after kill -9.
//
// Beyond the limit of a cgroup nothing here runs: there memory is refused when it is touched, and
// the kernel kills the process.
//
// Thread rules: EndWhenOutOfMemory once, before other threads exist; the rest any thread.

#include <system_error>
#include <thread>
#include <utility>

namespace fedra {

// How it ends.
inline constexpr int kOutOfMemoryCode = 1;

// From now on, where `new` finds no memory.
void EndWhenOutOfMemory();

[[noreturn]] void EndWithoutThread();

// A thread, for whose stack there may be no memory either.
template <class Function>
std::thread StartThread(Function function) {
  try {
    return std::thread(std::move(function));
  } catch (const std::system_error&) {  // EAGAIN alone, by pthread_create(3)
    EndWithoutThread();
  }
}

}  // namespace fedra
