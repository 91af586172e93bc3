# cmake -DFOLDER=manager/dashboard/assets -DOUTPUT=assets_embedded.cc -P embed.cmake
#
# Writes the definition of fedra::dashboard::Assets() with every file of FOLDER as a raw string.
file(GLOB files ${FOLDER}/*)
list(SORT files)
set(entries "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  if(text MATCHES "\\)asset\"")
    message(FATAL_ERROR "${file}: it holds what ends a raw string, )asset\"")
  endif()
  string(APPEND entries "      {\"${name}\", R\"asset(${text})asset\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by manager/dashboard/embed.cmake.
#include \"manager/dashboard/assets.h\"

namespace fedra::dashboard {

std::span<const Asset> Assets() {
  static constexpr Asset kAssets[] = {
${entries}  };
  return kAssets;
}

}  // namespace fedra::dashboard
")
