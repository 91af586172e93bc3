#pragma once
//
// One thing that is wrong with a file a person wrote, with its place and what to do about it.
//
// Problems never contain the value of a credential: names, keys, paths and positions only.
// Thread rules: plain values.

#include <string>
#include <vector>

namespace fedra::config {

// A place in a text; both count from 1, and 0 means "the file as a whole".
struct Mark {
  int line = 0;
  int column = 0;
  bool operator==(const Mark&) const = default;
};

struct Problem {
  std::string file;        // as the user named it
  Mark mark;               // where the key or value is
  std::string path;        // "workers[1].kubeconfig"; empty: the file as a whole
  std::string problem;     // "must be a string, not a list"
  std::string hint;        // what to do about it; may be empty
  std::string about = {};  // "worker gpu-east", for a file that does not name it; may be empty
  bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

// "file:line:column: about: path: problem (hint)"; empty parts are left out.
std::string ToString(const Problem& problem);
// One line each, in order, without a newline at the end.
std::string ToString(const Problems& problems);

}  // namespace fedra::config
