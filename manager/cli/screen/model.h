#pragma once
//
// What the screen is about: the views that were opened one from another, and what is being typed.
// Plain values; update.h changes them, render.h draws them.

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "manager/cli/screen/document.h"
#include "manager/cli/screen/key.h"

namespace fedra::cli::screen {

// So many jobs are asked for at once, and so many more with each "m": a terminal shows a hundred.
inline constexpr size_t kPage = 1'000;

struct View {
  Question question;
  // Of a view about one job: the worker where it was when this was opened. Of one about a worker:
  // the job from which this was opened. May be empty.
  std::string beside = {};
  std::shared_ptr<const Document> document = nullptr;  // null: no answer yet
  WallTime opened_at{};
  WallTime read_at{};         // of the document
  std::string problem = {};   // why there is no newer one; empty: nothing is wrong
  std::string filter = {};    // only rows, or lines, that have this somewhere, in whatever case
  std::string selected = {};  // key of the row
  size_t index = 0;           // of that row among those that the filter leaves
  size_t top = 0;             // the first row, or line, that is seen, of those
};

enum class Prompt { kNone, kFilter, kCommand };

struct Model {
  Size size = {};
  WallTime now{};
  bool utf8 = true;                    // what the terminal can show
  std::string scope = {};              // which jobs the command line has chosen, for people
  std::vector<View> views = {View{}};  // the last one is seen; never empty
  Prompt prompt = Prompt::kNone;       // what is being typed
  std::string input = {};              // so far
  std::string note = {};               // what there is to say to the last key
  bool redraw = false;                 // the last event asks for the whole screen again
  bool ends = false;
};

inline const View& Seen(const Model& model) { return model.views.back(); }
inline View& Seen(Model& model) { return model.views.back(); }

// What came of a question.
struct Answer {
  Question question;
  WallTime at{};
  Result<std::shared_ptr<const Document>> document;
};

// The time that it is now is an event, too: ages grow.
using Event = std::variant<Key, Answer, Size, WallTime>;

}  // namespace fedra::cli::screen
