#pragma once
//
// Tells whether any of some files may have changed, by looking at them every second or two.
//
// Polling instead of inotify: it survives renames, symlink swaps of mounted Secrets and ConfigMaps
// (`..data` is replaced, the path stays), network file systems and files that appear later, and
// costs microseconds per file.
// Thread rules: free function; any thread.

#include <string>
#include <vector>

namespace fedra::config {

// Opaque: only equality means anything.
struct FileStamp {
  std::string value;
  bool operator==(const FileStamp&) const = default;
};

// Missing and unreadable files are part of the stamp, so that their arrival changes it. Take the
// stamp before reading the files: then a change in between leads to one reload too many, never to
// one too few.
FileStamp StampFiles(const std::vector<std::string>& paths);

}  // namespace fedra::config
