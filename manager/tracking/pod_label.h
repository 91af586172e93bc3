#pragma once
//
// How the pods of a job are recognized. A plain value.

#include <string>

namespace fedra::tracking {

// A label whose value is the job's name. `also_key` and `also_value` tell kinds apart that share
// the label.
struct PodLabel {
  std::string key;  // empty: they cannot be recognized
  std::string also_key = {};
  std::string also_value = {};
  bool is_the_job = false;  // the pod that has the label is the job itself, whatever its value
  // Its value is the pod's name, which is the job's, "-", and a number.
  bool names_the_pod = false;
  bool operator==(const PodLabel&) const = default;
};

}  // namespace fedra::tracking
