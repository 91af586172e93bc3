#include "base/write_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace fedra::write_file_test {
namespace {

namespace fs = std::filesystem;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

mode_t ModeOf(const std::string& path) {
  struct stat status{};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_mode;
}

size_t Entries(const TempFolder& folder) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST_CASE("a new file is private, an existing one keeps its mode, and nothing is left beside") {
  const TempFolder folder;
  const std::string fresh = folder.Path("new");
  REQUIRE(WriteFile(fresh, "one"));
  CHECK(Content(fresh) == "one");
  CHECK((ModeOf(fresh) & 0777) == 0600);
  const std::string old = folder.Write("old", "a longer text than the new one");
  REQUIRE(chmod(old.c_str(), 0640) == 0);
  REQUIRE(WriteFile(old, "two"));
  CHECK(Content(old) == "two");
  CHECK((ModeOf(old) & 0777) == 0640);
  CHECK(Entries(folder) == 2);
}

TEST_CASE("a secret's file is private, whatever was there") {
  const TempFolder folder;
  const std::string old = folder.Write("old", "for everybody");
  REQUIRE(chmod(old.c_str(), 0666) == 0);
  REQUIRE(WritePrivateFile(old, "secret"));
  CHECK(Content(old) == "secret");
  CHECK((ModeOf(old) & 0777) == 0600);
  CHECK(Entries(folder) == 1);
}

TEST_CASE("a temporary file that is in the way is named") {
  const TempFolder folder;
  const std::string beside = "file." + std::to_string(getpid()) + ".tmp";
  folder.Write(beside, "left by another process");
  const Result<void> written = WriteFile(folder.Path("file"), "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().message == folder.Path(beside) + ": cannot be created: File exists");
  CHECK(Content(folder.Path(beside)) == "left by another process");
}

TEST_CASE("a symbolic link stays, and what it leads to is written") {
  const TempFolder folder;
  folder.Write("target", "before");
  fs::create_symlink("target", folder.Path("link"));
  fs::create_symlink(folder.Path("link"), folder.Path("link2"));
  fs::create_symlink("later", folder.Path("dangling"));
  REQUIRE(WriteFile(folder.Path("link2"), "after"));
  CHECK(S_ISLNK(ModeOf(folder.Path("link"))));
  CHECK(S_ISLNK(ModeOf(folder.Path("link2"))));
  CHECK(Content(folder.Path("target")) == "after");
  REQUIRE(WriteFile(folder.Path("dangling"), "made"));
  CHECK(S_ISLNK(ModeOf(folder.Path("dangling"))));
  CHECK(Content(folder.Path("later")) == "made");
  fs::create_symlink("loop", folder.Path("loop"));
  const Result<void> written = WriteFile(folder.Path("loop"), "x");
  REQUIRE_FALSE(written);
  CHECK_THAT(written.error().message, ContainsSubstring("loop"));
  CHECK(Entries(folder) == 6);
}

TEST_CASE("a device stays a device, and one that is full says so") {
  const TempFolder folder;
  const std::string full = folder.Path("full");
  // Only root makes devices; others have at least the system's own, which they could not harm.
  const bool made = mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) == 0;
  const std::string path = made ? full : "/dev/full";
  const Result<void> written = WriteFile(path, "x");
  REQUIRE_FALSE(written);
  CHECK(written.error().message == path + ": cannot be written: No space left on device");
  CHECK(S_ISCHR(ModeOf(path)));
  CHECK(Entries(folder) == (made ? 1 : 0));
  CHECK(WriteFile("/dev/null", "x"));
  CHECK(S_ISCHR(ModeOf("/dev/null")));
}

TEST_CASE("a pipe's reader gets the text") {
  const TempFolder folder;
  const std::string pipe = folder.Path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = Content(pipe); });
  const Result<void> written = WriteFile(pipe, "through");
  reader.join();
  CHECK(written);
  CHECK(read == "through");
  CHECK(S_ISFIFO(ModeOf(pipe)));
}

TEST_CASE("what cannot hold a text is refused and unchanged") {
  const TempFolder folder;
  const std::string socket_path = folder.Path("socket");
  const int number = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  REQUIRE(bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  close(number);
  const Result<void> to_socket = WriteFile(socket_path, "x");
  REQUIRE_FALSE(to_socket);
  CHECK(to_socket.error().message == socket_path + ": it is a socket: name a file");
  CHECK(S_ISSOCK(ModeOf(socket_path)));
  const Result<void> to_folder = WriteFile(folder.path().string(), "x");
  REQUIRE_FALSE(to_folder);
  CHECK_THAT(to_folder.error().message, ContainsSubstring("it is a folder"));
  const Result<void> nowhere = WriteFile(folder.Path("no/such/folder"), "x");
  REQUIRE_FALSE(nowhere);
  CHECK_THAT(nowhere.error().message, ContainsSubstring("No such file or directory"));
}

TEST_CASE("the file that is standard output is appended to, not replaced") {
  const TempFolder folder;
  const std::string log = folder.Write("log", "before\n");
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(log.c_str(), O_WRONLY | O_APPEND);
    dup2(file, STDOUT_FILENO);
    _exit(WriteFile("/dev/stdout", "after\n") ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(Content(log) == "before\nafter\n");
}

}  // namespace
}  // namespace fedra::write_file_test
