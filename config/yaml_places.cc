#include "config/yaml_places.h"

#include <charconv>
#include <string>
#include <utility>

#include "config/yaml_tree.h"

namespace fedra::config {
namespace {

// The first step of `path`, taken off it: a key, or the text between brackets.
struct Step {
  std::string_view text;
  bool is_index = false;
};

Step TakeStep(std::string_view& path) {
  if (path.starts_with("[\"")) {
    const size_t end = path.find("\"]", 2);
    const Step step{path.substr(2, end == std::string_view::npos ? end : end - 2), false};
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 2);
    return step;
  }
  if (path.starts_with('[')) {
    const size_t end = path.find(']');
    const Step step{path.substr(1, end == std::string_view::npos ? end : end - 1), true};
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    return step;
  }
  if (path.starts_with('.')) path.remove_prefix(1);
  const size_t end = path.find_first_of(".[");
  const Step step{path.substr(0, end), false};
  path.remove_prefix(end == std::string_view::npos ? path.size() : end);
  return step;
}

const YamlNode* Enter(const YamlNode& node, const Step& step) {
  if (!step.is_index) return node.Find(step.text);
  size_t index = 0;
  const auto [rest, error] =
      std::from_chars(step.text.data(), step.text.data() + step.text.size(), index);
  const bool is_number = error == std::errc() && rest == step.text.data() + step.text.size();
  return is_number && index < node.items.size() ? &node.items[index] : nullptr;
}

}  // namespace

Mark YamlPlaces::Find(std::string_view path) const {
  const YamlNode* at = document_.get();
  if (at == nullptr) return {};
  while (!path.empty()) {
    const YamlNode* next = Enter(*at, TakeStep(path));
    if (next == nullptr) break;
    at = next;
  }
  return at->mark;
}

}  // namespace fedra::config
