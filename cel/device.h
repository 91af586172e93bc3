#pragma once
//
// A device as selectors see it, converted once and then evaluated against any number of selectors.
//
// Conversion is where versions and quantities are parsed and attribute names get their domain (a
// bare name belongs to the domain of the driver). It cannot fail: a device whose data the scheduler
// would choke on (an unparsable version, a value of an unknown kind) becomes a device on which
// *every* selector is an error, even `true`, exactly as in Kubernetes (DeviceMatches in
// k8s.io/dynamic-resource-allocation/cel 1.36).
//
// Thread rules: a Device is immutable; const use from any thread. Copies share the converted data.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fedra::cel {

// The text of an attribute of kind `version`: strict semver 2.0.0, checked by the conversion.
struct VersionText {
  std::string text;
  bool operator==(const VersionText&) const = default;
};

// One attribute. monostate is a value of a kind that we do not know (a newer API): it poisons the
// device.
using AttributeValue =
    std::variant<std::monostate, int64_t, bool, std::string, VersionText, std::vector<int64_t>,
                 std::vector<bool>, std::vector<std::string>, std::vector<VersionText>>;

// What a ResourceSlice says about one device, as far as selectors can see it.
struct DeviceInput {
  std::string driver;                                              // ResourceSlice.spec.driver
  std::vector<std::pair<std::string, AttributeValue>> attributes;  // name: bare or "domain/id"
  std::vector<std::pair<std::string, std::string>> capacity;       // name -> quantity text ("80Gi")
  std::optional<bool> allow_multiple_allocations;                  // absent: false
};

struct DeviceData;  // cel/device_data.h, for the evaluator only

class Device final {
 public:
  explicit Device(const DeviceInput& input);

  // Why every selector errors on this device; empty for a healthy one. With `list_attributes` (the
  // gate DRAListTypeAttributes) list values are allowed, without it one list value poisons the
  // device.
  std::string_view poison(bool list_attributes = false) const;

  // Names that are published both bare and with the driver's domain: the scheduler takes either one
  // at random (<= 1.36); we take the qualified spelling, always. Empty for nearly every device.
  const std::vector<std::string>& ambiguous_names() const;

  const DeviceData& data() const { return *data_; }

 private:
  std::shared_ptr<const DeviceData> data_;
};

}  // namespace fedra::cel
