#pragma once
//
// What every object carries besides what it means. Pure functions.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/types.h"

namespace fedra::watch {

struct Meta {
  ObjectKey key;
  ResourceVersion version;
  std::string uid;
};
// Reads metadata.{namespace,name,resourceVersion,uid} of an object. A name is required, the rest
// may be missing.
Result<Meta> ReadMeta(const nlohmann::json& object);
// The same from JSON text, without parsing more than the metadata.
Result<Meta> ScanMeta(std::string_view object);

}  // namespace fedra::watch
