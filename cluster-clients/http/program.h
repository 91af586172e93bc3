#pragma once
//
// Runs another program and collects what it prints, without a waiting thread and without a shell.
//
// Thread rules: RunProgram starts the process on the calling thread (not the io loop's: fork takes
// time) and returns; `done` runs on the io loop thread, exactly once unless the loop ends before.
// Errors: kNotFound when there is no such program, kTimeout, kTooLarge. The program and all of its
// children are killed on a time-out, too much output, or the loop's end.

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace fedra::http {

class HttpLoop;

struct Program {
  std::string command;  // a path, or a name looked up in PATH
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // added to our own environment
  std::chrono::milliseconds timeout{30'000};
  size_t max_output = 256 * 1024;
};

struct ProgramResult {
  int exit_code = 0;  // 128 + N after signal N, as in a shell
  std::string out;
  std::string err;  // at most 4 KiB of it
};

// `done` may also be called before this returns, on the calling thread, when the program cannot
// start.
void RunProgram(HttpLoop& loop, const Program& program,
                std::function<void(Result<ProgramResult>)> done);

}  // namespace fedra::http
