// The API without sockets: a store's file, requests and answers.

#include "manager/api/api.h"

#include <nlohmann/json.hpp>

#include "manager/api/routes.h"
#include "manager/report/load_status.h"
#include "manager/report/status_document.h"
#include "manager/text/status_view.h"
#include "store/store.h"
#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/manager/cli/raw_cluster.h"
#include "tests/unit/manager/report/rows.h"
#include "tests/unit/manager/support/contract.h"

namespace fedra::api_test {

using nlohmann::ordered_json;
using report::kNow;

using Catch::Matchers::EndsWith;

namespace {

struct Fixture {
  Fixture() : store(store::Store::Open({.path = folder.Path("fedra.db")}).value()) {
    const report::FleetRows fleet = report::FleetStatus();
    store->Enqueue(store::SetHeartbeat{*fleet.daemon.heartbeat});
    for (const auto& row : fleet.clusters) store->Enqueue(store::PutCluster{row});
    for (const auto& row : fleet.workloads) store->Enqueue(store::PutWorkload{row});
    store->Enqueue(store::PutVerdicts{"uid-sweep-3", report::SweepVerdicts()});
    REQUIRE(store->Flush());
    clock.JumpWall(std::chrono::duration_cast<std::chrono::milliseconds>(kNow - clock.Now()));
  }

  httpd::Answer Get(const std::string& path,
                    std::map<std::string, std::string, std::less<>> headers = {}) const {
    return api.Answer({std::string(api::kPrefix) + path, std::move(headers)});
  }
  ordered_json Document(const std::string& path) const {
    const httpd::Answer answer = Get(path);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    CHECK(answer.content_type == "application/json");
    ordered_json document = ordered_json::parse(answer.body);
    const api::Route& route = *api::FindRoute(path.substr(0, path.find('?')));
    HoldAgainst(std::string(api::SchemaOf(route)), document);
    return document;
  }
  static void HoldAgainst(const std::string& schema, const ordered_json& document) {
    static testing::Contract contract;
    const auto mistakes = contract.MistakesIn(schema, document);
    CAPTURE(mistakes);
    CHECK(mistakes.empty());
  }
  httpd::Answer Post(const std::string& path, const std::string& type, std::string body) const {
    return api.Answer({.target = std::string(api::kPrefix) + path,
                       .headers = {{"content-type", type}},
                       .is_post = true,
                       .body = std::move(body)});
  }
  // Status, and the message.
  std::pair<int, std::string> Refused(const std::string& path) const {
    const httpd::Answer answer = Get(path);
    const ordered_json status = ordered_json::parse(answer.body);
    HoldAgainst("Status", status);
    CHECK(status.at("code") == answer.status);
    return {answer.status, status.at("message").get<std::string>()};
  }

  templates::TemplateSurvey SurveyWith(std::optional<templates::SyncPolicy> mode) const {
    templates::TemplateSurvey found = survey;
    found.mode = mode.value_or(templates::SyncPolicy::kNever);
    return found;
  }

  templates::TemplateSurvey survey;
  std::optional<store::HeartbeatRow> replica;
  mutable api::CheckRequest checked;
  mutable api::CheckForm form;
  const TempFolder folder;
  const std::unique_ptr<store::Store> store;
  HandClock clock;
  const api::Api api{
      {.store = [this] { return store->Read(); },
       .devices =
           [] {
             const auto east = cli::MakeWorker(cli::MakeCluster(), cli::WorkerNamed("east"));
             return std::vector<report::DeviceSource>{{"east", "", east->devices()->snapshot()},
                                                      {"west", "not reached", nullptr}};
           },
       .templates = [this](auto mode) { return SurveyWith(mode); },
       .check = {.read = [this](api::CheckRequest asked) -> Result<api::ReadCheck> {
         checked = std::move(asked);
         return api::ReadCheck{{}, [this](const auto& wanted, const auto&) {
                                 form = wanted;
                                 return text::Output{"{}\n", "a note\nand another", 3};
                               }};
       }},
       .replica = [this] { return replica; },
       .clock = &clock}};
};

std::string Header(const httpd::Answer& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers)
    if (key == name) return value;
  return {};
}

}  // namespace

TEST_CASE("what is printed has a command that prints the same, and a stream has none") {
  for (const api::Route& route : api::Routes()) {
    INFO(route.path);
    CHECK(route.command.empty() != api::IsPrinted(route));
  }
}

TEST_CASE_METHOD(Fixture, "each endpoint gives the document that it names") {
  for (const api::Route& route : api::Routes()) {
    if (api::IsPosted(route) || !api::IsPrinted(route)) continue;
    INFO(route.path);
    std::string target(route.path);
    if (api::FindParameter(route, "job") != nullptr) target += "?job=ml/sweep-3";
    if (api::FindParameter(route, "group-by") != nullptr) target += "?group-by=state";
    if (route.topic == api::Topic::kDeviceMap) target += "?worker=east";
    const ordered_json document = Document(target);
    CHECK(document.at("kind") == route.document);
    CHECK(document.at("apiVersion") == "fedra.dev/v1alpha1");
  }
}

TEST_CASE_METHOD(Fixture, "what is posted to check is judged, with the command's exit code") {
  const httpd::Answer answer =
      Post("check?namespace=ml&worker=east,west", "application/yaml; charset=utf-8", "kind: Job");
  CHECK(answer.status == 200);
  CHECK(Header(answer, "Fedra-Exit-Code") == "3");
  CHECK(Header(answer, "Warning") == "299 fedra \"a note\"");  // the first of two
  CHECK(checked.ns == "ml");
  CHECK(checked.workers == std::vector<std::string>{"east", "west"});
  REQUIRE(checked.files.size() == 1);
  CHECK(checked.files[0].name == "-");
  CHECK(checked.files[0].text == "kind: Job");

  const std::vector<report::ManifestFile> files = {{"a.yaml", "kind: A\n"},
                                                   {"b.yaml", "\xff: \"b\""}};
  CHECK(Post("check", "application/json", api::CheckBody(files)).status == 200);
  REQUIRE(checked.files.size() == 2);
  CHECK(checked.files[0].name == "a.yaml");
  CHECK(checked.files[0].text == "kind: A\n");
  CHECK_THAT(checked.files[1].text, EndsWith(": \"b\""));
  // Other JSON is a manifest.
  CHECK(Post("check", "application/json", R"({"kind":"Job"})").status == 200);
  CHECK(checked.files.front().text == R"({"kind":"Job"})");
}

TEST_CASE_METHOD(Fixture, "what cannot be posted, or is posted wrongly, is refused") {
  struct Row {
    std::string path;
    std::string type;
    std::string body;
    int status;
  };
  const Row rows[] = {
      {"check", "text/plain", "kind: Job", 415},
      {"check", "", "kind: Job", 415},
      {"check", "application/x-www-form-urlencoded", "kind=Job", 415},
      {"check", "application/json", "{", 400},
      {"check", "application/json", R"({"kind":"CheckRequest"})", 400},
      {"check", "application/json", R"({"kind":"CheckRequest","files":[{"name":1}]})", 400},
      {"check?output=name", "application/yaml", "kind: Job", 400},
      {"check?job=a", "application/yaml", "kind: Job", 400},
      {"jobs", "application/yaml", "kind: Job", 405},
      {"nothing", "application/yaml", "kind: Job", 404},
      {"openapi.json", "application/yaml", "kind: Job", 404},
  };
  for (const Row& row : rows) {
    INFO(row.path << " " << row.type << " " << row.body);
    const httpd::Answer answer = Post(row.path, row.type, row.body);
    CHECK(answer.status == row.status);
    HoldAgainst("Status", ordered_json::parse(answer.body));
  }
  const httpd::Answer got = Get("check");
  CHECK(got.status == 405);
  CHECK(Header(got, "Allow") == "POST");
}

TEST_CASE_METHOD(Fixture, "what a command would end with is said") {
  CHECK(Header(Get("devices"), "Fedra-Exit-Code") == "4");  // west could not be read
  CHECK(Header(Get("devices?worker=east"), "Fedra-Exit-Code").empty());
  CHECK(Header(Get("devices?worker=east&class=none"), "Fedra-Exit-Code") == "1");
  CHECK(Header(Get("templates"), "Fedra-Exit-Code").empty());
  CHECK(Header(Get("jobs"), "Fedra-Exit-Code").empty());
}

TEST_CASE_METHOD(Fixture, "pages follow each other by their token, and a wrong one is refused") {
  std::string token;
  ordered_json pages = ordered_json::array();
  do {
    const ordered_json page = Document("jobs?all&limit=2&continue=" + token);
    for (const auto& job : page.at("jobs")) pages.push_back(job);
    token = page.value("continue", "");
    CHECK(token.empty() == (page.at("remaining") == 0));
  } while (!token.empty());
  CHECK(pages == Document("jobs?all").at("jobs"));
  CHECK(Refused("jobs?continue=abc").first == 400);
  CHECK(Refused("counts").first == 400);
  CHECK(Refused("counts?group-by=state&limit=1").first == 400);
}

TEST_CASE_METHOD(Fixture, "documents and tables are those of the commands, byte for byte") {
  const auto reader = store->Read().value();
  const report::Query query{.now = kNow};
  report::StatusData data = report::LoadFleet(*reader).value();
  REQUIRE(report::LoadJobsByWorker(*reader, data));
  REQUIRE(report::LoadJobs(*reader, query, report::JobDetail::kWide, data));
  CHECK(
      Get("status").body ==
      text::ToText(report::StatusDocument(report::Parts::kBoth, data, query), text::Format::kJson));
  text::ViewSettings settings{
      .query = query, .format = text::Format::kWide, .style = {.width = 80}};
  const httpd::Answer table = Get("status?output=wide&columns=80");
  CHECK(table.body == text::RenderStatus(data, settings).out);
  CHECK(table.content_type == "text/plain; charset=utf-8");
  CHECK_THAT(Get("jobs?output=name").body, ContainsSubstring("ml/train-7b\n"));
  CHECK_THAT(Get("status?output=yaml").body, ContainsSubstring("kind: StatusReport\n"));
}

TEST_CASE_METHOD(Fixture, "why of several jobs is one document, in their order") {
  const ordered_json document =
      Document("why?job=ml/sweep-3,job/ml/nothing&job=train-7b&namespace=ml");
  REQUIRE(document.at("jobs").size() == 2);
  CHECK(document.at("jobs").at(0) == Document("why?job=ml/sweep-3").at("jobs").at(0));
  CHECK(document.at("jobs").at(1) == Document("why?job=ml/train-7b").at("jobs").at(0));
  CHECK(document.at("daemon") == Document("why?job=ml/sweep-3").at("daemon"));
  CHECK(Document("why?job=ml/a&job=ml/b").at("jobs").empty());
  CHECK(Refused("why?job=ml/a").first == 404);
  CHECK(Refused("why?job=ml/a&job=/").first == 400);
  CHECK(Refused("why?job=ml/a&job=ml/b&output=table").first == 400);
  CHECK(Refused("history?job=ml/a&job=ml/b").first == 400);
  std::string many = "why?job=ml/sweep-3";
  for (int i = 1; i < 50; ++i) many += ",a";
  CHECK(Document(many).at("jobs").size() == 1);
  CHECK(Refused(many + ",a").first == 400);
}

TEST_CASE_METHOD(Fixture, "filters, order and limit are those of the command") {
  const auto names = [&](const std::string& path) {
    std::string all;
    const ordered_json document = Document(path);
    for (const auto& job : document.at("jobs")) all += job.at("name").get<std::string>() + " ";
    return all;
  };
  CHECK(names("jobs?state=blocked,Running&sort-by=name") == "sweep-3 train-1b train-7b ");
  CHECK(names("jobs?reason=TemplateMissing") == "sweep-3 ");
  CHECK(names("jobs?worker=tpu-lab") == "train-1b ");
  CHECK(names("jobs?namespace=other").empty());
  CHECK(names("jobs?all&sort-by=age&limit=2") == "done train-1b ");
  CHECK(Document("jobs?all&sort-by=age&limit=2").at("remaining") == 3);
}

TEST_CASE_METHOD(Fixture, "what is wrong is a Status, with the parameter's name") {
  CHECK(Refused("job?job=ml/none").first == 404);
  CHECK(Refused("jobs?state=Gone").first == 400);
  CHECK(Refused("jobs?worker=nowhere") ==
        std::pair(400, std::string("worker nowhere: there is no such worker; there are gpu-east, "
                                   "gpu-west, tpu-lab")));
  CHECK(Refused("why?job=a//b").first == 400);
  CHECK(Refused("nothing").first == 404);
  CHECK_THAT(Refused("nothing").second, ContainsSubstring("there are status, workers, jobs"));
  const ordered_json status = ordered_json::parse(Get("jobs?limit=x").body);
  CHECK(status.at("reason") == "BadRequest");
  CHECK(status.at("details").at("causes").at(0).at("field") == "limit");
  CHECK(ordered_json::parse(Get("jobs?state=Gone").body)
            .at("details")
            .at("causes")
            .at(0)
            .at("field") == "state");
  // Bytes that are no text may not break the answer.
  CHECK(Refused("jobs?state=%ff%fe").first == 400);
  CHECK(api.Answer({"/api/v1alpha2/status"}).status == 404);
  CHECK(api.Answer({"nonsense"}).status == 404);
  CHECK(api.Answer({""}).status == 404);
}

TEST_CASE_METHOD(Fixture,
                 "devices are those of the daemon's caches, and what is not known is said") {
  const ordered_json document = Document("devices");
  CHECK(document.at("workers").size() == 1);
  CHECK(document.at("workers").at(0).at("name") == "east");
  CHECK(document.at("source") == "Clusters");
  CHECK(document.at("unreadWorkers").at(0).at("problem") == "not reached");
  CHECK(Header(Get("devices"), "Warning") == "299 fedra \"west: not reached\"");
  CHECK(Document("devices?worker=east").at("unreadWorkers").empty());
  const std::string tag = Header(Get("devices"), "ETag");
  clock.Advance(std::chrono::seconds(5));
  CHECK(Get("devices", {{"if-none-match", tag}}).status == 304);
  CHECK(Refused("devices?worker=north").second == "worker north: there is no such worker");
  CHECK_THAT(Refused("devices?selector=device.").second, Catch::Matchers::StartsWith("selector: "));
  CHECK(Refused("devices?output=name").first == 400);
}

TEST_CASE_METHOD(Fixture, "names are listed of what has names, and of nothing else") {
  for (const auto& [path, what] :
       std::vector<std::pair<std::string, std::string>>{{"devices", "devices"},
                                                        {"device-map?worker=east", "devices"},
                                                        {"templates", "steps"},
                                                        {"reasons", "words"}}) {
    CAPTURE(path);
    const char* const more = path.find('?') == std::string::npos ? "?" : "&";
    const auto [status, message] = Refused(path + more + "output=name");
    CHECK(status == 400);
    CHECK_THAT(message, ContainsSubstring(what + " have no list of names"));
  }
  for (const char* path : {"status", "workers", "jobs"}) {
    CAPTURE(path);
    CHECK(Get(std::string(path) + "?output=name").status == 200);
  }
}

TEST_CASE_METHOD(Fixture, "a map is of one worker, and says why there is none") {
  const ordered_json document = Document("device-map?worker=east");
  CHECK(document.at("worker") == "east");
  CHECK(document.at("nodes").size() == 2);
  CHECK(Document("device-map?worker=east&limit=1").at("remaining") == 1);
  CHECK_THAT(Get("device-map?worker=east&output=table").body, ContainsSubstring("node node-a\n"));
  CHECK(Refused("device-map") == std::pair(400, std::string("worker: is missing: This worker")));
  CHECK(Refused("device-map?worker=north").first == 400);
  CHECK(Refused("device-map?worker=west") == std::pair(503, std::string("west: not reached")));
  CHECK(Refused("device-map?worker=east&node=none").second ==
        "node none: no devices are published there");
}

TEST_CASE_METHOD(Fixture, "what a standby sees of workers says who answers, and who leads") {
  const std::string line =
      "REPLICA  as of now, by a standby (replica fedra-1_5e); the leader is fedra-0_2a\n";
  for (const char* path :
       {"devices?output=table", "device-map?worker=east&output=table", "templates?output=table"}) {
    INFO(path);
    CHECK_THAT(Get(path).body, !Catch::Matchers::StartsWith("REPLICA"));
    replica =
        store::HeartbeatRow{.role = "Standby", .identity = "fedra-1_5e", .leader = "fedra-0_2a"};
    CHECK_THAT(Get(path).body, Catch::Matchers::StartsWith(line));
    CHECK(Get(std::string(path) + "&headers=false").body.find("REPLICA") == std::string::npos);
    replica->role = "Leader";
    CHECK(Get(path).body.find("REPLICA") == std::string::npos);
    replica.reset();
  }
  CHECK_FALSE(Document("devices").contains("replica"));
  const auto check = [&](const std::string& parameters) {
    return Post("check?" + parameters, "application/yaml", "kind: Job").body;
  };
  CHECK_THAT(check("output=table"), !Catch::Matchers::StartsWith("REPLICA"));
  CHECK_FALSE(form.as_of.replica);
  CHECK(form.as_of.at == clock.Now());
  replica =
      store::HeartbeatRow{.role = "Standby", .identity = "fedra-1_5e", .leader = "fedra-0_2a"};
  CHECK_THAT(check("output=table"), Catch::Matchers::StartsWith(line));
  CHECK(check("output=table&headers=false").find("REPLICA") == std::string::npos);
  CHECK(check("output=json").find("REPLICA") == std::string::npos);
  REQUIRE(form.as_of.replica);  // for the document
  CHECK(form.as_of.replica->identity == "fedra-1_5e");
  replica = store::HeartbeatRow{.role = "Standby", .identity = "fedra-1_5e"};
  CHECK(Document("devices")["replica"]["role"] == "Standby");
  CHECK_THAT(Get("devices?output=table").body, ContainsSubstring("; no replica leads\n"));
}

TEST_CASE_METHOD(Fixture, "templates are surveyed as configured, or as asked") {
  survey.steps = {{ClusterName("east"), {"ml", "one-gpu"}, {templates::Step::kCreate, "because"}}};
  survey.left_alone = {{ClusterName("west"), {"ml", "two"}, "spec.devices"}};
  survey.unread = {{ClusterName("lab"), "not reached"}};
  const ordered_json document = Document("templates?mode=Reconcile");
  CHECK(document.at("mode") == "Reconcile");
  CHECK(document.at("items").at(0).at("action") == "create");
  CHECK(document.at("leftAlone").at(0).at("name") == "two");
  CHECK(document.at("unreadWorkers").at(0).at("worker") == "lab");
  CHECK(Document("templates").at("mode") == "Never");
  CHECK_THAT(Get("templates?output=table").body, ContainsSubstring("ml/one-gpu  because"));
  CHECK(Refused("templates?mode=Always").first == 400);
  survey.problem = "the manager: connection refused";
  CHECK(Refused("templates") == std::pair(503, survey.problem));
}

TEST_CASE_METHOD(Fixture, "a type that the client does not take is 406") {
  CHECK(Get("status", {{"accept", "text/html"}}).status == 406);
  CHECK(Get("status?output=table", {{"accept", "application/json"}}).status == 406);
  CHECK(Get("status?output=table", {{"accept", "text/*"}}).status == 200);
}

TEST_CASE_METHOD(Fixture, "pages of other sites are refused before anything is read") {
  CHECK(Get("status", {{"host", "evil.example"}}).status == 421);
  CHECK(Get("status", {{"sec-fetch-site", "cross-site"}}).status == 403);
}

TEST_CASE_METHOD(Fixture, "ages are no news, and changes are") {
  const std::string tag = Header(Get("status"), "ETag");
  clock.Advance(std::chrono::seconds(3));
  CHECK(Get("status", {{"if-none-match", tag}}).status == 304);
  // The heartbeat alone changes nothing that a client wants to know.
  store->Enqueue(store::SetHeartbeat{report::Beat(std::chrono::seconds(0))});
  REQUIRE(store->Flush());
  CHECK(Get("status", {{"if-none-match", tag}}).status == 304);
  store->Enqueue(
      store::PutWorkload{report::Job("fresh", "Running", "gpu-east", std::chrono::seconds(1))});
  REQUIRE(store->Flush());
  CHECK(Get("status", {{"if-none-match", tag}}).status == 200);
  CHECK(Header(Get("jobs"), "ETag") != Header(Get("workers"), "ETag"));
}

TEST_CASE_METHOD(Fixture, "what a command says on standard error is a warning") {
  const httpd::Answer answer = Get("jobs?namespace=other&output=table");
  CHECK(answer.status == 200);
  CHECK(answer.body.empty());
  CHECK(Header(answer, "Warning") == "299 fedra \"No jobs found in namespace other.\"");
}

TEST_CASE("warnings fit the headers that a proxy takes, and say how many are left out") {
  const auto warnings = [](size_t workers, const std::string& problem, const std::string& form) {
    const api::Api api({.devices = [&] {
      std::vector<report::DeviceSource> away;
      for (size_t i = 0; i < workers; ++i)
        away.push_back({"worker-" + std::to_string(i), problem, nullptr});
      return away;
    }});
    const httpd::Answer answer = api.Answer({std::string(api::kPrefix) + "devices?output=" + form});
    CHECK(answer.status == 200);
    std::vector<std::string> texts;
    for (const auto& [name, value] : answer.headers)
      if (name == "Warning") texts.push_back(value);
    return texts;
  };
  for (const std::string form : {"json", "table"}) {
    INFO(form);
    const std::vector<std::string> some = warnings(1'000, "not reached", form);
    REQUIRE(some.size() == 16);
    CHECK(some[0] == "299 fedra \"worker-0: not reached\"");
    CHECK(some[14] == "299 fedra \"worker-14: not reached\"");
    // A table says besides that nothing is known at all.
    CHECK(some[15] ==
          (form == "json" ? "299 fedra \"and 985 more\"" : "299 fedra \"and 986 more\""));
  }
  CHECK(warnings(15, "not reached", "json").size() == 15);
  CHECK(warnings(16, "not reached", "json").back() == "299 fedra \"and 1 more\"");
  // Long ones are fewer, and never none.
  const std::vector<std::string> few = warnings(1'000, std::string(1'000, '"'), "json");
  REQUIRE(few.size() == 3);
  CHECK(few[2] == "299 fedra \"and 998 more\"");
  const std::vector<std::string> one = warnings(2, std::string(100'000, '"'), "json");
  REQUIRE(one.size() == 2);
  CHECK(one[0].size() < 4'200);
}

TEST_CASE_METHOD(Fixture, "a store that cannot be read is the server's fault") {
  const api::Api broken{{.store = []() -> Result<std::unique_ptr<store::Reader>> {
    return Fail(ErrorCode::kCorrupt, "the file is damaged");
  }}};
  const httpd::Answer answer = broken.Answer({std::string(api::kPrefix) + "status"});
  CHECK(answer.status == 500);
  CHECK_THAT(answer.body, ContainsSubstring("the file is damaged"));
}

}  // namespace fedra::api_test
