#pragma once
//
// One line per event that an operator acts on: a constant message and key=value fields.
//
//   log::Warn("worker lost", {{"cluster", name}, {"since", FormatAge(age)}});
//
// A field without a value is left out. Field names are fixed: cluster, workload, job, attempt,
// reason, error, ... Never pass credentials, and never let a remote party choose how often a line
// is written. Thread rules: any thread, after Setup (before it, lines go to stderr at level info).

#include <initializer_list>
#include <string>
#include <string_view>

namespace fedra::log {

enum class Level { kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

struct Field {
  std::string_view key;
  std::string value;
};
using Fields = std::initializer_list<Field>;

// Once, at start-up, before other threads exist. Lines go to stderr.
void Setup(Level level, Format format);
// At any time: the level may be changed by a configuration reload.
void SetLevel(Level level);
bool Enabled(Level level);

void Write(Level level, std::string_view message, Fields fields);
inline void Debug(std::string_view message, Fields fields = {}) {
  Write(Level::kDebug, message, fields);
}
inline void Info(std::string_view message, Fields fields = {}) {
  Write(Level::kInfo, message, fields);
}
inline void Warn(std::string_view message, Fields fields = {}) {
  Write(Level::kWarn, message, fields);
}
inline void Fault(std::string_view message, Fields fields = {}) {
  Write(Level::kError, message, fields);
}

}  // namespace fedra::log
