#include "dra/allocator/match.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "dra/allocator/cel_device.h"
#include "dra/model/snapshot.h"

namespace fedra::dra {
namespace {

// A scheduler keeps ten; a fleet's classes and templates use some hundreds.
constexpr size_t kMaxSelectors = 8192;

// Whether a condition that is false says that the device is of another driver: it looks at nothing
// else.
bool IsAboutDriver(std::string_view condition) {
  const auto names = [&](std::string_view part) {
    return condition.find(part) != std::string_view::npos;
  };
  return names("device.driver") && !names("device.attributes") && !names("device.capacity") &&
         !names("device.allowMultipleAllocations");
}

}  // namespace

cel::SelectorOptions SelectorCache::OptionsFor(const AllocatorFeatures& features) {
  cel::SelectorOptions options;
  options.release = features.release;
  options.list_attributes = features.list_attributes || features.selectors_see_lists;
  return options;
}

std::shared_ptr<const CompiledDerived> SelectorCache::GetDerived(
    const Symbol& expression, const AllocatorFeatures& features) {
  const cel::SelectorOptions options = OptionsFor(features);
  Key key{expression, features.release, options.list_attributes};
  if (const auto found = derived_.find(key); found != derived_.end()) return found->second;
  if (derived_.size() >= kMaxSelectors) derived_.clear();
  auto compiled = std::make_shared<CompiledDerived>();
  compiled->expression = expression.str();
  if (auto attribute = cel::CompileDerivedAttribute(compiled->expression, options))
    compiled->attribute = std::move(*attribute);
  else
    compiled->error = attribute.error().ToString();
  derived_.emplace(std::move(key), compiled);
  return compiled;
}

std::shared_ptr<const CompiledSelector> SelectorCache::Get(const Symbol& expression,
                                                           const AllocatorFeatures& features) {
  const cel::SelectorOptions options = OptionsFor(features);
  Key key{expression, features.release, options.list_attributes};
  if (const auto found = selectors_.find(key); found != selectors_.end()) return found->second;
  if (selectors_.size() >= kMaxSelectors) selectors_.clear();
  auto compiled = std::make_shared<CompiledSelector>();
  compiled->expression = expression.str();
  if (auto selector = cel::CompileSelector(compiled->expression, options)) {
    compiled->selector = std::move(*selector);
  } else {
    compiled->error = selector.error().ToString();
    compiled->advice = selector.error().advice;
  }
  selectors_.emplace(std::move(key), compiled);
  return compiled;
}

void MatchCache::Trim(const Snapshot& snapshot) {
  if (conjunctions_.size() >= kMaxSelectors) {
    results_.clear();
    result_count_ = 0;
    ids_.clear();
    conjunctions_.clear();
    ++epoch_;
  }
  if (result_count_ >= std::min(next_sweep_, max_results_)) DropResultsOfOthers(snapshot);
  if (derived_.size() >= kMaxDerived) derived_.clear();
  unkept_.clear();
}

void MatchCache::DropResultsOfOthers(const Snapshot& snapshot) {
  std::unordered_set<uint64_t> slices;
  snapshot.pools().ForEach([&](const PoolKey&, const auto& pool) {
    for (const auto& slice : pool->slices) slices.insert(slice->serial);
  });
  std::erase_if(results_, [&](const auto& entry) { return !slices.contains(entry.first); });
  result_count_ = 0;
  for (auto& [slice, results] : results_) {
    std::erase_if(results, [&](const Results& of_slice) {
      return !conjunctions_[of_slice.conjunction].asked_for;
    });
    result_count_ += results.size();
  }
  for (Conjunction& conjunction : conjunctions_) conjunction.asked_for = false;
  if (result_count_ >= max_results_) {
    results_.clear();
    result_count_ = 0;
  }
  next_sweep_ = std::max(kFewResults, 2 * result_count_);
}

ConjunctionId MatchCache::Intern(const std::vector<Symbol>& class_selectors,
                                 const std::vector<Symbol>& request_selectors,
                                 const AllocatorFeatures& features, SelectorCache& selectors) {
  Conjunction conjunction;
  conjunction.sees_sharing = features.selectors_see_sharing;
  std::vector<const CompiledSelector*> key;
  for (const auto* list : {&class_selectors, &request_selectors}) {
    for (const Symbol& expression : *list) {
      conjunction.selectors.push_back(selectors.Get(expression, features));
      key.push_back(conjunction.selectors.back().get());
    }
  }
  const auto [at, is_new] =
      ids_.try_emplace(std::move(key), static_cast<ConjunctionId>(conjunctions_.size()));
  if (is_new) conjunctions_.push_back(std::move(conjunction));
  conjunctions_[at->second].asked_for = true;
  return at->second;
}

std::shared_ptr<const std::vector<Derivation>> MatchCache::Derive(
    const std::shared_ptr<const CompiledDerived>& attribute, const Slice& slice,
    const AllocatorFeatures& features) {
  auto& known = derived_[{slice.serial, attribute}];
  if (known) return known;
  auto values = std::make_shared<std::vector<Derivation>>(slice.devices.size());
  const std::vector<cel::Device>& devices = Convert(slice, features.selectors_see_sharing);
  for (size_t i = 0; i < devices.size(); ++i) {
    Derivation& derivation = (*values)[i];
    if (!attribute->attribute) {
      derivation.error = attribute->error;
      continue;
    }
    cel::DerivedValue found = attribute->attribute->Evaluate(devices[i]);
    derivation.error = std::move(found.error);
    derivation.value = FromCel(found.value);
  }
  return known = std::move(values);
}

const std::vector<cel::Device>& MatchCache::Convert(const Slice& slice, bool sees_sharing) {
  for (const Converted& entry : converted_)
    if (entry.slice == slice.serial && entry.devices.size() == slice.devices.size())
      return entry.devices;
  Converted& entry = converted_[next_converted_++ % converted_.size()];
  entry.slice = slice.serial;
  entry.devices.clear();
  entry.devices.reserve(slice.devices.size());
  for (const Device& device : slice.devices)
    entry.devices.push_back(ToCel(device, slice.pool.driver, sees_sharing));
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
  cause.names_driver = IsAboutDriver(cause.text);
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
  if (const auto known = results_.find(slice.serial); known != results_.end())
    for (const Results& results : known->second)
      if (results.conjunction == id) return results;
  if (result_count_ < max_results_) {
    ++result_count_;
    return results_[slice.serial].emplace_back(Evaluated(id, slice));
  }
  if (unkept_slice_ != slice.serial) unkept_.clear();
  unkept_slice_ = slice.serial;
  for (const Results& results : unkept_)
    if (results.conjunction == id) return results;
  return unkept_.emplace_back(Evaluated(id, slice));
}

MatchCache::Results MatchCache::Evaluated(ConjunctionId id, const Slice& slice) {
  Results results{.conjunction = id, .codes = std::vector<uint8_t>(slice.devices.size(), kMatches)};
  Conjunction& conjunction = conjunctions_[id];
  if (!conjunction.selectors.empty()) {
    const std::vector<cel::Device>& devices = Convert(slice, conjunction.sees_sharing);
    for (size_t i = 0; i < devices.size(); ++i) {
      results.codes[i] = Evaluate(conjunction, devices[i]);
      if (results.codes[i] == kSelectorFails) results.has_failure = true;
    }
  }
  return results;
}

SelectorFailure MatchCache::FailureOf(ConjunctionId id, const Slice& slice, size_t device) {
  const cel::Device& converted = Convert(slice, conjunctions_[id].sees_sharing)[device];
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
      failure.missing = compiled->selector->Missing(converted, result);
      break;
    }
    ++failure.selector;
  }
  return failure;
}

}  // namespace fedra::dra
