#pragma once
//
// What an administrator declares about nodes that a cluster does not have yet (configuration,
// `workers[].scalablePools`): no API shows what an autoscaler would bring. Plain values.

#include <map>
#include <string>

namespace fedra::dra {

// A new node with these labels brings `devices` free devices that match the class. Entries with
// equal labels describe the same kind of node: one new node brings the devices of all of them.
struct ScalablePool {
  std::string device_class;
  int devices = 0;  // per node
  std::map<std::string, std::string> node_labels;
  int max_nodes = 0;  // that may still be added; 0: no limit

  bool operator==(const ScalablePool&) const = default;
};

}  // namespace fedra::dra
