#include "config/print.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.h"
#include "base/time.h"
#include "config/schema.h"
#include "config/yaml_scalar.h"

namespace fedra::config {
namespace {

bool IsPlainSafe(std::string_view text) {
  const auto safe = [](char c) {
    return IsAlphanumeric(c) || c == '/' || c == '.' || c == '-' || c == '_' || c == ':' ||
           c == '@';
  };
  return !text.empty() && text.front() != '-' && text.front() != '@' && text.front() != ':' &&
         text.back() != ':' && std::all_of(text.begin(), text.end(), safe);
}

// A string as YAML; quoted when YAML could take it for something else.
std::string Quoted(std::string_view text) {
  if (IsPlainSafe(text) && std::holds_alternative<std::string>(ResolvePlain(text)))
    return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)  // a raw line break would be folded into a space
      out += fmt::format("\\x{:02x}", c);
    else
      out += c;
  }
  return out + "\"";
}

std::string LabelsText(const std::map<std::string, std::string>& labels) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : labels)
    parts.push_back(fmt::format("{}: {}", Quoted(key), Quoted(value)));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string NamesText(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) parts.push_back(Quoted(name));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// The present value in YAML's flow form; objects and lists are laid out by their callers.
std::string ValueText(const Binding& binding) {
  return std::visit(
      Overloaded{
          [](const ConstantRef& ref) { return std::string(ref.value); },
          [](const FlagRef& ref) { return std::string(*ref.value ? "true" : "false"); },
          [](const TextRef& ref) {
            if (ref.value->empty()) return std::string();
            return ref.rule == TextRule::kSecret ? "REDACTED" : Quoted(*ref.value);
          },
          [](const NumberRef& ref) { return std::to_string(*ref.value); },
          [](const DurationRef& ref) { return FormatDuration(*ref.value); },
          [](const ChoiceRef& ref) { return Quoted(ref.names[ref.get()]); },
          [](const LabelsRef& ref) { return ref.value->empty() ? "" : LabelsText(*ref.value); },
          [](const NamesRef& ref) { return ref.value->empty() ? "" : NamesText(*ref.value); },
          [](const TextsRef& ref) { return ref.value->empty() ? "" : NamesText(*ref.value); },
          [](const JsonRef& ref) { return *ref.value; },
          [](const ObjectRef&) { return std::string(); },
          [](const ListRef&) { return std::string(); },
      },
      binding);
}

void ViewFields(std::string& out, const Fields& fields, const std::string& indent);

void ViewList(std::string& out, const ListRef& list, const std::string& indent) {
  for (size_t i = 0; i < list.size; ++i) {
    std::string element;
    ViewFields(element, list.at(i), indent + "  ");
    element.replace(indent.size(), 1, "-");
    out += element;
  }
}

void ViewFields(std::string& out, const Fields& fields, const std::string& indent) {
  for (const Field& field : fields) {
    if (const auto* object = std::get_if<ObjectRef>(&field.binding)) {
      out += fmt::format("{}{}:\n", indent, field.key);
      ViewFields(out, object->fields, indent + "  ");
    } else if (const auto* list = std::get_if<ListRef>(&field.binding)) {
      out += fmt::format("{}{}:{}\n", indent, field.key, list->size == 0 ? " []" : "");
      ViewList(out, *list, indent);
    } else if (const std::string value = ValueText(field.binding); !value.empty()) {
      out += fmt::format("{}{}: {}\n", indent, field.key, value);
    }
  }
}

// What may be written, for comments and the reference page.
std::string TypeText(const Binding& binding) {
  return std::visit(
      Overloaded{
          [](const ConstantRef& ref) { return std::string(ref.value); },
          [](const FlagRef&) { return std::string("true, false"); },
          [](const TextRef& ref) { return std::string(IsPath(ref.rule) ? "path" : "string"); },
          [](const NumberRef& ref) { return fmt::format("{} to {}", ref.min, ref.max); },
          [](const DurationRef& ref) {
            return fmt::format("duration, {} to {}", FormatDuration(ref.min),
                               FormatDuration(ref.max));
          },
          [](const ChoiceRef& ref) { return fmt::format("{}", fmt::join(ref.names, ", ")); },
          [](const LabelsRef&) { return std::string("map of labels"); },
          [](const NamesRef&) { return std::string("list of names"); },
          [](const TextsRef&) { return std::string("list of strings"); },
          [](const JsonRef&) { return std::string("map"); },
          [](const ObjectRef&) { return std::string("map"); },
          [](const ListRef&) { return std::string("list"); },
      },
      binding);
}

void DefaultsFields(std::string& out, const Fields& fields, const std::string& indent);

// `text` as comment lines of at most 100 columns.
void Comment(std::string& out, std::string_view text, const std::string& indent) {
  constexpr size_t kColumns = 100;
  const size_t room = kColumns - indent.size() - 2;
  while (!text.empty()) {
    const size_t space = text.size() <= room ? std::string_view::npos : text.rfind(' ', room);
    out += fmt::format("{}# {}\n", indent, text.substr(0, space));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
}

// One example element, commented out as a whole: there is no default worker.
void DefaultsList(std::string& out, const ListRef& list, const std::string& indent) {
  list.resize(1);
  std::string_view bullet = "- ";
  for (const Field& field : list.at(0)) {
    const std::string value = ValueText(field.binding);
    Comment(out, field.meaning, indent + "#   ");
    out += fmt::format("{}# {}{}: {}\n", indent, bullet, field.key,
                       value.empty() ? field.example : value);
    bullet = "  ";
  }
}

void DefaultsField(std::string& out, const Field& field, const std::string& indent) {
  const auto* object = std::get_if<ObjectRef>(&field.binding);
  const auto* list = std::get_if<ListRef>(&field.binding);
  if (indent.empty() && !out.empty()) out += '\n';
  Comment(out, field.meaning, indent);
  if (object != nullptr) {
    out += fmt::format("{}{}:\n", indent, field.key);
    DefaultsFields(out, object->fields, indent + "  ");
  } else if (list != nullptr) {
    out += fmt::format("{}{}:\n", indent, field.key);
    DefaultsList(out, *list, indent);
  } else if (const std::string value = ValueText(field.binding); !value.empty()) {
    out += fmt::format("{}{}: {}\n", indent, field.key, value);
  } else {
    out += fmt::format("{}# {}: {}\n", indent, field.key, field.example);
  }
}

void DefaultsFields(std::string& out, const Fields& fields, const std::string& indent) {
  for (const Field& field : fields) DefaultsField(out, field, indent);
}

std::string DefaultText(const Field& field) {
  if (field.required) return "required";
  const std::string value = ValueText(field.binding);
  return value.empty() ? "" : fmt::format("`{}`", value);
}

void TableRows(std::string& out, const Fields& fields, const std::string& prefix) {
  for (const Field& field : fields) {
    const std::string path = prefix + std::string(field.key);
    if (const auto* list = std::get_if<ListRef>(&field.binding)) {
      list->resize(1);
      TableRows(out, list->at(0), path + "[].");
    } else if (const auto* object = std::get_if<ObjectRef>(&field.binding)) {
      TableRows(out, object->fields, path + ".");
    } else {
      out += fmt::format("| `{}` | {} | {} | {} |\n", path, TypeText(field.binding),
                         DefaultText(field), field.meaning);
    }
  }
}

}  // namespace

std::string PrintDefaults() {
  Configuration configuration;
  std::string out;
  DefaultsFields(out, Describe(configuration), "");
  return out;
}

std::string View(const Configuration& configuration) {
  Configuration copy = configuration;
  std::string out;
  ViewFields(out, Describe(copy), "");
  return out;
}

std::string ReferencePage() {
  Configuration configuration;
  std::string out =
      "# Configuration\n\n"
      "One YAML file, read strictly: an unknown key, a wrong type or a value that this version "
      "does not\n"
      "support is an error with its line, never ignored. `fedra config validate` reports every "
      "problem at\n"
      "once, `fedra config print-defaults` prints this table as a file to start from, and `fedra "
      "config view`\n"
      "the file's values. Durations are written as `90s`, `15m`, `1h30m`.\n\n"
      "A running daemon watches its file and applies these at once: `workers`, "
      "`dispatch.removedWorkers`,\n"
      "`logging.level`, and what the kubeconfigs and the files that they name contain (addresses,\n"
      "credentials, certificates). A worker that is added is connected, and waiting jobs are "
      "judged\n"
      "again. One that is removed gets no new jobs; `dispatch.removedWorkers` says what\n"
      "happens to those that run there. It stays in `fedra status` until nothing of fedra is left "
      "there. "
      "A worker\n"
      "that gets another name is removed and added: the new name is used once the old one is "
      "released. "
      "Replace\n"
      "the file in one step (`mv`), so that the daemon never reads half of it.\n"
      "SIGHUP makes the daemon read it at once.\n\n"
      "The manager's address needs a restart: seen from another manager, every copy on the workers "
      "would\n"
      "belong to another one. So does every other key; a restart disturbs no job, and the daemon's "
      "log\n"
      "says when such a key has changed. `fedra check`, `devices`, `templates` and `config` read "
      "the "
      "file\n"
      "themselves and show what it says, which is what the daemon does only after its restart.\n\n"
      "| key | values | default | meaning |\n|---|---|---|---|\n";
  TableRows(out, Describe(configuration), "");
  return out;
}

}  // namespace fedra::config
