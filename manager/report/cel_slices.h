#pragma once
//
// The devices of ResourceSlices in a parsed file, as `fedra cel` needs them.
//
// Objects that are no ResourceSlices are passed over; a ResourceSlice that cannot be read is an
// Error that names the slice and the field. Pure.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cel/device.h"

namespace fedra::report {

// One device of a slice.
struct CelCandidate {
  std::string slice;
  std::string driver;
  std::string pool;
  std::string name;
  cel::Device device;
};

// `document`: a ResourceSlice (v1, v1beta2, v1beta1), a List of them, or an array of documents.
// With a driver only its devices.
Result<std::vector<CelCandidate>> CelCandidatesOf(const nlohmann::json& document,
                                                  const std::string& driver);

}  // namespace fedra::report
