#pragma once
//
// Which devices match which selectors: expressions are compiled once, and evaluated once per device
// for as long as its slice does not change.
//
// Both caches only remember what pure functions returned; emptying them changes no answer.
//
// Thread rules: neither class is thread-safe; one user at a time. Conjunction ids stay valid until
// Trim().

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/derived_attribute.h"
#include "cel/selector.h"
#include "dra/model/features.h"
#include "dra/model/model.h"

namespace fedra::dra {

// An expression after compilation, or why it does not compile.
struct CompiledSelector {
  std::string expression;
  std::optional<cel::Selector> selector;
  std::string error;   // for a failure, in cel-go's layout
  std::string advice;  // what to write instead; may be empty
};

// A derived attribute of a request after compilation, or why it does not compile.
struct CompiledDerived {
  std::string expression;
  std::optional<cel::DerivedAttribute> attribute;
  std::string error;  // for a failure, in cel-go's layout
};

// What a derived attribute is on one device.
struct Derivation {
  AttributeValue value;
  std::string error;  // why there is none: the scheduler's attempt ends; empty: there is
};

class Snapshot;

// Expressions are written by tenants, and the hash of a Symbol has no key (base/hash.h): who wants
// to can find expressions that collide. That costs time and never an answer: keys are equal by
// content alone, and a full cache is emptied, so that a lookup compares with no more than
// kMaxSelectors (match.cc) expressions, of which an API server takes at most 10 KiB each
// (cel::SelectorOptions::max_expression_bytes). With a cache full of the longest ones that is some
// 10 ms, for judgements on one cluster only, as long as a tenant keeps that many objects there.
class SelectorCache final {
 public:
  std::shared_ptr<const CompiledSelector> Get(const Symbol& expression,
                                              const AllocatorFeatures& features);
  std::shared_ptr<const CompiledDerived> GetDerived(const Symbol& expression,
                                                    const AllocatorFeatures& features);
  size_t size() const { return selectors_.size(); }

 private:
  struct Key {
    Symbol expression;
    cel::KubernetesRelease release;
    bool list_attributes;
    bool operator==(const Key&) const = default;
  };
  // The expression alone tells keys apart: a cache is used with the features of one cluster, and
  // emptied when they change (verify/device_judge.h). Were there two releases in it, their keys
  // would only share buckets, for equality does compare them.
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.expression.hash(); }
  };
  template <class Compiled>
  using ByKey = std::unordered_map<Key, std::shared_ptr<const Compiled>, KeyHash>;

  static cel::SelectorOptions OptionsFor(const AllocatorFeatures& features);

  ByKey<CompiledSelector> selectors_;
  ByKey<CompiledDerived> derived_;
};

// A class's selectors followed by a request's: a device matches when all do, tested in this order,
// ending at the first that does not.
using ConjunctionId = uint32_t;

// What the selectors say about one device, in one byte.
enum MatchCode : uint8_t {
  kMatches = 0,
  // 1 to kLastCause: which operand of which selector was false, see MatchCache::CauseOf.
  kLastCause = 250,
  kSelectorFails = 255,  // a selector cannot be compiled or evaluated
};

// An operand of a selector's outermost && chain that was false for some device.
struct Cause {
  size_t selector = 0;  // index in the conjunction
  int operand = 0;
  std::string text;           // as written
  bool names_driver = false;  // it asks for the driver: such a device was never meant
};

// What went wrong when a selector could not be evaluated on a device.
struct SelectorFailure {
  size_t selector = 0;
  bool compile_error = false;
  std::string error;
  std::string advice;                        // what to write instead; may be empty
  std::optional<cel::MissingValue> missing;  // what the device lacks, behind such an advice
};

class MatchCache final {
 public:
  // `max_results`: never more (slice, conjunction) pairs are remembered; one takes about 100 bytes.
  explicit MatchCache(size_t max_results = 1 << 18) : max_results_(max_results) {}

  // To be called between two pieces of work. Whenever the results have doubled, those of slices
  // that the cluster no longer has are forgotten, and those for selectors that have not been asked
  // about since; so they are few even where slices and selectors change often.
  void Trim(const Snapshot& snapshot);
  // Results remembered.
  size_t size() const { return result_count_; }
  // Another number whenever Trim() has made the ids invalid.
  uint64_t epoch() const { return epoch_; }

  ConjunctionId Intern(const std::vector<Symbol>& class_selectors,
                       const std::vector<Symbol>& request_selectors,
                       const AllocatorFeatures& features, SelectorCache& selectors);

  // One code per device of the slice. Valid until another slice is asked about, or Trim().
  std::span<const uint8_t> Match(ConjunctionId conjunction, const Slice& slice);

  // Some device of the slice has the code kSelectorFails.
  bool HasFailure(ConjunctionId conjunction, const Slice& slice);

  // One per device of the slice, whether selectors match it or not.
  std::shared_ptr<const std::vector<Derivation>> Derive(
      const std::shared_ptr<const CompiledDerived>& attribute, const Slice& slice,
      const AllocatorFeatures& features);

  // Behind a code from 1 to kLastCause.
  const Cause& CauseOf(ConjunctionId conjunction, uint8_t code) const {
    return conjunctions_[conjunction].causes[code - 1u];
  }
  // Behind kSelectorFails.
  SelectorFailure FailureOf(ConjunctionId conjunction, const Slice& slice, size_t device);
  const CompiledSelector& Selector(ConjunctionId conjunction, size_t index) const {
    return *conjunctions_[conjunction].selectors[index];
  }

 private:
  static constexpr size_t kFewResults = 256;
  static constexpr size_t kMaxDerived = 1 << 14;  // slices and attributes
  struct Conjunction {
    std::vector<std::shared_ptr<const CompiledSelector>> selectors;
    std::vector<Cause> causes;  // in the order in which they were met
    bool sees_sharing = true;   // AllocatorFeatures::selectors_see_sharing
    bool asked_for = false;     // since the last sweep
  };
  struct Results {
    ConjunctionId conjunction;
    std::vector<uint8_t> codes;
    bool has_failure = false;
  };
  struct Converted {
    uint64_t slice = 0;
    std::vector<cel::Device> devices;
  };

  const Results& ResultsFor(ConjunctionId conjunction, const Slice& slice);
  Results Evaluated(ConjunctionId conjunction, const Slice& slice);
  void DropResultsOfOthers(const Snapshot& snapshot);
  const std::vector<cel::Device>& Convert(const Slice& slice, bool sees_sharing);
  static uint8_t Evaluate(Conjunction& conjunction, const cel::Device& device);
  static uint8_t CodeOf(Conjunction& conjunction, size_t selector, int operand);

  const size_t max_results_;
  size_t result_count_ = 0;
  size_t next_sweep_ = kFewResults;
  uint64_t epoch_ = 0;
  std::map<std::vector<const CompiledSelector*>, ConjunctionId> ids_;
  std::vector<Conjunction> conjunctions_;
  std::unordered_map<uint64_t, std::vector<Results>> results_;  // by slice serial
  using DerivedKey = std::pair<uint64_t, std::shared_ptr<const CompiledDerived>>;  // slice serial
  std::map<DerivedKey, std::shared_ptr<const std::vector<Derivation>>> derived_;
  // Of the slice that was asked about last, when there is no room left.
  std::deque<Results> unkept_;
  uint64_t unkept_slice_ = 0;
  // The slices converted last: the requests of one pod come to the same slice one after another.
  std::vector<Converted> converted_ = std::vector<Converted>(16);
  size_t next_converted_ = 0;
};

}  // namespace fedra::dra
