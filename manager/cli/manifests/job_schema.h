#pragma once
//
// The fields of a batch/v1 Job and its pods as an API server decodes them: names, types, ranges,
// enumerations and what is required, in one table (job_schema_table.cc). Pure.
//
// Two kinds of findings. An error is what every API server refuses: a value of another type or out
// of range; also a misspelt field that decides where a job can run, because what is judged would
// not be what was meant. Any other unknown field is a warning: a newer Kubernetes may know it.
//
// What is valid must never be refused here, so the table asks for less than an API server where its
// rule depends on feature gates or on other fields. Rules between fields are job_rules.h's and
// pod_rules.h's.
//
// Source: api/openapi-spec/swagger.json, pkg/apis/batch/validation/validation.go and
// pkg/apis/core/validation/validation.go of kubernetes/kubernetes v1.36.3.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/cli/manifests/finding.h"

namespace fedra::cli {

// What a single value may be.
struct ValueType {
  enum class Kind {
    kAny,
    kObject,  // of the type `name`; an empty one: any object
    kBool,
    kInteger,  // from `low` to `high`
    kQuantity,
    kIntOrString,
    kString,
    kDnsLabel,      // the syntax of names, as far as something is written
    kDnsSubdomain,  // the same
    kEnum,          // one of `values`
    kLabels,        // a map of label keys to label values
    kAnnotations,   // a map of label keys to strings
  };
  Kind kind = Kind::kAny;
  std::string name = {};
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  std::vector<std::string> values = {};
};

struct FieldType {
  enum class Holder { kSingle, kList, kMap };

  std::string name;
  ValueType value;
  Holder holder = Holder::kSingle;
  bool is_required = false;  // must be there, and not be empty
  bool is_decisive = false;  // says where a job can run
};

struct ObjectType {
  std::string name;  // "PodSpec"
  std::vector<FieldType> fields;
};

// Every type; the first is Job. Lives as long as the process.
const std::vector<ObjectType>& JobSchema();
// Null: the table has none of this name.
const ObjectType* FindType(std::string_view name);

// What is wrong with `object`, of the type `type` of the table, and everything below it. `path` is
// where it is, empty for a whole manifest.
void CheckTypes(const nlohmann::json& object, const std::string& path, std::string_view type,
                Findings& findings);

}  // namespace fedra::cli
