#include "manager/cli/screen/update.h"

#include <utility>

#include "base/utf8.h"
#include "manager/cli/screen/bindings.h"
#include "manager/cli/screen/layout.h"
#include "manager/cli/screen/open.h"

namespace fedra::cli::screen {
namespace {

// Longer than any name that is typed.
constexpr size_t kMostTyped = 512;

void RemoveLastCharacter(std::string& text) {
  if (!text.empty()) text.resize(CharacterBoundary(text, text.size() - 1));
}

// A key while a filter or a command is typed. A filter is in effect with each character.
void KeepTyping(Model& model, const Key& key) {
  const bool is_filter = model.prompt == Prompt::kFilter;
  switch (key.code) {
    case KeyCode::kCharacter:
      if (model.input.size() < kMostTyped) model.input += key.text;
      break;
    case KeyCode::kBackspace:
      RemoveLastCharacter(model.input);
      break;
    case KeyCode::kErase:
      model.input.clear();
      break;
    case KeyCode::kEscape:
      model.input.clear();
      model.prompt = Prompt::kNone;
      break;
    case KeyCode::kEnter:
      model.prompt = Prompt::kNone;
      break;
    default:
      return;
  }
  if (is_filter) {
    Seen(model).filter = model.input;
    if (key.code == KeyCode::kEnter) LookForName(model);
  } else if (model.prompt == Prompt::kNone) {
    RunCommand(model, std::exchange(model.input, {}));
  }
}

void Press(Model& model, const Key& key) {
  model.note.clear();
  if (model.prompt != Prompt::kNone) return KeepTyping(model, key);
  if (const Binding* const binding = FindBinding(key, Seen(model))) binding->run(model);
}

// In whichever view asks this.
void Receive(Model& model, const Answer& answer) {
  for (View& view : model.views) {
    if (!(view.question == answer.question)) continue;
    view.problem = answer.document ? std::string() : ToString(answer.document.error());
    if (!answer.document) continue;
    view.document = *answer.document;
    view.read_at = answer.at;
  }
}

void Resize(Model& model, const Size& size) {
  model.size = size;
  for (View& view : model.views)
    if (!IsRows(view.question.what)) view.question.columns = size.width;
}

struct Handler {
  Model& model;
  void operator()(const Key& key) const { Press(model, key); }
  void operator()(const Answer& answer) const { Receive(model, answer); }
  void operator()(const Size& size) const { Resize(model, size); }
  void operator()(WallTime now) const { model.now = now; }
};

}  // namespace

Model Update(Model model, const Event& event) {
  model.redraw = false;
  std::visit(Handler{model}, event);
  KeepInView(Seen(model), model.size);
  return model;
}

std::optional<Question> Wanted(const Model& model) {
  const Question& question = Seen(model).question;
  if (question.what == What::kHelp) return std::nullopt;
  return question;
}

}  // namespace fedra::cli::screen
