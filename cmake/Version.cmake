# Run at every build: writes OUTPUT when the version or the commit has changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "manager/version.h"

namespace fedra {

const char* const kVersion = "@VERSION@";
const char* const kCommit = "@commit@";

}  // namespace fedra
]] @ONLY)
