#pragma once
//
// Runs the tests of a cel-spec SimpleTestFile through the engine, with the environment of plain
// CEL.
//
// Thread rules: pure functions.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fedra::conformance {

struct Failure {
  std::string section;
  std::string test;
  std::string reason;
};

struct ExcludedTest {
  std::string section;
  std::string test;
  std::string reason;
};

struct SectionReport {
  std::string name;
  int passed = 0;
  int failed = 0;
  int excluded = 0;
};

struct FileReport {
  std::string name;  // of the file without its extension
  std::vector<SectionReport> sections;
  std::vector<Failure> failures;
  std::vector<ExcludedTest> exclusions;
  // Of those passed: an error was expected, and came from a constant while compiling.
  int in_constants = 0;

  int passed() const;
  int failed() const;
  int excluded() const;
};

// kInvalidArgument for a text that is malformed or has no tests.
Result<FileReport> RunFile(std::string_view name, std::string_view text);

// Why a test is left out; empty if it is run. The list is in exclusions.cc.
std::string_view ExclusionReason(std::string_view file, std::string_view section,
                                 std::string_view test);

// The exclusions for the files of these reports that left out no test: "file/section/test".
std::vector<std::string> UnusedExclusions(const std::vector<FileReport>& reports);

}  // namespace fedra::conformance
