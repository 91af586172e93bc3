// Commands that ask the daemon: the same output as from the store.

#include "manager/cli/remote.h"

#include <sstream>

#include "manager/api/parameters.h"
#include "manager/api/question.h"
#include "manager/api/server.h"
#include "manager/cli/commands.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/report/rows.h"

namespace fedra::cli::remote_test {

namespace {

struct Printed {
  int code = 0;
  std::string out;
  std::string err;
  bool operator==(const Printed&) const = default;
};

struct RemoteFixture {
  RemoteFixture() : store(store::Store::Open({.path = folder.Path("fedra.db")}).value()) {
    const report::FleetRows fleet = report::FleetStatus();
    for (const auto& row : fleet.clusters) store->Enqueue(store::PutCluster{row});
    for (const auto& row : fleet.workloads) store->Enqueue(store::PutWorkload{row});
    store->Enqueue(store::PutVerdicts{"uid-sweep-3", report::SweepVerdicts()});
    REQUIRE(store->Flush());
    auto made = api::Server::OnSocket(
        {folder.Path("s"), ""},
        {.store = [this] { return store->Read(); },
         .devices = [] { return std::vector<report::DeviceSource>{{"gpu-east", "away", nullptr}}; },
         .templates = [](auto) { return templates::TemplateSurvey{}; },
         .check = {.read = [](const api::CheckRequest& asked) -> Result<api::ReadCheck> {
           std::string names;
           for (const report::ManifestFile& file : asked.files)
             names += file.name.substr(file.name.rfind('/') + 1) + "=" + file.text;
           return api::ReadCheck{{}, [text = names + asked.ns](const auto&, const auto&) {
                                   return text::Output{text, "skipped\nsomething", 3};
                                 }};
         }}});
    REQUIRE(made);
    server = *std::move(made);
  }

  Printed Print(int (*command)(const ViewOptions&, Terminal&), ViewOptions options,
                bool by_daemon) const {
    (by_daemon ? options.daemon.socket : options.store) = folder.Path(by_daemon ? "s" : "fedra.db");
    std::ostringstream out, err;
    Terminal terminal{out, err};
    terminal.color = true;
    terminal.width = 70;
    const int code = command(options, terminal);
    return {code, out.str(), err.str()};
  }

  const TempFolder folder;
  const std::unique_ptr<store::Store> store;
  std::unique_ptr<api::Server> server;
};

}  // namespace

TEST_CASE_METHOD(RemoteFixture, "the daemon's answer is what the store would have said") {
  struct Row {
    int (*command)(const ViewOptions&, Terminal&);
    ViewOptions options;
  };
  std::vector<Row> rows = {
      {&Status, {}},
      {&Status, {.names = {"workers"}}},
      {&Status, {.names = {"jobs"}, .ns = "other"}},
      {&Status, {.names = {"sweep-3"}}},
      {&Status, {.names = {"gpu-east"}}},
      {&Status, {.jobs = {.states = {"blocked"}, .sort_by = "name", .limit = 1, .all = true}}},
      {&Status, {.jobs = {.workers = {"nowhere"}}}},
      {&Status, {.jobs = {.labels = "a=b,c!=d"}}},
      {&Why, {.names = {"ml/sweep-3"}}},
      {&Why, {.names = {"ml/none"}}},
      {&Why, {.names = {"a//b"}}},
      {&History, {.names = {"train-7b"}, .ns = "ml"}},
  };
  for (Row& row : rows) {
    for (const char* const format : {"table", "wide", "json", "yaml", "name"}) {
      for (const bool headers : {true, false}) {
        row.options.format = format;
        row.options.headers = headers;
        INFO(format << " " << (row.options.names.empty() ? "" : row.options.names.front()));
        const Printed here = Print(row.command, row.options, false);
        Printed there = Print(row.command, row.options, true);
        // An option here is a parameter there.
        if (row.options.jobs.workers == std::vector<std::string>{"nowhere"})
          there.err.replace(there.err.find("worker nowhere"), 0, "--");
        CHECK(there.out == here.out);
        CHECK(there.err == here.err);
        CHECK(there.code == here.code);
      }
    }
  }
}

TEST_CASE_METHOD(RemoteFixture, "check, devices and templates end as the daemon says") {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  CheckOptions check;
  check.files = {folder.Write("a.yaml", "kind: A"), folder.Write("b.yaml", "kind: B")};
  check.ns = "/ml";
  check.daemon.socket = folder.Path("s");
  CHECK(Check(check, terminal) == 3);
  CHECK(out.str() == "a.yaml=kind: Ab.yaml=kind: B/ml");
  CHECK(err.str() == "skipped\nsomething\n");
  check.files = {folder.Path("none.yaml")};
  CHECK(Check(check, terminal) == kFailed);
  check.files = {folder.Write("large.yaml", std::string(size_t{1} << 20, '#'))};
  err.str("");
  CHECK(Check(check, terminal) == kFailed);
  CHECK_THAT(err.str(), ContainsSubstring("longer than"));

  DevicesOptions devices;
  devices.daemon.socket = folder.Path("s");
  out.str("");
  CHECK(Devices(devices, terminal) == kUnknown);
  devices.map = true;
  CHECK(Devices(devices, terminal) == kFailed);  // of which worker?
  devices.workers = {"gpu-east"};
  CHECK(Devices(devices, terminal) == kUnknown);
  devices.workers = {"nowhere"};
  CHECK(Devices(devices, terminal) == kFailed);

  TemplatesDiffOptions diff;
  diff.daemon.socket = folder.Path("s");
  CHECK(TemplatesDiff(diff, terminal) == 0);
}

TEST_CASE("no daemon is an error that says where") {
  const TempFolder folder;
  RemoteDaemon daemon({.socket = folder.Path("s")});
  const auto output = daemon.Ask("/api/v1alpha1/status");
  REQUIRE(!output);
  CHECK(output.error().code == ErrorCode::kConnection);
  CHECK_THAT(output.error().message, ContainsSubstring("the daemon at " + folder.Path("s")));
}

TEST_CASE("a socket that is there is found") {
  const TempFolder folder;
  CHECK(!FindSocket({folder.Path("none"), folder.Write("file", "")}));
}

TEST_CASE("what another process sends cannot drive the terminal") {
  CHECK(OnlyText("plain\ntext \xc3\xbc") == "plain\ntext \xc3\xbc");
  CHECK(OnlyText("\033[1;31mred\033[0m") == "\033[1;31mred\033[0m");
  CHECK(OnlyText("\033[2Ja\033]0;title\ab\rc\x7f\033[31") == "[2Ja]0;titlebc[31");
}

}  // namespace fedra::cli::remote_test
