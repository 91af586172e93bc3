// fedra-sim: a fleet of simulated clusters as a program, for end-to-end scenarios, the demo and
// benchmarks.
//
// It writes DIR/<cluster>.kubeconfig (user fedra, which faults can forbid things to) and
// DIR/<cluster>.admin.kubeconfig (user admin) for every cluster, then DIR/control.json when
// everything is ready. It ends on SIGTERM, SIGINT, POST /shutdown, and when its parent dies.

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/write_file.h"
#include "tests/sim/program/commands.h"

namespace fedra::sim {
namespace {

constexpr const char* kUsage =
    "usage: fedra-sim --dir DIR [--clusters manager,worker[1-3]] [--empty] [--threads N]\n"
    "                 [--run-for 1s|forever] [--kubernetes v1.36.3] [--alpha-on CLUSTER]\n"
    "                 [--http1]\n";

struct Arguments {
  std::string dir;
  std::string clusters = "manager,worker[1-3]";
  bool empty = false;  // install nothing but the namespaces of a new cluster
  bool http1 = false;  // speak nothing newer
  size_t threads = 1;
  std::string run_for = "1s";
  std::string kubernetes = "v1.36.3";
  std::string alpha_on;  // the cluster that serves DeviceTaintRules and PodGroups
};

bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--empty" || flag == "--http1") {
      (flag == "--empty" ? arguments.empty : arguments.http1) = true;
      continue;
    }
    if (++i == argc) return false;
    const std::string value = argv[i];
    if (flag == "--dir") {
      arguments.dir = value;
    } else if (flag == "--clusters") {
      arguments.clusters = value;
    } else if (flag == "--threads") {
      std::from_chars(value.data(), value.data() + value.size(), arguments.threads);
    } else if (flag == "--run-for") {
      arguments.run_for = value;
    } else if (flag == "--kubernetes") {
      arguments.kubernetes = value;
    } else if (flag == "--alpha-on") {
      arguments.alpha_on = value;
    } else {
      return false;
    }
  }
  return !arguments.dir.empty();
}

// "worker[1-3]" to worker1, worker2, worker3; anything else to itself.
void Expand(const std::string& part, std::vector<std::string>& names) {
  const size_t open = part.find('[');
  const size_t dash = part.find('-', open);
  int first = 0;
  int last = 0;
  if (open == std::string::npos || dash == std::string::npos) return names.push_back(part);
  std::from_chars(part.data() + open + 1, part.data() + dash, first);
  std::from_chars(part.data() + dash + 1, part.data() + part.size() - 1, last);
  for (int i = first; i <= last; ++i) names.push_back(part.substr(0, open) + std::to_string(i));
}

// Every cluster but the manager, which always exists.
std::vector<std::string> Workers(const std::string& clusters) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= clusters.size();) {
    const size_t end = std::min(clusters.find(',', begin), clusters.size());
    Expand(clusters.substr(begin, end - begin), names);
    begin = end + 1;
  }
  std::erase(names, "manager");
  return names;
}

FleetOptions MakeOptions(const Arguments& arguments) {
  FleetOptions options;
  options.workers = Workers(arguments.clusters);
  options.threads = arguments.threads;
  options.furnished = !arguments.empty;
  options.server.git_version = arguments.kubernetes;
  options.server.http2 = !arguments.http1;
  options.server.job_kinds = true;
  options.multi_kueue = true;
  options.alpha_on = arguments.alpha_on;
  options.jobs.run_for = arguments.run_for == "forever"
                             ? std::chrono::milliseconds(-1)
                             : ParseDuration(arguments.run_for).value_or(options.jobs.run_for);
  return options;
}

bool WriteKubeconfigs(Fleet& fleet, const std::string& dir) {
  for (const std::string& name : fleet.names()) {
    Server& server = fleet.Find(name)->server;
    server.SetUser(FederationUser());
    if (!WriteFile(fmt::format("{}/{}.kubeconfig", dir, name), server.Kubeconfig("fedra")) ||
        !WriteFile(fmt::format("{}/{}.admin.kubeconfig", dir, name), server.Kubeconfig("admin"))) {
      return false;
    }
  }
  return true;
}

// Over HTTP/1.1 a connection per watch and cluster: hundreds of clusters need more descriptors than
// the usual limit.
void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int Run(const Arguments& arguments) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  RaiseFileLimit();
  (void)::mkdir(arguments.dir.c_str(), 0700);

  Fleet fleet(MakeOptions(arguments));
  Commands commands(fleet, [] { ::kill(::getpid(), SIGTERM); });
  ControlServer control(
      [&commands](const std::string& method, const std::string& path, const Json& body) {
        return commands.Handle(method, path, body);
      });
  const Json ready = {{"url", fmt::format("http://127.0.0.1:{}", control.port())},
                      {"pid", ::getpid()},
                      {"clusters", fleet.names()}};
  if (!WriteKubeconfigs(fleet, arguments.dir) ||
      !WriteFile(arguments.dir + "/control.json", ready.dump() + "\n")) {
    fmt::print(stderr, "fedra-sim: cannot write to {}\n", arguments.dir);
    return 1;
  }
  int received = 0;
  sigwait(&signals, &received);
  return 0;
}

}  // namespace
}  // namespace fedra::sim

int main(int argc, char** argv) {
  fedra::sim::Arguments arguments;
  if (!fedra::sim::Parse(argc, argv, arguments)) {
    std::fputs(fedra::sim::kUsage, stderr);
    return 2;
  }
  return fedra::sim::Run(arguments);
}
