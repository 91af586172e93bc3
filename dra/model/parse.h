#pragma once
//
// Kubernetes objects as JSON become the values of dra/model/model.h. This is the border: whatever
// arrives, the result is a well-formed value or an Error that names the field.
//
// resource.k8s.io is read as v1, v1beta2 and v1beta1, told apart by their shape (items of a list
// carry no apiVersion); an object that says v1alpha* is kApiMissing. Unknown fields are ignored,
// unknown kinds of selectors, attributes, modes and taint effects are kept as unknown, because the
// scheduler treats each of them in its own way.
//
// Thread rules: the functions are pure but for the ParseContext, which one thread uses at a time.

#include <memory>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "dra/model/model.h"
#include "dra/model/shared_pool.h"

namespace fedra::dra {

// Whether absent fields get what the API server would write (allocationMode ExactCount, count 1,
// operator Equal): on for manifests that no server has seen, off for objects read from a server,
// because the scheduler treats an empty mode as an error.
enum class Defaulting { kNone, kAsApiServer };

// Interns what objects of one cluster have in common. One per worker; grows and shrinks with them.
struct ParseContext {
  SymbolPool symbols;
  SharedPool<AttributeList> attributes;
  SharedPool<CapacityList> capacities;
  SharedPool<std::vector<CounterSet>> counters;
  SharedPool<DeviceExtras> extras;
  SharedPool<NodeSelector> node_selectors;
};

Result<Slice> ParseSlice(const nlohmann::json& object, ParseContext& context);
Result<DeviceClass> ParseDeviceClass(const nlohmann::json& object, ParseContext& context);
Result<Claim> ParseClaim(const nlohmann::json& object, ParseContext& context,
                         Defaulting defaulting = Defaulting::kNone);
Result<ClaimTemplate> ParseClaimTemplate(const nlohmann::json& object, ParseContext& context,
                                         Defaulting defaulting = Defaulting::kNone);
Result<TaintRule> ParseTaintRule(const nlohmann::json& object, ParseContext& context);
Result<Node> ParseNode(const nlohmann::json& object, ParseContext& context);

}  // namespace fedra::dra
