#pragma once
//
// The commands as data for pages of documentation: what the parser knows of them, without the
// parser.

#include <string>
#include <vector>

namespace fedra::cli {

struct OptionPage {
  std::string names;          // "-o, --output"; of a positional argument its name, "reason"
  std::string value;          // "FILE", "table|json"; empty: a flag, or a positional argument
  std::string meaning;        // a sentence without its full stop
  std::string default_value;  // empty: none is shown
  bool is_required = false;
  bool is_positional = false;
  bool is_list = false;  // may be given more than once
};

struct CommandPage {
  std::string name;     // "fedra config validate"
  std::string summary;  // one sentence, without its full stop
  std::string more;     // what is to be said below it; may be empty
  std::vector<OptionPage> options;
  std::vector<CommandPage> commands;  // below this one
};

// `fedra` itself, and below it every command.
CommandPage CommandPages();

}  // namespace fedra::cli
