#include "config/exec_access.h"

#include <unistd.h>

#include <fmt/format.h>

#include "config/text_rules.h"

namespace fedra::config {

std::string ResolveCommand(const std::string& command, const std::string& file) {
  return command.find('/') == std::string::npos ? command : ResolvePath(command, file);
}

std::optional<std::string> CommandProblem(const std::string& command) {
  if (command.find('/') == std::string::npos || ::access(command.c_str(), X_OK) == 0)
    return std::nullopt;
  return fmt::format("{} cannot be executed", command);
}

bool IsVariableName(const std::string& name) {
  return !name.empty() && name.find('=') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace fedra::config
