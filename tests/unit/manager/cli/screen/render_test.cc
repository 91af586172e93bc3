// Frames at three sizes, as they stand on a terminal. Runs of empty lines are folded.

#include "manager/cli/screen/render.h"

#include <chrono>
#include <span>

#include "manager/text/display_text.h"
#include "tests/support/catch.h"
#include "tests/unit/manager/cli/screen/player.h"

namespace fedra::cli::screen::render_test {
namespace {

struct Golden {
  const char* keys;  // from the groups by state on
  const char* frame;
};

void CheckFrames(Size size, std::span<const Golden> goldens) {
  for (const Golden& golden : goldens) {
    CAPTURE(size.width, size.height, golden.keys);
    CHECK(Player(size).Press(golden.keys).Folded() == golden.frame);
  }
}

}  // namespace

TEST_CASE("frames of 80 x 24") {
  const Golden goldens[] = {
      {"", R"( fedra  jobs by state  [4]                                         as of 2s ago
  STATE        JOBS  LONGEST  JOB
> Running      2     3h       ml/train-1b
  Blocked      1     4m       ml/sweep-3
  Dispatching  1     9s       ml/new
  Finished     1     30h      ml/done
~ 17 empty lines
Enter open  Tab group  / filter  ? help  q quit
)"},
      {"<Tab>", R"( fedra  jobs by reason  [2]                                        as of 2s ago
  REASON              JOBS  LONGEST  JOB         REMEDY
> ClusterUnreachable  1     4m       ml/sweep-3  See `fedra status workers` f...
  TemplateMissing     1     4m       ml/sweep-3  Create the template in the j...
~ 19 empty lines
Enter open  Tab group  / filter  ? help  q quit
)"},
      {"2", R"( fedra  jobs  [5]                                                  as of 2s ago
  JOB          STATE        WORKER    AGE   NOTE
> ml/sweep-3   Blocked      -         4m    no worker eligible: TemplateMissi...
  ml/new       Dispatching  gpu-west  9s    dispatched to gpu-west, waiting f...
  ml/train-1b  Running      tpu-lab   3h
  ml/train-7b  Running      gpu-east  120m
  ml/done      Finished     gpu-east  30h
~ 16 empty lines
Enter open  w why  h history  d devices  / filter  ? help  q quit
)"},
      {"2<Enter>",
       R"( fedra  why ml/sweep-3                                              read 0s ago
ml/sweep-3 is blocked (for 4m; as of 2s ago)
WORKER    VERDICT
gpu-east  No       TemplateMissing: ResourceClaimTemplate ml/one-gpu does not...
gpu-west  No       TemplateMissing: ResourceClaimTemplate ml/one-gpu does not...
~ 18 empty lines
w why  h history  d devices  Esc back  / filter  ? help  q quit
)"},
      {"3", R"( fedra  workers  [3]                                               as of 2s ago
  NAME      STATE        SINCE  QUEUES  QUOTA  DEVICES  JOBS  NOTE
> gpu-east  Connected    3d4h   2       75%    3/8      1
  gpu-west  Connected    3d4h   -       -      -        1
  tpu-lab   Unreachable  4m10s  -       -      -        1     connection refused
~ 18 empty lines
Enter open  w why  h history  d devices  / filter  ? help  q quit
)"},
      {"3w", R"( fedra  worker gpu-east                                            as of 2s ago
state  Connected for 3d4h
seen   1s ago
k8s    1.36.3
DRA    v1
jobs   1
queues 2 of 2 admit jobs
quota  6 of 8 example.com/gpu in gpu, flavor f
device 3 of 8 in use
~ 14 empty lines
w why  h history  d devices  Esc back  / filter  ? help  q quit
)"},
      {"?", R"( fedra  keys
j Down      the next row, or line
k Up        the row, or line, before
Space PgDn  a screen down (ctrl-f)
b PgUp      a screen up (ctrl-b)
g Home      the first
G End       the last
Enter Right open: a group's jobs, a job's why, a worker's jobs
w           why each worker can or cannot run the job
w           of a worker: its state, and why
h           history: the job's attempts and events
h           of a worker: the jobs it has and had
d           devices of the worker, or of the job's worker
i           in short: where the job is and has been
Tab         group by state, reason, worker, queue, namespace
s           sort jobs by another column
m           more jobs, where there are more
a           also jobs that ended over an hour ago
Esc Left    back: without the filter, then to the view before
1           groups of jobs
2           jobs
3           workers
/           filter: rows, or lines, with a text; Enter: of all jobs
Esc back  / filter  ? help  q quit
)"},
  };
  CheckFrames({80, 24}, goldens);
}

TEST_CASE("frames of 40 x 12") {
  const Golden goldens[] = {
      {"", R"( fedra  jobs by state  [4] as of 2s ago
  STATE        JOBS  JOB
> Running      2     ml/train-1b
  Blocked      1     ml/sweep-3
  Dispatching  1     ml/new
  Finished     1     ml/done
~ 5 empty lines
Enter open  Tab group  ? help  q quit
)"},
      {"<Tab>", R"( fedra  jobs by reason ... as of 2s ago
  REASON              JOBS  JOB
> ClusterUnreachable  1     ml/sweep-3
  TemplateMissing     1     ml/sweep-3
~ 7 empty lines
Enter open  Tab group  ? help  q quit
)"},
      {"2", R"( fedra  jobs  [5]          as of 2s ago
  JOB          STATE        NOTE
> ml/sweep-3   Blocked      no worker...
  ml/new       Dispatching  dispatche...
  ml/train-1b  Running
  ml/train-7b  Running
  ml/done      Finished
~ 4 empty lines
Enter open  w why  ? help  q quit
)"},
      {"2<Enter>", R"( fedra  why ml/sweep-3      read 0s ago
ml/sweep-3 is blocked (for 4m; as of ...
WORKER    VERDICT
gpu-east  No       TemplateMissing: R...
gpu-west  No       TemplateMissing: R...
~ 6 empty lines
w why  h history  ? help  q quit
)"},
      {"3", R"( fedra  workers  [3]       as of 2s ago
  NAME      STATE        NOTE
> gpu-east  Connected
  gpu-west  Connected
  tpu-lab   Unreachable  connection r...
~ 6 empty lines
Enter open  w why  ? help  q quit
)"},
      {"3w", R"( fedra  worker gpu-east    as of 2s ago
state  Connected for 3d4h
seen   1s ago
k8s    1.36.3
DRA    v1
jobs   1
queues 2 of 2 admit jobs
quota  6 of 8 example.com/gpu in gpu,
       flavor f
device 3 of 8 in use

w why  h history  ? help  q quit
)"},
      {"?", R"( fedra  keys
j Down      the next row, or line
k Up        the row, or line, before
Space PgDn  a screen down (ctrl-f)
b PgUp      a screen up (ctrl-b)
g Home      the first
G End       the last
Enter Right open: a group's jobs, a j...
w           why each worker can or ca...
w           of a worker: its state, a...
h           history: the job's attemp...
Esc back  / filter  ? help  q quit
)"},
  };
  CheckFrames({40, 12}, goldens);
}

TEST_CASE("frames of 160 x 50") {
  const Golden goldens[] = {
      {"",
       R"( fedra  jobs by state  [4]                                                                                                                         as of 2s ago
  STATE        JOBS  LONGEST  JOB
> Running      2     3h       ml/train-1b
  Blocked      1     4m       ml/sweep-3
  Dispatching  1     9s       ml/new
  Finished     1     30h      ml/done
~ 43 empty lines
Enter open  Tab group  / filter  ? help  q quit
)"},
      {"<Tab>",
       R"( fedra  jobs by reason  [2]                                                                                                                        as of 2s ago
  REASON              JOBS  LONGEST  JOB         REMEDY
> ClusterUnreachable  1     4m       ml/sweep-3  See `fedra status workers` for the exact error and since when. fedra reconnects; it moves the jobs of a work...
  TemplateMissing     1     4m       ml/sweep-3  Create the template in the job's namespace on the worker; or, where the manager has it, let fedra copy it (v...
~ 45 empty lines
Enter open  Tab group  / filter  ? help  q quit
)"},
      {"2",
       R"( fedra  jobs  [5]                                                                                                                                  as of 2s ago
  JOB          STATE        WORKER    AGE   NOTE
> ml/sweep-3   Blocked      -         4m    no worker eligible: TemplateMissing on 2, ClusterUnreachable on 1
  ml/new       Dispatching  gpu-west  9s    dispatched to gpu-west, waiting for admission
  ml/train-1b  Running      tpu-lab   3h
  ml/train-7b  Running      gpu-east  120m
  ml/done      Finished     gpu-east  30h
~ 42 empty lines
Enter open  w why  h history  d devices  / filter  ? help  q quit
)"},
      {"2<Enter>",
       R"( fedra  why ml/sweep-3                                                                                                                              read 0s ago
ml/sweep-3 is blocked (for 4m; as of 2s ago)
WORKER    VERDICT
gpu-east  No       TemplateMissing: ResourceClaimTemplate ml/one-gpu does not exist there
gpu-west  No       TemplateMissing: ResourceClaimTemplate ml/one-gpu does not exist there
~ 44 empty lines
w why  h history  d devices  Esc back  / filter  ? help  q quit
)"},
      {"3",
       R"( fedra  workers  [3]                                                                                                                               as of 2s ago
  NAME      STATE        SINCE  QUEUES  QUOTA  DEVICES  JOBS  NOTE
> gpu-east  Connected    3d4h   2       75%    3/8      1
  gpu-west  Connected    3d4h   -       -      -        1
  tpu-lab   Unreachable  4m10s  -       -      -        1     connection refused
~ 44 empty lines
Enter open  w why  h history  d devices  / filter  ? help  q quit
)"},
      {"3w",
       R"( fedra  worker gpu-east                                                                                                                            as of 2s ago
state  Connected for 3d4h
seen   1s ago
k8s    1.36.3
DRA    v1
jobs   1
queues 2 of 2 admit jobs
quota  6 of 8 example.com/gpu in gpu, flavor f
device 3 of 8 in use
~ 40 empty lines
w why  h history  d devices  Esc back  / filter  ? help  q quit
)"},
      {"?", R"( fedra  keys
j Down      the next row, or line
k Up        the row, or line, before
Space PgDn  a screen down (ctrl-f)
b PgUp      a screen up (ctrl-b)
g Home      the first
G End       the last
Enter Right open: a group's jobs, a job's why, a worker's jobs
w           why each worker can or cannot run the job
w           of a worker: its state, and why
h           history: the job's attempts and events
h           of a worker: the jobs it has and had
d           devices of the worker, or of the job's worker
i           in short: where the job is and has been
Tab         group by state, reason, worker, queue, namespace
s           sort jobs by another column
m           more jobs, where there are more
a           also jobs that ended over an hour ago
Esc Left    back: without the filter, then to the view before
1           groups of jobs
2           jobs
3           workers
/           filter: rows, or lines, with a text; Enter: of all jobs
:           a view by name: :workers, :reason, :why ml/train
ctrl-l      draw the screen again
?           this help
q           end
~ 22 empty lines
Esc back  / filter  ? help  q quit
)"},
  };
  CheckFrames({160, 50}, goldens);
}

TEST_CASE("what is old, or not all, is said above the rows, also while a filter is typed") {
  Player player;
  player.data.daemon.heartbeat = report::Beat(std::chrono::hours(2));
  player.data.manager = report::LostWorker("manager", -1, std::chrono::minutes(5));
  CHECK(player.Press("2/train").Folded() ==
        R"( fedra  jobs  [2 of 5]  /train                                   as of 120m ago
DAEMON  not running: what follows is what it knew last
MANAGER  Unreachable: connection refused
  JOB          STATE    WORKER    AGE   NOTE
> ml/train-1b  Running  tpu-lab   3h
  ml/train-7b  Running  gpu-east  120m
~ 17 empty lines
/train_
)");
}

TEST_CASE("a low screen has rows before anything else") {
  const char* const frames[] = {
      R"(> ml/swe...  Blocked
)",
      R"(> ml/swe...  Blocked
  ml/new     Disp...
)",
      R"(> ml/swe...  Blocked
  ml/new     Disp...
? help  q quit
)",
      R"( fe... as of 2s ago
> ml/swe...  Blocked
  ml/new     Disp...
? help  q quit
)",
      R"( fe... as of 2s ago
  JOB        STATE
> ml/swe...  Blocked
  ml/new     Disp...
? help  q quit
)",
      R"( fe... as of 2s ago
  JOB        STATE
> ml/swe...  Blocked
  ml/new     Disp...
  ml/tra...  Running
? help  q quit
)",
      R"( fe... as of 2s ago
  JOB        STATE
> ml/swe...  Blocked
  ml/new     Disp...
  ml/tra...  Running
  ml/tra...  Running
? help  q quit
)",
      R"( fe... as of 2s ago
  JOB        STATE
> ml/swe...  Blocked
  ml/new     Disp...
  ml/tra...  Running
  ml/tra...  Running
  ml/done    Fini...
? help  q quit
)",
  };
  size_t height = 1;
  for (const char* const frame : frames) {
    CAPTURE(height);
    CHECK(Player({20, height++}).Press("2").Folded() == frame);
  }
}

TEST_CASE("whatever a worker or a user calls things, a frame is text within its size") {
  const std::string hostile =
      "\033[2J\033]0;owned\a\r\n\xe2\x80\xae\xff\xe4\xb8\xad\xf0\x9f\x98\x80";
  for (const Size size : {Size{80, 24}, Size{40, 12}, Size{7, 5}, Size{1, 1}}) {
    for (const char* const keys : {"", "<Tab>", "2", "2w", "3", "3w", "2/\033[2J", ":\033[2J"}) {
      Player player(size);
      for (auto& row : player.data.workloads) {
        row.job.name += hostile;
        row.note += hostile;
        row.state += hostile;
      }
      for (auto& row : player.data.clusters) {
        row.name.value += hostile;
        row.why += hostile;
      }
      player.Answered().Press(keys);
      player.Failed(hostile);
      CAPTURE(size.width, size.height, keys);
      const Frame frame = Render(player.model);
      CHECK(frame.size() == size.height);
      for (const Line& line : frame) {
        const std::string text = TextOf(line);
        CHECK(text::DisplayWidth(text) <= size.width);
        CHECK(text == text::Printable(text));
      }
    }
  }
}

TEST_CASE("a screen without UTF-8 is ASCII") {
  Player player;
  player.model.utf8 = false;
  player.data.workloads[3].note =
      "gr\xc3\xb6\xc3\x9f"
      "e";
  player.data.verdicts.clear();
  CHECK_THAT(player.Press("2").Screen(), ContainsSubstring("gr??e"));
}

TEST_CASE("a frame of many jobs takes no time that a person would notice") {
  Player player({160, 50}, What::kJobs);
  for (int i = 0; i < 5'000; ++i)
    player.data.workloads.push_back(
        report::Job(fmt::format("many-{}", i), "Waiting", "", std::chrono::hours(1)));
  player.Answered();
  CHECK(Seen(player.model).document->rows.size() == kPage);
  const auto began = std::chrono::steady_clock::now();
  player.answers = false;
  player.Press("j");
  CHECK(Render(player.model).size() == 50);
  // 50 ms are asked for; a busy machine with sanitizers takes longer.
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(2));
}

}  // namespace fedra::cli::screen::render_test
