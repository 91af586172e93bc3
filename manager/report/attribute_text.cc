#include "manager/report/attribute_text.h"

#include <variant>

namespace fedra::report {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string TextOf(const dra::ScalarValue& value) {
  return std::visit(Overloaded{[](int64_t number) { return std::to_string(number); },
                               [](bool flag) { return std::string(flag ? "true" : "false"); },
                               [](const dra::Symbol& text) { return text.str(); },
                               [](const dra::VersionName& version) { return version.text.str(); }},
                    value);
}

std::string TextOf(const dra::AttributeValue& value) {
  return std::visit(Overloaded{[](std::monostate) { return std::string("?"); },
                               [](const dra::ListPointer& list) {
                                 std::string text;
                                 for (const dra::ScalarValue& item : list->items)
                                   text += (text.empty() ? "" : ", ") + TextOf(item);
                                 return "[" + text + "]";
                               },
                               [](const auto& scalar) { return TextOf(dra::ScalarValue(scalar)); }},
                    value);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> TextsOf(const dra::Device& device) {
  std::vector<std::pair<std::string, std::string>> texts;
  if (device.common)
    for (const dra::Attribute& attribute : *device.common)
      texts.emplace_back(attribute.name.str(), TextOf(attribute.value));
  for (const dra::Attribute& attribute : device.own)
    texts.emplace_back(attribute.name.str(), TextOf(attribute.value));
  if (device.capacity)
    for (const dra::Capacity& capacity : *device.capacity)
      texts.emplace_back(capacity.name.str(), capacity.value.ToString());
  return texts;
}

}  // namespace fedra::report
