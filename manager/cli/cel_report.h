#pragma once
//
// `fedra cel`: one selector against every device of a file of ResourceSlices.
//
// Options and parsed documents in; text, on two streams, and an exit code out. Exit codes: 0
// something matches, 3 nothing matches, 5 (kEvaluationError of commands.h) the selector is an error
// on at least one device (the scheduler would give up the pod), 1 wrong usage, a slice that cannot
// be read, or a selector that does not compile.
//
// Thread rules: a function of its arguments alone.

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace fedra::cli {

struct CelOptions {
  std::string expression;
  std::string driver;            // only devices of this driver; empty: all
  std::string release = "1.36";  // the worker's Kubernetes release
  bool json = false;             // machine output
  bool explain = false;          // print the syntax tree with types first
  bool check = false;            // compile only
};

// `slices`: a ResourceSlice (v1, v1beta2, v1beta1), a List of them, or an array of
// documents, null if no file was given. Results go to `out`, complaints about the usage and, unless
// the output is for machines, compile errors to `err`. `explain` is for people: not with `json`.
int CelReport(const CelOptions& options, const nlohmann::json& slices, std::ostream& out,
              std::ostream& err);

}  // namespace fedra::cli
