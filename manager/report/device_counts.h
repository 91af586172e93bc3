#pragma once
//
// The devices of one worker, counted, as `fedra devices` shows them. Plain values.

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fedra::report {

// Each device counts in `total` and, unless a taint is all that is wrong with it, in one of `free`
// to `unusable`; a tainted one counts in `tainted` whatever else it is, but never in `free`.
struct DeviceCount {
  int total = 0;
  int free = 0;
  int shared = 0;     // held in shares; more of them may be had
  int allocated = 0;  // held as a whole
  int unusable = 0;   // in an incomplete or invalid pool, on no node, or its counters are used up
  int tainted = 0;    // a taint keeps away pods that do not tolerate it, in use or not

  void Add(const DeviceCount& other);
};

// The devices of one pool on one node.
struct NodeDevices {
  std::string driver;
  std::string pool;
  std::string node;  // empty: many nodes reach them
  DeviceCount count;
  std::map<std::string, DeviceCount> classes;               // empty name: of no class
  std::map<std::string, std::set<std::string>> attributes;  // and capacities: the values that occur
  std::set<std::string> problems;                           // why devices are unusable
};

struct DeviceInventory {
  std::vector<NodeDevices> nodes;  // by driver, pool and node; without those that have none
  // What a person should know: a class that does not exist, devices a selector cannot be evaluated
  // on.
  std::vector<std::string> notes;
  bool class_missing = false;              // the filter's class does not exist
  std::vector<std::string> known_classes;  // where it does not: those that do, by name
  int looked_at = 0;  // devices that the filter was asked about; 0 without a filter
  int failing = 0;    // of these: devices that a selector cannot be evaluated on
};

}  // namespace fedra::report
