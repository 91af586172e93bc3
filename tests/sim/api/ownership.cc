#include "tests/sim/api/ownership.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "tests/sim/api/resource_types.h"

namespace fedra::sim {
namespace {

struct KeyedList {
  std::string_view suffix;
  std::array<std::string_view, 2> keys;
};

// Lists of pod templates and metadata; the same in every kind that has them.
constexpr KeyedList kCommonLists[] = {
    {".metadata.ownerReferences", {"uid"}},    {".spec.containers", {"name"}},
    {".spec.initContainers", {"name"}},        {".spec.volumes", {"name"}},
    {".spec.resourceClaims", {"name"}},        {".env", {"name"}},
    {".ports", {"containerPort", "protocol"}}, {".volumeMounts", {"mountPath"}},
};
// Kueue's CRDs (v1beta2).
constexpr KeyedList kKueueLists[] = {
    {".status.conditions", {"type"}},      {".spec.podSets", {"name"}},
    {".status.admissionChecks", {"name"}}, {".status.admission.podSetAssignments", {"name"}},
    {".status.reclaimablePods", {"name"}}, {".status.resourceRequests", {"name"}},
    {".status.preemptionGates", {"name"}}, {".status.unhealthyNodes", {"name"}},
};

template <size_t N>
std::vector<std::string> Lookup(const KeyedList (&table)[N], std::string_view path) {
  for (const KeyedList& list : table) {
    if (!path.ends_with(list.suffix)) continue;
    std::vector<std::string> keys(1, std::string(list.keys[0]));
    if (!list.keys[1].empty()) keys.emplace_back(list.keys[1]);
    return keys;
  }
  return {};
}

// `[name="x"]`, `[containerPort=80,protocol="TCP"]`.
std::string EntryName(const Json& entry, const std::vector<std::string>& keys) {
  std::string name;
  for (const std::string& key : keys) {
    const Json* value = At(entry, {key});
    name += name.empty() ? "[" : ",";
    name += key + "=" + (value == nullptr ? "null" : Serialize(*value));
  }
  return name + "]";
}

const Json* FindEntry(const Json& list, const std::vector<std::string>& keys,
                      const std::string& name) {
  for (const Json& entry : list) {
    if (EntryName(entry, keys) == name) return &entry;
  }
  return nullptr;
}

Json* FindEntry(Json& list, const std::vector<std::string>& keys, const std::string& name) {
  return const_cast<Json*>(FindEntry(std::as_const(list), keys, name));
}

// Schema paths have no entry names: ".spec.podSets.template" for every pod set.
std::string SchemaPath(std::string_view path) {
  std::string schema;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) schema += c;
    if (c == ']') inside = false;
  }
  return schema;
}

void Collect(const ResourceType& type, const Json& value, const std::string& path,
             FieldSet& fields) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      Collect(type, member, path + "." + key, fields);
    }
    return;
  }
  if (value.is_array() && !value.empty()) {
    const auto keys = MergeKeys(type, path);
    if (!keys.empty()) {
      for (const Json& entry : value) {
        const std::string entry_path = path + EntryName(entry, keys);
        fields.insert(entry_path);
        Collect(type, entry, entry_path, fields);
      }
      return;
    }
  }
  fields.insert(path);
}

// Calls `visit(path, before, after)` for every field that differs; one of the two may be null.
template <class F>
void Differences(const ResourceType& type, const Json* before, const Json* after,
                 const std::string& path, const F& visit) {
  if (before != nullptr && after != nullptr && *before == *after) return;
  const Json* any = after != nullptr ? after : before;
  const bool both_objects = any->is_object() && (before == nullptr || before->is_object()) &&
                            (after == nullptr || after->is_object());
  if (both_objects) {
    FieldSet names;
    for (const Json* side : {before, after}) {
      if (side == nullptr) continue;
      for (const auto& member : side->items()) names.insert(member.key());
    }
    for (const std::string& name : names) {
      const auto member = [&name](const Json* side) {
        return side == nullptr ? nullptr : At(*side, {name});
      };
      Differences(type, member(before), member(after), path + "." + name, visit);
    }
    if (!names.empty()) return;
  }
  const auto keys = any->is_array() ? MergeKeys(type, path) : std::vector<std::string>();
  if (keys.empty()) return visit(path, before, after);
  FieldSet names;
  for (const Json* side : {before, after}) {
    if (side == nullptr || !side->is_array()) continue;
    for (const Json& entry : *side) names.insert(EntryName(entry, keys));
  }
  for (const std::string& name : names) {
    const auto entry = [&](const Json* side) {
      return side == nullptr || !side->is_array() ? nullptr : FindEntry(*side, keys, name);
    };
    const Json* old_entry = entry(before);
    const Json* new_entry = entry(after);
    if ((old_entry == nullptr) != (new_entry == nullptr)) visit(path + name, old_entry, new_entry);
    Differences(type, old_entry, new_entry, path + name, visit);
  }
}

void Merge(const ResourceType& type, const Json& config, Json& live, const std::string& path) {
  if (config.is_object() && live.is_object()) {
    for (const auto& [key, member] : config.get_ref<const Json::object_t&>()) {
      Merge(type, member, live[key], path + "." + key);
    }
    return;
  }
  const auto keys =
      config.is_array() && live.is_array() ? MergeKeys(type, path) : std::vector<std::string>();
  if (keys.empty()) {
    live = config;
    return;
  }
  for (const Json& entry : config) {
    const std::string name = EntryName(entry, keys);
    Json* existing = FindEntry(live, keys, name);
    if (existing == nullptr) {
      live.push_back(entry);
    } else {
      Merge(type, entry, *existing, path + name);
    }
  }
}

// Removes the fields of `gone`; entries of keyed lists go when they are in `gone` themselves.
void Prune(const ResourceType& type, Json& value, const std::string& path, const FieldSet& gone) {
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end();) {
      const std::string member_path = path + "." + member.key();
      if (gone.contains(member_path)) {
        member = value.erase(member);
      } else {
        const bool had_content = !member->empty();
        Prune(type, *member, member_path, gone);
        // A map or struct that lost its last field goes with it.
        const bool hollow = had_content && member->is_structured() && member->empty();
        member = hollow ? value.erase(member) : std::next(member);
      }
    }
    return;
  }
  const auto keys = value.is_array() ? MergeKeys(type, path) : std::vector<std::string>();
  if (keys.empty()) return;
  for (auto entry = value.begin(); entry != value.end();) {
    const std::string entry_path = path + EntryName(*entry, keys);
    if (gone.contains(entry_path)) {
      entry = value.erase(entry);
    } else {
      Prune(type, *entry++, entry_path, gone);
    }
  }
}

bool Same(const Owner& owner, const ApplyRequest& request, bool applies) {
  return owner.manager == request.manager && owner.applies == applies &&
         owner.subresource == request.subresource;
}

Owner& OwnerOf(const ApplyRequest& request, bool applies, Owners& owners) {
  for (Owner& owner : owners) {
    if (Same(owner, request, applies)) return owner;
  }
  owners.push_back({.manager = request.manager,
                    .applies = applies,
                    .subresource = request.subresource,
                    .api_version = request.type.ApiVersion(),
                    .fields = {}});
  return owners.back();
}

struct FieldConflict {
  size_t owner;  // index
  std::string field;
};

std::string Describe(const Owner& owner) {
  std::string text = fmt::format("\"{}\"", owner.manager);
  if (!owner.subresource.empty())
    text += fmt::format(" with subresource \"{}\"", owner.subresource);
  return owner.applies ? text : text + " using " + owner.api_version;
}

Failure ConflictFailure(const std::vector<FieldConflict>& conflicts, const Owners& owners) {
  std::map<std::string, std::string> lists;
  Json causes = Json::array();
  for (const FieldConflict& conflict : conflicts) {
    const std::string who = Describe(owners[conflict.owner]);
    lists[who] += "\n- " + conflict.field;
    causes.push_back({{"reason", "FieldManagerConflict"},
                      {"message", "conflict with " + who},
                      {"field", conflict.field}});
  }
  std::string message = fmt::format("Apply failed with 1 conflict: conflict with {}: {}",
                                    lists.begin()->first, conflicts.front().field);
  if (conflicts.size() > 1) {
    message = fmt::format("Apply failed with {} conflicts:", conflicts.size());
    char separator = ' ';
    for (const auto& [who, fields] : lists) {
      message += fmt::format("{}conflicts with {}:{}", separator, who, fields);
      separator = '\n';
    }
  }
  Failure failure{.code = 409, .reason = "Conflict", .message = std::move(message)};
  failure.details["causes"] = std::move(causes);
  return failure;
}

// Fields of `wanted` that another manager owns with another value.
std::vector<FieldConflict> Conflicts(const ApplyRequest& request, const Json& config,
                                     const Json& live, const Owners& owners) {
  FieldSet changed;
  Json merged = live;
  Merge(request.type, config, merged, "");
  Differences(
      request.type, &live, &merged, "",
      [&changed](const std::string& path, const Json*, const Json*) { changed.insert(path); });
  std::vector<FieldConflict> conflicts;
  for (size_t i = 0; i < owners.size(); ++i) {
    if (Same(owners[i], request, /*applies=*/true)) continue;
    for (const std::string& field : changed) {
      if (owners[i].fields.contains(field)) conflicts.push_back({i, field});
    }
  }
  return conflicts;
}

}  // namespace

std::vector<std::string> MergeKeys(const ResourceType& type, std::string_view path) {
  const std::string schema =
      path.find('[') == std::string_view::npos ? std::string(path) : SchemaPath(path);
  auto keys = type.custom ? Lookup(kKueueLists, schema) : std::vector<std::string>();
  return keys.empty() ? Lookup(kCommonLists, schema) : keys;
}

FieldSet FieldsOf(const ResourceType& type, const Json& document) {
  FieldSet fields;
  for (const auto& member : document.items()) {
    Collect(type, member.value(), "." + member.key(), fields);
  }
  return fields;
}

Outcome<void> Apply(const ApplyRequest& request, const Json& config, Json& live, Owners& owners) {
  const auto conflicts = Conflicts(request, config, live, owners);
  if (!conflicts.empty() && !request.force) return Refuse(ConflictFailure(conflicts, owners));
  for (const FieldConflict& conflict : conflicts) {
    owners[conflict.owner].fields.erase(conflict.field);
  }
  FieldSet wanted = FieldsOf(request.type, config);
  FieldSet gone;
  const Owner& before = OwnerOf(request, /*applies=*/true, owners);
  for (const std::string& field : before.fields) {
    const bool shared = std::any_of(owners.begin(), owners.end(), [&](const Owner& other) {
      return &other != &before && other.fields.contains(field);
    });
    if (!wanted.contains(field) && !shared) gone.insert(field);
  }
  Merge(request.type, config, live, "");
  if (!gone.empty()) Prune(request.type, live, "", gone);
  OwnerOf(request, /*applies=*/true, owners).fields = std::move(wanted);
  std::erase_if(owners, [](const Owner& owner) { return owner.fields.empty(); });
  return {};
}

void TakeOwnership(const ApplyRequest& request, const Json& before, const Json& after,
                   Owners& owners) {
  FieldSet taken;
  FieldSet changed;
  Differences(request.type, &before, &after, "",
              [&](const std::string& path, const Json*, const Json* now) {
                changed.insert(path);
                if (now != nullptr) taken.insert(path);
              });
  for (Owner& owner : owners) {
    for (const std::string& field : changed) owner.fields.erase(field);
  }
  if (!taken.empty()) OwnerOf(request, /*applies=*/false, owners).fields.merge(taken);
  std::erase_if(owners, [](const Owner& owner) { return owner.fields.empty(); });
}

bool MayDrop(const Owners& owners, std::string_view manager, std::string_view path) {
  return std::none_of(owners.begin(), owners.end(), [&](const Owner& owner) {
    return owner.fields.contains(path) && !(owner.manager == manager && owner.applies);
  });
}

}  // namespace fedra::sim
