#pragma once
//
// What the tests of cel/ share: a device, and short ways to ask a selector about it.

#include <string>
#include <string_view>

#include "cel/device.h"
#include "cel/selector.h"

namespace fedra::cel {

// A GPU with one attribute of every kind, the device of most tests.
inline DeviceInput SampleInput() {
  DeviceInput input;
  input.driver = "gpu.example.com";
  input.attributes = {{"model", std::string("a100")},
                      {"index", int64_t{3}},
                      {"ok", true},
                      {"firmware", VersionText{"1.2.3"}},
                      {"other.example.com/note", std::string("héllo")}};
  input.capacity = {{"memory", "80Gi"}, {"slices", "7"}, {"odd", "1.5Gi"}};
  return input;
}

inline Device SampleDevice() { return Device(SampleInput()); }

// "true", "false", "error: ...", or "compile: ..." with the first issue.
inline std::string SubRequest(std::string_view expression, const Device& device,
                              const SelectorOptions& options = {}) {
  const auto selector = CompileSelector(expression, options);
  if (!selector) return "compile: " + selector.error().issues.at(0).message;
  const EvalResult result = selector->Evaluate(device);
  if (result.failed()) return "error: " + result.error;
  return result.matches() ? "true" : "false";
}

inline std::string SubRequest(std::string_view expression, const SelectorOptions& options = {}) {
  return SubRequest(expression, SampleDevice(), options);
}

inline SelectorOptions ForRelease(KubernetesRelease release) {
  SelectorOptions options;
  options.release = release;
  return options;
}

}  // namespace fedra::cel
