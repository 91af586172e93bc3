#include "dra/allocator/pod_claims.h"

#include <algorithm>

#include "base/text.h"

namespace fedra::dra {
namespace {

// An expression may have 10 KiB, and a message is read by people.
constexpr size_t kMaxExpressionShown = 300;
constexpr size_t kMaxErrorShown = 400;

class Preparer final {
 public:
  Preparer(const Snapshot& snapshot, MatchCache& matches, SelectorCache& selectors)
      : snapshot_(snapshot), matches_(matches), selectors_(selectors) {}

  void Add(const UnallocatedClaim& claim);
  PodClaims Take() { return std::move(result_); }

 private:
  void AddRequest(const UnallocatedClaim& claim, const ClaimRequest& request);
  void AddAsk(const UnallocatedClaim& claim, const ClaimRequest& owner,
              const DeviceRequest& request, bool alternative);
  void Check(const DeviceRequest& request);
  void CheckConstraints(const UnallocatedClaim& claim);
  uint64_t ConstraintsOn(const ClaimSpec& spec, const ClaimRequest& owner,
                         const DeviceRequest& request, bool alternative) const;
  void Fatal(const std::string& what) {
    if (!result_.fatal) result_.fatal = result_.claims.back().Describe() + what;
  }

  const Snapshot& snapshot_;
  MatchCache& matches_;
  SelectorCache& selectors_;
  PodClaims result_;
};

void Preparer::Check(const DeviceRequest& request) {
  const AllocatorFeatures& features = snapshot_.features();
  const std::string where = ", request " + request.name.str();
  if (!features.consumable_capacity && features.capacity_requests_fail && request.has_capacity)
    Fatal(where + ": has capacity requests, but the DRAConsumableCapacity feature is disabled");
  for (size_t i = 0; i < request.selector_is_cel.size(); ++i)
    if (!request.selector_is_cel[i])
      Fatal(where + ", selector #" + std::to_string(i) +
            ": CEL expression empty (unsupported selector type?)");
  if (!features.admin_access && request.admin_access)
    Fatal(where + ": admin access is requested, but the feature is disabled");
  if (request.device_class.empty())
    Fatal(where + ": missing device class name (unsupported request type?)");
  if (request.mode == AllocationMode::kUnknown)
    Fatal(where + ": unsupported count mode " + request.mode_text.str());
  for (const auto& [name, amount] : request.capacity)
    if (features.negative_capacity_fails && amount.Sign() < 0)
      Fatal(where + ": negative request for capacity " + name.str());
}

uint64_t Preparer::ConstraintsOn(const ClaimSpec& spec, const ClaimRequest& owner,
                                 const DeviceRequest& request, bool alternative) const {
  const std::string full = owner.name.str() + "/" + request.name.str();
  uint64_t bits = 0;
  for (size_t i = 0; i < std::min(spec.constraints.size(), kMaxConstraints); ++i) {
    const std::vector<Symbol>& names = spec.constraints[i].requests;
    const bool applies =
        names.empty() || std::any_of(names.begin(), names.end(), [&](const Symbol& name) {
          return name == owner.name || (alternative && name == full);
        });
    if (applies) bits |= uint64_t{1} << i;
  }
  return bits;
}

void Preparer::AddAsk(const UnallocatedClaim& claim, const ClaimRequest& owner,
                      const DeviceRequest& request, bool alternative) {
  Check(request);
  SubRequest ask;
  ask.request = &request;
  ask.owner = &owner;
  ask.alternative = alternative;
  ask.all = request.mode == AllocationMode::kAll;
  ask.admin = !alternative && request.admin_access.value_or(false);
  ask.claim = static_cast<uint32_t>(result_.claims.size() - 1);
  ask.constraints = ConstraintsOn(*claim.spec, owner, request, alternative);
  if (const auto* found = snapshot_.classes().Find(request.device_class)) {
    ask.device_class = *found;
    for (size_t i = 0; i < ask.device_class->selector_is_cel.size(); ++i)
      if (!ask.device_class->selector_is_cel[i])
        Fatal(", request " + request.name.str() + ": class " + request.device_class.str() +
              " has a selector of an unknown kind");
    ask.match = matches_.Intern(ask.device_class->selectors, request.selectors,
                                snapshot_.features(), selectors_);
  } else if (!request.device_class.empty()) {
    Fatal(", request " + request.name.str() + ": could not retrieve device class " +
          request.device_class.str());
    auto& missing = result_.missing_classes;
    if (std::find(missing.begin(), missing.end(), request.device_class) == missing.end())
      missing.push_back(request.device_class);
  }
  if (snapshot_.features().derived_attributes) {
    for (const auto& [name, expression] : request.derived)
      ask.derived.emplace_back(name, selectors_.GetDerived(expression, snapshot_.features()));
  }
  result_.asks.push_back(std::move(ask));
}

void Preparer::AddRequest(const UnallocatedClaim& claim, const ClaimRequest& request) {
  PreparedRequest prepared{.first_ask = static_cast<uint32_t>(result_.asks.size()),
                           .asks = 1,
                           .alternatives = !request.first_available.empty()};
  if (prepared.alternatives) {
    if (!snapshot_.features().prioritized_list)
      Fatal(", request " + request.name.str() +
            ": has subrequests, but the DRAPrioritizedList feature is disabled");
    prepared.asks = static_cast<uint32_t>(request.first_available.size());
    for (const DeviceRequest& alternative : request.first_available)
      AddAsk(claim, request, alternative, true);
  } else if (request.exactly) {
    AddAsk(claim, request, *request.exactly, false);
  } else {
    Fatal(", request " + request.name.str() + ": unsupported request type");
    return;
  }
  result_.claims.back().requests.push_back(prepared);
}

void Preparer::CheckConstraints(const UnallocatedClaim& claim) {
  const auto& constraints = claim.spec->constraints;
  if (constraints.size() > kMaxConstraints) Fatal(": too many constraints");
  for (size_t i = 0; i < constraints.size(); ++i) {
    const bool distinct =
        snapshot_.features().distinct_attribute && !constraints[i].distinct_attribute.empty();
    if (constraints[i].match_attribute.empty() && !distinct)
      Fatal(", constraint #" + std::to_string(i) +
            ": empty constraint (unsupported constraint type?)");
  }
}

void Preparer::Add(const UnallocatedClaim& claim) {
  result_.claims.push_back({.key = claim.key,
                            .spec = claim.spec,
                            .made_from = claim.made_from,
                            .uses = claim.uses,
                            .requests = {}});
  for (const ClaimRequest& request : claim.spec->requests) AddRequest(claim, request);
  CheckConstraints(claim);
}

}  // namespace

std::string PreparedClaim::Name() const {
  return made_from != nullptr || key.name == kExtendedClaim ? key.name : key.ToString();
}

std::string PreparedClaim::Describe() const {
  if (key.name == kExtendedClaim) return "the claim for extended resources";
  if (made_from == nullptr) return "ResourceClaim " + key.ToString();
  return "claim " + key.name + " (template " + *made_from + ")";
}

std::string SubRequest::Name() const {
  return alternative ? owner->name.str() + "/" + request->name.str() : owner->name.str();
}

const std::shared_ptr<const CompiledDerived>* SubRequest::FindDerived(
    const Symbol& attribute) const {
  const auto at = std::find_if(derived.rbegin(), derived.rend(),
                               [&](const auto& entry) { return entry.first == attribute; });
  return at == derived.rend() ? nullptr : &at->second;
}

std::string DescribeDerivation(const Symbol& attribute, const CompiledDerived& compiled,
                               const Derivation& derivation, const std::string& device) {
  const std::string text = "derived attribute " + attribute.str();
  if (!compiled.attribute) {
    return text + " does not compile: CEL compile error: " +
           Cut(derivation.error, kMaxExpressionShown + kMaxErrorShown);
  }
  return text + ", " + Cut(compiled.expression, kMaxExpressionShown) + ", fails on device " +
         device + ": CEL runtime error: " + Cut(derivation.error, kMaxErrorShown);
}

std::string DescribeSelector(const SubRequest& ask, const SelectorFailure& failure,
                             const std::string& device, const MatchCache& matches) {
  const size_t in_class = ask.device_class->selectors.size();
  const bool of_class = failure.selector < in_class;
  const size_t index = of_class ? failure.selector : failure.selector - in_class;
  const std::string owner =
      of_class ? "DeviceClass " + ask.device_class->name.str() : "the request";
  const std::string text = "selector #" + std::to_string(index) + " of " + owner;
  if (failure.compile_error) return text + " does not compile";
  const std::string& expression = matches.Selector(ask.match, failure.selector).expression;
  return text + ", " + Cut(expression, kMaxExpressionShown) + ", fails on device " + device;
}

std::string DescribeFailure(const SubRequest& ask, const SelectorFailure& failure,
                            const std::string& device, const MatchCache& matches) {
  const std::string error =
      failure.compile_error
          ? "CEL compile error: " + Cut(failure.error, kMaxExpressionShown + kMaxErrorShown)
          : "CEL runtime error: " + Cut(failure.error, kMaxErrorShown);
  return DescribeSelector(ask, failure, device, matches) + ": " + error;
}

PodClaims Prepare(std::span<const UnallocatedClaim> claims, const Snapshot& snapshot,
                  MatchCache& matches, SelectorCache& selectors) {
  Preparer preparer(snapshot, matches, selectors);
  for (const UnallocatedClaim& claim : claims.first(std::min(claims.size(), kMaxClaims)))
    preparer.Add(claim);
  PodClaims pod = preparer.Take();
  if (!pod.fatal && (claims.size() > kMaxClaims || pod.asks.size() > kMaxAsks))
    pod.fatal = "too many claims or requests for one pod";
  return pod;
}

}  // namespace fedra::dra
