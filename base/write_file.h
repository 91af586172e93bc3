#pragma once
//
// How this program writes a file that a person named: whole or not at all, and without harm to what
// is no file.
//
// Thread rules: any thread; two writers of one path leave the text of one of them.

#include <string>
#include <string_view>

#include "base/result.h"

namespace fedra {

// Writes `text` to `path`.
//   nothing there, or a regular file: a temporary file beside it is renamed over it. A new file is
//     readable by its owner only (0600); an existing one keeps its mode, and its owner where we may
//     set it.
//   a symbolic link: what it leads to is written so; the link stays.
//   a pipe or a character device: written through, and waits for the reader of a pipe. So is the
//     file that is standard output (/dev/stdout): another process has it open.
//   a folder, a socket, a block device: refused (kInvalidArgument).
// kStorage: the system refused; what was there is unchanged, unless it was written through.
Result<void> WriteFile(const std::string& path, std::string_view text);

// The same for a secret: a regular file has the mode 0600 and our owner afterwards, whatever was
// there.
Result<void> WritePrivateFile(const std::string& path, std::string_view text);

// "a character device", of a stat()'s st_mode.
std::string_view FileTypeText(unsigned mode);

}  // namespace fedra
