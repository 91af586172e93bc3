// The documents about devices, and about copies of ResourceClaimTemplates.

#include <utility>

#include "manager/report/device_map.h"
#include "manager/report/document_schemas.h"
#include "manager/report/template_document.h"

namespace fedra::report::schema {
namespace {

// As in device_counts.h, which says how they add up.
std::vector<Field> CountFields() {
  return {{"total", Number(), "All that are published"},
          {"free", Number(), "Held by no claim, usable, and without a taint that keeps pods away"},
          {"allocated", Number(), "Held as a whole"},
          {"tainted", Number(),
           "With a taint that keeps away pods that do not tolerate it, in use or not"},
          {"shared", Number(), "Held in shares; more of them may be had"},
          {"unusable", Number(),
           "In an incomplete or invalid pool, on no node, or with used up counters"}};
}

// One device of a map.
std::vector<NamedSchema> MappedDeviceSchemas() {
  return {
      {"Device",
       Object("A device, or a partition of one.",
              {{"name", Text(), "Its name in the pool"},
               {"state", OneOf(NamesOf(kDeviceConditions)),
                "Allocated: held as a whole; Shared: in shares, and more may be had; Tainted: "
                "nothing but a taint keeps pods away. A device that is held keeps that state "
                "whatever its taints are"},
               Maybe("why", OneOf(NamesOf(kUnusableCauses)),
                     "Why it is Unusable: the counters that it shares are used up, its "
                     "compatibility groups do not go with devices in use, its node is not there, "
                     "no single node reaches it, or its pool cannot be used"),
               {"classes", ListOf(Text()),
                "DeviceClasses that mean it; empty of PoolIncomplete, "
                "PoolInvalid and NotReached"},
               Maybe("holders", ListOf(Ref("DeviceHolder")), "Absent: no claim holds it"),
               Maybe("taints", ListOf(Ref("DeviceTaint")), "Absent: it has none"),
               Maybe("shares", MapOf(Ref("AmountUse")),
                     "Of a Shared one: its capacities, by name, and what is held of them"),
               Maybe("consumes", ListOf(Ref("CounterDemand")),
                     "What it takes of counter sets once it is allocated; absent: it is no "
                     "partition")})},
      {"DeviceHolder",
       Object("Who holds a device.",
              {{"namespace", Text(), "Of the claim, and of the job"},
               {"claim", Text(), "The ResourceClaim"},
               Maybe("job", Text(), "Whose pods use the claim; absent: none, or not known")})},
      {"DeviceTaint",
       Object("A taint of a device.",
              {{"key", Text(), "Its key"},
               Maybe("value", Text(), "Its value; absent: none"),
               {"effect", Text(), "NoSchedule, NoExecute, or an effect that keeps no pod away"},
               Maybe("rule", Text(),
                     "The DeviceTaintRule that sets it; absent: the driver has published it")})},
      {"CounterDemand", Object("What a device takes of one counter set.",
                               {{"counterSet", Text(), "Its name in the pool"},
                                {"counters", MapOf(Text()), "Quantities by name"}})},
  };
}

}  // namespace

std::vector<NamedSchema> DeviceSchemas() {
  return {
      {"DeviceReport",
       Object("The workers' devices, counted.",
              WorkersDocumentFields("DeviceReport") +
                  std::vector<Field>{{"workers", ListOf(Ref("WorkerDevices")),
                                      "Those that could be read, in the order of the "
                                      "configuration"},
                                     UnreadField()})},
      {"WorkerDevices",
       Object("The devices of one worker.",
              {{"name", Text(), "The worker"},
               {"notes", ListOf(Text()), "What should be known of them, for people"},
               {"classes", ListOf(Ref("DriverClassDevices")), "By driver and class"},
               {"pools", ListOf(Ref("PoolDevices")), "By driver, pool and node"}})},
      {"DriverClassDevices",
       Object("One driver's devices of one class, over all nodes.",
              std::vector<Field>{{"driver", Text(), "Its name"},
                                 {"class", Text(),
                                  "The DeviceClass that means them; a device may be of several; "
                                  "empty: of none"},
                                 {"nodes", Number(), "On how many nodes they are"}} +
                  CountFields())},
      {"PoolDevices",
       Object("The devices of one pool on one node.",
              std::vector<Field>{{"driver", Text(), "Its name"},
                                 {"pool", Text(), "Its name"},
                                 {"node", Text(), "Its name; empty: many nodes reach them"}} +
                  CountFields() +
                  std::vector<Field>{
                      {"classes", ListOf(Ref("ClassDevices")), "By class"},
                      {"attributes", MapOf(ListOf(Text())),
                       "The values that occur, by name of the attribute or capacity; at most 64 "
                       "of each"},
                      {"problems", ListOf(Text()), "Why devices are unusable, for people"}})},
      {"ClassDevices", Object("The devices of one class.",
                              std::vector<Field>{{"class", Text(),
                                                  "The DeviceClass that means them; empty: of "
                                                  "none"}} +
                                  CountFields())},
  };
}

std::vector<NamedSchema> DeviceMapSchemas() {
  std::vector<NamedSchema> schemas = {
      {"DeviceMap",
       Object("The devices of one worker, by node.",
              WorkersDocumentFields("DeviceMap") +
                  std::vector<Field>{
                      {"worker", Text(), "Its name"},
                      {"nodes", ListOf(Ref("NodeDevices")),
                       "By name, at most 200; those without devices are left out"},
                      {"remaining", Number(), "How many more nodes there are behind this page"},
                      Maybe("continue", Text(),
                            "Where the next page begins; absent: there is "
                            "none")})},
      {"NodeDevices",
       Object("The devices of one node.",
              {{"name", Text(), "Its name; empty: many nodes reach these devices"},
               Maybe("missing", Flag(), "True: there is no such node"),
               Maybe("cordoned", Flag(), "True: it is unschedulable, and no new pod gets there"),
               {"pools", ListOf(Ref("NodePool")), "By driver and pool"}})},
      {"NodePool",
       Object("The devices of one pool on one node. Those that consume of the same counter set are "
              "alternatives: taking one may rule out others, so they must not be added up.",
              {{"driver", Text(), "Its name"},
               {"pool", Text(), "Its name"},
               Maybe("problem", Text(), "Why its devices are unusable, for people"),
               Maybe("counterSets", ListOf(Ref("CounterSet")),
                     "What its partitions share; absent: nothing"),
               {"devices", ListOf(Ref("Device")), "By name"}})},
      {"CounterSet", Object("Counters that devices share, such as the memory of a card.",
                            {{"name", Text(), "Its name in the pool"},
                             {"counters", MapOf(Ref("AmountUse")), "By name"}})},
      {"AmountUse", Object("An amount that is shared.",
                           {{"total", Text(), "What there is of it, a Kubernetes quantity"},
                            {"used", Text(), "What allocated devices hold of it, a quantity"}})},
  };
  for (NamedSchema& schema : MappedDeviceSchemas()) schemas.push_back(std::move(schema));
  return schemas;
}

std::vector<NamedSchema> TemplateSchemas() {
  const std::vector<Field> place = {{"worker", Text(), "Where"},
                                    {"namespace", Text(), "The template's namespace"},
                                    {"name", Text(), "The template's name"},
                                    {"why", Text(), "For people"}};
  std::vector<Field> step = place;
  step.insert(
      step.begin() + 1,
      {"action", OneOf({"create", "refresh", "replace", "wait", "delete"}), "What would be done"});
  return {
      {"TemplateSync",
       Object("What would be done now about copies of ResourceClaimTemplates.",
              WorkersDocumentFields("TemplateSync") +
                  std::vector<Field>{
                      {"mode",
                       OneOf({NameOf(templates::SyncPolicy::kNever),
                              NameOf(templates::SyncPolicy::kIfMissing),
                              NameOf(templates::SyncPolicy::kReconcile)}),
                       "verification.templates.sync, as configured or as asked"},
                      {"items", ListOf(Ref("TemplateStep")), "What would be done"},
                      {"leftAlone", ListOf(Ref("TemplateLeftAlone")),
                       "Templates that differ and are not fedra's: only their owner changes them"},
                      UnreadField()})},
      {"TemplateStep", Object("A step about one template on one worker.", step)},
      {"TemplateLeftAlone", Object("A template of a worker that is not fedra's.", place)},
  };
}

}  // namespace fedra::report::schema
