#include "tests/sim/program/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/sim/core.h"
#include "tests/sim/http/hostile.h"
#include "tests/sim/program/load.h"

namespace fedra::sim {
namespace {

using std::chrono::milliseconds;

ControlReply BadCommand(std::string why) { return {400, {{"error", std::move(why)}}}; }

// Faults that are on or off.
bool Faults::* Switch(std::string_view name) {
  const std::pair<std::string_view, bool Faults::*> switches[] = {
      {"hang", &Faults::hang},
      {"refuse", &Faults::refuse},
      {"reject-credentials", &Faults::reject_credentials},
      {"expired-certificate", &Faults::expired_certificate},
      {"foreign-ca", &Faults::foreign_ca},
      {"watch-too-old", &Faults::watch_too_old},
      {"expire-continue", &Faults::expire_continue},
      {"watch-garbage", &Faults::watch_garbage},
      {"lose-events", &Faults::lose_events},
  };
  for (const auto& [known, member] : switches) {
    if (known == name) return member;
  }
  return nullptr;
}

// Faults that replace answers.
bool ReadAnswer(std::string_view name, const Json& body, InjectedAnswer& answer) {
  using Kind = InjectedAnswer::Kind;
  const std::pair<std::string_view, Kind> kinds[] = {
      {"status", Kind::kStatus},          {"html", Kind::kHtml},
      {"truncate", Kind::kTruncatedJson}, {"cut", Kind::kCutConnection},
      {"hang-request", Kind::kHang},      {"delay", Kind::kLatency},
      {"hostile", Kind::kHostile},
  };
  for (const auto& [known, kind] : kinds) {
    if (known != name) continue;
    answer.kind = kind;
    answer.method = StringAt(body, {"method"});
    answer.path_contains = StringAt(body, {"path"});
    answer.times = static_cast<int>(IntAt(body, {"times"}, -1));
    answer.code = static_cast<int>(IntAt(body, {"code"}, 503));
    answer.retry_after_seconds = static_cast<int>(IntAt(body, {"retryAfter"}, -1));
    answer.delay = milliseconds(IntAt(body, {"ms"}, 0));
    answer.hostile = StringAt(body, {"answer"});
    const auto hostile = HostileAnswers();
    return kind != Kind::kHostile ||
           std::find(hostile.begin(), hostile.end(), answer.hostile) != hostile.end();
  }
  return false;
}

std::vector<std::string> OneOrAll(const Json& body, std::string_view field) {
  const std::string_view value = StringAt(body, {field});
  return {value.empty() ? "*" : std::string(value)};
}

}  // namespace

User FederationUser(std::vector<PolicyRule> deny) {
  User user = Administrator("fedra", "fedra-token");
  user.groups = {"system:authenticated"};
  user.deny = std::move(deny);
  return user;
}

Commands::Commands(Fleet& fleet, std::function<void()> shut_down)
    : fleet_(fleet), shut_down_(std::move(shut_down)) {}

ControlReply Commands::Handle(const std::string& method, const std::string& path,
                              const Json& body) {
  if (method == "GET" && path == "/stats") return Stats();
  if (method != "POST") return {404, {{"error", "no such command"}}};
  if (path == "/load") return Load(body);
  if (path == "/shutdown") {
    shut_down_();
    return {};
  }
  const std::string name(StringAt(body, {"cluster"}));
  Cluster* cluster = fleet_.Find(name);
  if (cluster == nullptr) return BadCommand(fmt::format("no cluster \"{}\"", name));
  if (path == "/faults") return SetFault(*cluster, name, body);
  if (path == "/actors" && StringAt(body, {"actor"}) == "kueue") return SteerKueue(*cluster, body);
  if (path == "/actors" && StringAt(body, {"actor"}) == "multikueue") {
    fleet_.SetMultiKueue(BoolAt(body, {"on"}));
    return {};
  }
  return {404, {{"error", "no such command"}}};
}

ControlReply Commands::SetFault(Cluster& cluster, const std::string& name, const Json& body) {
  const std::string_view fault = StringAt(body, {"fault"});
  Faults faults = cluster.server.faults();
  InjectedAnswer answer;
  if (fault == "none") {
    cluster.server.SetUser(FederationUser());
    forbidden_.With([&name](auto& forbidden) { forbidden.erase(name); });
    faults = {};
  } else if (fault == "reset") {
    cluster.server.DropConnections();
    return {};
  } else if (fault == "expire-history") {
    cluster.server.ExpireHistory();
    return {};
  } else if (fault == "forbid") {
    return Forbid(cluster, name, body);
  } else if (fault == "latency") {
    faults.latency = milliseconds(IntAt(body, {"ms"}));
  } else if (fault == "not-served") {
    faults.not_served.insert(std::string(StringAt(body, {"version"})));
  } else if (fault == "close-watch-after") {
    faults.close_watch_after = static_cast<size_t>(IntAt(body, {"events"}));
  } else if (auto member = Switch(fault)) {
    faults.*member = BoolAt(body, {"on"}, true);
  } else if (ReadAnswer(fault, body, answer)) {
    faults.answers.push_back(std::move(answer));
  } else {
    return BadCommand(fmt::format("no fault \"{}\"", fault));
  }
  cluster.server.SetFaults(std::move(faults));
  return {};
}

ControlReply Commands::Forbid(Cluster& cluster, const std::string& name, const Json& body) {
  PolicyRule rule;
  rule.verbs = OneOrAll(body, "verb");
  rule.groups = OneOrAll(body, "group");
  rule.resources = OneOrAll(body, "resource");
  rule.namespaces = OneOrAll(body, "namespace");
  auto rules = forbidden_.With([&](auto& forbidden) {
    auto& list = forbidden[name];
    list.push_back(rule);
    return list;
  });
  cluster.server.SetUser(FederationUser(std::move(rules)));
  return {};
}

ControlReply Commands::SteerKueue(Cluster& cluster, const Json& body) {
  if (const Json* evict = At(body, {"evict"})) {
    const ObjectKey key{std::string(StringAt(*evict, {"namespace"})),
                        std::string(StringAt(*evict, {"name"}))};
    const bool evicted = cluster.kueue.Evict(key, std::string(StringAt(*evict, {"reason"})),
                                             std::string(StringAt(*evict, {"message"})));
    if (!evicted) return {409, {{"error", key.ToString() + " has no quota"}}};
    return {};
  }
  KueueOptions options = cluster.kueue.options();
  options.admit = BoolAt(body, {"admit"}, options.admit);
  options.admission_latency =
      milliseconds(IntAt(body, {"admissionLatencyMs"}, options.admission_latency.count()));
  options.default_managed_by = BoolAt(body, {"defaultManagedBy"}, options.default_managed_by);
  options.identifier_annotations =
      BoolAt(body, {"identifierAnnotations"}, options.identifier_annotations);
  if (const Json* classes = At(body, {"deviceClasses"});
      classes != nullptr && classes->is_object()) {
    options.device_classes.clear();
    for (const auto& entry : classes->items()) {
      if (entry.value().is_string()) options.device_classes[entry.key()] = entry.value();
    }
  }
  cluster.kueue.SetOptions(std::move(options));
  return {};
}

ControlReply Commands::Load(const Json& body) {
  LoadRequest request;
  request.jobs = static_cast<size_t>(IntAt(body, {"jobs"}, 100));
  if (const auto prefix = StringAt(body, {"prefix"}); !prefix.empty()) request.prefix = prefix;
  if (const Json* name = At(body, {"template"}); name != nullptr && name->is_string()) {
    request.claim_template = name->get<std::string>();
  }
  request.run_for = StringAt(body, {"runFor"});
  request.rate = body.value("rate", 0.0);
  request.wait_finished = BoolAt(body, {"waitFinished"});
  request.timeout = std::chrono::seconds(IntAt(body, {"timeoutSeconds"}, 120));
  return {200, RunLoad(fleet_, request)};
}

ControlReply Commands::Stats() {
  Json clusters = Json::object();
  for (const std::string& name : fleet_.names()) {
    Cluster& cluster = *fleet_.Find(name);
    Json objects = Json::object();
    Core& core = cluster.server.core();
    const uint64_t version = core.store.With([&](const Store& store) {
      for (const ResourceType& type : core.registry.types()) {
        if (!store.All(type).empty()) objects[type.plural] = store.All(type).size();
      }
      return store.version();
    });
    clusters[name] = {{"requests", cluster.server.RequestCounts()},
                      {"objects", objects},
                      {"resourceVersion", version},
                      {"connections", cluster.server.ConnectionCount()},
                      {"watches", cluster.server.WatchCount()},
                      {"address", cluster.server.Address()}};
  }
  return {200, {{"clusters", clusters}}};
}

}  // namespace fedra::sim
