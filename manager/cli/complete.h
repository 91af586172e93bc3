#pragma once
//
// What may come next on a command line, in the words of cobra's `__complete`, which kubectl asks
// its plugins in.
//
// Pure but for `ask`. Thread rules: any thread.

#include <functional>
#include <string>
#include <vector>

#include "manager/cli/commands.h"

namespace fedra::cli {

struct Candidate {
  std::string word;
  std::string help;  // one line; empty: none
};
struct Candidates {
  std::vector<Candidate> words;    // known by themselves
  std::vector<std::string> asked;  // a command of fedra that prints more; empty: there are no more
  std::string typed;               // what they begin with
  bool files = false;              // names of files may come, too
};

// `line`: what follows "fedra"; its last word is being typed, and may be empty. `root`: what
// may stand before or instead of a command.
Candidates CandidatesFor(const CompletionWord& root, const std::vector<CompletionWord>& words,
                         const std::vector<std::string>& line);

// A line for each word that begins so.
std::string CandidateLines(const std::vector<Candidate>& words, const std::string& typed);

// The last line: ":4" keeps the shell from offering files, ":0" does not.
const char* DirectiveLine(bool files);

}  // namespace fedra::cli
