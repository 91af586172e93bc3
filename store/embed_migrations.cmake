# cmake -DFOLDER=store/migrations -DOUTPUT=migrations_embedded.cc -P embed_migrations.cmake
#
# Writes the definition of fedra::store::Migrations() with every NNNN_*.sql of FOLDER as a raw string.
file(GLOB files ${FOLDER}/*.sql)
list(SORT files)
set(entries "")
set(expected 1)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  if(NOT name MATCHES "^0*([1-9][0-9]*)_[a-z0-9_]+\\.sql$" OR NOT CMAKE_MATCH_1 EQUAL expected)
    message(FATAL_ERROR "${file}: migrations are named NNNN_what.sql, numbered from 1 without gaps")
  endif()
  file(READ ${file} sql)
  string(APPEND entries "    {${expected}, R\"sql(${sql})sql\"},\n")
  math(EXPR expected "${expected} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by store/embed_migrations.cmake.
#include \"store/migrations.h\"

namespace fedra::store {

std::span<const Migration> Migrations() {
  static constexpr Migration kMigrations[] = {
${entries}  };
  return kMigrations;
}

}  // namespace fedra::store
")
