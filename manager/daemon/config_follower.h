#pragma once
//
// The configuration of the running daemon. Read again when its file, a kubeconfig or a file of
// credentials has changed; what can be used without a restart is taken over, and the log says what
// came of it.
//
// Thread rules: one thread.

#include <functional>
#include <optional>
#include <string>

#include "config/load.h"

namespace fedra {

class ConfigFollower final {
 public:
  // `on_read`: whether a changed configuration could be read.
  ConfigFollower(std::string path, config::Loaded loaded, std::function<void(bool)> on_read);

  const config::Loaded& now() const { return now_; }
  // The keys that have changed and take effect with a restart, "http.address, store.path"; empty:
  // none.
  const std::string& restart_needed() const { return restart_needed_; }

  // Reads again what has changed; `forced`: all of it, and what needs a restart is said once more.
  // Returns the configuration before, when there is another one now.
  std::optional<config::Loaded> Follow(bool forced);

 private:
  std::optional<config::Loaded> Read(bool forced);
  void TakeOverFrom(config::Loaded& fresh, bool forced);
  void KeepManager(config::Loaded& fresh) const;
  void PublishWorkers(const config::Configuration& fresh) const;

  const std::string path_;
  config::Loaded now_;
  const std::function<void(bool)> on_read_;
  bool is_broken_ = false;      // the file, as it was read last
  std::string restart_needed_;  // as reported last
};

}  // namespace fedra
