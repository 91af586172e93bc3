// A list as an API server may send it, cut into pieces: the result must not depend on the cuts, and
// every element must lie within the text.

#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "cluster-clients/kube/list_reader.h"

namespace {

struct Outcome {
  size_t items = 0;
  size_t bytes = 0;
  bool complete = false;
};

Outcome Read(std::string_view text, size_t piece) {
  Outcome outcome;
  fedra::kube::ListReader reader(
      [&](std::string_view item) {
        ++outcome.items;
        outcome.bytes += item.size();
        FEDRA_ASSERT(item.front() == '{', "an element begins as an object");
      },
      SIZE_MAX);
  for (size_t pos = 0; pos < text.size(); pos += piece) {
    if (!reader.Feed(text.substr(pos, piece))) break;
  }
  outcome.complete = reader.Finish().has_value();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Outcome whole = Read(text, text.size() + 1);
  const Outcome cut = Read(text, 1 + data[0] % 32);
  FEDRA_ASSERT(whole.items == cut.items && whole.bytes == cut.bytes, "cuts do not matter");
  FEDRA_ASSERT(whole.bytes <= text.size(), "elements lie within the text");
  return 0;
}
