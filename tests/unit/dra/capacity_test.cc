// Consumable capacity and its arithmetic.

#include "dra/allocator/capacity.h"

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test::capacity_test {
namespace {

using dra::Fit;

// A device that can be shared, with one capacity "memory".
json Shared(const char* name, const char* size, const json& policy = nullptr) {
  json memory = {{"value", size}};
  if (!policy.is_null()) memory["requestPolicy"] = policy;
  return Device(name, json::object(),
                {{"allowMultipleAllocations", true}, {"capacity", {{"memory", memory}}}});
}

json Wants(const char* name, const char* memory, int count = 1) {
  return Request(name, count, {{"capacity", {{"requests", {{"memory", memory}}}}}});
}

json Share(const char* claim, const char* device, const char* memory) {
  json more = {{"shareID", std::string("share-") + claim}};
  if (memory) more["consumedCapacity"] = {{"memory", memory}};
  return Holding(claim, device, more);
}

TEST_CASE("a shared device serves many claims until its capacity is used up (N9)") {
  Case c;
  c.slices = {Slice("1", {Shared("a", "10Gi")})};
  c.claims = {Claim("c", {Wants("x", "4Gi")}), Claim("d", {Wants("x", "4Gi")})};
  CHECK(Solve(c).devices == Names({"a", "a"}));
  c.claims.push_back(Claim("e", {Wants("x", "4Gi")}));
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("not twice within one request, but by several requests") {
  Case c;
  c.slices = {Slice("1", {Shared("a", "10Gi")})};
  c.claims = {Claim("c", {Wants("x", "1Gi", 2)})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.claims = {Claim("c", {Wants("x", "1Gi"), Wants("y", "1Gi")})};
  CHECK(Solve(c).devices == Names({"a", "a"}));
}

TEST_CASE("a capacity that is not requested counts in full, or with its default") {
  Case c;
  c.slices = {Slice("1", {Shared("a", "10Gi")})};
  c.claims = {Claim("c", {Request("x")}), Claim("d", {Wants("x", "1Gi")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.slices = {Slice("1", {Shared("a", "10Gi", {{"default", "2Gi"}})})};
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("a share counts its capacity, without a share the device is taken, admin nothing") {
  Case c;
  c.slices = {Slice("1", {Shared("a", "10Gi")})};
  c.claims = {Claim("c", {Wants("x", "4Gi")})};
  c.allocated = {Share("used", "a", "6Gi")};
  CHECK(Solve(c).fit == Fit::kFit);
  c.allocated = {Share("used", "a", "7Gi")};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.allocated = {Share("used", "a", "3Gi"), Share("more", "a", "3Gi")};
  CHECK(Solve(c).fit == Fit::kFit);
  c.allocated = {Holding("whole", "a")};
  CHECK(Solve(c).fit == Fit::kNoFit);
  c.allocated = {Holding("admin", "a", {{"adminAccess", true}})};
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("without the feature a share takes the whole device") {
  Case c;
  c.features.consumable_capacity = false;
  c.slices = {Slice("1", {Shared("a", "10Gi")})};
  c.claims = {Claim("c", {Request("x")})};
  c.allocated = {Share("used", "a", "1Gi")};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a formerly shared device that became dedicated is blocked by its sums only") {
  Case c;
  c.slices = {
      Slice("1", {Device("a", json::object(), {{"capacity", {{"memory", {{"value", "10Gi"}}}}}})})};
  c.allocated = {Share("used", "a", "6Gi")};
  c.claims = {Claim("c", {Wants("x", "4Gi")})};
  CHECK(Solve(c).fit == Fit::kFit);
  c.claims = {Claim("c", {Request("x")})};
  CHECK(Solve(c).fit == Fit::kNoFit);
}

TEST_CASE("a negative request frees capacity up to 1.36 and is an error since") {
  Case c;
  c.slices = {Slice("1", {Shared("a", "10Gi")})};
  c.allocated = {Share("used", "a", "10Gi")};
  c.claims = {Claim("c", {Wants("x", "-4Gi"), Wants("y", "4Gi")})};
  CHECK(Solve(c).fit == Fit::kError);
  c.features.negative_capacity_fails = false;
  CHECK(Solve(c).fit == Fit::kFit);
}

TEST_CASE("a request that a range rounds up past 2^63 - 1 is an error from 1.37 on") {
  const json range = {{"default", "2"},
                      {"validRange", {{"min", "2"}, {"max", "4"}, {"step", "2"}}}};
  const char* const kLargest = "9223372036854775807";
  const char* const kBeyond = "18446744073709551616";
  Case c;
  const auto fit = [&](const json& policy, const char* requested, bool fails) {
    INFO(requested << " of " << policy.dump());
    c.features.capacity_overflow_fails = fails;
    c.slices = {Slice("1", {Shared("a", "4", policy), Shared("b", "36893488147419103232")})};
    c.claims = {Claim("c", {Wants("x", requested)})};
    return Solve(c).fit;
  };
  for (const char* requested : {kLargest, kBeyond}) {
    CHECK(fit(range, requested, true) == Fit::kError);
    CHECK(fit(range, requested, false) == Fit::kFit);  // of the other device
    const json no_steps = {{"default", "2"}, {"validRange", {{"min", "2"}, {"max", "4"}}}};
    CHECK(fit(no_steps, requested, true) == Fit::kFit);
    CHECK(fit(nullptr, requested, true) == Fit::kFit);
  }
  CHECK(fit(range, "9223372036854775806", true) == Fit::kFit);
  c.claims = {Claim("c", {Request("x", 0,
                                  {{"allocationMode", "All"},
                                   {"capacity", {{"requests", {{"memory", kBeyond}}}}}})})};
  CHECK(Solve(c).fit == Fit::kError);
}

struct Row {
  json policy;
  const char* requested;  // null: nothing
  const char* consumed;   // null: refused
};

TEST_CASE("request policies: rounding, limits, defaults") {
  const json range = {{"default", "2"},
                      {"validRange", {{"min", "2"}, {"max", "8"}, {"step", "2"}}}};
  const json open = {{"default", "2"}, {"validRange", {{"min", "2"}}}};
  const json values = {{"default", "4"}, {"validValues", {"1", "4", "16"}}};
  const std::vector<Row> rows = {
      {nullptr, nullptr, "100"},
      {nullptr, "7", "7"},
      {{{"default", "3"}}, nullptr, "3"},
      {{{"default", "3"}}, "5", "5"},
      {range, "1", "2"},
      {range, "2", "2"},
      {range, "3", "4"},
      {range, "8", "8"},
      {range, "9", nullptr},
      {range, nullptr, "2"},
      {range, "2500m", "4"},  // fractions are rounded up to whole units first
      {open, "1", "2"},
      {open, "2500m", "2500m"},
      {open, "99", "99"},
      {values, "1", "1"},
      {values, "2", "4"},
      {values, "16", "16"},
      {values, "17", nullptr},
      {values, nullptr, "4"},
      {values, "4000m", "4"},
  };
  for (const Row& row : rows) {
    INFO(row.policy.dump() << " requested " << (row.requested ? row.requested : "nothing"));
    Case c;
    c.features.fractional_ranges = false;
    c.slices = {Slice("1", {Shared("a", "100", row.policy)})};
    c.claims = {Claim("c", {row.requested ? Wants("x", row.requested) : Request("x")})};
    const Outcome out = Solve(c);
    REQUIRE((out.fit == Fit::kFit) == (row.consumed != nullptr));
    if (row.consumed == nullptr) continue;
    const dra::Amounts& consumed = out.allocation.devices[0].consumed;
    REQUIRE(consumed.size() == 1);
    CHECK(consumed[0].second == *Quantity::Parse(row.consumed));
  }
}

TEST_CASE("rounded amounts keep the notation of the request") {
  const json range = {{"default", "1Gi"}, {"validRange", {{"min", "1Gi"}, {"step", "1Gi"}}}};
  for (const bool fractional : {false, true}) {
    Case c;
    c.features.fractional_ranges = fractional;
    c.slices = {Slice("1", {Shared("a", "100Gi", range)})};
    c.claims = {Claim("c", {Wants("x", "1500Mi")})};
    CHECK(Solve(c).allocation.devices[0].consumed[0].second.ToString() == "2Gi");
  }
}

TEST_CASE("since 1.37 ranges are stepped in thousandths") {
  Case c;
  c.features.fractional_ranges = true;
  const json range = {{"default", "1"}, {"validRange", {{"min", "500m"}, {"step", "250m"}}}};
  c.slices = {Slice("1", {Shared("a", "100", range)})};
  c.claims = {Claim("c", {Wants("x", "600m")})};
  CHECK(Solve(c).allocation.devices[0].consumed[0].second == *Quantity::Parse("750m"));
}

TEST_CASE("absurd policies are survived") {
  Case c;
  const json zero_step = {{"default", "1"}, {"validRange", {{"min", "1"}, {"step", "0"}}}};
  const json no_min = {{"default", "1"},
                       {"validRange", {{"max", "9223372036854775807"}, {"step", "3"}}}};
  for (const json& policy : {zero_step, no_min}) {
    c.slices = {Slice("1", {Shared("a", "9223372036854775807", policy)})};
    for (const char* amount : {"1", "9223372036854775806", "9223372036854775807", "0", "500m"}) {
      c.claims = {Claim("c", {Wants("x", amount)})};
      CHECK(Solve(c).fit != Fit::kError);
    }
  }
}

}  // namespace
}  // namespace fedra::test::capacity_test
