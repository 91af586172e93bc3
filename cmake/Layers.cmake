# What nearly every file includes, directly or not.
set(FEDRA_PCH <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <unordered_map> <variant> <vector>
    <fmt/format.h> <tl/expected.hpp>)

# fedra_layer(NAME <name> [PUBLIC libs...] [PRIVATE libs...] [PCH headers...])
#
# One static library fedra_<name> from every .cc below the calling folder, main.cc excepted. Links are
# PRIVATE wherever possible, so that a library's headers reach only its own room;
# scripts/check_layers.py checks the #include lines as well, because all folders share one include root.
function(fedra_layer)
  cmake_parse_arguments(LAYER "" "NAME" "PUBLIC;PRIVATE;PCH" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(NOT sources)
    add_library(fedra_${LAYER_NAME} INTERFACE)
    target_include_directories(fedra_${LAYER_NAME} INTERFACE ${PROJECT_SOURCE_DIR})
    return()
  endif()
  add_library(fedra_${LAYER_NAME} STATIC ${sources})
  target_include_directories(fedra_${LAYER_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(fedra_${LAYER_NAME} PUBLIC ${LAYER_PUBLIC} PRIVATE fedra_options ${LAYER_PRIVATE})
  target_precompile_headers(fedra_${LAYER_NAME} PRIVATE ${FEDRA_PCH} ${LAYER_PCH})
endfunction()
