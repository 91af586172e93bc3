# cmake "-DFILES=a,b" -DHEADER=manager/dashboard/assets.h -DFUNCTION=fedra::dashboard::Assets -DTYPE=Asset -DOUTPUT=x.cc -P Embed.cmake
#
# Writes the definition of FUNCTION, which HEADER declares and which returns a span of TYPE{name, text}: every file of
# FILES, by its name, as a raw string.
string(REGEX MATCH "^(.*)::([^:]+)$" _ ${FUNCTION})
set(namespace ${CMAKE_MATCH_1})
set(function ${CMAKE_MATCH_2})
string(REPLACE "," ";" files "${FILES}")
list(SORT files)
set(entries "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  if(text MATCHES "\\)file\"")
    message(FATAL_ERROR "${file}: it holds what ends a raw string, )file\"")
  endif()
  string(APPEND entries "      {\"${name}\", R\"file(${text})file\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/Embed.cmake.
#include \"${HEADER}\"

// C++ promises strings of 65,536 characters; both compilers take longer ones.
#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace ${namespace} {

std::span<const ${TYPE}> ${function}() {
  static constexpr ${TYPE} kFiles[] = {
${entries}  };
  return kFiles;
}

}  // namespace ${namespace}
")
