#pragma once
//
// The schemas of the documents in this room, with what each field means: what openapi.json is made
// of, and what tests hold documents against. A field that is added to a document is added here.
//
// Pure. A reason's facts are named by Ref("Facts"), Ref("NewNodes") and the like;
// verdict/fact_fields.h has their fields.

#include <string_view>
#include <vector>

#include "manager/report/schema.h"

namespace fedra::report::schema {

// Documents by their kind, and the parts that they share. A JobReport of one job is OneJobReport.
std::vector<NamedSchema> DocumentSchemas();

// Its parts, by what they are about.
std::vector<NamedSchema> FleetSchemas();
std::vector<NamedSchema> JobSchemas();
std::vector<NamedSchema> DeviceSchemas();
std::vector<NamedSchema> DeviceMapSchemas();
std::vector<NamedSchema> TemplateSchemas();
std::vector<NamedSchema> CheckSchemas();
std::vector<NamedSchema> CatalogueSchemas();

// How a document of this kind begins.
std::vector<Field> DocumentFields(std::string_view kind);
// ... that is about the store, and one that is about workers which were asked.
std::vector<Field> StoreDocumentFields(std::string_view kind);
std::vector<Field> WorkersDocumentFields(std::string_view kind);
// "unreadWorkers"
Field UnreadField();
// The words of StateEntries() of one group.
std::vector<std::string_view> StateNames(std::string_view group);

}  // namespace fedra::report::schema
