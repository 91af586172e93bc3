#include <nlohmann/json.hpp>

#include "manager/leader/lease_record.h"
#include "tests/support/catch.h"

namespace fedra::leader::lease_record_test {

using nlohmann::json;

namespace {

const LeaseRecord kRecord{.holder = "fedra-0_1f",
                          .duration_seconds = 15,
                          .acquire_time = "2026-11-26T06:00:00.000000Z",
                          .renew_time = "2026-11-26T06:40:00.000000Z",
                          .transitions = 3};

TEST_CASE("a new Lease has what client-go writes, and is read back") {
  json made = json::parse(NewLease({"fedra-system", "fedra"}, kRecord));
  CHECK(made == json::parse(R"({
      "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
      "metadata": {"namespace": "fedra-system", "name": "fedra"},
      "spec": {"holderIdentity": "fedra-0_1f", "leaseDurationSeconds": 15,
               "acquireTime": "2026-11-26T06:00:00.000000Z",
               "renewTime": "2026-11-26T06:40:00.000000Z", "leaseTransitions": 3}})"));
  made["metadata"]["resourceVersion"] = "7";
  CHECK(ReadLease(made.dump()).value().record == kRecord);
}

TEST_CASE("an update keeps the version and all that is not ours") {
  const Lease lease = ReadLease(R"({"metadata": {"resourceVersion": "7", "annotations": {"a": "b"}},
                                    "spec": {"holderIdentity": "x", "preferredHolder": "y"}})")
                          .value();
  const json changed = json::parse(ChangedLease(lease, kRecord));
  CHECK(changed["metadata"] == json({{"resourceVersion", "7"}, {"annotations", {{"a", "b"}}}}));
  CHECK(changed["spec"]["preferredHolder"] == "y");
  CHECK(changed["spec"]["holderIdentity"] == "fedra-0_1f");
}

TEST_CASE("what a holder says of itself is read back, and goes with it") {
  const HolderNotes notes{.version = "0.1.0", .configuration = "dispatch=0f,kueue=1e"};
  json made = json::parse(NewLease({"fedra-system", "fedra"}, kRecord, notes));
  made["metadata"]["resourceVersion"] = "7";
  made["metadata"]["annotations"]["a"] = "b";
  const Lease lease = ReadLease(made.dump()).value();
  CHECK(lease.notes == notes);
  const json kept = json::parse(ChangedLease(lease, kRecord, {.version = "0.2.0"}));
  CHECK(kept["metadata"]["annotations"] == json({{"a", "b"}, {"fedra.dev/version", "0.2.0"}}));
  const json given_back = json::parse(ChangedLease(lease, {}));
  CHECK(given_back["metadata"]["annotations"] == json({{"a", "b"}}));
}

TEST_CASE("notes of another type, or longer than any of ours, are none") {
  const auto notes = [](const json& annotations) {
    const json lease{{"metadata", {{"resourceVersion", "7"}, {"annotations", annotations}}}};
    return ReadLease(lease.dump()).value().notes;
  };
  CHECK(notes(nullptr) == HolderNotes{});
  CHECK(notes({1}) == HolderNotes{});
  CHECK(notes({{kVersionAnnotation, 1}, {kConfigurationAnnotation, json::object()}}) ==
        HolderNotes{});
  CHECK(notes({{kConfigurationAnnotation, std::string(4'097, 'a')}}) == HolderNotes{});
  CHECK(notes({{kConfigurationAnnotation, "a=b"}}) == HolderNotes{.configuration = "a=b"});
}

TEST_CASE("members of another type count as absent, and what is no Lease is refused") {
  const auto record = [](const std::string& spec) {
    return ReadLease(R"({"metadata": {"resourceVersion": "7"}, "spec": )" + spec + "}")
        .value()
        .record;
  };
  CHECK(record("null") == LeaseRecord{});
  CHECK(record(R"([1])") == LeaseRecord{});
  CHECK(record(R"({"holderIdentity": 1, "leaseDurationSeconds": "15", "leaseTransitions": -1,
                   "renewTime": null})") == LeaseRecord{});
  CHECK(record(R"({"leaseDurationSeconds": 99999999999})") == LeaseRecord{});
  for (const char* text : {"", "[]", "{}", R"({"metadata": []})", R"({"metadata": {}})",
                           R"({"metadata": {"resourceVersion": 7}})"})
    CHECK(ReadLease(text).error().code == ErrorCode::kBadResponse);
}

}  // namespace

}  // namespace fedra::leader::lease_record_test
