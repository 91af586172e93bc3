#pragma once
//
// What of an answer its reader was not told, by the right that it takes. Plain value.

namespace fedra::report {

// Nothing, unless said otherwise.
struct Withheld {
  bool of_workers = false;     // what they have said
  bool of_namespaces = false;  // what mentions one whose jobs the reader may not see
  bool of_pods = false;        // what they have printed

  bool operator==(const Withheld&) const = default;
};

}  // namespace fedra::report
