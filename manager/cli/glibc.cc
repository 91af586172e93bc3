#include "manager/cli/glibc.h"

#include <gnu/libc-version.h>
#include <link.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace fedra::cli {
namespace {

using Release = std::pair<int, int>;

// As the dynamic linker has it in memory: some addresses it has made absolute, others it has not.
const char* At(const dl_phdr_info& program, ElfW(Addr) address) {
  const ElfW(Addr) absolute = address < program.dlpi_addr ? program.dlpi_addr + address : address;
  return reinterpret_cast<const char*>(absolute);
}

const ElfW(Dyn) * DynamicSection(const dl_phdr_info& program) {
  for (size_t i = 0; i < program.dlpi_phnum; ++i)
    if (program.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(program.dlpi_addr + program.dlpi_phdr[i].p_vaddr);
  return nullptr;
}

// For dl_iterate_phdr, whose first object is the program itself.
int ReadNeeded(dl_phdr_info* program, size_t, void* result) {
  Release& highest = *static_cast<Release*>(result);
  const char* names = nullptr;
  const char* needed = nullptr;  // a chain of libraries, each with a chain of versions
  size_t libraries = 0;
  const ElfW(Dyn)* entry = DynamicSection(*program);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) names = At(*program, entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERNEED) needed = At(*program, entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERNEEDNUM) libraries = entry->d_un.d_val;
  }
  if (names == nullptr || needed == nullptr) return 1;
  for (size_t i = 0; i < libraries; ++i) {
    const auto& library = *reinterpret_cast<const ElfW(Verneed)*>(needed);
    const char* at = needed + library.vn_aux;
    for (int j = 0; j < library.vn_cnt; ++j) {
      const auto& version = *reinterpret_cast<const ElfW(Vernaux)*>(at);
      Release release;
      if (std::sscanf(names + version.vna_name, "GLIBC_%d.%d", &release.first, &release.second) ==
          2)
        highest = std::max(highest, release);
      at += version.vna_next;
    }
    needed += library.vn_next;
  }
  return 1;  // no other object
}

}  // namespace

Glibc GlibcVersions() {
  Release needed;
  dl_iterate_phdr(ReadNeeded, &needed);
  return {.running = gnu_get_libc_version(),
          .needed = fmt::format("{}.{}", needed.first, needed.second)};
}

}  // namespace fedra::cli
