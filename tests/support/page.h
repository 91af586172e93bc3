#pragma once
//
// Pages of docs/ that are made from tables in the code: with FEDRA_WRITE_DOCS=1 a test writes its
// page, otherwise it fails when the page has fallen behind. `data`: FEDRA_TEST_DATA.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "base/write_file.h"
#include "tests/support/catch.h"

namespace fedra::testing {

inline void CheckPage(const std::string& data, const std::string& name,
                      const std::string& expected) {
  const std::string path = data + "/../../docs/" + name;
  if (std::getenv("FEDRA_WRITE_DOCS") != nullptr) REQUIRE(WriteFile(path, expected));
  std::ifstream file(path, std::ios::binary);
  const std::string found(std::istreambuf_iterator<char>(file), {});
  INFO("docs/" << name << " has fallen behind the code; run `make docs`");
  CHECK((found == expected));
}

}  // namespace fedra::testing
