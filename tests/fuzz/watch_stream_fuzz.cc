// The body of a watch, cut into pieces: lines, events, metadata, the error of an ERROR event.

#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "cluster-clients/kube/status.h"
#include "cluster-clients/watch/object_cache.h"
#include "cluster-clients/watch/watch_event.h"

namespace {

struct Outcome {
  size_t lines = 0;
  size_t events = 0;
};

Outcome Read(std::string_view text, size_t piece) {
  Outcome outcome;
  fedra::watch::LineSplitter splitter;
  const auto on_line = [&](std::string_view line) {
    ++outcome.lines;
    const auto event = fedra::watch::ReadWatchEvent(line);
    if (!event) return true;
    ++outcome.events;
    if (event->type == fedra::watch::EventType::kError) {
      FEDRA_ASSERT(fedra::kube::ErrorOfStatus(event->object).message.size() < 1024,
                   "messages are bounded");
    }
    const auto scanned = fedra::watch::ScanMeta(event->object);
    const auto parsed = fedra::watch::ParseJson(event->object);
    if (!scanned || !parsed) return true;
    (void)fedra::watch::ReadMeta(*parsed);
    return true;
  };
  for (size_t pos = 0; pos < text.size(); pos += piece) {
    if (!splitter.Feed(text.substr(pos, piece), on_line)) break;
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Outcome whole = Read(text, text.size() + 1);
  const Outcome cut = Read(text, 1 + data[0] % 32);
  FEDRA_ASSERT(whole.lines == cut.lines && whole.events == cut.events, "cuts do not matter");
  return 0;
}
