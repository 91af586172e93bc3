#include "manager/cli/bundle/raw_texts.h"

#include <sys/utsname.h>

#include <array>
#include <chrono>
#include <fstream>
#include <future>
#include <iostream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "cluster-clients/http/client.h"
#include "cluster-clients/http/loop.h"
#include "manager/cli/terminal/read_input.h"

namespace fedra::cli {
namespace {

constexpr size_t kMostLog = size_t{20} << 20;  // bytes
constexpr std::chrono::seconds kPageTimeout{10};

// Where a client on this machine finds a server that listens on all addresses.
std::string Reachable(const std::string& address) {
  if (address.starts_with("0.0.0.0:")) return "127.0.0.1" + address.substr(7);
  if (address.starts_with("[::]:")) return "[::1]" + address.substr(4);
  return address;
}

}  // namespace

Captured Capture(const std::function<int(Terminal&)>& command) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  Captured captured{.code = command(terminal), .out = {}, .err = {}};
  captured.out = std::move(out).str();
  captured.err = std::move(err).str();
  return captured;
}

std::string SystemText() {
  std::string text;
  if (utsname system{}; uname(&system) == 0)
    text = fmt::format("{} {} {}\n", system.sysname, system.release, system.machine);
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);)
    if (line.starts_with("PRETTY_NAME=")) text += line + "\n";
  return text;
}

Result<std::string> FetchPage(const std::string& address, const std::string& path) {
  http::HttpLoop loop;
  http::Client client(loop, {.url = "http://" + Reachable(address), .http2 = false});
  std::promise<http::Reply> promise;
  client.Send({.path = path, .accept = "*/*", .timeout = kPageTimeout},
              [&](http::Reply reply) { promise.set_value(std::move(reply)); });
  http::Reply reply = promise.get_future().get();
  if (reply.failure) return tl::unexpected(*std::move(reply.failure));
  return std::move(reply.body);
}

Result<std::string> LogEnd(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    FEDRA_RETURN_IF_ERROR(RefuseDevice(path));
    file.open(path, std::ios::binary);
    if (!file) return Fail(ErrorCode::kStorage, path + ": cannot be read");
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string end;
  std::array<char, 64 * 1024> piece{};
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    end.append(piece.data(), static_cast<size_t>(in.gcount()));
    if (end.size() > 2 * kMostLog) end.erase(0, end.size() - kMostLog);
  }
  if (end.size() <= kMostLog) return end;
  end.erase(0, end.size() - kMostLog);
  return end.substr(end.find('\n') + 1);
}

}  // namespace fedra::cli
