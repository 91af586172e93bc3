#pragma once
//
// Who gets an answer, as far as it matters for what is in it. Plain value.

#include <set>
#include <string>

namespace fedra::api {

// Nothing, unless said otherwise.
struct Viewer {
  bool fleet = false;                     // the workers, and what they say about a job
  bool everywhere = false;                // the jobs of every namespace
  std::set<std::string> namespaces = {};  // else: of these
  bool logs = false;                      // what pods of these jobs have printed

  bool operator==(const Viewer&) const = default;
  // Who may open the Unix socket, or the store.
  static Viewer OfEverything() { return {.fleet = true, .everywhere = true, .logs = true}; }
};

}  // namespace fedra::api
