#pragma once
//
// The cases of tests/unit/dra that are about one release, as judge-lines takes them: with
// FEDRA_CASES=FILE each is appended there, a line of JSON. tests/real/agree_tables.py gives them to
// the libraries of these releases.
//
// Thread rules: one thread at a time.

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"

namespace fedra::test {

// `version`: "1.36", or "v1.36.2".
inline void KeepCase(const Case& c, const std::string& version) {
  const char* const path = std::getenv("FEDRA_CASES");
  if (path == nullptr) return;
  json line = c.ToJson();
  line["name"] = Catch::getResultCapture().getCurrentTestName();
  line["k8s"] = version;
  std::ofstream(path, std::ios::app) << line.dump() << '\n';
}

}  // namespace fedra::test
