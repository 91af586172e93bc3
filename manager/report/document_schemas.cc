#include "manager/report/document_schemas.h"

#include <iterator>

#include "manager/report/states.h"

namespace fedra::report::schema {
namespace {

std::vector<NamedSchema> SharedSchemas() {
  return {{"UnreadWorker", Object("A worker that the document says nothing about.",
                                  {{"worker", Text(), "Its name"},
                                   {"problem", Text(), "Why nothing is known of it"}})}};
}

}  // namespace

std::vector<Field> DocumentFields(std::string_view kind) {
  return {{"apiVersion", Always("fedra.dev/v1alpha1"), "The version of the document"},
          {"kind", Always(kind), "What document it is"}};
}

std::vector<Field> StoreDocumentFields(std::string_view kind) {
  return DocumentFields(kind) +
         std::vector<Field>{
             Maybe("omitted", ListOf(OneOf({"workers", "namespaces"})),
                   "What the reader's rights do not cover, whether there is any or not; absent: "
                   "nothing. Only over TLS"),
             Maybe("asOf", Time(),
                   "When the daemon last wrote what this says; of a standby when its jobs were "
                   "current, though its workers are of now. Absent: none has written yet, or this "
                   "standby knows nothing of jobs"),
             Maybe("daemon", Ref("Daemon"), "The daemon; absent: none has written yet"),
             Maybe("manager", Ref("Manager"),
                   "The manager's cluster; absent: no daemon has written it yet")};
}

std::vector<Field> WorkersDocumentFields(std::string_view kind) {
  return DocumentFields(kind) +
         std::vector<Field>{
             {"asOf", Time(), "When the workers were read, or the snapshot was taken"},
             {"source", OneOf({"Clusters", "Snapshot"}), "Where it was read"},
             Maybe("file", Text(), "Of a Snapshot: the file's name. The API has none"),
             Maybe("replica", Ref("Replica"),
                   "Of the API: which of several daemons answers; absent: there are no replicas. A "
                   "standby sees workers as the leader does")};
}

Field UnreadField() {
  return {"unreadWorkers", ListOf(Ref("UnreadWorker")), "Workers that nothing is known of"};
}

std::vector<std::string_view> StateNames(std::string_view group) {
  std::vector<std::string_view> names;
  for (const StateEntry& entry : StateEntries())
    if (entry.group == group) names.push_back(entry.name);
  return names;
}

std::vector<NamedSchema> DocumentSchemas() {
  std::vector<NamedSchema> all;
  for (auto schemas : {FleetSchemas(), JobSchemas(), DeviceSchemas(), DeviceMapSchemas(),
                       TemplateSchemas(), CheckSchemas(), CatalogueSchemas(), SharedSchemas()}) {
    all.insert(all.end(), std::make_move_iterator(schemas.begin()),
               std::make_move_iterator(schemas.end()));
  }
  return all;
}

}  // namespace fedra::report::schema
