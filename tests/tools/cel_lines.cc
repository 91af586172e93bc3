// cel-lines: one JSON document per line in, one out: the answer of a selector for a device.
//
//     in:  {"name", "expr", "driver", "allowMultipleAllocations": false, "k8s": "1.36",
//           "attributes": {name: {"string" | "int" | "bool" | "version": value}},
//           "capacity": {name: "80Gi" | {"value": "80Gi"}}}
//     out: {"name", "outcome": "true" | "false" | "compile-error" | "runtime-error", "error"}
//
// Names of attributes and capacities are as in a ResourceSlice, bare or "domain/name"; lists are
// "strings", "ints", "bools" and "versions". All but `expr` may be left out, unknown keys are
// ignored. A line that is no such document gives {"outcome": "bad-input", "error"}, and the next
// one is read. So the same cases can be run through other engines. `--cost` adds the run-time cost,
// `--advice` what we would tell a person.

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cel/device.h"
#include "cel/selector.h"

namespace {

using fedra::cel::AttributeValue;
using fedra::cel::VersionText;
using nlohmann::json;

// Where unknown or wrong input goes: every line gets its answer.
struct BadInput {
  std::string message;
};

template <class T>
std::vector<T> ReadList(const json& list) {
  std::vector<T> values;
  for (const json& item : list) values.push_back(item.get<T>());
  return values;
}

AttributeValue ReadAttribute(const json& attribute) {
  if (attribute.contains("ints")) return ReadList<int64_t>(attribute["ints"]);
  if (attribute.contains("bools")) return ReadList<bool>(attribute["bools"]);
  if (attribute.contains("strings")) return ReadList<std::string>(attribute["strings"]);
  if (attribute.contains("versions")) {
    std::vector<VersionText> versions;
    for (const json& item : attribute["versions"]) versions.push_back({item.get<std::string>()});
    return versions;
  }
  if (attribute.contains("int")) return attribute["int"].get<int64_t>();
  if (attribute.contains("bool")) return attribute["bool"].get<bool>();
  if (attribute.contains("string")) return attribute["string"].get<std::string>();
  if (attribute.contains("version")) return VersionText{attribute["version"].get<std::string>()};
  return std::monostate();
}

std::string ReadQuantity(const json& capacity) {
  const json& value = capacity.is_object() ? capacity.at("value") : capacity;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

fedra::cel::DeviceInput ReadDevice(const json& line) {
  fedra::cel::DeviceInput device;
  device.driver = line.value("driver", "");
  if (line.contains("attributes")) {
    for (const auto& [name, value] : line["attributes"].items()) {
      device.attributes.emplace_back(name, ReadAttribute(value));
    }
  }
  if (line.contains("capacity")) {
    for (const auto& [name, value] : line["capacity"].items()) {
      device.capacity.emplace_back(name, ReadQuantity(value));
    }
  }
  if (line.contains("allowMultipleAllocations") && line["allowMultipleAllocations"].is_boolean()) {
    device.allow_multiple_allocations = line["allowMultipleAllocations"].get<bool>();
  }
  return device;
}

struct Flags {
  bool cost = false;
  bool advice = false;
  bool check = false;
};

json Answer(const json& line, const Flags& flags) {
  json answer = {{"name", line.value("name", "")}};
  fedra::cel::SelectorOptions options;
  const auto release = fedra::cel::ParseRelease(line.value("k8s", "1.36"));
  if (!release) throw BadInput{release.error().message};
  options.release = *release;
  options.list_attributes = line.value("listAttributes", false);
  const auto selector = fedra::cel::CompileSelector(line.at("expr").get<std::string>(), options);
  if (!selector) {
    answer["outcome"] = "compile-error";
    answer["error"] = selector.error().ToString();
    if (flags.advice) answer["advice"] = selector.error().advice;
    return answer;
  }
  const fedra::cel::Device device(ReadDevice(line));
  const fedra::cel::EvalResult result = selector->Evaluate(device);
  answer["outcome"] = result.failed() ? "runtime-error" : result.matches() ? "true" : "false";
  if (result.failed()) answer["error"] = result.error;
  if (flags.cost) answer["cost"] = result.cost;
  if (flags.advice) {
    answer["advice"] = selector->Advice(device, result);
    answer["warnings"] = selector->warnings();
  }
  return answer;
}

json AnswerLine(const std::string& text, const Flags& flags) {
  try {
    return Answer(json::parse(text), flags);
  } catch (const json::exception& error) {
    return {{"outcome", "bad-input"}, {"error", error.what()}};
  } catch (const BadInput& error) {
    return {{"outcome", "bad-input"}, {"error", error.message}};
  }
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    flags.cost = flags.cost || std::string_view(argv[i]) == "--cost";
    flags.advice = flags.advice || std::string_view(argv[i]) == "--advice";
    flags.check = flags.check || std::string_view(argv[i]) == "--check";
  }
  int lines = 0;
  int wrong = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    ++lines;
    const json answer = AnswerLine(line, flags);
    if (flags.check) {
      const json expected = json::parse(line, nullptr, false).value("expect", "");
      if (answer["outcome"] == expected) continue;
      ++wrong;
      std::cout << "expected " << expected << ": ";
    }
    std::cout << answer.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    std::cout.flush();
  }
  if (flags.check) std::cout << lines - wrong << " of " << lines << " as expected\n";
  return flags.check && (wrong > 0 || lines == 0) ? 1 : 0;
}
