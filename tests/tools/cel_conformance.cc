// cel-conformance [--markdown] DIR...: runs cel-spec conformance files (*.textproto) and reports
// per file and section what passed, failed and was excluded, with the reasons. Exit code 1 if
// anything failed.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/conformance/runner.h"

namespace {

using fedra::conformance::FileReport;

std::vector<std::filesystem::path> Files(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".textproto") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void PrintText(const FileReport& report) {
  std::cout << report.name << ": " << report.passed() << " passed, " << report.failed()
            << " failed, " << report.excluded() << " excluded\n";
  for (const auto& section : report.sections) {
    std::cout << "  " << section.name << ": " << section.passed << " passed, " << section.failed
              << " failed, " << section.excluded << " excluded\n";
  }
  for (const auto& failure : report.failures) {
    std::cout << "  FAILED " << failure.section << "/" << failure.test << ": " << failure.reason
              << "\n";
  }
  for (const auto& excluded : report.exclusions) {
    std::cout << "  excluded " << excluded.section << "/" << excluded.test << ": "
              << excluded.reason << "\n";
  }
}

void PrintMarkdown(const std::vector<FileReport>& reports) {
  std::cout << "| file | passed | failed | excluded |\n|---|---|---|---|\n";
  std::map<std::string, std::map<std::string, int>> reasons;
  for (const FileReport& report : reports) {
    std::cout << "| " << report.name << " | " << report.passed() << " | " << report.failed()
              << " | " << report.excluded() << " |\n";
    for (const auto& excluded : report.exclusions)
      ++reasons[excluded.reason][report.name + "/" + excluded.section];
  }
  std::cout << "\n| excluded because | tests |\n|---|---|\n";
  for (const auto& [reason, places] : reasons) {
    std::cout << "| " << reason << " |";
    const char* separator = " ";
    for (const auto& [place, count] : places) {
      std::cout << separator << place << " (" << count << ")";
      separator = ", ";
    }
    std::cout << " |\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool markdown = false;
  std::vector<FileReport> reports;
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--markdown") {
      markdown = true;
      continue;
    }
    if (!std::filesystem::is_directory(argument)) {
      std::cerr << argument << " is not a directory\n";
      return 2;
    }
    for (const auto& path : Files(argument)) {
      auto report = fedra::conformance::RunFile(path.stem().string(), ReadAll(path));
      if (!report) {
        std::cerr << path.string() << ": " << report.error().message << "\n";
        return 1;
      }
      failed += report->failed();
      reports.push_back(std::move(*report));
    }
  }
  if (reports.empty()) {
    std::cerr << "usage: cel-conformance [--markdown] DIR...\n";
    return 2;
  }
  if (markdown) {
    PrintMarkdown(reports);
  } else {
    for (const FileReport& report : reports) PrintText(report);
  }
  return failed == 0 ? 0 : 1;
}
