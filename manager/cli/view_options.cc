// The options of the commands that show what the store has of jobs.

#include <CLI/CLI.hpp>

#include "manager/cli/subcommands.h"
#include "manager/cli/view_source.h"
#include "manager/report/job_filter.h"
#include "manager/report/progress.h"

namespace fedra::cli {
namespace {

void AddViewOptions(CLI::App& app, Parsed& parsed) {
  AddSource(app, parsed);
  app.add_option("-o,--output", parsed.format, "table, wide, json, yaml or name")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "name"}));
  app.add_flag("--no-headers", parsed.no_headers, "Tables without headers");
}

void AddFilters(CLI::App& status, report::JobFilter& filter) {
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* meaning) {
    status.add_option(name, values, meaning)->delimiter(',')->allow_extra_args(false);
  };
  add("--state", filter.states,
      "Only jobs in these states: Blocked,Waiting (fedra explain STATE). Deleted ones, as long as "
      "their history is kept, are listed where Deleted is among them");
  add("--reason", filter.reasons, "Only blocked jobs with one of these reasons against a worker");
  add("--worker", filter.workers,
      "Only jobs that run on these workers, are dispatched to them, or have ended there");
  add("--queue", filter.queues, "Only jobs of these LocalQueues: NAME or NAMESPACE/NAME");
  status
      .add_option("--name", filter.name,
                  "Only jobs with this in their name, in whatever case; with a slash, in "
                  "NAMESPACE/NAME; of several words with each")
      ->type_name("TEXT");
  status
      .add_option("-l,--selector", filter.labels,
                  "Only jobs with these labels, as kubectl takes them: app=train,tier!=test")
      ->type_name("LABELS");
  status
      .add_option("--sort-by", filter.sort_by,
                  "state, line (place among those that wait for the same devices), name, age, "
                  "worker, queue or ended (what has ended, or was deleted, last comes first)")
      ->capture_default_str();
  status.add_option("--limit", filter.limit, "At most so many jobs; 0: all")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  status
      .add_option("--continue", filter.go_on,
                  "What comes behind `continue` of a JSON or YAML answer with --limit, given the "
                  "same filters and order")
      ->type_name("TOKEN");
  status
      .add_option("--group-by", filter.group_by,
                  "Count the jobs in place of listing them: by state, reason (of blocked jobs, "
                  "against any worker), worker, queue or namespace")
      ->type_name("WHAT");
  status.add_flag("--all", filter.all, "Also jobs that ended more than an hour ago");
}

}  // namespace

void AddStatus(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* status = app.add_subcommand("status", "Show the fleet and the jobs");
  status
      ->add_option(kWhat, parsed.view.names,
                   "workers, jobs, or the name of a job as for `fedra why`; omitted: both tables")
      ->expected(0, 1);
  AddViewOptions(*status, parsed);
  status
      ->add_flag("-A,--all-namespaces", parsed.view.all_namespaces,
                 "All namespaces, the default when neither -n nor $FEDRA_NAMESPACE is given")
      ->excludes("--namespace");
  status->footer(
      "Every format lists the same jobs. In JSON and YAML `remaining` counts those behind --limit, "
      "`continue` is where --continue goes on, "
      "`ended` those that only --all lists. Exit codes: 0 success, 4 jobs were asked for and a "
      "standby has answered with what it knew, 1 an error.");
  AddFilters(*status, parsed.view.jobs);
  CLI::Option* watch =
      status->add_flag("-w,--watch", parsed.view.watch,
                       "Show again whenever something changes; on a terminal as a full screen with "
                       "keys (? lists them)");
  status
      ->add_flag("--no-tui", parsed.view.no_tui,
                 "With --watch on a terminal: the tables, drawn again, in place of the full screen")
      ->needs(watch);
  status->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] { return Status(parsed.view, terminal); });
    };
  });
}

void AddWhy(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* why = app.add_subcommand("why", "Say for each worker why it can or cannot run a job");
  AddJob(*why, parsed);
  AddViewOptions(*why, parsed);
  why->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] { return Why(parsed.view, terminal); });
    };
  });
}

void AddHistory(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* history =
      app.add_subcommand("history", "Show what happened to a job, attempt by attempt");
  AddJob(*history, parsed);
  AddViewOptions(*history, parsed);
  history->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] { return History(parsed.view, terminal); });
    };
  });
}

void AddWait(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* wait =
      app.add_subcommand("wait", "Wait until a job is dispatched, runs or has finished");
  AddJob(*wait, parsed);
  wait->add_option("--for", parsed.wait.goal,
                   "dispatched, running or finished; a job that is further than that is, too")
      ->check(CLI::IsMember(report::GoalNames()))
      ->capture_default_str();
  wait->add_option("--timeout", parsed.wait.timeout,
                   "Give up after this time, as in 30s or 2h; 0s: never")
      ->capture_default_str();
  AddSource(*wait, parsed);
  wait->add_option("-o,--output", parsed.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  wait->footer(
      "A job that fedra does not know yet is waited for. One that was gone before counts "
      "as it ended, unless another one of its name comes within ten seconds, or the timeout. On "
      "standard error it says what the job waits for. Of several replicas ask the one that leads: "
      "a standby does not know how far a "
      "job is, says so, and is waited for until it leads. Exit codes: 0 it is as far as that, 3 it "
      "has failed or was deleted, 4 not within the timeout, 1 an error.");
  wait->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStoreOrDaemon(parsed, terminal, [&] {
        parsed.wait.view = parsed.view;
        return Wait(parsed.wait, terminal);
      });
    };
  });
}

}  // namespace fedra::cli
