#include "tests/unit/store/support.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

extern char** environ;

namespace fedra::store {

Child::Child(const std::string& test_case,
             const std::vector<std::pair<std::string, std::string>>& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> envp;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  std::string program = "/proc/self/exe";
  std::string name = test_case;
  char* const argv[] = {program.data(), name.data(), nullptr};
  const int failed = posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv, envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output_ = ends[0];
  if (failed != 0) throw std::runtime_error("posix_spawn failed");
}

Child::~Child() {
  if (pid_ > 0) {
    Kill();
    Wait();
  }
  close(output_);
}

std::string Child::ReadLine() {
  for (;;) {
    const size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    char buffer[4096];
    const ssize_t size = read(output_, buffer, sizeof(buffer));
    if (size <= 0) return {};
    unread_.append(buffer, static_cast<size_t>(size));
  }
}

std::string Child::ReadAll() {
  std::string all;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(output_, buffer, sizeof(buffer))) > 0;) {
    unread_.append(buffer, static_cast<size_t>(size));
  }
  all.swap(unread_);
  return all;
}

void Child::Kill() { kill(pid_, SIGKILL); }

int Child::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string FromParent(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr)
    throw std::runtime_error(std::string(name) + " is not set: this case is for a Child");
  return value;
}

WallTime At(int64_t ms) { return WallTime(std::chrono::milliseconds(1'800'000'000'000 + ms)); }

ClusterRow Cluster(const std::string& name, int position) {
  ClusterRow row;
  row.name = ClusterName(name);
  row.position = position;
  row.phase = "Connected";
  row.phase_since = At(1);
  row.updated_at = At(2);
  return row;
}

WorkloadRow Workload(const std::string& uid, const std::string& job) {
  WorkloadRow row;
  row.uid = uid;
  row.key = {"ml", "job-" + job + "-" + uid};
  row.job_kind = "Job";
  row.job = {"ml", job};
  row.queue = "gpu";
  row.state = "Waiting";
  row.created_at = At(10);
  row.state_since = At(11);
  row.updated_at = At(12);
  return row;
}

PlacementRow Placement(const std::string& uid) {
  PlacementRow row;
  row.uid = uid;
  row.key = {"ml", "job-x-" + uid};
  row.job_kind = "Job";
  row.job = {"ml", "x"};
  row.attempt = 1;
  row.nominated = {ClusterName("b"), ClusterName("a")};
  row.nominated_at = At(20);
  row.failures = {{ClusterName("c"), "WorkerLost", At(15), "c refused the job", true, 3}};
  row.reported_in = At(12);
  row.reported_facts = -7;
  return row;
}

EventRow Event(const std::string& uid, WallTime at, const std::string& reason) {
  return {0, uid, {"ml", "job-x-" + uid}, at, reason, ClusterName("a"), "message"};
}

VerdictRow Verdict(const std::string& uid, const std::string& cluster, const std::string& outcome) {
  return {uid, ClusterName(cluster), outcome, "[]", 2, 2, At(30), "[1]", 3};
}

IntentRow Intent(int64_t id, const std::string& uid) {
  return {id, uid, "CreateClone", ClusterName("a"), {"ml", "job-x-" + uid}, At(40)};
}

std::unique_ptr<Store> MustOpen(StoreOptions options) {
  return Must(Store::Open(std::move(options)));
}
std::unique_ptr<Reader> MustRead(const std::string& path) { return Must(Reader::Open(path)); }

void Must(Result<void> result) {
  if (!result) FailTest(result.error());
}

void FailTest(const Error& error) {
  throw std::runtime_error(std::string(ToString(error.code)) + ": " + error.message);
}

}  // namespace fedra::store
