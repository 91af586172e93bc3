#include "cluster-clients/http/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cluster-clients/http/loop_asio.h"

namespace fedra::http {
namespace {

using std::chrono::milliseconds;

constexpr size_t kMaxErrorOutput = 4096;
// A killed program may take long to end: asleep in a driver or on a dead network file system, or
// held by a debugger. We do not wait for that but look again at this interval.
constexpr milliseconds kReapEvery{100};
// When the loop goes it is given so long.
constexpr milliseconds kLastWait{1'000};

struct Pipe {
  int read = -1;
  int write = -1;
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  bool Open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
};

// A started program. Keeps itself alive through its pending handlers; io loop thread only after
// construction.
class Running final : public std::enable_shared_from_this<Running> {
 public:
  using Done = std::function<void(Result<ProgramResult>)>;

  Running(HttpLoop& loop, const Program& program, pid_t pid, int out, int err, Done done)
      : pid_(pid),
        max_output_(program.max_output),
        timeout_(program.timeout),
        done_(std::move(done)),
        out_(Context(loop), out),
        err_(Context(loop), err),
        exit_(Context(loop)),
        timer_(Context(loop)),
        reaper_(Context(loop)) {}
  // Before its end only when the loop goes, with the handlers that kept it.
  ~Running() {
    if (!finished_) Kill();
    if (reaped_ || TryReap()) return;
    pollfd ended{exit_.native_handle(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(kLastWait.count()));
    TryReap();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void Begin() {
    // The function of glibc 2.36 lacks C linkage in its header.
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (handle < 0) return Finish(Fail(ErrorCode::kInternal, "cannot wait for the program"));
    exit_.assign(handle);
    timer_.expires_after(timeout_);
    timer_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error) self->Finish(Fail(ErrorCode::kTimeout, "the program did not end in time"));
    });
    Read(out_, result_.out, out_buffer_);
    Read(err_, result_.err, err_buffer_);
    exit_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [self = shared_from_this()](const auto& error) {
                       if (!error) self->OnePartDone();
                     });
  }

 private:
  using Descriptor = boost::asio::posix::stream_descriptor;
  using Buffer = std::array<char, 4096>;

  void Read(Descriptor& from, std::string& into, Buffer& buffer) {
    from.async_read_some(boost::asio::buffer(buffer), [self = shared_from_this(), &from, &into,
                                                       &buffer](const auto& error, size_t count) {
      if (self->finished_) return;
      if (error) return self->OnePartDone();
      self->Take(into, {buffer.data(), count});
      if (!self->finished_) self->Read(from, into, buffer);
    });
  }

  void Take(std::string& into, std::string_view bytes) {
    if (&into == &result_.err) {
      into.append(bytes.substr(0, kMaxErrorOutput - std::min(kMaxErrorOutput, into.size())));
    } else if (into.size() + bytes.size() > max_output_) {
      Finish(Fail(ErrorCode::kTooLarge, "the program prints too much"));
    } else {
      into.append(bytes);
    }
  }

  // Both outputs closed and the process ended.
  void OnePartDone() {
    if (--parts_ == 0) Reap();
  }

  // Never waits: this is the thread that serves every cluster.
  bool TryReap() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == 0) return false;
    reaped_ = true;
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }

  void Reap() {
    if (TryReap()) return Finish(result_);
    reaper_.expires_after(kReapEvery);
    reaper_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error) self->Reap();
    });
  }

  void Kill() {
    ::kill(-pid_, SIGKILL);  // its own process group
  }

  void Finish(Result<ProgramResult> result) {
    if (std::exchange(finished_, true)) return;
    if (!reaped_) {
      Kill();
      Reap();
    }
    boost::system::error_code ignored;
    timer_.cancel();
    out_.close(ignored);
    err_.close(ignored);
    exit_.close(ignored);
    done_(std::move(result));
  }

  const pid_t pid_;
  const size_t max_output_;
  const milliseconds timeout_;
  const Done done_;
  Descriptor out_;
  Descriptor err_;
  Descriptor exit_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer reaper_;
  Buffer out_buffer_{};
  Buffer err_buffer_{};
  ProgramResult result_;
  int parts_ = 3;
  bool finished_ = false;
  bool reaped_ = false;
};

// The child gets no input, default signals and a process group of its own.
class SpawnSettings final {
 public:
  SpawnSettings(int out, int err) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

std::vector<std::string> Environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!added.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  for (const auto& [key, value] : added) all.push_back(key + "=" + value);
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<pid_t> Spawn(const Program& program, int out, int err) {
  std::vector<std::string> args{program.command};
  args.insert(args.end(), program.args.begin(), program.args.end());
  std::vector<std::string> env = Environment(program.env);
  const SpawnSettings settings(out, err);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, program.command.c_str(), &settings.actions,
                                 &settings.attributes, Pointers(args).data(), Pointers(env).data());
  if (error == 0) return pid;
  return Fail(
      error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalidArgument,
      fmt::format("cannot run {}: {}", program.command, std::system_category().message(error)));
}

}  // namespace

void RunProgram(HttpLoop& loop, const Program& program,
                std::function<void(Result<ProgramResult>)> done) {
  Pipe out;
  Pipe err;
  if (!out.Open() || !err.Open()) {
    return done(Fail(ErrorCode::kInternal, "no file descriptors left to run a program"));
  }
  const Result<pid_t> pid = Spawn(program, out.write, err.write);
  if (!pid) return done(Fail(pid.error()));
  auto running = std::make_shared<Running>(loop, program, *pid, std::exchange(out.read, -1),
                                           std::exchange(err.read, -1), std::move(done));
  loop.Post([running] { running->Begin(); });
}

}  // namespace fedra::http
