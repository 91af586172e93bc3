#include "dra/allocator/cel_device.h"

namespace fedra::dra {
namespace {

cel::AttributeValue ToCelList(const ListValue& list) {
  if (list.items.empty()) return std::vector<int64_t>();
  const auto collect = [&]<class Item, class Out>(Out (*convert)(const Item&)) {
    std::vector<Out> items;
    for (const ScalarValue& item : list.items)
      if (const Item* value = std::get_if<Item>(&item)) items.push_back(convert(*value));
    return items;
  };
  switch (list.items.front().index()) {
    case 0:
      return collect.operator()<int64_t, int64_t>([](const int64_t& value) { return value; });
    case 1:
      return collect.operator()<bool, bool>([](const bool& value) { return value; });
    case 2:
      return collect.operator()<Symbol, std::string>(
          [](const Symbol& value) { return value.str(); });
    default:
      return collect.operator()<VersionName, cel::VersionText>(
          [](const VersionName& value) { return cel::VersionText{value.text.str()}; });
  }
}

cel::AttributeValue ToCel(const AttributeValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* text = std::get_if<Symbol>(&value)) return text->str();
  if (const auto* version = std::get_if<VersionName>(&value))
    return cel::VersionText{version->text.str()};
  if (const auto* list = std::get_if<ListPointer>(&value)) return ToCelList(**list);
  return std::monostate();
}

template <class Item>
AttributeValue FromCelList(const std::vector<Item>& items) {
  auto list = std::make_shared<ListValue>();
  for (const auto& item : items) {
    if constexpr (std::is_same_v<Item, std::string>)
      list->items.emplace_back(Symbol(item));
    else if constexpr (std::is_same_v<Item, cel::VersionText>)
      list->items.emplace_back(VersionName{Symbol(item.text)});
    else
      list->items.emplace_back(static_cast<Item>(item));
  }
  return ListPointer(std::move(list));
}

}  // namespace

AttributeValue FromCel(const cel::AttributeValue& value) {
  return std::visit(
      []<class T>(const T& content) -> AttributeValue {
        if constexpr (std::is_same_v<T, std::string>)
          return Symbol(content);
        else if constexpr (std::is_same_v<T, cel::VersionText>)
          return VersionName{Symbol(content.text)};
        else if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, int64_t> ||
                           std::is_same_v<T, bool>)
          return content;
        else
          return FromCelList(content);
      },
      value);
}

cel::Device ToCel(const Device& device, const Symbol& driver, bool sees_sharing) {
  cel::DeviceInput input;
  input.driver = driver.str();
  const auto add = [&](const AttributeList& list) {
    for (const Attribute& attribute : list)
      input.attributes.emplace_back(attribute.name.str(), ToCel(attribute.value));
  };
  if (device.common) add(*device.common);
  add(device.own);
  if (device.capacity)
    for (const Capacity& capacity : *device.capacity)
      input.capacity.emplace_back(capacity.name.str(), capacity.value.ToString());
  if (sees_sharing) input.allow_multiple_allocations = device.allow_multiple;
  return cel::Device(input);
}

}  // namespace fedra::dra
