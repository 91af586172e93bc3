// Invariant 2 as a table: every combination of the marks on a copy and of what is known of us.

#include "manager/tracking/ownership.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace fedra::tracking::ownership_test {
namespace {

constexpr auto kForeign = Ownership::kForeign;
constexpr auto kOtherManager = Ownership::kOtherManager;
constexpr auto kOursEarlier = Ownership::kOursEarlier;
constexpr auto kOurs = Ownership::kOurs;

// By the UID on the copy: that of the manager's object, another one, none.
struct ByUid {
  Ownership same, other, absent;
};

struct Row {
  std::string made_by;  // on the copy
  std::string manager;  // ours
  ByUid exists;         // the manager has an object of that name
  ByUid gone;           // it has none; `same` is then the UID that it had
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      {"", "", {kOurs, kOursEarlier, kForeign}, {kOursEarlier, kOursEarlier, kForeign}},
      {"", "m1", {kOurs, kOursEarlier, kForeign}, {kOursEarlier, kOursEarlier, kForeign}},
      {"m1", "m1", {kOurs, kOursEarlier, kForeign}, {kOursEarlier, kOursEarlier, kForeign}},
      {"m2",
       "m1",
       {kOtherManager, kOtherManager, kForeign},
       {kOtherManager, kOtherManager, kForeign}},
      {"m1", "", {kOurs, kOtherManager, kForeign}, {kOtherManager, kOtherManager, kForeign}},
  };
  return rows;
}

TEST_CASE("whose an object on a worker is") {
  for (const Row& row : Rows()) {
    for (const bool exists : {true, false}) {
      const ByUid& expected = exists ? row.exists : row.gone;
      for (const auto& [uid, whose] :
           {std::pair{"u1", expected.same}, std::pair{"u2", expected.other},
            std::pair{"", expected.absent}}) {
        const Identity us{"fedra", row.manager};
        INFO("made by \"" << row.made_by << "\", we are \"" << row.manager << "\", UID \"" << uid
                          << "\", exists " << exists);
        CHECK(ToString(OwnershipOf({"fedra", row.made_by, uid, ""}, us, exists ? "u1" : "")) ==
              ToString(whose));
        // Without our origin nothing is ours, and two unconfigured origins are not the same one.
        for (const char* origin : {"", "another"})
          CHECK(OwnershipOf({origin, row.made_by, uid, ""}, us, exists ? "u1" : "") == kForeign);
        CHECK(OwnershipOf({"", row.made_by, uid, ""}, {"", row.manager}, "u1") == kForeign);
      }
    }
  }
}

TEST_CASE("of Kueue's copies the origin says all, while their workload lives") {
  const Identity kueue{"multikueue", "m1", Mode::kDispatcher};
  CHECK(OwnershipOf({"multikueue", "", "", ""}, kueue, "u1") == kOurs);
  CHECK(OwnershipOf({"multikueue", "", "", ""}, kueue, "") == kOursEarlier);
  CHECK(OwnershipOf({"fedra", "m1", "u1", ""}, kueue, "u1") == kForeign);
  CHECK(OwnershipOf({}, kueue, "u1") == kForeign);
  CHECK(OwnershipOf({}, {"", "m1", Mode::kDispatcher}, "u1") == kForeign);
}

// In kueue.mode multikueue; fedra's own copies are known by their marks as always.
TEST_CASE("a copy that Kueue's MultiKueue made is ours once we are in its place") {
  const Identity us{.origin = "multikueue", .manager = "m1", .mode = Mode::kMultiKueue};
  struct Case {
    CopyMarks marks;
    std::string uid, name;  // of the manager's Workload; empty: there is none
    Ownership whose;
  };
  const Case cases[] = {
      {{"multikueue", "", "", ""}, "u1", "job-train-1", kOurs},  // a clone
      {{"multikueue", "", "", ""}, "", "", kOursEarlier},
      {{"multikueue", "", "", "job-train-1"}, "u1", "job-train-1", kOurs},  // a job
      {{"multikueue", "", "", "job-train-0"}, "u1", "job-train-1", kOursEarlier},
      {{"multikueue", "", "", "job-train-0"}, "", "", kOursEarlier},
      {{"another", "", "", "job-train-1"}, "u1", "job-train-1", kForeign},
      {{"", "", "", "job-train-1"}, "u1", "job-train-1", kForeign},
      {{"fedra", "m1", "u1", "job-train-1"}, "u1", "job-train-1", kForeign},
      {{"multikueue", "m1", "u1", "job-train-1"}, "u1", "job-train-1", kOurs},
      {{"multikueue", "m1", "u0", "job-train-0"}, "u1", "job-train-1", kOursEarlier},
      {{"multikueue", "m2", "u1", "job-train-1"}, "u1", "job-train-1", kOtherManager},
      {{"multikueue", "m2", "", "job-train-1"}, "u1", "job-train-1", kForeign},
  };
  for (const Case& row : cases) {
    CAPTURE(row.marks.origin, row.marks.made_by, row.marks.source_uid, row.marks.workload, row.uid);
    CHECK(ToString(OwnershipOf(row.marks, us, row.uid, row.name)) == ToString(row.whose));
  }
  // In no other mode.
  CHECK(OwnershipOf({"multikueue", "", "", ""}, {"multikueue", "m1"}, "u1") == kForeign);
  CHECK(OwnershipOf({"", "", "", ""}, {.origin = "", .manager = "m1", .mode = Mode::kMultiKueue},
                    "u1") == kForeign);
}

// `fedra leave` deletes rights unless a manager that is not known to stay has jobs there.
TEST_CASE("a copy is of none of the managers that stay") {
  struct Case {
    std::string origin, made_by;
    std::vector<std::string> managers;
    bool is_of_none;
  };
  const Case cases[] = {
      {"fedra", "m1", {}, true},
      {"fedra", "m1", {"m2"}, true},
      {"fedra", "m1", {"m2", "m1"}, false},
      {"another", "m1", {"m1"}, false},
      {"fedra", "", {"m1"}, true},  // Kueue's, say
      {"fedra", "", {""}, true},
      {"", "m1", {}, false},  // no copy
      {"", "", {"m1"}, false},
  };
  for (const Case& row : cases) {
    CAPTURE(row.origin, row.made_by, row.managers);
    CHECK(IsCopyOfNoneOf(row.managers, {row.origin, row.made_by, "u1", ""}) == row.is_of_none);
  }
}

TEST_CASE("only what is ours may be changed") {
  CHECK(IsOurs(kOurs));
  CHECK(IsOurs(kOursEarlier));
  CHECK_FALSE(IsOurs(kOtherManager));
  CHECK_FALSE(IsOurs(kForeign));
}

TEST_CASE("marks are read from metadata; on templates they have their own names") {
  const auto metadata = nlohmann::json::parse(R"({
    "labels": {"kueue.x-k8s.io/multikueue-origin": "a", "fedra.dev/origin": "b"},
    "annotations": {"fedra.dev/manager-uid": "m", "fedra.dev/workload-uid": "w",
                    "fedra.dev/template-uid": "t"}})");
  CHECK(ReadCopyMarks(metadata) == CopyMarks{"a", "m", "w", ""});
  CHECK(ReadTemplateMarks(metadata) == CopyMarks{"b", "m", "t", ""});
  CHECK(ReadCopyMarks(nlohmann::json::object()) == CopyMarks{});
  CHECK(ReadCopyMarks({{"labels", 1}, {"annotations", nullptr}}) == CopyMarks{});
}

}  // namespace
}  // namespace fedra::tracking::ownership_test
