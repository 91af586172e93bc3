#pragma once
//
// What is said of a command line that is not understood: what is wrong with it, and what may have
// been meant. CLI11's own sentences are about its types.
//
// Thread rules: one thread, at start.

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class ParseError;
}  // namespace CLI

namespace fedra::cli {

// "help status" is "status --help", as most programs have it.
std::vector<std::string> WithHelpAsOption(std::vector<std::string> arguments);

// Of a word that is no command where one must stand, and of an option before the command that is
// not for all of them; empty: there is none. `arguments`: what follows "fedra".
std::string UnknownCommand(const CLI::App& app, const std::vector<std::string>& arguments);

// Of what CLI11 refused; `app` is the program's, after that.
std::string ComplaintOf(const CLI::App& app, const CLI::ParseError& error,
                        const std::vector<std::string>& arguments);

}  // namespace fedra::cli
