#include "manager/cli/service_tunnel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"

namespace fedra::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{20'000};
constexpr milliseconds kGoodbye{1'000};
constexpr int kNoProgram = 127;      // as of shells
constexpr size_t kMostError = 4096;  // bytes of what the child says

}  // namespace

int ForwardedPort(std::string_view line) {
  constexpr std::string_view kBegin = "Forwarding from 127.0.0.1:";
  if (!line.starts_with(kBegin)) return 0;
  line.remove_prefix(kBegin.size());
  int port = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), port);
  const bool goes_on = end != line.data() + line.size() && *end == ' ';
  return error == std::errc() && goes_on && port > 0 && port < 65536 ? port : 0;
}

Result<std::shared_ptr<ServiceTunnel>> ServiceTunnel::Open(const ApiService& service,
                                                           const ContextChoice& context) {
  std::vector<std::string> arguments =
      KubectlArguments(context, {"port-forward", "--address=127.0.0.1", "--namespace=" + service.ns,
                                 "service/" + service.name, fmt::format(":{}", service.port)});
  std::vector<char*> pointers{const_cast<char*>(kKubectl)};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) return Fail(ErrorCode::kUnavailable, "no pipe");
  if (::pipe2(err.data(), O_CLOEXEC) != 0) {
    ::close(out[0]);
    ::close(out[1]);
    return Fail(ErrorCode::kUnavailable, "no pipe");
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    // Between fork and exec only what signal-safety(7) names. A group of its own, so that the
    // terminal's Ctrl-C ends this process first; and it ends with this process, however that ends.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) ::dup2(null, STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    ::execvp(kKubectl, pointers.data());
    ::_exit(kNoProgram);
  }
  if (child > 0) ::setpgid(child, child);  // by both: either may come first
  ::close(out[1]);
  ::close(err[1]);
  if (child < 0) {
    ::close(out[0]);
    ::close(err[0]);
    return Fail(ErrorCode::kUnavailable, "kubectl cannot be started");
  }
  std::shared_ptr<ServiceTunnel> tunnel(new ServiceTunnel(child, out[0], err[0]));
  if (auto ready = tunnel->WaitForPort(); !ready)
    return Fail(std::move(ready).error().WithContext("kubectl port-forward to the Service " +
                                                     service.ToString()));
  tunnel->drain_ = std::thread([out = tunnel->out_, err = tunnel->err_] {
    std::array<pollfd, 2> pipes{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    std::array<char, 4096> dropped{};
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
      if (::poll(pipes.data(), pipes.size(), -1) < 0) continue;
      for (pollfd& pipe : pipes)
        if (pipe.fd >= 0 && pipe.revents != 0 &&
            ::read(pipe.fd, dropped.data(), dropped.size()) <= 0)
          pipe.fd = -1;
    }
  });
  return tunnel;
}

Result<void> ServiceTunnel::WaitForPort() {
  const SteadyTime end = SystemClock().Steady() + kPatience;
  std::array<pollfd, 2> pipes{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  std::array<std::string, 2> said;
  while (pipes[0].fd >= 0) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - SystemClock().Steady());
    if (left.count() <= 0) break;
    if (::poll(pipes.data(), pipes.size(), static_cast<int>(left.count())) <= 0) continue;
    for (size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      std::array<char, 1024> piece{};
      const ssize_t got = ::read(pipes[i].fd, piece.data(), piece.size());
      if (got <= 0) {
        pipes[i].fd = -1;
      } else if (said[i].size() < kMostError) {
        said[i].append(piece.data(), static_cast<size_t>(got));
      }
    }
    for (size_t at = 0, line; (line = said[0].find('\n', at)) != std::string::npos; at = line + 1) {
      port_ = ForwardedPort(std::string_view(said[0]).substr(at, line - at));
      if (port_ != 0) return {};
    }
  }
  const std::string last = LastLine(said[1]);
  if (!last.empty()) return Fail(ErrorCode::kUnavailable, last);
  if (pipes[0].fd >= 0) return Fail(ErrorCode::kUnavailable, "it says nothing");
  int status = 0;
  ::waitpid(std::exchange(child_, -1), &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoProgram) return Fail(NoKubectl());
  return Fail(ErrorCode::kUnavailable, "it ends, and says nothing");
}

ServiceTunnel::~ServiceTunnel() {
  End();
  if (drain_.joinable()) drain_.join();
  ::close(out_);
  ::close(err_);
}

// It has no more to do than to close its sockets; what does not end so is killed, with what it has
// started.
void ServiceTunnel::End() {
  if (child_ < 0) return;
  ::kill(-child_, SIGTERM);
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
  pollfd ended{process, POLLIN, 0};
  const int limit = static_cast<int>(kGoodbye.count());
  if (process < 0 || ::poll(&ended, 1, limit) != 1) ::kill(-child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
  if (process >= 0) ::close(process);
}

}  // namespace fedra::cli
