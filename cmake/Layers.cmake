# What nearly every file includes, directly or not.
set(FEDRA_PCH <algorithm> <chrono> <functional> <map> <memory> <optional> <string> <unordered_map> <variant> <vector>
    <fmt/format.h> <tl/expected.hpp>)

# fedra_precompile(<target> [headers...]): these, after FEDRA_PCH, precompiled for the target. A precompiled header
# holds absolute paths; what it was made from goes into a sum beside it, by which ccache knows it in every clone.
function(fedra_precompile target)
  set(headers ${FEDRA_PCH} ${ARGN})
  target_precompile_headers(${target} PRIVATE ${headers})
  set(inputs "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${FEDRA_SANITIZE} \
${fmt_VERSION} ${nlohmann_json_VERSION} ${Boost_VERSION} ${tl-expected_VERSION} ${Catch2_VERSION} ${OPENSSL_VERSION}")
  foreach(header IN LISTS headers)
    if(EXISTS ${header})
      file(SHA256 ${header} header)
    endif()
    string(APPEND inputs " ${header}")
  endforeach()
  string(SHA256 sum "${inputs}")
  foreach(suffix pch gch)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.${suffix}.sum
         CONTENT "${sum}\n")
  endforeach()
endfunction()

# fedra_batch(<target>): its files are compiled FEDRA_BATCH at a time, each batch as one: headers are read and templates
# are made once for all of them. So file-local names must be unique within a target. 0: each for itself, which is
# quicker after a change.
set(FEDRA_BATCH 0 CACHE STRING "How many files are compiled as one")
function(fedra_batch target)
  if(FEDRA_BATCH GREATER 0)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${FEDRA_BATCH})
  endif()
endfunction()

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
  fedra_precompile(fedra_${LAYER_NAME} ${LAYER_PCH})
  fedra_batch(fedra_${LAYER_NAME})
endfunction()
