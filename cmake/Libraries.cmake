# Third-party libraries. Each has one room (docs/architecture.md); they are all Debian 12 packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Catch2 REQUIRED)
find_package(benchmark REQUIRED)
find_package(Boost 1.81 REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)  # the simulation's
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)
# What `fedra version` says of the libraries that cannot say it themselves while it runs: NAME=VERSION.
set(FEDRA_LIBRARY_VERSIONS
  openssl=${OPENSSL_VERSION} fmt=${fmt_VERSION} yaml-cpp=${yaml-cpp_VERSION}
  CLI11=${CLI11_VERSION} prometheus-cpp=${PROMETHEUS_VERSION} re2=${RE2_VERSION} utf8proc=${UTF8PROC_VERSION})
# The program's allocator; sanitizers bring their own.
if(NOT FEDRA_SANITIZE)
  pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
endif()
