#include "manager/report/document_schemas.h"

namespace fedra::report::schema {
namespace {

const std::vector<Field> kWord = {{"name", Text(), "The word, as other documents have it"},
                                  {"group", Text(), "What it is about, such as Devices or Job"},
                                  {"summary", Text(), "What it means, in a line"}};

}  // namespace

std::vector<NamedSchema> CatalogueSchemas() {
  return {
      {"ReasonList",
       Object("What the words in other documents mean.",
              DocumentFields("ReasonList") +
                  std::vector<Field>{{"items", ListOf(Ref("ReasonEntry")), "The reasons"},
                                     {"states", ListOf(Ref("StateEntry")), "The states"},
                                     {"events", ListOf(Ref("EventEntry")), "The events"}})},
      {"ReasonEntry",
       Object("A reason why a worker cannot, or may not, run a job.",
              kWord + std::vector<Field>{{"cause", Text(), "What leads to it"},
                                         {"remedy", Text(), "What can be done about it"},
                                         {"facts", ListOf(Text()),
                                          "The schemas of the facts that come with it"}})},
      {"StateEntry",
       Object("A state of a job, a worker, a verdict or an attempt.",
              kWord + std::vector<Field>{{"remedy", Text(), "What ends it; may be empty"}})},
      {"EventEntry", Object("What an event on a Workload is called.", kWord)},
  };
}

}  // namespace fedra::report::schema
