#pragma once
//
// The devices of one worker, one by one, by node: what each is now, who holds it, and which
// counters partitions share. A partition and the card that it is cut from are alternatives, not
// stock: the counters of a set say what is left, and nothing here adds devices up.
//
// Plain values; MapDevices is pure.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "manager/report/device_inventory.h"
#include "manager/report/device_walk.h"

namespace fedra::report {

// A page has no more nodes than this.
inline constexpr size_t kMostMapNodes = 200;

struct DeviceMapQuery {
  std::string node = {};   // only this one; empty: all
  size_t limit = 0;        // of nodes; 0: kMostMapNodes
  std::string go_on = {};  // `continue` of the page before; empty: from the start
};

// A counter, or a capacity that is held in shares.
struct AmountUse {
  std::string name;
  Quantity total;
  Quantity used;
};

struct MappedCounterSet {
  std::string name;
  std::vector<AmountUse> counters;
};

// What a device takes of a counter set once it is allocated.
struct CounterDemand {
  std::string counter_set;
  std::vector<std::pair<std::string, Quantity>> counters;
};

struct MappedTaint {
  std::string key;
  std::string value;   // may be empty
  std::string effect;  // "NoSchedule"
  std::string rule;    // the DeviceTaintRule; empty: the driver has published it
};

// A claim that holds a device.
struct MappedHolder {
  std::string ns;
  std::string claim;
  std::string job;  // whose pods use the claim; empty: none, or not known
};

// Why a device is kUnusable.
enum class UnusableCause {
  kCountersExhausted,  // the counters that it shares are used up
  kGroupConflict,      // its compatibility groups do not go with devices in use
  kNodeMissing,        // its node is not there
  kNotReached,         // no single node reaches it
  kPoolIncomplete,
  kPoolInvalid,
};
inline constexpr std::array kUnusableCauses = {
    UnusableCause::kCountersExhausted, UnusableCause::kGroupConflict,  UnusableCause::kNodeMissing,
    UnusableCause::kNotReached,        UnusableCause::kPoolIncomplete, UnusableCause::kPoolInvalid};

// "NodeMissing": as documents and tables show it.
std::string_view ToString(UnusableCause cause);

struct MappedDevice {
  std::string name;
  DeviceCondition state = DeviceCondition::kFree;
  std::optional<UnusableCause> why = {};  // of kUnusable
  std::vector<std::string> classes = {};
  std::vector<MappedHolder> holders = {};
  std::vector<MappedTaint> taints = {};
  std::vector<AmountUse> shares = {};        // of Shared: its capacities
  std::vector<CounterDemand> consumes = {};  // of a partition, or of a card that can be cut
};

struct MappedPool {
  std::string driver;
  std::string pool;
  std::string problem;  // why its devices are unusable, for people; empty: nothing
  std::vector<MappedCounterSet> counter_sets = {};
  std::vector<MappedDevice> devices = {};
};

struct MappedNode {
  std::string name;       // empty: many nodes reach these devices
  bool exists = true;     // false: there is no such node
  bool cordoned = false;  // no new pod gets there
  std::vector<MappedPool> pools = {};
};

struct DeviceMap {
  std::string worker;
  std::vector<MappedNode> nodes = {};  // by name; without those that have no devices
  size_t remaining = 0;                // nodes behind this page
  std::string go_on = {};              // the next page; empty: there is none
};

// The source has no problem. kInvalidArgument: there are no devices on that node, or `go_on` is of
// another question.
Result<DeviceMap> MapDevices(const DeviceSource& source, const DeviceMapQuery& query);

}  // namespace fedra::report
