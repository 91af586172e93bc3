#pragma once
//
// The devices of ResourceSlices in a parsed file, as `fedra cel` needs them.
//
// Forgiving: what is no ResourceSlice is passed over, and a value that it cannot read becomes one
// that is an error for every selector, as for the scheduler. Pure.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cel/device.h"

namespace fedra::cli {

// One device of a slice.
struct CelCandidate {
  std::string slice;
  std::string driver;
  std::string pool;
  std::string name;
  cel::DeviceInput input;
};

// `document`: a ResourceSlice (v1, v1beta2, v1beta1, v1alpha3), a List of them, or an array of
// documents. With a driver only its devices.
std::vector<CelCandidate> CelCandidatesOf(const nlohmann::json& document,
                                          const std::string& driver);

}  // namespace fedra::cli
