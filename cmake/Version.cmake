# Run at every build: writes OUTPUT when the version or the commit has changed.
# An archive of the sources says of which commit it is (scripts/release.sh).
if(EXISTS ${SOURCE_DIR}/COMMIT)
  file(READ ${SOURCE_DIR}/COMMIT commit LIMIT 12)
else()
  execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
# NAME=VERSION,...; a package that does not say its version is left out (Debian's re2.pc says 0.0.0).
string(REPLACE "," ";" packages "${LIBRARIES}")
foreach(package IN LISTS packages)
  if(package MATCHES "^(.+)=(.+)$" AND NOT CMAKE_MATCH_2 STREQUAL "0.0.0")
    string(APPEND libraries "\n    {\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\"},")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "manager/version.h"

namespace fedra {

const char* const kVersion = "@VERSION@";
const char* const kCommit = "@commit@";

const std::vector<LibraryVersion> kLibraries = {@libraries@
};

}  // namespace fedra
]] @ONLY)
