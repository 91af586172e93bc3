#include "base/log.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/support/catch.h"

namespace fedra::log::log_test {
namespace {

// What `write` puts on stderr, without the time in front of it or in "ts".
template <class F>
std::string Captured(F&& write) {
  FILE* const file = ::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(::fileno(file), STDERR_FILENO);
  write();
  std::fflush(stderr);
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  std::string text(4096, '\0');
  std::fseek(file, 0, SEEK_SET);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

std::string WithoutTime(const std::string& line) {
  constexpr size_t kTimeLength = sizeof("2026-11-21T16:11:19.123Z") - 1;
  const size_t start = line.starts_with("{\"ts\":\"") ? 7 : 0;
  return line.substr(0, start) + line.substr(std::min(line.size(), start + kTimeLength));
}

TEST_CASE("text lines quote what could break them") {
  Setup(Level::kInfo, Format::kText);
  CHECK(WithoutTime(Captured([] {
          Info("worker connected", {{"cluster", "gpu-east"}, {"jobs", "3"}});
        })) == " info  worker connected cluster=gpu-east jobs=3\n");
  CHECK(WithoutTime(Captured([] {
          Warn("refused",
               {{"error", "line one\nlevel=error \"x\""}, {"empty", ""}, {"path", "a\\b"}});
        })) == " warn  refused error=\"line one\\u000alevel=error \\\"x\\\"\" path=\"a\\\\b\"\n");
}

TEST_CASE("json lines are one object each") {
  Setup(Level::kDebug, Format::kJson);
  CHECK(WithoutTime(Captured([] { Debug("say \"hi\"", {{"cluster", "a\tb"}}); })) ==
        "{\"ts\":\"\",\"level\":\"debug\",\"msg\":\"say \\\"hi\\\"\",\"cluster\":\"a\\u0009b\"}\n");
  CHECK(WithoutTime(Captured([] {
          Info("listening", {{"port", "20947"}, {"workloads", "0"}, {"job", "7"}, {"count", "07"}});
        })) ==
        "{\"ts\":\"\",\"level\":\"info\",\"msg\":\"listening\",\"port\":20947,"
        "\"workloads\":0,\"job\":\"7\",\"count\":\"07\"}\n");
  Setup(Level::kInfo, Format::kText);
}

TEST_CASE("lines below the level are not written") {
  Setup(Level::kWarn, Format::kText);
  CHECK_FALSE(Enabled(Level::kInfo));
  CHECK(Captured([] { Info("quiet"); }).empty());
  CHECK_THAT(Captured([] { Fault("loud"); }), ContainsSubstring("error loud"));
  SetLevel(Level::kInfo);
  CHECK(Enabled(Level::kInfo));
}

}  // namespace
}  // namespace fedra::log::log_test
