// The program from its arguments to what it prints.

#include "manager/cli/command_line.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/cli/snapshots/snapshot_file.h"
#include "manager/placement/note_reasons.h"
#include "manager/tracking/manager_name.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::cli::command_line_test {
namespace {

using namespace report;  // NOLINT(google-build-using-namespace): the rows are written as there

// Where a stream writes to, for as long as this lives.
class Captured final {
 public:
  explicit Captured(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~Captured() { stream_.rdbuf(before_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* const before_;
};

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran Run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "fedra");
  const Captured out(std::cout);
  const Captured err(std::cerr);
  const int code = Main(static_cast<int>(arguments.size()), arguments.data());
  return {code, out.text(), err.text()};
}

struct Environment {
  explicit Environment(const char* value, const char* variable = "FEDRA_CONFIG") : name(variable) {
    setenv(name, value, 1);
  }
  ~Environment() { unsetenv(name); }

  const char* const name;
};

TEST_CASE("version names the libraries, for people and for programs") {
  const Ran text = Run({"version"});
  CHECK(text.code == 0);
  const auto document = nlohmann::json::parse(Run({"version", "-o", "json"}).out);
  for (const std::string name : {"libcurl", "sqlite", "boost", "nlohmann-json", "openssl",
                                 "utf8proc", "fmt", "yaml-cpp", "CLI11", "prometheus-cpp"}) {
    CAPTURE(name);
    REQUIRE(document["libraries"].contains(name));
    const std::string version = document["libraries"][name];
    CHECK(version.find_first_of("0123456789") != std::string::npos);
    CHECK_THAT(text.out, ContainsSubstring(fmt::format("\n{:<14} {}\n", name, version)));
  }
  const std::string glibc = fmt::format("\nglibc          {} (needs {} or newer)\n",
                                        document["libraries"]["glibc"].get<std::string>(),
                                        document["needs"]["glibc"].get<std::string>());
  CHECK_THAT(text.out, ContainsSubstring(glibc));
}

// The names of all commands, as docs/commands.md has them: "status", "config view", ...
std::vector<std::string> AllCommands() {
  constexpr std::string_view kHeading = "\n## fedra ";
  const std::string page = CommandsPage();
  std::vector<std::string> names;
  for (size_t at = page.find(kHeading); at != std::string::npos; at = page.find(kHeading, at)) {
    at += kHeading.size();
    names.push_back(page.substr(at, page.find('\n', at) - at));
  }
  return names;
}

// Runs it in a process of its own, whose standard output is `path`, or closed when that is null.
Ran RunInto(const char* path, const std::vector<std::string>& arguments) {
  const TempFolder folder;
  const std::string err = folder.Path("err");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::vector<const char*> argv = {"fedra"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    close(STDOUT_FILENO);
    if (path != nullptr) open(path, O_WRONLY);
    _exit(Main(static_cast<int>(argv.size()), argv.data()));
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  std::ifstream text(err);
  return {
      WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", {std::istreambuf_iterator<char>(text), {}}};
}

TEST_CASE("output that cannot be written is an error, in every command") {
  REQUIRE(AllCommands().size() > 10);
  std::vector<std::vector<std::string>> commands = {{"--help"},
                                                    {"--version"},
                                                    {"version"},
                                                    {"version", "-o", "json"},
                                                    {"explain"},
                                                    {"explain", "TemplateMissing", "-o", "json"},
                                                    {"completion", "bash"},
                                                    {"config", "print-defaults"}};
  for (const std::string& name : AllCommands()) {
    const size_t space = name.find(' ');
    commands.push_back({name.substr(0, space)});
    if (space != std::string::npos) commands.back().push_back(name.substr(space + 1));
    commands.back().push_back("--help");
  }
  for (const std::vector<std::string>& command : commands) {
    CAPTURE(command);
    const Ran ran = RunInto("/dev/full", command);
    CHECK(ran.code == 1);
    CAPTURE(ran.err);
    CHECK(ran.err.starts_with("fedra"));
    CHECK(ran.err.ends_with(": cannot write the output: No space left on device\n"));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  }
  CHECK(RunInto("/dev/full", {"config", "print-defaults"}).err ==
        "fedra config print-defaults: cannot write the output: No space left on device\n");
  CHECK(RunInto(nullptr, {"version"}).err ==
        "fedra version: cannot write the output: Bad file descriptor\n");
  CHECK(RunInto("/dev/null", {"version"}).code == 0);
}

TEST_CASE("--config wins over $FEDRA_CONFIG in every command that reads the file") {
  const Environment environment("/nowhere/environment.yaml");
  const std::vector<std::vector<const char*>> commands = {
      {"status"},          {"why", "ml/a"},       {"history", "ml/a"},    {"devices"},
      {"orphans"},         {"templates", "diff"}, {"config", "view"},     {"config", "validate"},
      {"snapshot", "-f-"}, {"backup", "copy.db"}, {"migrate", "--check"},
  };
  for (std::vector<const char*> command : commands) {
    CAPTURE(command.front());
    CHECK_THAT(Run(command).err, ContainsSubstring("/nowhere/environment.yaml"));
    command.insert(command.end(), {"--config", "/nowhere/flag.yaml"});
    const Ran ran = Run(command);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("/nowhere/flag.yaml"));
    CHECK_THAT(ran.err, !ContainsSubstring("environment"));
  }
}

TEST_CASE("a word that is no command: which one may be meant") {
  CHECK(Run({"statsu"}).err == "fedra: unknown command \"statsu\"; did you mean \"status\"?\n");
  CHECK(Run({"wy", "x"}).err == "fedra: unknown command \"wy\"; did you mean \"why\"?\n");
  CHECK(Run({"jobs"}).err == "fedra: unknown command \"jobs\"; did you mean \"status jobs\"?\n");
  CHECK(Run({"get", "jobs"}).err == "fedra: unknown command \"get\"; did you mean \"status\"?\n");
  const Ran nested = Run({"config", "zzzzzz"});
  CHECK(nested.code == 1);
  CHECK(nested.err ==
        "fedra: unknown command \"zzzzzz\"; there are validate, print-defaults, view\n");
  CHECK(Run({"explain", "TemplateMissing"}).code == 0);
}

// A store with one worker and one job, as a daemon leaves it; its path.
std::string StoreWithOneJob(const TempFolder& folder) {
  std::string path = folder.Path("fedra.db");
  auto store = store::Store::Open({.path = path}).value();
  store->Enqueue(store::SetHeartbeat{Beat(std::chrono::seconds(2))});
  store->Enqueue(store::PutCluster{Worker("gpu-east", 0, "1.36.3")});
  store->Enqueue(store::PutWorkload{Job("train", "Running", "gpu-east", std::chrono::hours(1))});
  REQUIRE(store->Flush());
  return path;
}

TEST_CASE("$FEDRA_NAMESPACE is the namespace, unless -n or -A says another") {
  const TempFolder folder;
  const std::string path = StoreWithOneJob(folder);
  const auto jobs = [&](std::vector<const char*> options) {
    options.insert(options.begin(), {"status", "jobs", "--no-headers", "--store", path.c_str()});
    return Run(options).out;
  };
  const Environment environment("team", "FEDRA_NAMESPACE");
  CHECK_THAT(jobs({}), !ContainsSubstring("train"));
  CHECK_THAT(jobs({"-n", "ml"}), ContainsSubstring("train"));
  CHECK_THAT(jobs({"-A"}), ContainsSubstring("ml/train"));
  CHECK_THAT(Run({"status", "-A", "-n", "ml"}).err, ContainsSubstring("excludes"));
  CHECK(Run({"why", "train", "--store", path.c_str()}).code == 1);
  {
    const Environment right("ml", "FEDRA_NAMESPACE");
    CHECK_THAT(jobs({}), ContainsSubstring("train"));
    CHECK(Run({"why", "train", "--store", path.c_str()}).code == 0);
  }
}

TEST_CASE("a broken configuration is told, and status shows the store that it names") {
  const TempFolder folder;
  const std::string store = StoreWithOneJob(folder);
  const std::string path = folder.Path("fedra.yaml");
  const auto status = [&](const std::string& text) {
    std::ofstream(path) << text;
    return Run({"status", "jobs", "--no-headers", "--config", path.c_str()});
  };
  const Ran broken = status("dispach: {}\nstore: {path: " + store + "}\n");
  CHECK(broken.code == 0);
  CHECK_THAT(broken.out, ContainsSubstring("ml/train"));
  CHECK_THAT(broken.err,
             ContainsSubstring("did you mean \"dispatch\"") && ContainsSubstring(store));
  for (const char* hopeless :
       {"store: [", "store: {path: 7}\n", "store: {path: /nowhere/a.db}\n"}) {
    const Ran nothing = status(hopeless);
    CHECK(nothing.code == 1);
    CHECK(nothing.out.empty());
    CHECK_THAT(nothing.err, ContainsSubstring("--store") && ContainsSubstring("--server unix:"));
  }
}

TEST_CASE("a word after status is a table, a job, or gets a hint") {
  const TempFolder folder;
  const std::string path = StoreWithOneJob(folder);
  const auto status = [&](const char* what) {
    return Run({"status", what, "--no-headers", "--store", path.c_str()});
  };
  CHECK(status("workers").out == status("clusters").out);
  CHECK_THAT(status("workers").out, ContainsSubstring("gpu-east"));
  CHECK(status("jobs").out == status("workloads").out);
  CHECK_THAT(status("jobs").out, ContainsSubstring("ml/train"));
  CHECK_THAT(status("train").out, ContainsSubstring("ml/train is running on gpu-east"));
  CHECK(status("gpu-east").err ==
        "fedra status: gpu-east is a worker: `fedra status workers` shows it\n");
  CHECK(Run({"why", "gpu-east", "--store", path.c_str()}).err ==
        "fedra why: gpu-east is a worker: `fedra status workers` shows it\n");
  CHECK(status("ml").err ==
        "fedra status: ml is a namespace: `fedra status -n ml` shows its jobs\n");
  const Ran typo = status("workres");
  CHECK(typo.code == 1);
  CHECK(typo.err == "fedra status: there is no job workres; did you mean workers?\n");
  const Ran worker = Run({"status", "--worker", "gpu-eest", "--store", path.c_str()});
  CHECK(worker.code == 1);
  CHECK(worker.err ==
        "fedra status: --worker gpu-eest: there is no such worker; there are gpu-east\n");
  CHECK(Run({"status", "--worker", "gpu-east", "--store", path.c_str()}).code == 0);
  const Ran filtered = Run({"status", "workers", "--state", "Running", "--store", path.c_str()});
  CHECK(filtered.code == 1);
  CHECK_THAT(filtered.err,
             ContainsSubstring("the options that choose jobs say nothing of workers"));
  CHECK(Run({"status", "--limit", "-1", "--store", path.c_str()}).code == 1);
}

TEST_CASE(
    "without a daemon every view says so first, and an unknown job is not blamed on its queue") {
  const TempFolder folder;
  const std::string path = StoreWithOneJob(folder);
  for (const char* const command : {"status", "why", "history"}) {
    CAPTURE(command);
    const Ran known = Run({command, "job/train", "--store", path.c_str()});
    CHECK(known.code == 0);
    CHECK(known.out.starts_with("DAEMON  not running: what follows is as of 2026-11-21T16:11:17Z"));
    const Ran name = Run({command, "train", "-o", "name", "--store", path.c_str()});
    CHECK(name.err.starts_with("the daemon is not running, and what it knew is as of"));
    const Ran unknown = Run({command, "ml/six", "--store", path.c_str()});
    CHECK(unknown.code == 1);
    CHECK(unknown.err.starts_with(
        fmt::format("fedra {}: the daemon is not running, and what it knew is as of "
                    "2026-11-21T16:11:17Z, ",
                    command)));
    CHECK(unknown.err.find("ueue") == std::string::npos);
  }
}

TEST_CASE("a job that is not known: the one that may be meant, or the manager's silence") {
  const TempFolder folder;
  const std::string path = StoreWithOneJob(folder);
  // It is held, as by a daemon that runs.
  auto store = store::Store::Open({.path = path}).value();
  store->Enqueue(store::SetHeartbeat{{.at = SystemClock().Now()}});
  REQUIRE(store->Flush());
  const auto why = [&](const char* job) { return Run({"why", job, "--store", path.c_str()}).err; };
  CHECK_THAT(why("trian"), ContainsSubstring("trian is known to fedra (") &&
                               ContainsSubstring("shows what Kueue says); did you mean train?\n"));
  CHECK_THAT(why("ml/trains"), ContainsSubstring("); did you mean ml/train?\n"));
  store::ClusterRow manager = LostWorker("manager", -1, std::chrono::minutes(5));
  manager.name = ClusterName(std::string(tracking::kManagerName));
  manager.phase = "Rejected";
  store->Enqueue(store::PutCluster{manager});
  REQUIRE(store->Flush());
  CHECK(why("later2").starts_with("fedra why: the manager has been Rejected for "));
  CHECK_THAT(why("later2"), ContainsSubstring("(connection refused): jobs submitted since are not "
                                              "seen; no job or Workload later2 was known before"));
}

TEST_CASE("what is said of a snapshot begins with when it was taken") {
  const TempFolder folder;
  SnapshotFile file;
  file.taken_at = kNow;
  file.fedra_version = "0.1.0";
  file.workers.emplace_back().settings.name = ClusterName("east");
  const std::string path = folder.Write("fleet.json", ToText(file));
  const std::string job = folder.Write("job.yaml", R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: gpu}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
)");
  const std::vector<std::vector<const char*>> commands = {
      {"check", "-f", job.c_str(), "--snapshot", path.c_str()},
      {"devices", "--snapshot", path.c_str()}};
  for (std::vector<const char*> command : commands) {
    CAPTURE(command.front());
    const Ran text = Run(command);
    CAPTURE(text.err);
    CHECK(text.out.starts_with("SNAPSHOT  taken at 2026-11-21T16:11:19Z, "));
    CHECK_THAT(text.out, ContainsSubstring(" ago: " + path + "\n"));
    command.insert(command.end(), {"-o", "json"});
    const auto document = nlohmann::json::parse(Run(command).out);
    CHECK(document["asOf"] == "2026-11-21T16:11:19Z");
    CHECK(document["source"] == "Snapshot");
    CHECK(document["file"] == path);
  }
  const Ran rows = Run({"devices", "--no-headers", "--snapshot", path.c_str()});
  CHECK(rows.out.empty());
  CHECK_THAT(rows.err, ContainsSubstring("SNAPSHOT  taken at"));
}

TEST_CASE("devices --map is about one worker, which is named where there are several") {
  const TempFolder folder;
  SnapshotFile file = Record(MakeCluster());
  const std::string one = folder.Write("one.json", ToText(file));
  const Ran map = Run({"devices", "--map", "--snapshot", one.c_str()});
  CAPTURE(map.err);
  CHECK(map.code == 0);
  CHECK_THAT(map.out, ContainsSubstring("node node-a\n"));
  CHECK_THAT(map.out, ContainsSubstring("Allocated  gpu      ml/other\n"));
  const Ran node =
      Run({"devices", "--map", "--node", "node-b", "-o", "json", "--snapshot", one.c_str()});
  const auto document = nlohmann::json::parse(node.out);
  CHECK(document["kind"] == "DeviceMap");
  CHECK(document["file"] == one);
  CHECK(document["nodes"].size() == 1);
  CHECK_THAT(Run({"devices", "--map", "--node", "x", "--snapshot", one.c_str()}).err,
             ContainsSubstring("--node x: no devices are published there"));
  CHECK(Run({"devices", "--node", "node-b", "--snapshot", one.c_str()}).code == 1);
  CHECK(Run({"devices", "--map", "--class", "gpu", "--snapshot", one.c_str()}).code == 1);
  file.workers.push_back(file.workers.front());
  file.workers.back().settings.name = ClusterName("west");
  const std::string two = folder.Write("two.json", ToText(file));
  CHECK_THAT(Run({"devices", "--map", "--snapshot", two.c_str()}).err,
             ContainsSubstring("--map is about one worker: name it with --worker"));
  CHECK(Run({"devices", "--map", "--worker", "west", "--snapshot", two.c_str()}).code == 0);
}

// What bash offers after these words.
std::string Completed(const std::string& words) {
  const std::string script = Run({"completion", "bash"}).out;
  const std::string file =
      (std::filesystem::temp_directory_path() / ("fedra-completion-" + std::to_string(getpid())))
          .string();
  std::ofstream(file)
      << script << "COMP_WORDS=(fedra " << words
      << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_fedra\necho \"${COMPREPLY[*]}\"\n";
  FILE* bash = popen(("bash " + file).c_str(), "r");
  REQUIRE(bash != nullptr);
  std::string offered;
  for (int c = fgetc(bash); c != EOF && c != '\n'; c = fgetc(bash)) offered += static_cast<char>(c);
  pclose(bash);
  std::filesystem::remove(file);
  return offered;
}

TEST_CASE("bash completes commands, options and their values, and file names only where one goes") {
  CHECK(Completed("sta") == "status");
  CHECK(Completed("status -o ''") == "table wide json yaml name");
  CHECK(Completed("status --namespace ''").empty());
  CHECK_THAT(Completed("config ''"), ContainsSubstring("validate print-defaults view"));
  CHECK_THAT(Completed("config validate --c"), ContainsSubstring("--config"));
  CHECK(Completed("completion z") == "zsh");
  CHECK(Completed("check -f /proc/uptim") == "/proc/uptime");
  CHECK(Completed("why /proc/uptim").empty());
  CHECK(Completed("explain TemplateM") == "TemplateMissing");
  CHECK(Completed("explain Bloc") == "Blocked");
  CHECK(Completed("explain TemplateD") == "TemplateDrift");
  CHECK(Completed("status --state B") == "Blocked");
  CHECK(Completed("status --reason InL") == "InLine");
  CHECK(Completed("status --sort-by ''") == "state line name age worker queue ended");
  CHECK(Completed("status wor") == "workers");
}

TEST_CASE("completion asks the store for jobs, their namespaces and workers") {
  const std::string bash = Run({"completion", "bash"}).out;
  CHECK_THAT(bash, ContainsSubstring("$(fedra status jobs --all -o name 2>/dev/null)"));
  CHECK_THAT(bash, ContainsSubstring("$(fedra status workers -o name 2>/dev/null)"));
  CHECK_THAT(bash,
             ContainsSubstring("-n|--namespace) COMPREPLY=($(compgen -W \"$(fedra status jobs "
                               "--all -A --group-by namespace -o name 2>/dev/null)\""));
  CHECK_THAT(Run({"completion", "fish"}).out,
             ContainsSubstring("-x -a '(fedra status jobs --all -o name 2>/dev/null)'"));
}

// The words of `fedra __complete`, and its last line behind them.
std::string Offered(std::vector<const char*> line) {
  line.insert(line.begin(), "__complete");
  std::istringstream lines(Run(std::move(line)).out);
  std::string words;
  for (std::string each; std::getline(lines, each);)
    words += (words.empty() ? "" : " ") + each.substr(0, each.find('\t'));
  return words;
}

TEST_CASE("__complete offers what may come next, and says whether that is a file") {
  CHECK(Offered({"sta"}) == "status :4");
  CHECK(Run({"__complete", "sta"}).out == "status\tShow the fleet and the jobs\n:4\n");
  CHECK_THAT(Offered({""}), ContainsSubstring("status why history wait logs dashboard explain"));
  CHECK_THAT(Offered({""}), !ContainsSubstring("validate"));
  CHECK(Offered({"config", ""}) == "validate print-defaults view :4");
  CHECK(Offered({"config", "validate", "--conn"}) == "--connect :4");
  CHECK(Offered({"--color", ""}) == "auto always never :4");
  CHECK(Offered({"status", "--col"}) == "--color :4");
  CHECK(Offered({"--color", "never", "completion", "z"}) == "zsh :4");
  CHECK(Offered({"status", "-o", ""}) == "table wide json yaml name :4");
  CHECK(Offered({"status", "--output=j"}) == "json :4");
  CHECK(Offered({"status", "--namespace", ""}) == ":4");
  CHECK(Offered({"check", "-f", ""}) == ":0");
  CHECK(Offered({"explain", "TemplateM"}) == "TemplateMissing :4");
  CHECK(Offered({"completion", "zsh", ""}) == ":4");
  CHECK(Offered({"no-such-command", ""}) == ":4");
  CHECK(Run({"__complete"}).code == 0);
  CHECK_THAT(CommandsPage(), !ContainsSubstring("__complete"));
}

TEST_CASE("__complete asks the store for what it knows, and is silent when there is none") {
  const TempFolder folder;
  const std::string store = StoreWithOneJob(folder);
  const auto offered = [&](std::vector<const char*> line) {
    line.insert(line.begin() + 1, {"--store", store.c_str()});
    return Offered(std::move(line));
  };
  CHECK(offered({"why", ""}) == "ml/train :4");
  CHECK(offered({"why", "ml/x"}) == ":4");
  CHECK(offered({"why", "ml/train", ""}) == ":4");
  CHECK(offered({"status", "t"}) == ":4");
  CHECK(offered({"status", "--worker", ""}) == "gpu-east :4");
  CHECK(offered({"why", "--namespace=other", ""}) == ":4");
  const Environment environment("other", "FEDRA_NAMESPACE");
  CHECK(offered({"why", "-n", ""}) == "ml :4");
  CHECK(offered({"status", "--namespace", ""}) == "ml :4");
  CHECK(offered({"status", "--namespace=m"}) == "ml :4");
  CHECK(offered({"status", "-n", "other", "-n", ""}) == "ml :4");
  CHECK(offered({"status", "-n", "x"}) == ":4");
  // fedra's own is none of the jobs'.
  const std::string config = folder.Write("fedra.yaml", "store: {path: " + store + "}\n");
  const Environment file(config.c_str());
  CHECK(Offered({"why", "-n", ""}) == "ml :4");
  CHECK(Offered({"join", "-n", ""}) == ":4");
  const Ran none = Run({"__complete", "why", "--store", "/nowhere/fedra.db", ""});
  CHECK(none.code == 0);
  CHECK(none.out == ":4\n");
  CHECK(none.err.empty());
}

TEST_CASE("__complete does not wait for a store that does not answer") {
  const TempFolder folder;
  const std::string pipe = folder.Path("fedra.yaml");  // no program writes into it
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const std::string out = folder.Write("out", "");
  const auto start = std::chrono::steady_clock::now();
  CHECK(RunInto(out.c_str(), {"__complete", "status", "--config", pipe, "wor"}).code == 0);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  std::ifstream text(out);
  CHECK(std::string(std::istreambuf_iterator<char>(text), {}) == "workers\n:4\n");
}

TEST_CASE("help of the plugin has the plugin's name") {
  const Captured out(std::cout);
  const std::vector<const char*> arguments = {"/usr/bin/kubectl-fedra", "--help"};
  CHECK(Main(2, arguments.data()) == 0);
  CHECK_THAT(out.text(), ContainsSubstring("Usage: kubectl fedra "));
}

TEST_CASE("explain: whatever people call it") {
  const std::string expected = Run({"explain", "TemplateMissing"}).out;
  CHECK(Run({"explain", "templatemissing"}).out == expected);
  const Ran event = Run({"explain", "Dispatched"});
  CHECK(event.code == 0);
  CHECK_THAT(event.out, ContainsSubstring("the job is dispatched to one or more workers"));
  CHECK_THAT(Run({"explain", "blocked"}).out, ContainsSubstring("Blocked (Job)\n  the manager's "));
  CHECK_THAT(Run({"explain", "MayScale"}).out, ContainsSubstring("MayScale (Verdict)"));
  CHECK_THAT(Run({"explain", "Waiting", "-o", "yaml"}).out, ContainsSubstring("kind: State\n"));
  CHECK_THAT(Run({"explain"}).out, ContainsSubstring("\nEvents\n  Dispatched "));
  const Ran typo = Run({"explain", "TemplateMising"});
  CHECK(typo.code == 1);
  CHECK_THAT(typo.err, ContainsSubstring("did you mean TemplateMissing?"));
  CHECK_THAT(Run({"explain", "Nomatch"}).err, ContainsSubstring("did you mean NoMatchingDevice?"));
  CHECK_THAT(Run({"explain", "constraint"}).err,
             ContainsSubstring("did you mean ConstraintUnsatisfied?"));
  CHECK_THAT(Run({"explain", "xyzxyz"}).err, ContainsSubstring("`fedra explain` lists them all"));
}

TEST_CASE(
    "explain: a state of a worker's connection is a state, and names the reason in verdicts") {
  const Ran rejected = Run({"explain", "rejected"});
  CHECK(rejected.out.starts_with("Rejected (Worker)\n"));
  CHECK_THAT(rejected.out, ContainsSubstring("`fedra explain CredentialsRejected`"));
  CHECK_THAT(Run({"explain", "Unreachable"}).out,
             ContainsSubstring("`fedra explain ClusterUnreachable`"));
  CHECK_THAT(Run({"explain", "Misconfigured"}).out,
             ContainsSubstring("`fedra explain ClusterMisconfigured`"));
}

TEST_CASE("explain: every word prints a document, and the format must be one") {
  for (const std::string& word : ExplainableWords()) {
    CAPTURE(word);
    const Ran ran = Run({"explain", word.c_str(), "-o", "json"});
    CHECK(ran.code == 0);
    const auto document = nlohmann::json::parse(ran.out, nullptr, /*allow_exceptions=*/false);
    REQUIRE(document.is_object());
    CHECK(document["name"] == word);
  }
  std::vector<std::string> words = ExplainableWords();
  std::sort(words.begin(), words.end());
  CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
  const auto event = nlohmann::json::parse(Run({"explain", "JobFailed", "-o", "json"}).out);
  CHECK(event["kind"] == "EventReason");
  const auto all = nlohmann::json::parse(Run({"explain", "-o", "json"}).out);
  CHECK(all["events"].size() == placement::notes::kNoteReasons.size());
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal{out, err};
  CHECK(Explain("JobFailed", "xml", terminal) == kFailed);
  CHECK(out.str().empty());
  CHECK_THAT(err.str(), ContainsSubstring("\"xml\" is not one of"));
}

TEST_CASE("a complaint about the arguments says which command complains") {
  const Ran ran = Run({"why"});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err, ContainsSubstring(
                          "fedra why: expected one JOB, got none\n`fedra why --help` says more"));
  CHECK_THAT(Run({"why", "ml/a", "ml/b"}).err,
             ContainsSubstring("fedra why: expected one JOB, got 2: ml/a ml/b\n`fedra why"));
  CHECK_THAT(Run({"config", "validate", "--nonsense"}).err,
             ContainsSubstring("fedra config validate: unknown option --nonsense\n"));
}

TEST_CASE("an option that is not there: which one may be meant") {
  const auto said = [](std::vector<const char*> arguments) {
    const Ran ran = Run(std::move(arguments));
    CHECK(ran.code == 1);
    return ran.err.substr(0, ran.err.find('\n'));
  };
  CHECK(said({"check", "-f", "mine.json", "--cluster", "gpu-lab"}) ==
        "fedra check: unknown option --cluster; did you mean --worker?");
  CHECK(said({"status", "jobs", "--cluster=gpu-east"}) ==
        "fedra status: unknown option --cluster; did you mean --worker?");
  CHECK(said({"status", "jobs", "--sort_by", "line"}) ==
        "fedra status: unknown option --sort_by; did you mean --sort-by?");
  CHECK(said({"status", "--no-header"}) ==
        "fedra status: unknown option --no-header; did you mean --no-headers?");
  CHECK_THAT(said({"retry", "ml/x", "--server", "unix:/s"}),
             ContainsSubstring("unknown option --server: it asks no daemon, but the manager"));
  CHECK(said({"status", "-wx"}) == "fedra status: unknown option -x");
  CHECK(said({"devices", "-n", "ml"}) == "fedra devices: unknown option -n");
  CHECK(said({"--worker", "x", "status"}) ==
        "fedra: unknown option --worker before the command; options of a command come after it: "
        "fedra COMMAND --worker");
}

TEST_CASE("a word too many is named, with what may be meant") {
  const auto said = [](std::vector<const char*> arguments) {
    const Ran ran = Run(std::move(arguments));
    CHECK(ran.code == 1);
    return ran.err.substr(0, ran.err.find('\n'));
  };
  CHECK(
      said({"status", "workers", "gpu-east"}) ==
      "fedra status: expected one of workers, jobs and the name of a job, got 2: workers gpu-east");
  CHECK(said({"why", "job", "gang8"}) ==
        "fedra why: expected one JOB, got 2: job gang8; did you mean why gang8?");
  CHECK(said({"check", "mine.json"}) ==
        "fedra check: unexpected \"mine.json\"; did you mean -f mine.json?");
  CHECK(said({"devices", "gpu-east", "b"}) == "fedra devices: unexpected \"gpu-east\" \"b\"");
}

TEST_CASE("a configuration that would not be read beside --server is refused, with the reason") {
  const char* const refusal = "--config is not read with --server";
  const auto said = [](std::vector<const char*> line) {
    line.insert(line.end(), {"--server", "unix:/nowhere/s"});
    const Ran ran = Run(std::move(line));
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    return ran.err;
  };
  const std::vector<std::vector<const char*>> commands = {
      {"status"},  {"why", "ml/train"},      {"history", "ml/train"}, {"wait", "ml/train"},
      {"devices"}, {"check", "-f/dev/null"}, {"templates", "diff"},   {"dashboard"}};
  for (const std::vector<const char*>& command : commands) {
    std::vector<const char*> line = command;
    line.insert(line.end(), {"-c", "fedra.yaml"});
    INFO(command.front());
    CHECK_THAT(said(line), ContainsSubstring(refusal));
  }
  CHECK_THAT(said({"--config", "fedra.yaml", "status"}), ContainsSubstring(refusal));
  // logs reads its kinds, whichever daemon is asked.
  CHECK_THAT(said({"logs", "ml/train", "--config", "fedra.yaml"}), !ContainsSubstring(refusal));
  // The environment names what is usual, and is no contradiction.
  const Environment environment("fedra.yaml");
  CHECK_THAT(said({"status"}), !ContainsSubstring(refusal));
  CHECK_THAT(said({"templates", "diff", "--timeout", "1s"}), ContainsSubstring("excludes"));
}

TEST_CASE("help is a command, too") {
  CHECK(Run({"help"}).out == Run({"--help"}).out);
  CHECK(Run({"help"}).code == 0);
  CHECK(Run({"help", "config", "validate"}).out == Run({"config", "validate", "--help"}).out);
}

// The kubeconfig of a cluster on a port where no server listens: 1 or 2.
std::string Nobody(int port) {
  return fmt::format(
      "current-context: x\ncontexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
      "clusters: [{{name: c, cluster: {{server: \"https://127.0.0.1:{}\"}}}}]\n"
      "users: [{{name: u, user: {{token: abc}}}}]\n",
      port);
}
constexpr const char* kFile =
    "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\nmanager: {kubeconfig: m}\n"
    "workers: [{name: east, kubeconfig: e}]\n";

TEST_CASE("a worker that cannot be read: exit code 4, and its name on standard error") {
  const TempFolder folder;
  folder.Write("e", Nobody(1));
  folder.Write("m", Nobody(2));
  const std::string config = folder.Write("fedra.yaml", kFile);
  const std::vector<std::vector<const char*>> commands = {
      {"devices"}, {"devices", "-o", "json"}, {"snapshot", "-f-"}};
  for (std::vector<const char*> command : commands) {
    command.insert(command.end(), {"--config", config.c_str(), "--timeout", "2s"});
    const Ran ran = Run(command);
    CHECK(ran.code == 4);
    CHECK_THAT(ran.err, ContainsSubstring("east: "));
  }
}

TEST_CASE("--timeout: a silent worker is given more than usual when more is asked for") {
  const TempFolder folder;
  folder.Write("e", Nobody(1));
  folder.Write("m", Nobody(2));
  const std::string config = folder.Write("fedra.yaml", kFile);
  const auto given = [&](const char* timeout) {
    const auto workers = LoadWorkers({.config = config, .snapshot = {}, .timeout = timeout});
    REQUIRE(workers);
    return workers->access.at(0).options.probe_timeout;
  };
  CHECK(given("15s") == std::chrono::seconds(5));
  CHECK(given("30s") == std::chrono::seconds(30));
}

TEST_CASE("config validate: the store's folder") {
  const TempFolder folder;
  folder.Write("e", Nobody(1));
  folder.Write("m", Nobody(2));
  const std::string missing =
      folder.Write("missing.yaml", std::string(kFile) + "store: {path: none/fedra.db}\n");
  const Ran refused = Run({"config", "validate", "--config", missing.c_str()});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err,
             ContainsSubstring("store.path: " + folder.Path("none") + ": no such folder"));
  const std::string there =
      folder.Write("there.yaml", std::string(kFile) + "store: {path: fedra.db}\n");
  CHECK(Run({"config", "validate", "--config", there.c_str()}).code == 0);
}

TEST_CASE("config validate: the store's folder is told among all other problems") {
  const TempFolder folder;
  folder.Write("m", Nobody(2));
  const std::string both =
      folder.Write("both.yaml", std::string(kFile) + "store: {path: none/fedra.db}\norigin: [1]\n");
  const Ran ran = Run({"config", "validate", "--config", both.c_str()});
  CHECK(ran.code == 1);
  CHECK_THAT(ran.err,
             ContainsSubstring("both.yaml:5:15: store.path: " + folder.Path("none") + ": no such"));
  CHECK_THAT(ran.err, ContainsSubstring("both.yaml:6:"));
  CHECK_THAT(ran.err, ContainsSubstring("workers[0].kubeconfig: " + folder.Path("e")));
  // What needs no store does not care.
  CHECK_THAT(Run({"config", "view", "--config", both.c_str()}).err,
             !ContainsSubstring("store.path"));
}

TEST_CASE("spellings of earlier versions work as the new ones do, and are shown nowhere") {
  const std::vector<std::pair<std::vector<const char*>, std::vector<const char*>>> spellings = {
      {{"sync", "--dry-run"}, {"templates", "diff"}},
      {{"sync"}, {"templates", "diff"}},
      {{"snapshot", "-o", "-"}, {"snapshot", "-f", "-"}},
      {{"snapshot", "--output=-"}, {"snapshot", "--file=-"}},
  };
  for (auto [before, now] : spellings) {
    CAPTURE(before.front());
    before.insert(before.end(), {"--config", "/nowhere/fedra.yaml"});
    now.insert(now.end(), {"--config", "/nowhere/fedra.yaml"});
    const Ran ran = Run(now);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("/nowhere/fedra.yaml"));
    CHECK(Run(before).err == ran.err);
  }
  const Ran release = Run({"cel", "true", "--check", "--k8s", "1.34"});
  CHECK(release.code == 0);
  CHECK_THAT(release.out, ContainsSubstring("Kubernetes 1.34"));
  CHECK(Run({"cel", "true", "--check", "--kubernetes-version", "1.34"}).out == release.out);
  for (const auto& command : std::vector<std::vector<const char*>>{
           {"--help"}, {"cel", "--help"}, {"snapshot", "--help"}, {"completion", "bash"}}) {
    const std::string shown = Run(command).out;
    CHECK_THAT(shown, !ContainsSubstring("k8s") && !ContainsSubstring(" sync "));
  }
  CHECK_THAT(Run({"snapshot", "--help"}).out, !ContainsSubstring("--output"));
  CHECK_THAT(CommandsPage(), !ContainsSubstring("--k8s") && !ContainsSubstring("## fedra sync"));
}

TEST_CASE("what a command cannot do without is named") {
  CHECK_THAT(Run({"snapshot"}).err, ContainsSubstring("fedra snapshot: --file is missing"));
  CHECK_THAT(Run({"templates"}).err, ContainsSubstring("fedra templates: "));
}

TEST_CASE("--color and --config stand before the command or behind it") {
  const TempFolder folder;
  const std::string missing = folder.Path("missing.yaml");
  const Ran before = Run({"--config", missing.c_str(), "--color", "never", "status"});
  const Ran behind = Run({"status", "--config", missing.c_str(), "--color=never"});
  CHECK(before.code == 1);
  CHECK_THAT(before.err, ContainsSubstring(missing));
  CHECK(behind.err == before.err);
  CHECK_THAT(Run({"config", "print-defaults", "--color", "never"}).out,
             ContainsSubstring("workers"));
}

TEST_CASE("help has examples, and lists first what people use first") {
  const std::string help = Run({"--help"}).out;
  CHECK_THAT(help, ContainsSubstring("Examples:\n  fedra status "));
  CHECK_THAT(help, ContainsSubstring("FEDRA_NAMESPACE"));
  const size_t status = help.find("  status ");
  REQUIRE(status != std::string::npos);
  CHECK(status < help.find("  completion "));
}

TEST_CASE("migrate switches nothing, and judges a configuration of mode multikueue only") {
  const Ran bare = Run({"migrate"});
  CHECK(bare.code == 1);
  CHECK(bare.err ==
        "fedra migrate: it switches nothing: add --check, and see docs/kueue-setup.md for the "
        "switch\n");
  const TempFolder folder;
  const std::string path = folder.Path("fedra.yaml");
  std::ofstream(path) << "apiVersion: fedra.dev/v1alpha1\nkind: Configuration\n"
                         "manager: {kubeconfig: manager.kubeconfig}\n";
  std::ofstream(folder.Path("manager.kubeconfig"))
      << "{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: "
         "{cluster: a, user: a}}], clusters: [{name: a, cluster: {server: "
         "'https://127.0.0.1:1'}}], "
         "users: [{name: a, user: {token: x}}]}";
  for (const char* direction : {"--no-headers", "--back"}) {
    const Ran other = Run({"migrate", "--check", direction, "--config", path.c_str()});
    CHECK(other.code == 1);
    CHECK_THAT(other.err, ContainsSubstring("kueue.mode is not multikueue in " + path));
  }
}

TEST_CASE("orphans: --yes alone answers a question that nobody asks") {
  CHECK_THAT(Run({"orphans", "-y"}).err, ContainsSubstring("--yes without --delete"));
}

TEST_CASE("usage names each argument once, without counts") {
  const std::string help = Run({"status", "--help"}).out;
  CHECK_THAT(help, ContainsSubstring("[what]"));
  CHECK_THAT(help, !ContainsSubstring("0x"));
}

TEST_CASE("a folder where a file must be") {
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const std::vector<const char*>& command :
       std::vector<std::vector<const char*>>{{"devices", "--snapshot", folder.c_str()},
                                             {"cel", "true", "--slices", folder.c_str()}}) {
    const Ran ran = Run(command);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring(folder + ": is a directory"));
  }
}

TEST_CASE("a file without an end is read no further than it may be long") {
  const auto check = [](const std::vector<const char*>& command) {
    const Ran ran = Run(command);
    CHECK(ran.code == 1);
    CHECK_THAT(ran.err, ContainsSubstring("/dev/zero: is a device, not a file"));
  };
  check({"check", "-f", "/dev/zero"});
  check({"devices", "--snapshot", "/dev/zero"});
  check({"cel", "true", "--slices", "/dev/zero"});
  // A pipe may be long, too; its writer gets an error when the command stops reading.
  std::signal(SIGPIPE, SIG_IGN);
  const TempFolder folder;
  const std::string pipe = folder.Path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] {
    std::ofstream out(pipe);
    const std::string piece(1 << 20, ' ');
    for (int i = 0; i < 20 && out; ++i) out << piece << std::flush;
  });
  const Ran ran = Run({"check", "-f", pipe.c_str()});
  writer.join();
  CHECK(ran.err == "fedra check: " + pipe + ": larger than 16 MiB\n");
}

TEST_CASE("the value of a short option may stand behind a sign, as kubectl has it") {
  const TempFolder folder;
  const std::string store = StoreWithOneJob(folder);
  CHECK_THAT(Run({"status", "jobs", "-n=ml", "-o=name", "--store", store.c_str()}).out,
             ContainsSubstring("train"));
  const Ran other = Run({"status", "jobs", "-n=other", "--store", store.c_str()});
  CHECK_THAT(other.out + other.err, ContainsSubstring("namespace other"));
  CHECK_THAT(Run({"status", "jobs", "-A", "-l=app=x", "--store", store.c_str()}).err,
             !ContainsSubstring("=app"));
}

TEST_CASE("without a configuration file a look at the workers says how to name one") {
  const Ran ran = Run({"devices", "--config", "/nowhere/fedra.yaml"});
  CHECK_THAT(ran.err, ContainsSubstring("no such file") && ContainsSubstring("$FEDRA_CONFIG"));
}

TEST_CASE("a file that is not there: what, where, and what to do") {
  const Ran relative = Run({"check", "-f", "no-such-job.yaml"});
  CHECK(relative.code == 1);
  CHECK(relative.err ==
        fmt::format("fedra check: no-such-job.yaml: there is no such file in {}; check the name, "
                    "or give the whole path\n",
                    std::filesystem::current_path().string()));
  CHECK(Run({"check", "-f", "/nowhere/job.yaml"}).err ==
        "fedra check: /nowhere/job.yaml: there is no such file; check the name\n");
}

TEST_CASE("backup never overwrites, and says what to do") {
  const TempFolder folder;
  const std::string copy = folder.Write("copy.db", "mine");
  const std::string store = folder.Path("fedra.db");
  const Ran ran = Run({"backup", copy.c_str(), "--store", store.c_str()});
  CHECK(ran.code == 1);
  CHECK(ran.err == "fedra backup: backup " + copy +
                       ": File exists; a backup overwrites nothing: give another name, or remove "
                       "that file first\n");
}

TEST_CASE("backup - prints the copy and leaves nothing beside the store") {
  const TempFolder folder;
  const std::string store = StoreWithOneJob(folder);
  const Ran ran = Run({"backup", "-", "--store", store.c_str()});
  CHECK(ran.code == 0);
  CHECK(ran.err == "standard output is a copy of " + store + "\n");
  const std::string copy = folder.Write("copy.db", ran.out);
  CHECK(Run({"status", "jobs", "-o", "name", "--store", copy.c_str()}).out == "ml/train\n");
  for (const auto& entry : std::filesystem::directory_iterator(folder.Path("")))
    CHECK_THAT(entry.path().filename().string(), !ContainsSubstring("backup"));
  CHECK(RunInto("/dev/full", {"backup", "-", "--store", store}).err ==
        "fedra backup: cannot write the output: No space left on device\n");
}

}  // namespace
}  // namespace fedra::cli::command_line_test
