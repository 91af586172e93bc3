#include "cluster-clients/http/program.h"

#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

#include "base/guarded.h"
#include "cluster-clients/http/loop.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"

namespace fedra::http::program_test {
namespace {

using namespace std::chrono_literals;

Result<ProgramResult> RunShell(const std::string& script, std::chrono::milliseconds timeout = 10s,
                               size_t max_output = 1000) {
  Guarded<std::optional<Result<ProgramResult>>> answer;
  HttpLoop loop;
  Program program;
  program.command = "sh";
  program.args = {"-c", script};
  program.env = {{"ADDED", "yes"}};
  program.timeout = timeout;
  program.max_output = max_output;
  RunProgram(loop, program, [&](Result<ProgramResult> result) {
    answer.With([&](auto& value) { value = std::move(result); });
    answer.Notify();
  });
  return answer.Wait([](const auto& value) { return value.has_value(); },
                     [](auto& value) { return *std::move(value); });
}

TEST_CASE("a program's output, errors and exit code") {
  const auto result = RunShell("cat; echo out $ADDED; echo err >&2; exit 3");
  REQUIRE(result);
  CHECK(result->out == "out yes\n");
  CHECK(result->err == "err\n");
  CHECK(result->exit_code == 3);
  CHECK(RunShell("kill -9 $$")->exit_code == 128 + 9);
}

TEST_CASE("a program that does not end is killed, with its children") {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = RunShell("sleep 1000 & sleep 1000", 100ms);
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::kTimeout);
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
}

// Traces `pid` and never asks for its end, which keeps the end from the parent. -1: not allowed.
pid_t HoldBack(pid_t pid) {
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t tracer = ::fork();
  if (tracer == 0) {
    const char traced = ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 ? 'y' : 'n';
    if (::write(ready[1], &traced, 1) != 1 || traced == 'n') ::_exit(1);
    while (true) ::pause();
  }
  char traced = 'n';
  REQUIRE(::read(ready[0], &traced, 1) == 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return traced == 'y' ? tracer : -1;
}

// As one that is asleep in a driver: the kill does not end it at once.
TEST_CASE("a program that cannot end does not stop the loop") {
  const TempFolder folder;
  const std::string fifo = folder.Path("pid");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  Guarded<std::optional<ErrorCode>> answer;
  HttpLoop loop;
  Program program;
  program.command = "sh";
  program.args = {"-c", "echo $$ > " + fifo + "; exec sleep 1000"};
  program.timeout = 500ms;
  RunProgram(loop, program, [&](const Result<ProgramResult>& result) {
    answer.With([&](auto& value) {
      value = result ? ErrorCode::kInternal : result.error().code;
      answer.NotifyOne();
    });
  });
  pid_t pid = 0;
  std::ifstream(fifo) >> pid;
  REQUIRE(pid > 0);
  const pid_t tracer = HoldBack(pid);
  if (tracer < 0) {
    WARN("tracing is not allowed here");
    return;
  }
  const auto told = answer.WaitFor(
      5s, [](const auto& value) { return value.has_value(); }, [](auto& value) { return value; });
  CHECK(told == ErrorCode::kTimeout);
  CHECK(::kill(pid, 0) == 0);
  ::kill(tracer, SIGKILL);
  ::waitpid(tracer, nullptr, 0);
  CHECK(WaitUntil([&] { return ::kill(pid, 0) == -1; }));  // reaped
}

TEST_CASE("a program does not outlive the loop") {
  const TempFolder folder;
  const std::string fifo = folder.Path("pid");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  pid_t pid = 0;
  {
    HttpLoop loop;
    Program program;
    program.command = "sh";
    program.args = {"-c", "echo $$ > " + fifo + "; exec sleep 1000"};
    RunProgram(loop, program, [](const Result<ProgramResult>&) {});
    std::ifstream(fifo) >> pid;
    REQUIRE(pid > 0);
    REQUIRE(::kill(pid, 0) == 0);
  }
  CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("output is bounded") {
  CHECK(RunShell("yes").error().code == ErrorCode::kTooLarge);
  const auto noisy = RunShell("yes | head -c 100000 >&2");
  REQUIRE(noisy);
  CHECK(noisy->err.size() == 4096);
}

TEST_CASE("no such program") {
  HttpLoop loop;
  std::optional<Result<ProgramResult>> answer;
  Program program;
  program.command = "/nonexistent/program";
  RunProgram(loop, program, [&](Result<ProgramResult> result) { answer = std::move(result); });
  REQUIRE(answer);
  CHECK(answer->error().code == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace fedra::http::program_test
