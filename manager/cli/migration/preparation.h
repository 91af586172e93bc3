#pragma once
//
// What must be done before the switch, or at it. Pure.

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli/migration/kueue_setup.h"

namespace fedra::cli {

enum class Direction { kToFedra, kToMultiKueue };
// As a document has it: "ToFedra", "ToMultiKueue".
std::string_view ToString(Direction direction);

struct ToDo {
  std::string text;
  bool blocks = false;  // without it something is lost; else it is a step of the switch itself
};

// What was found, beside the workloads.
struct Found {
  Direction direction = Direction::kToFedra;
  std::string origin;                       // kueue.multiKueueOrigin
  std::string kueue_namespace;              // where Kueue's ConfigMap was looked for
  Result<KueueSetup> kueue = KueueSetup{};  // an error: why it cannot be read
  // What is wrong with a cluster, by its name: it cannot be reached, or rights are missing.
  std::map<std::string, std::string> problems;
  // What the MultiKueueConfigs of MultiKueue's checks name, the MultiKueueClusters that there are,
  // and fedra's workers.
  std::set<std::string> named;
  std::set<std::string> worker_clusters;
  std::set<std::string> workers;
  std::vector<std::string> added_kinds;  // of the configuration: "Kind.version.group"
};

// What blocks first.
std::vector<ToDo> ToDos(const Found& found);

}  // namespace fedra::cli
