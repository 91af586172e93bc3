#pragma once
//
// The copies of jobs on the workers of a simulated fleet, for tests that let anything happen: none
// may be on two workers at a time, those of another manager stay as they are, and in the end there
// are none.
//
// Thread rules: as sim::Objects. Lifetime: the fleet must outlive it.

#include <map>
#include <string>
#include <vector>

#include "tests/sim/fleet.h"

namespace fedra::reconcile {

class CopiesOnWorkers final {
 public:
  // Puts a job of another manager's fedra on each of the two workers.
  CopiesOnWorkers(sim::Fleet& fleet, std::vector<std::string> workers, std::string origin);

  // Fails the test unless every job, and every pod of a group, is on one worker at most, and the
  // other manager's are as they were. While a worker may be lost, a job may be on two.
  void Check() const;
  // Copies of any kind, Workloads and those that are being deleted included.
  int Count() const;

 private:
  using Uids = std::map<std::string, std::string>;  // by the object's name

  sim::Objects ObjectsOf(const std::string& worker) const;
  void AddTheirs(const std::string& worker) const;
  // Changes with all that is done to it.
  std::string StateOfTheirs(const std::string& worker) const;
  // Of jobs and members of groups that are not being deleted.
  Uids Running(const std::string& worker) const;

  sim::Fleet& fleet_;
  const std::vector<std::string> workers_;
  const std::string origin_;
  std::map<std::string, std::string> theirs_;  // StateOfTheirs() by worker
};

}  // namespace fedra::reconcile
