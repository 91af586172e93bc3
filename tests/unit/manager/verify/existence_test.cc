// What is missing on a worker, and what merely cannot be known.

#include "manager/verify/existence.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "verdict/reason_text.h"

namespace fedra::verify::existence_test {

using verdict::Outcome;
using watch::CacheHealth;
using watch::CacheState;

namespace {

template <class T>
struct Filled {
  Cache<T> cache;
  explicit Filled(const typename Cache<T>::Parser& parser)
      : cache(parser, [](const auto&, const auto&, const auto&) {}, [](const auto&) {}) {}
  void Put(std::initializer_list<std::string> objects) {
    cache.Reset();
    for (const std::string& object : objects) REQUIRE(cache.Upsert(object).has_value());
    cache.Synced();
    SetState(CacheState::kSynced);
  }
  void SetState(CacheState state) {
    CacheHealth health;
    health.state = state;
    health.complete = state == CacheState::kSynced;
    cache.SetHealth(health);
  }
};

std::string Object(const std::string& ns, const std::string& name, const std::string& rest) {
  static int version = 0;  // a cache takes an object of a known version for unchanged
  return fmt::format(
      R"({{"metadata": {{"namespace": "{}", "name": "{}", "uid": "u", "resourceVersion": "{}"}}, {}}})",
      ns, name, ++version, rest);
}

const std::string kTemplate =
    R"("spec": {"spec": {"devices": {"requests": [{"name": "r", "firstAvailable": [
       {"name": "a", "deviceClassName": "big"}, {"name": "b", "deviceClassName": "small"}]}]}}})";
const std::string kActive = R"("status": {"conditions": [{"type": "Active", "status": "True"}]})";

// A worker on which everything that Needs() asks for is there.
struct Fixture {
  Filled<Namespace> namespaces{&ParseNamespace};
  Filled<LocalQueue> queues{&ParseLocalQueue};
  Filled<ClusterQueue> cluster_queues{&ParseClusterQueue};
  Filled<ClaimSummary> templates{&ParseTemplate};
  Filled<ClaimSummary> claims{&ParseClaim};
  Filled<ClassSummary> classes{&ParseClass};
  ConnectionState connection{.phase = ConnectionPhase::kConnected};
  watch::CacheHealth clones{.state = CacheState::kSynced, .complete = true};
  watch::CacheHealth jobs{.state = CacheState::kSynced, .complete = true};
  std::vector<Namesake> namesakes;
  std::vector<std::string> capabilities;
  ExistenceOptions options;

  Fixture() {
    namespaces.Put({Object("", "ml", R"("status": {"phase": "Active"})")});
    queues.Put({Object("ml", "gpu", kActive)});
    templates.Put({Object("ml", "one-gpu", kTemplate)});
    claims.Put({});
    classes.Put({Object("", "big", R"("spec": {})"), Object("", "small", R"("spec": {})")});
  }

  verdict::Verdict Verify(const tracking::Requirement& requirement) {
    const WorkerView view{.connection = connection,
                          .namespaces = namespaces.cache,
                          .queues = queues.cache,
                          .cluster_queues = cluster_queues.cache,
                          .templates = templates.cache,
                          .claims = claims.cache,
                          .classes = classes.cache,
                          .clones = clones,
                          .jobs = jobs,
                          .job_plural = "jobs",
                          .namesakes = namesakes,
                          .capabilities = capabilities,
                          .dra_versions = {"v1alpha3"}};
    return VerifyExistence(requirement, view, options);
  }
};

tracking::Requirement Needs() {
  return {.ns = "ml",
          .queue = "gpu",
          .kind = "Job.batch",
          .pod_sets = {{"main", 2, {{"g", "one-gpu", ""}}}}};
}

std::vector<std::string> Codes(const verdict::Verdict& verdict) {
  std::vector<std::string> codes;
  for (const verdict::Reason& reason : verdict.reasons)
    codes.emplace_back(verdict::ToString(reason.code));
  return codes;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("everything there is a Yes without reasons") {
  Fixture f;
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(verdict.outcome == Outcome::kYes);
  CHECK(verdict.reasons.empty());
  CHECK(verdict.pods_wanted == 0);  // devices were not judged
}

TEST_CASE("what is missing is named, all of it at once") {
  Fixture f;
  f.queues.Put({});
  f.classes.Put({Object("", "small", R"("spec": {})")});
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(verdict.outcome == Outcome::kNo);
  CHECK(Codes(verdict) == Names{"QueueMissing", "DeviceClassMissing"});
  CHECK(verdict::MessageOf(verdict.reasons[1]) ==
        "DeviceClass big, which ResourceClaimTemplate ml/one-gpu names, does not exist there");
}

TEST_CASE("a missing namespace says it all") {
  Fixture f;
  f.namespaces.Put({});
  f.templates.Put({});
  CHECK(Codes(f.Verify(Needs())) == Names{"NamespaceMissing"});
}

TEST_CASE("a missing template is not a missing class") {
  Fixture f;
  f.templates.Put({});
  CHECK(Codes(f.Verify(Needs())) == Names{"TemplateMissing"});
}

TEST_CASE("403 is Forbidden and Unknown, never missing") {
  Fixture f;
  f.templates.Put({});
  f.templates.SetState(CacheState::kForbidden);
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(verdict.outcome == Outcome::kUnknown);
  CHECK(Codes(verdict) == Names{"Forbidden"});
}

TEST_CASE("what is known to be there stays known while its watch fails") {
  Fixture f;
  f.templates.SetState(CacheState::kFailing);
  CHECK(f.Verify(Needs()).outcome == Outcome::kYes);
}

TEST_CASE("an API that is not served is a No for those who need it only") {
  Fixture f;
  f.templates.SetState(CacheState::kNotServed);
  CHECK(Codes(f.Verify(Needs())) == Names{"ApiVersionOld"});
  tracking::Requirement plain = Needs();
  plain.pod_sets[0].claims.clear();
  CHECK(f.Verify(plain).outcome == Outcome::kYes);
}

TEST_CASE("an inactive queue says why in Kueue's words") {
  Fixture f;
  f.queues.Put({Object("ml", "gpu", R"("status": {"conditions": [
    {"type": "Active", "status": "False", "message": "ClusterQueue is stopped"}]})")});
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(Codes(verdict) == Names{"QueueInactive"});
  CHECK_THAT(verdict::MessageOf(verdict.reasons[0]), ContainsSubstring("ClusterQueue is stopped"));
}

TEST_CASE("a queue that was stopped says so, and by whose name") {
  Fixture f;
  const std::string inactive =
      R"("status": {"conditions": [{"type": "Active", "status": "False"}]})";
  f.queues.Put({Object("ml", "gpu", R"("spec": {"stopPolicy": "Hold"}, )" + inactive)});
  verdict::Verdict verdict = f.Verify(Needs());
  CHECK(Codes(verdict) == Names{"QueueStopped"});
  CHECK(verdict::MessageOf(verdict.reasons[0]) == "LocalQueue ml/gpu is stopped (stopPolicy Hold)");
  f.queues.Put({Object("ml", "gpu", R"("spec": {"clusterQueue": "all"}, )" + inactive)});
  f.cluster_queues.Put({Object("", "all", R"("spec": {"stopPolicy": "HoldAndDrain"})")});
  verdict = f.Verify(Needs());
  CHECK(Codes(verdict) == Names{"QueueStopped"});
  CHECK(verdict::MessageOf(verdict.reasons[0]) ==
        "ClusterQueue all is being drained (stopPolicy HoldAndDrain)");
  // Inactive for another reason.
  f.cluster_queues.Put({Object("", "all", R"("spec": {"stopPolicy": "None"})")});
  CHECK(Codes(f.Verify(Needs())) == Names{"QueueInactive"});
}

TEST_CASE("a named claim must be there with its classes") {
  Fixture f;
  tracking::Requirement needs = Needs();
  needs.pod_sets[0].claims = {{"g", "", "shared"}};
  CHECK(Codes(f.Verify(needs)) == Names{"ClaimMissing"});
  f.claims.Put({Object(
      "ml", "shared",
      R"("spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "tpu"}}]}})")});
  CHECK(Codes(f.Verify(needs)) == Names{"DeviceClassMissing"});
}

TEST_CASE("a template that differs from the manager's is ignored, pointed out, or refused") {
  Fixture f;
  Filled<ClaimSummary> manager(&ParseTemplate);
  manager.Put({Object("ml", "one-gpu", R"("spec": {"spec": {}})")});
  f.options.manager_templates = &manager.cache;
  f.options.rules.drift = GENERATE(Drift::kIgnore, Drift::kWarn, Drift::kRequire);
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK((verdict.outcome == Outcome::kNo) == (f.options.rules.drift == Drift::kRequire));
  CHECK(verdict.reasons.empty() == (f.options.rules.drift == Drift::kIgnore));
}

TEST_CASE("a capability that no API shows must be declared") {
  Fixture f;
  f.templates.Put({Object("ml", "one-gpu",
                          R"("spec": {"spec": {"devices": {"config": [{"opaque": {
      "driver": "gpu.nvidia.com", "parameters": {"sharing": {"strategy": "MPS"}}}}]}}})")});
  CHECK(f.Verify(Needs()).outcome == Outcome::kYes);
  CHECK(Codes(f.Verify(Needs())) == Names{"CapabilityUndeclared"});
  f.options.rules.undeclared = Undeclared::kRequire;
  CHECK(f.Verify(Needs()).outcome == Outcome::kNo);
  f.capabilities = {"other", "gpu.nvidia.com/MPSSupport"};
  CHECK(f.Verify(Needs()).outcome == Outcome::kYes);
  CHECK(f.Verify(Needs()).reasons.empty());
}

TEST_CASE("capabilities in an annotation are a list with commas") {
  const auto claim = ParseTemplate(nlohmann::json::parse(
      R"({"metadata": {"name": "t", "annotations": {"fedra.dev/capabilities": " b, a,,c "}}})"));
  REQUIRE(claim);
  CHECK(claim->capabilities == Names{"a", "b", "c"});
}

TEST_CASE("drift says which fields differ, and the version they were read in does not count") {
  Fixture f;
  f.options.rules.drift = Drift::kWarn;
  Filled<ClaimSummary> manager(&ParseTemplate);
  f.options.manager_templates = &manager.cache;
  const auto spec = [](const std::string& request) {
    return fmt::format(
        R"("spec": {{"metadata": {{}}, "spec": {{"devices": {{"requests": [{}]}}}}}})", request);
  };
  f.templates.Put({Object("ml", "one-gpu", spec(R"({"name": "g", "deviceClassName": "big"})"))});
  manager.Put(
      {Object("ml", "one-gpu",
              spec(R"({"name": "g", "exactly": {"deviceClassName": "big", "count": 1}})"))});
  CHECK(f.Verify(Needs()).reasons.empty());
  manager.Put(
      {Object("ml", "one-gpu",
              spec(R"({"name": "g", "exactly": {"deviceClassName": "big", "count": 2}})"))});
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(Codes(verdict) == Names{"TemplateDrift"});
  CHECK(verdict::MessageOf(verdict.reasons[0]) ==
        "ResourceClaimTemplate ml/one-gpu differs from the manager's: "
        "spec.spec.devices.requests[0].exactly.count: 1 there, 2 on the manager");
}

namespace {

// A worker without the template, which the manager has.
struct CopyFixture : Fixture {
  Filled<ClaimSummary> manager{&ParseTemplate};

  CopyFixture() {
    templates.Put({});
    manager.Put({Object("ml", "one-gpu", kTemplate)});
    options.manager_templates = &manager.cache;
    options.rules.copies_templates = true;
  }
};

}  // namespace

TEST_CASE("a template that is copied with the job counts as if it were there, with a note") {
  CopyFixture f;
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(verdict.outcome == Outcome::kYes);
  CHECK(Codes(verdict) == Names{"TemplateMissing"});
  CHECK(verdict::MessageOf(verdict.reasons[0]) ==
        "ResourceClaimTemplate ml/one-gpu does not exist there; the manager's is copied there "
        "together with the job");
  const TemplatesToCome to_come = CopiesToCome(f.options);
  REQUIRE(to_come({"ml", "one-gpu"}) != nullptr);
  CHECK(to_come({"ml", "one-gpu"})->key == ObjectKey{"ml", "one-gpu"});
  CHECK(to_come({"ml", "other"}) == nullptr);
  f.options.rules.copies_templates = false;
  CHECK(f.Verify(Needs()).outcome == Outcome::kNo);
  CHECK_FALSE(CopiesToCome(f.options));
}

TEST_CASE("a copy needs its classes there, and the refusal comes before the note") {
  CopyFixture f;
  f.classes.Put({Object("", "small", R"("spec": {})")});
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(verdict.outcome == Outcome::kNo);
  CHECK(Codes(verdict) == Names{"DeviceClassMissing", "TemplateMissing"});
}

TEST_CASE(
    "without an original there is nothing to copy, and the reason says whether that is known") {
  CopyFixture f;
  f.manager.Put({});
  CHECK(f.Verify(Needs()).outcome == Outcome::kNo);
  CHECK(verdict::MessageOf(f.Verify(Needs()).reasons[0]) ==
        "ResourceClaimTemplate ml/one-gpu does not exist there, nor on the manager");
  f.manager.SetState(CacheState::kForbidden);
  CHECK(verdict::MessageOf(f.Verify(Needs()).reasons[0]) ==
        "ResourceClaimTemplate ml/one-gpu does not exist there, and the manager's are not known: "
        "not allowed to list or watch resourceclaimtemplates.resource.k8s.io (403)");
}

TEST_CASE("a refused copy is a No with the worker's reason") {
  CopyFixture f;
  f.options.refused_copies["one-gpu"] = {verdict::ReasonCode::kForbidden, "",
                                         verdict::Sentence{"may not be copied"}};
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(verdict.outcome == Outcome::kNo);
  CHECK(Codes(verdict) == Names{"Forbidden"});
  CHECK(verdict::MessageOf(verdict.reasons[0]) == "may not be copied");
}

TEST_CASE("a worker whose templates are not known gets no copy") {
  CopyFixture f;
  f.templates.SetState(CacheState::kForbidden);
  CHECK(f.Verify(Needs()).outcome == Outcome::kUnknown);
  CHECK(Codes(f.Verify(Needs())) == Names{"Forbidden"});
}

TEST_CASE("an object of the same name is a conflict unless it is ours") {
  Fixture f;
  using tracking::Ownership;
  for (const Ownership whose : {Ownership::kOurs, Ownership::kOursEarlier}) {
    f.namesakes = {{"Job ml/train", whose}, {"Workload ml/job-train", whose}};
    CHECK(f.Verify(Needs()).outcome == Outcome::kYes);
  }
  f.namesakes = {{"Job ml/train", Ownership::kForeign},
                 {"Workload ml/job-train", Ownership::kOtherManager}};
  const verdict::Verdict verdict = f.Verify(Needs());
  REQUIRE(Codes(verdict) == Names{"NameConflict", "NameConflict"});
  CHECK(verdict::MessageOf(verdict.reasons[0]) == "a Job ml/train that is not ours exists there");
  CHECK(verdict::MessageOf(verdict.reasons[1]) ==
        "a Workload ml/job-train that another manager's fedra made exists there");
}

TEST_CASE("without Kueue nothing else counts; without the kind, or the right to read, it does") {
  Fixture f;
  f.clones.state = CacheState::kNotServed;
  f.queues.SetState(CacheState::kNotServed);
  CHECK(f.Verify(Needs()).outcome == Outcome::kNo);
  CHECK(Codes(f.Verify(Needs())) == Names{"ApiMissing"});
  f.clones.state = CacheState::kForbidden;
  f.queues.SetState(CacheState::kSynced);
  CHECK(f.Verify(Needs()).outcome == Outcome::kUnknown);
  CHECK(Codes(f.Verify(Needs())) == Names{"Forbidden"});
  f.clones.state = CacheState::kSynced;
  f.jobs.state = CacheState::kNotServed;
  CHECK(Codes(f.Verify(Needs())) == Names{"KindMissing"});
  f.jobs.state = CacheState::kForbidden;
  CHECK(f.Verify(Needs()).outcome == Outcome::kUnknown);
}

TEST_CASE("without a connection the answer is Unknown, with the connection's own reason") {
  Fixture f;
  f.connection = {
      .phase = ConnectionPhase::kRejected,
      .why = Error{ErrorCode::kTlsUntrusted, "unable to get local issuer certificate", {}, {}}};
  CHECK(Codes(f.Verify(Needs())) == Names{"CertificateUntrusted"});
  f.connection.why->code = ErrorCode::kUnauthorized;
  CHECK(Codes(f.Verify(Needs())) == Names{"CredentialsRejected"});
  f.connection.phase = ConnectionPhase::kUnreachable;
  const verdict::Verdict verdict = f.Verify(Needs());
  CHECK(verdict.outcome == Outcome::kUnknown);
  CHECK(Codes(verdict) == Names{"ClusterUnreachable"});
}

TEST_CASE("admin access needs the namespace's label, for claims that are still to be made (E10)") {
  const auto admin = [](const std::string& field) {
    return R"("spec": {"spec": {"devices": {"requests": [{"name": "r", )" + field + "}]}}}";
  };
  const std::string v1 = R"("exactly": {"deviceClassName": "big", "adminAccess": true})";
  struct Row {
    const char* why;
    std::string request;
    const char* label;  // its value; empty: none
    Outcome outcome;
  };
  const std::vector<Row> rows = {
      {"labelled", v1, "true", Outcome::kYes},
      {"not labelled", v1, "", Outcome::kNo},
      {"another value", v1, "True", Outcome::kNo},
      {"flat, as v1beta1 has it", R"("deviceClassName": "big", "adminAccess": true)", "",
       Outcome::kNo},
      {"no admin access", R"("exactly": {"deviceClassName": "big", "adminAccess": false})", "",
       Outcome::kYes},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    Fixture f;
    std::string ns = Object("", "ml", R"("status": {"phase": "Active"})");
    if (*row.label != 0) {
      auto object = nlohmann::json::parse(ns);
      object["metadata"]["labels"]["resource.kubernetes.io/admin-access"] = row.label;
      ns = object.dump();
    }
    f.namespaces.Put({ns});
    f.templates.Put({Object("ml", "one-gpu", admin(row.request))});
    const verdict::Verdict verdict = f.Verify(Needs());
    CHECK(verdict.outcome == row.outcome);
    // A copy of the manager's would be refused as well.
    Filled<ClaimSummary> manager{&ParseTemplate};
    manager.Put({Object("ml", "one-gpu", admin(row.request))});
    f.templates.Put({});
    f.options.rules.copies_templates = true;
    f.options.manager_templates = &manager.cache;
    CHECK(f.Verify(Needs()).outcome == row.outcome);
    if (row.outcome == Outcome::kYes) continue;
    CHECK(Codes(verdict) == Names{"DependencyMissing"});
    CHECK(verdict.reasons[0].object == "Namespace ml");
    CHECK(verdict::MessageOf(verdict.reasons[0]) ==
          "ResourceClaimTemplate ml/one-gpu asks for admin access, and the namespace lacks the "
          "label resource.kubernetes.io/admin-access=true there");
  }
}

TEST_CASE("a named claim with admin access needs the label until it is allocated (E10)") {
  Fixture f;
  const std::string spec =
      R"("spec": {"devices": {"requests": [{"name": "r",
          "exactly": {"deviceClassName": "big", "adminAccess": true}}]}})";
  tracking::Requirement needs = Needs();
  needs.pod_sets[0].claims = {{"g", "", "admin"}};
  f.claims.Put({Object("ml", "admin", spec)});
  CHECK(Codes(f.Verify(needs)) == Names{"DependencyMissing"});
  f.claims.Put({Object("ml", "admin", spec + R"(, "status": {"allocation": {"devices": {}}})")});
  CHECK(f.Verify(needs).outcome == Outcome::kYes);
}

}  // namespace fedra::verify::existence_test
