#include "tests/sim/api/selector.h"

#include <fmt/format.h>

#include <algorithm>

namespace fedra::sim {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Parts between commas that are not inside parentheses.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) {
      parts.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parts.push_back(Trim(text.substr(begin)));
  return parts;
}

// "key<separator>rest"; false when the separator is not there.
bool Cut(std::string_view text, std::string_view separator, std::string_view& key,
         std::string_view& rest) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return false;
  key = Trim(text.substr(0, at));
  rest = Trim(text.substr(at + separator.size()));
  return true;
}

bool ValidKey(std::string_view key) {
  return !key.empty() && key.find_first_of(" !=(),") == std::string_view::npos;
}

}  // namespace

bool LabelSelector::ParseOne(std::string_view text, Requirement& requirement) {
  std::string_view key;
  std::string_view rest;
  const auto set = [&requirement](std::string_view name, Operator op) {
    requirement.key = name;
    requirement.op = op;
    return ValidKey(name);
  };
  for (const auto& [word, op] : {std::pair{" notin ", Operator::kNotIn}, {" in ", Operator::kIn}}) {
    if (!Cut(text, word, key, rest)) continue;
    if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') return false;
    for (const std::string_view value : Split(rest.substr(1, rest.size() - 2))) {
      requirement.values.emplace_back(value);
    }
    return set(key, op);
  }
  if (Cut(text, "!=", key, rest)) {
    requirement.values.emplace_back(rest);
    return set(key, Operator::kNotIn);
  }
  if (Cut(text, "==", key, rest) || Cut(text, "=", key, rest)) {
    requirement.values.emplace_back(rest);
    return set(key, Operator::kIn);
  }
  if (!text.empty() && text.front() == '!') return set(Trim(text.substr(1)), Operator::kMissing);
  return set(text, Operator::kExists);
}

Outcome<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  if (Trim(text).empty()) return selector;
  for (const std::string_view part : Split(text)) {
    Requirement requirement;
    if (!ParseOne(part, requirement)) {
      return Refuse(BadRequest(fmt::format(
          "unable to parse requirement: found '{}', expected: a label selector", part)));
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool LabelSelector::Matches(const Labels& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&labels](const Requirement& r) {
    const auto label = labels.find(r.key);
    const bool exists = label != labels.end();
    const bool in =
        exists && std::find(r.values.begin(), r.values.end(), label->second) != r.values.end();
    switch (r.op) {
      case Operator::kIn:
        return in;
      case Operator::kNotIn:
        return !in;
      case Operator::kExists:
        return exists;
      case Operator::kMissing:
        return !exists;
    }
    return false;
  });
}

Outcome<FieldSelector> FieldSelector::Parse(std::string_view text) {
  FieldSelector selector;
  if (Trim(text).empty()) return selector;
  for (const std::string_view part : Split(text)) {
    Requirement requirement;
    std::string_view field;
    std::string_view value;
    if (Cut(part, "!=", field, value)) {
      requirement.equal = false;
    } else if (!Cut(part, "==", field, value) && !Cut(part, "=", field, value)) {
      return Refuse(
          BadRequest(fmt::format("invalid field selector: {}; can't understand '{}'", text, part)));
    }
    if (field != "metadata.name" && field != "metadata.namespace") {
      return Refuse(BadRequest(fmt::format("field label not supported: {}", field)));
    }
    requirement.name = field == "metadata.name";
    requirement.value = value;
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool FieldSelector::Matches(std::string_view ns, std::string_view name) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& r) {
    return ((r.name ? name : ns) == r.value) == r.equal;
  });
}

}  // namespace fedra::sim
