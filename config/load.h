#pragma once
//
// Reads the configuration file strictly: unknown keys, wrong types, duplicates and bad values are
// problems with their place, and all of them are reported at once.
//
// Two kinds of problem are kept apart. What is wrong with the file itself, or with the manager's
// access, makes Load fail: nothing can run (the problems of the kubeconfigs that it names are told
// all the same). What is wrong with one worker's kubeconfig is that worker's failure only: the
// daemon runs on without it, `fedra config validate` reports it.
//
// Thread rules: free functions; any thread.

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "base/clock.h"
#include "config/configuration.h"
#include "config/file_stamp.h"
#include "config/kubeconfig.h"
#include "config/problem.h"
#include "config/store_folder.h"

namespace fedra::config {

struct Loaded {
  Configuration configuration;
  ClusterAccess manager;               // a failure only with LoadOptions::manager_may_fail
  std::vector<ClusterAccess> workers;  // one for each of configuration.workers, in its order
  std::vector<std::string> files;      // the configuration and every file read for it: watch these
  std::optional<StoreFinding> store;   // with LoadOptions::look_at_store; null: nothing is wrong
  FileStamp stamp;                     // of `files`, taken before they were read: load again when
                                       // StampFiles(files) differs from it
  Problems not_used = {};              // of discovered workers that are none (discovered.h)
};

struct LoadOptions {
  WallTime now;                   // for certificate dates
  InClusterSources in_cluster;    // used with manager.inCluster
  bool manager_may_fail = false;  // for commands that only talk to workers
  bool look_at_store = false;     // whether its file can be made there; most commands need none
};

// As of now, in the cluster that this process' environment names, if it does.
LoadOptions OptionsNow(bool manager_may_fail);

// `path` is the configuration file; relative paths inside are relative to its folder, "~" is not
// expanded.
tl::expected<Loaded, Problems> Load(const std::string& path, const LoadOptions& options);

// The file's text alone, without touching any other file. `filename` names it in problems and gives
// the folder that relative paths start from.
tl::expected<Configuration, Problems> Parse(const std::string& text, const std::string& filename);

// Where the store is by that file, whatever else is wrong with it. Nothing: the file, or its path
// of the store, cannot be read.
std::optional<std::string> StorePathIn(const std::string& path);

// The problems of the clusters of a successful Load, each with whose it is, warnings included when
// asked for.
Problems AccessProblems(const Loaded& loaded, bool with_warnings);

}  // namespace fedra::config
