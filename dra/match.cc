#include "dra/match.h"

#include <algorithm>
#include <array>

namespace fedra::dra {
namespace {

// A scheduler keeps ten; a fleet's classes and templates use some hundreds.
constexpr size_t kMaxSelectors = 8192;

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
      return collect.operator()<Text, std::string>([](const Text& value) { return value.str(); });
    default:
      return collect.operator()<VersionName, cel::VersionText>(
          [](const VersionName& value) { return cel::VersionText{value.text.str()}; });
  }
}

cel::AttributeValue ToCel(const AttributeValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* text = std::get_if<Text>(&value)) return text->str();
  if (const auto* version = std::get_if<VersionName>(&value))
    return cel::VersionText{version->text.str()};
  if (const auto* list = std::get_if<ListPointer>(&value)) return ToCelList(**list);
  return std::monostate();
}

cel::Device ToCel(const Device& device, const Text& driver) {
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
  input.allow_multiple_allocations = device.allow_multiple;
  return cel::Device(input);
}

}  // namespace

std::shared_ptr<const CompiledSelector> SelectorCache::Get(const std::string& expression,
                                                           const AllocatorFeatures& features) {
  Key key{expression, features.release, features.list_attributes};
  if (const auto found = selectors_.find(key); found != selectors_.end()) return found->second;
  if (selectors_.size() >= kMaxSelectors) selectors_.clear();
  auto compiled = std::make_shared<CompiledSelector>();
  compiled->expression = expression;
  cel::SelectorOptions options;
  options.release = features.release;
  options.list_attributes = features.list_attributes;
  if (auto selector = cel::CompileSelector(expression, options)) {
    compiled->selector = std::move(*selector);
  } else {
    compiled->error = selector.error().ToString();
    compiled->advice = selector.error().advice;
  }
  selectors_.emplace(std::move(key), compiled);
  return compiled;
}

void MatchCache::Trim() {
  if (result_count_ < max_results_ && conjunctions_.size() < kMaxSelectors) return;
  results_.clear();
  result_count_ = 0;
  ids_.clear();
  conjunctions_.clear();
  ++epoch_;
}

ConjunctionId MatchCache::Intern(const std::vector<std::string>& class_selectors,
                                 const std::vector<std::string>& request_selectors,
                                 const AllocatorFeatures& features, SelectorCache& selectors) {
  Conjunction conjunction;
  std::vector<const CompiledSelector*> key;
  for (const auto* list : {&class_selectors, &request_selectors}) {
    for (const std::string& expression : *list) {
      conjunction.selectors.push_back(selectors.Get(expression, features));
      key.push_back(conjunction.selectors.back().get());
    }
  }
  const auto [at, is_new] =
      ids_.try_emplace(std::move(key), static_cast<ConjunctionId>(conjunctions_.size()));
  if (is_new) conjunctions_.push_back(std::move(conjunction));
  return at->second;
}

const std::vector<cel::Device>& MatchCache::Convert(const Slice& slice) {
  for (const Converted& entry : converted_)
    if (entry.slice == slice.serial && entry.devices.size() == slice.devices.size())
      return entry.devices;
  Converted& entry = converted_[next_converted_++ % converted_.size()];
  entry.slice = slice.serial;
  entry.devices.clear();
  entry.devices.reserve(slice.devices.size());
  for (const Device& device : slice.devices)
    entry.devices.push_back(ToCel(device, slice.pool.driver));
  return entry.devices;
}

uint8_t MatchCache::CodeOf(Conjunction& conjunction, size_t selector, int operand) {
  std::vector<Cause>& causes = conjunction.causes;
  for (size_t i = 0; i < causes.size(); ++i)
    if (causes[i].selector == selector && causes[i].operand == operand)
      return static_cast<uint8_t>(i + 1);
  if (causes.size() == kLastCause) return kLastCause;
  const cel::Selector& compiled = *conjunction.selectors[selector]->selector;
  Cause cause{.selector = selector, .operand = operand, .text = compiled.expression()};
  if (operand >= 0) cause.text = compiled.operands()[static_cast<size_t>(operand)];
  cause.names_driver = cause.text.find("device.driver") != std::string::npos;
  causes.push_back(std::move(cause));
  return static_cast<uint8_t>(causes.size());
}

uint8_t MatchCache::Evaluate(Conjunction& conjunction, const cel::Device& device) {
  for (size_t i = 0; i < conjunction.selectors.size(); ++i) {
    const CompiledSelector& compiled = *conjunction.selectors[i];
    if (!compiled.selector) return kSelectorFails;
    const cel::EvalResult result = compiled.selector->Evaluate(device);
    if (result.failed()) return kSelectorFails;
    if (!result.matches()) return CodeOf(conjunction, i, result.false_operand);
  }
  return kMatches;
}

std::span<const uint8_t> MatchCache::Match(ConjunctionId id, const Slice& slice) {
  return ResultsFor(id, slice).codes;
}

bool MatchCache::HasFailure(ConjunctionId id, const Slice& slice) {
  return ResultsFor(id, slice).has_failure;
}

const MatchCache::Results& MatchCache::ResultsFor(ConjunctionId id, const Slice& slice) {
  std::vector<Results>& known = results_[slice.serial];
  for (const Results& results : known)
    if (results.conjunction == id) return results;
  Results results{.conjunction = id, .codes = std::vector<uint8_t>(slice.devices.size(), kMatches)};
  Conjunction& conjunction = conjunctions_[id];
  if (!conjunction.selectors.empty()) {
    const std::vector<cel::Device>& devices = Convert(slice);
    for (size_t i = 0; i < devices.size(); ++i) {
      results.codes[i] = Evaluate(conjunction, devices[i]);
      if (results.codes[i] == kSelectorFails) results.has_failure = true;
    }
  }
  ++result_count_;
  known.push_back(std::move(results));
  return known.back();
}

SelectorFailure MatchCache::FailureOf(ConjunctionId id, const Slice& slice, size_t device) {
  const cel::Device& converted = Convert(slice)[device];
  SelectorFailure failure;
  for (const auto& compiled : conjunctions_[id].selectors) {
    if (!compiled->selector) {
      failure.compile_error = true;
      failure.error = compiled->error;
      failure.advice = compiled->advice;
      break;
    }
    const cel::EvalResult result = compiled->selector->Evaluate(converted);
    if (result.failed()) {
      failure.error = result.error;
      failure.advice = compiled->selector->Advice(converted, result);
      break;
    }
    ++failure.selector;
  }
  return failure;
}

}  // namespace fedra::dra
