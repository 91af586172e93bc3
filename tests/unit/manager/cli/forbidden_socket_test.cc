// Users who may not open the daemon's socket: what each command tells them.

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "manager/cli/command_line.h"
#include "manager/cli/remote.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::cli::forbidden_socket_test {

namespace {

constexpr unsigned kNobody = 65534;

std::string TextIn(const std::string& path) {
  std::ifstream text(path);
  return {std::istreambuf_iterator<char>(text), {}};
}

// A socket, a store and a configuration that names both.
struct Fixture {
  Fixture() {
    const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(socket.size() < sizeof address.sun_path);
    socket.copy(static_cast<char*>(address.sun_path), socket.size());
    REQUIRE(::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    ::close(listening);
    REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(chmod(config.c_str(), 0644) == 0);
    REQUIRE(chmod(store.c_str(), 0) == 0);
  }

  // Root may open everything, so others' commands are run as one of them. Returns what it says.
  std::string Refusal(const std::vector<std::string>& arguments) const {
    const TempFolder said;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      std::vector<const char*> argv = {"fedra"};
      for (const std::string& argument : arguments) argv.push_back(argument.c_str());
      dup2(open(said.Path("err").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
      dup2(open(said.Path("out").c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
      if (getuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(99);
      // One that goes on is none that refuses.
      alarm(20);
      _exit(Main(static_cast<int>(argv.size()), argv.data()));
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
    CHECK(TextIn(said.Path("out")).empty());
    return TextIn(said.Path("err"));
  }

  // Of a cluster on a port where no server listens.
  std::string Kubeconfig(int port) const {
    const std::string file = folder.Write(
        fmt::format("kubeconfig-{}", port),
        fmt::format(
            "current-context: x\ncontexts: [{{name: x, context: {{cluster: c, user: u}}}}]\n"
            "clusters: [{{name: c, cluster: {{server: \"https://127.0.0.1:{}\"}}}}]\n"
            "users: [{{name: u, user: {{token: abc}}}}]\n",
            port));
    REQUIRE(chmod(file.c_str(), 0644) == 0);
    return file;
  }

  const TempFolder folder;
  const std::string socket = folder.Path("s");
  const std::string store = folder.Write("fedra.db", "");
  const std::string config =
      folder.Write("fedra.yaml", fmt::format("apiVersion: fedra.dev/v1alpha1\nkind: Configuration\n"
                                             "manager: {{kubeconfig: {}}}\n"
                                             "workers: [{{name: east, kubeconfig: {}}}]\n"
                                             "store: {{path: {}}}\napi: {{socket: {}}}\n",
                                             Kubeconfig(1), Kubeconfig(2), store, socket));
};

}  // namespace

TEST_CASE_METHOD(Fixture, "who may not open the daemon's socket is told who may") {
  REQUIRE(chmod(socket.c_str(), getuid() == 0 ? 0660 : 0) == 0);
  const std::string who =
      getuid() == 0
          ? fmt::format("members of the group {} may ask it (api.group)", getgrgid(0)->gr_name)
          : "only its owner may ask it (api.group)";
  const std::string server = "unix:" + socket;
  const std::string not_for = socket + " is not for this user: " + who;
  CHECK_THAT(Refusal({"why", "ml/x", "--server", server}),
             ContainsSubstring("the daemon at " + socket) && ContainsSubstring(who));
  CHECK_THAT(Refusal({"dashboard", "--server", server}), ContainsSubstring(not_for));
  CHECK_THAT(Refusal({"dashboard", "--config", config}), ContainsSubstring(not_for));
  CHECK_THAT(Refusal({"why", "ml/x", "--config", config}),
             ContainsSubstring("the store " + store + " is not for this user") &&
                 ContainsSubstring(not_for));
  // Kubeconfigs are not for everybody.
  REQUIRE(chmod(folder.Path("kubeconfig-2").c_str(), 0) == 0);
  CHECK_THAT(Refusal({"why", "ml/x", "--config", config}),
             ContainsSubstring("the store " + store + " is not for this user") &&
                 ContainsSubstring(not_for));
  REQUIRE(chmod(config.c_str(), 0) == 0);
  CHECK_THAT(Refusal({"why", "ml/x", "--config", config}),
             ContainsSubstring("(api.group)") || ContainsSubstring("of api.group"));
}

TEST_CASE_METHOD(Fixture, "a socket that is seen comes before one in a folder that is closed") {
  CHECK_THAT(WhoMayAsk(folder.Path("none")), ContainsSubstring("which is fedra-view unless"));
  REQUIRE(chmod(socket.c_str(), 0600) == 0);
  CHECK(WhoMayAsk(socket) == "only its owner may ask it (api.group)");
  CHECK_FALSE(FindForbiddenSocket({folder.Path("none"), socket}));
  if (getuid() == 0) return;  // to whom nothing is closed
  std::filesystem::create_directory(folder.Path("closed"));
  REQUIRE(chmod(folder.Path("closed").c_str(), 0) == 0);
  REQUIRE(chmod(socket.c_str(), 0) == 0);
  const std::string closed = folder.Path("closed/s");
  CHECK(FindForbiddenSocket({closed, socket}) == socket);
  CHECK(FindForbiddenSocket({closed}) == closed);
}

}  // namespace fedra::cli::forbidden_socket_test
