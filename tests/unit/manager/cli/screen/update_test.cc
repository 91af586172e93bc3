#include "manager/cli/screen/update.h"

#include <set>

#include "base/utf8.h"
#include "manager/cli/screen/bindings.h"
#include "manager/report/job_columns.h"
#include "manager/text/display_text.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/cli/screen/player.h"

namespace fedra::cli::screen::update_test {
namespace {

// The view in a few words: what, of whom, of which group.
std::string Where(const Player& player) {
  static const char* const names[] = {"groups", "jobs",    "workers", "worker", "job",
                                      "why",    "history", "devices", "help"};
  const Question& question = Seen(player.model).question;
  std::string where = names[static_cast<size_t>(question.what)];
  const std::string by(question.group_by ? report::ToString(*question.group_by) : "");
  for (const std::string& part : {question.subject, by, question.group})
    if (!part.empty()) where += " " + part;
  return where;
}

// Many jobs, more than any screen has lines.
report::FleetRows ManyJobs(size_t count) {
  report::FleetRows data = report::FleetStatus();
  data.workloads.clear();
  data.verdicts.clear();
  for (size_t i = 0; i < count; ++i)
    data.workloads.push_back(
        report::Job(fmt::format("many-{:03}", i), "Waiting", "", std::chrono::hours(1)));
  return data;
}

std::string Many(size_t number) { return fmt::format("uid-many-{:03}", number); }

}  // namespace

TEST_CASE("each key in each view") {
  struct Row {
    const char* keys;   // from the groups by state on
    const char* where;  // they lead
    const char* selected = "";
  };
  const Row rows[] = {
      // Groups. Esc has nowhere to go; what is about a job or a worker does nothing.
      {"", "groups state", "Running"},
      {"j", "groups state", "Blocked"},
      {"jk", "groups state", "Running"},
      {"k", "groups state", "Running"},
      {"<Down><Down><Up>", "groups state", "Blocked"},
      {"G", "groups state", "Finished"},
      {"<End><Home>", "groups state", "Running"},
      {"Gg", "groups state", "Running"},
      {" ", "groups state", "Finished"},
      {"<PgDn>b", "groups state", "Running"},
      {"<PgDn><PgUp>", "groups state", "Running"},
      {"<Esc>", "groups state", "Running"},
      {"<Left>", "groups state", "Running"},
      {"w", "groups state", "Running"},
      {"h", "groups state", "Running"},
      {"d", "groups state", "Running"},
      {"s", "groups state", "Running"},
      {"x", "groups state", "Running"},
      {"<Tab>", "groups reason", "ClusterUnreachable"},
      {"<Tab><Tab>", "groups worker", "gpu-east"},
      {"<Tab><Tab><Tab><Tab><Tab>", "groups state", "Running"},
      {"j<Enter>", "jobs state Blocked", "uid-sweep-3"},
      {"j<Right>", "jobs state Blocked", "uid-sweep-3"},
      {"j<Enter><Esc>", "groups state", "Blocked"},
      {"j<Enter><Back>", "groups state", "Blocked"},
      // Jobs.
      {"2", "jobs", "uid-sweep-3"},
      {"2jj", "jobs", "uid-train-1b"},
      {"2<Enter>", "why ml/sweep-3"},
      {"2w", "why ml/sweep-3"},
      {"2h", "history ml/sweep-3"},
      {"2i", "job ml/sweep-3"},
      {"2d", "jobs", "uid-sweep-3"},  // it is on no worker
      {"2jd", "devices gpu-west"},
      {"2s", "jobs", "uid-sweep-3"},
      {"2m", "jobs", "uid-sweep-3"},
      {"2a", "jobs", "uid-sweep-3"},
      {"2<Tab>", "jobs", "uid-sweep-3"},
      // One job: its pages are beside each other, and "back" leads to the list.
      {"2jwh", "history ml/new"},
      {"2jwhi", "job ml/new"},
      {"2jwd", "devices gpu-west"},
      {"2jwdh", "history ml/new"},
      {"2jwhid<Esc>", "jobs", "uid-new"},
      {"2w<Enter>", "why ml/sweep-3"},
      // Workers.
      {"3", "workers", "gpu-east"},
      {"3j<Enter>", "jobs worker gpu-west", "uid-new"},
      {"3w", "worker gpu-east"},
      {"3wd", "devices gpu-east"},
      {"3d", "devices gpu-east"},
      {"3dw", "worker gpu-east"},
      {"3h", "jobs worker gpu-east", "uid-done"},
      {"3wd<Esc>", "workers", "gpu-east"},
      // Help, and back.
      {"?", "help"},
      {"??", "groups state", "Running"},
      {"?<Esc>", "groups state", "Running"},
      {"2?q", "help"},  // ends
      // Commands.
      {":jobs<Enter>", "jobs", "uid-sweep-3"},
      {":workloads<Enter>", "jobs", "uid-sweep-3"},
      {":clusters<Enter>", "workers", "gpu-east"},
      {":groups<Enter>", "groups state", "Running"},
      {":groups queue<Enter>", "groups queue", "ml/gpu"},
      {":namespace<Enter>", "groups namespace", "ml"},
      {":  why   ml/new <Enter>", "why ml/new"},
      {":history ml/new<Enter>", "history ml/new"},
      {":devices tpu-lab<Enter>", "devices tpu-lab"},
      {":worker tpu-lab<Enter>", "worker tpu-lab"},
      {"2:why<Enter>", "why ml/sweep-3"},
      {":help<Enter>", "help"},
      {":nonsense<Enter>", "groups state", "Running"},
      {":groups nonsense<Enter>", "groups state", "Running"},
      {":jobs<Esc>", "groups state", "Running"},
      {":jobz<Back>s<Enter>", "jobs", "uid-sweep-3"},
      {":rubbish<Erase>jobs<Enter>", "jobs", "uid-sweep-3"},
      {":<Enter>", "groups state", "Running"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.keys);
    Player player;
    player.Press(row.keys);
    CHECK(Where(player) == row.where);
    CHECK(player.Selected() == row.selected);
  }
}

TEST_CASE("every key of the table does something somewhere") {
  std::set<const Binding*> used;
  for (const char* const way : {"", "2", "3", "2w", "3w", "2jd"}) {
    Player player;
    player.Press(way);
    for (const Binding& binding : Bindings())
      for (const Key& key : binding.keys)
        if (FindBinding(key, Seen(player.model)) == &binding) used.insert(&binding);
  }
  for (const Binding& binding : Bindings()) {
    CAPTURE(binding.shown, binding.meaning);
    CHECK(used.contains(&binding));
  }
}

TEST_CASE("q and :q end it, but not while something is typed") {
  CHECK(Player().Press("q").model.ends);
  CHECK(Player().Press(":q<Enter>").model.ends);
  CHECK(Player().Press("2w?q").model.ends);
  CHECK(!Player().Press("/q").model.ends);
  CHECK(!Player().Press(":q").model.ends);
}

TEST_CASE("a filter leaves rows that have it somewhere, with each character") {
  struct Row {
    const char* keys;
    const char* selected;
    const char* filter;
  };
  const Row rows[] = {
      {"2/TRAIN", "uid-train-1b", "TRAIN"},
      {"2/gpu-east", "uid-train-7b", "gpu-east"},
      {"2/clusterunreach", "uid-sweep-3", "clusterunreach"},  // in the note
      {"2/train<Enter>j", "uid-train-7b", "train"},
      {"2/trainx<Back><Enter>j", "uid-train-7b", "train"},
      {"2/train<Enter>j<Esc>", "uid-train-7b", ""},  // the row stays selected
      {"2/train<Esc>", "uid-train-1b", ""},
      {"2/x<Erase>", "uid-sweep-3", ""},
      {"2/zzz<Enter>w", "uid-sweep-3", "zzz"},            // there is no row to open
      {"2/train<Enter>w<Esc>", "uid-train-1b", "train"},  // back at the filtered list
  };
  for (const Row& row : rows) {
    CAPTURE(row.keys);
    Player player;
    player.Press(row.keys);
    CHECK(player.Selected() == row.selected);
    CHECK(Seen(player.model).filter == row.filter);
    CHECK(Seen(player.model).question.what == What::kJobs);
  }
  Player page;
  page.Press("2w/gpu-west");
  CHECK_THAT(page.Screen(), ContainsSubstring("gpu-west") && !ContainsSubstring("gpu-east"));
}

TEST_CASE("Enter behind a filter looks for the name where not all jobs are listed") {
  Player player({80, 24}, What::kJobs);
  player.data = ManyJobs(kPage + 500);
  player.Answered();
  player.Press("/1499");
  CHECK_THAT(player.Screen(), ContainsSubstring("nothing matches the filter"));  // it is not listed
  player.Press("<Enter>");
  CHECK(Wanted(player.model)->name == "1499");
  CHECK(player.Selected() == "uid-many-1499");
  CHECK_THAT(player.Screen(), ContainsSubstring("jobs, named *1499*  [1]"));
  player.Press("<Esc>");
  CHECK(Wanted(player.model)->name.empty());
  CHECK_THAT(player.Screen(), ContainsSubstring("[1000, 500 more: m]"));
  player.Press("/nobody<Enter>");
  CHECK_THAT(player.Screen(), ContainsSubstring("no job has that in its name (Esc drops it)"));
  // Within what was found a filter is one of the rows.
  player.Press("<Esc>/13<Enter>/1399<Enter>");
  CHECK(Wanted(player.model)->name == "13");
  CHECK(player.Selected() == "uid-many-1399");
}

TEST_CASE("the selected row is followed, and what takes its place when it goes is selected") {
  Player player({80, 24}, What::kJobs);
  player.Press("jj");
  REQUIRE(player.Selected() == "uid-train-1b");
  // Another one comes before it.
  player.data.workloads.push_back(report::Job("early", "Blocked", "", std::chrono::hours(9)));
  player.Answered();
  CHECK(player.Selected() == "uid-train-1b");
  CHECK(Seen(player.model).index == 3);
  // It goes: the row in its place.
  std::erase_if(player.data.workloads, [](const auto& row) { return row.uid == "uid-train-1b"; });
  player.Answered();
  CHECK(player.Selected() == "uid-train-7b");
  // The last one goes: the one before.
  player.Press("G");
  REQUIRE(player.Selected() == "uid-done");
  std::erase_if(player.data.workloads, [](const auto& row) { return row.uid == "uid-done"; });
  player.Answered();
  CHECK(player.Selected() == "uid-train-7b");
  // All go, and one comes.
  const auto rows = std::exchange(player.data.workloads, {});
  player.Answered();
  CHECK_THAT(player.Screen(), ContainsSubstring("none"));
  player.Press("jkGg<Enter>");
  CHECK(Where(player) == "jobs");
  player.data.workloads = {rows.front()};
  player.Answered();
  CHECK(player.Selected() == rows.front().uid);
}

TEST_CASE("an answer to what is not asked any more changes nothing") {
  Player player;
  const Question old = Wanted(player.model).value();
  player.answers = false;
  player.Press("2");
  player.Happen(Answer{old, player.model.now, std::make_shared<const Document>()});
  CHECK(Seen(player.model).document == nullptr);
  CHECK_THAT(player.Screen(), ContainsSubstring("asking ..."));
  player.Press(":why ml/new<Enter><Esc>");
  player.Answered();
  CHECK(player.Selected() == "uid-sweep-3");
}

TEST_CASE("what was known stays when there is no answer, with why and how old it is") {
  Player player({80, 24}, What::kJobs);
  player.Failed("the daemon at /run/fedra.sock: connection refused");
  player.Happen(report::kNow + std::chrono::seconds(100));
  CHECK_THAT(player.Screen(),
             ContainsSubstring("as of 102s ago") &&
                 ContainsSubstring("PROBLEM  the daemon at /run/fedra.sock: connection refused") &&
                 ContainsSubstring("> ml/sweep-3"));
  player.Answered();
  CHECK_THAT(player.Screen(), !ContainsSubstring("PROBLEM"));
}

TEST_CASE("why there is no answer is one: nothing says beside it that there is none yet") {
  Player player;
  player.answers = false;
  player.Press("2");
  CHECK_THAT(player.Screen(), ContainsSubstring("no answer yet"));
  player.Failed("you may not list them");
  CHECK_THAT(player.Screen(),
             ContainsSubstring("you may not list them") && !ContainsSubstring("no answer yet"));
}

TEST_CASE("the selection stays on a screen of whatever size") {
  Player player({80, 24}, What::kJobs);
  player.data = ManyJobs(100);
  player.Answered();
  const auto sees = [&](const std::string& name) {
    return player.Screen().find("> ml/" + name) != std::string::npos;
  };
  player.Press("G");
  CHECK(player.Selected() == Many(99));
  CHECK(sees("many-099"));
  player.Press("k<PgUp>");
  CHECK(player.Selected() == Many(77));  // 21 rows fit
  CHECK(sees("many-077"));
  for (const Size size : {Size{80, 5}, Size{20, 1}, Size{1, 1}, Size{300, 100}, Size{40, 12}}) {
    CAPTURE(size.width, size.height);
    player.Happen(size);
    CHECK(player.Selected() == Many(77));
    const View& view = Seen(player.model);
    CHECK(view.top <= view.index);
    const Frame frame = Render(player.model);
    CHECK(frame.size() == size.height);
    for (const Line& line : frame) CHECK(text::DisplayWidth(TextOf(line)) <= size.width);
  }
  CHECK(sees("many-077"));
}

TEST_CASE("a text is asked for again in the screen's width") {
  Player player;
  player.Press("2w");
  CHECK(Wanted(player.model)->columns == 80);
  player.Happen(Size{40, 12});
  CHECK(Wanted(player.model)->columns == 40);
  player.Press("<Esc>");
  CHECK(Wanted(player.model)->columns == 0);
}

TEST_CASE("more jobs, other orders, and those that ended long ago are asked for") {
  Player player({80, 24}, What::kJobs);
  player.data = ManyJobs(kPage + 5);
  player.Answered();
  CHECK_THAT(player.Screen(), ContainsSubstring("[1000, 5 more: m]"));
  player.Press("m");
  CHECK(Wanted(player.model)->limit == 2 * kPage);
  CHECK_THAT(player.Screen(), ContainsSubstring("[1005]"));
  player.Press("m");
  CHECK_THAT(player.Screen(), ContainsSubstring("all jobs are here"));
  player.Press("s");
  CHECK(Wanted(player.model)->sort_by == store::JobOrder::kLine);
  player.Press("a");
  CHECK(Wanted(player.model)->all);
  player.Press("a");
  CHECK(!Wanted(player.model)->all);
}

TEST_CASE("help asks nobody, and what it hides is asked again behind it") {
  Player player;
  player.Press("?");
  CHECK(!Wanted(player.model));
  player.Press("?");
  CHECK(Wanted(player.model)->what == What::kGroups);
}

TEST_CASE("only ctrl-l asks for the whole screen again, once") {
  Player player;
  player.answers = false;
  CHECK(player.Press("<Redraw>").model.redraw);
  CHECK(!player.Happen(report::kNow).model.redraw);
  CHECK(!player.Press("j").model.redraw);
}

TEST_CASE("what is typed is bounded") {
  Player player;
  player.answers = false;
  player.Press("/");
  for (int i = 0; i < 2'000; ++i) player.Happen(KeyOf("\xc3\xbc"));
  CHECK(player.model.input.size() <= 514);
  player.Press("<Back>");
  CHECK(IsUtf8(player.model.input));
}

}  // namespace fedra::cli::screen::update_test
